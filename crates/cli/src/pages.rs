//! Results as files for people: `--html FILE` and `--dot FILE`.

use crate::config::{FilesConfig, SourceConfig};
use crate::destination::Destination;
use crate::output::{Output, Stop};
use crate::source::Source;
use raddle_ir::Diagnostic;
use raddle_report::html::{Answer, Page};
use raddle_report::source::Sources;
use std::path::Path;

/// The files that answers are written to, if any were asked for.
#[derive(Debug)]
pub(crate) struct Pages {
    html: Option<Destination>,
    dot: Option<Destination>,
    page: Page,
}

impl Pages {
    /// Checks the paths before anything is searched; refuses those that cannot be written.
    pub(crate) fn at(
        files: &FilesConfig,
        sources: &[&SourceConfig],
        output: &mut Output,
    ) -> Result<Pages, Stop> {
        let checked = |path: &Path| {
            Destination::checked(path, sources.iter().flat_map(|source| source.inputs()))
        };
        let [html, dot] =
            [&files.html, &files.dot].map(|path| path.as_deref().map(checked).transpose());
        let refused = |diagnostic: Diagnostic| output.refuse(&diagnostic);
        let html = html.and_then(|html| Ok((html, dot?)));
        let (html, dot) = html.map_err(refused)?;
        let words = std::env::args_os().map(|word| crate::input::shown(Path::new(&word)));
        let mut command: Vec<String> = words.collect();
        if let Some(program) = command.first_mut() {
            *program = "raddle".to_owned();
        }
        Ok(Pages { html, dot, page: Page::new(command) })
    }

    /// Refuses to overwrite a file that the program was made from: a header, say.
    /// A file that is refused is not written.
    pub(crate) fn check_against(
        &mut self,
        source: &Source,
        output: &mut Output,
    ) -> Result<(), Stop> {
        for file in [&mut self.html, &mut self.dot] {
            let apart = file.as_ref().map_or(Ok(()), |file| file.is_none_of(source.paths()));
            if let Err(diagnostic) = apart {
                *file = None;
                return Err(output.refuse(&diagnostic));
            }
        }
        Ok(())
    }

    /// Adds an answer, which is made only if there is a file for it.
    pub(crate) fn add(&mut self, answer: impl FnOnce() -> Answer) {
        if self.html.is_some() || self.dot.is_some() {
            self.page.add(answer());
        }
    }

    /// Writes the files.
    pub(crate) fn save(&self, sources: &Sources, output: &mut Output) {
        let html = self.html.as_ref().map(|html| html.write(|file| self.page.write(file, sources)));
        let dot = self.dot.as_ref().map(|dot| dot.write(|file| self.page.write_dot(file)));
        for written in [html, dot].into_iter().flatten() {
            if let Err(diagnostic) = written {
                output.refuse(&diagnostic);
            }
        }
    }
}

/// The command that finds the fences for a program under a model; `None` if no fence has an effect there.
pub(crate) fn fence_command(source: &SourceConfig, model: raddle_engine::Model) -> Option<String> {
    if model.fences().is_empty() {
        return None;
    }
    let origin = source.origin();
    let words = origin.inputs.iter().map(|word| word.to_string_lossy());
    let model = ["--model".into(), model.name().into()];
    let arguments = origin.arguments.iter().map(|word| word.to_string_lossy());
    let words = words.chain(model).chain(arguments).map(|word| quoted(&word));
    Some(
        ["raddle".to_owned(), "fence".to_owned()]
            .into_iter()
            .chain(words)
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=,:".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
