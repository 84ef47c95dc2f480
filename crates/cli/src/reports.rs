//! Reports for other tools: `--sarif FILE` and `--junit FILE`.
//!
//! The files are written when the command ends, however it ends: also when the input was refused or the reader of
//! the standard output went away. Only misuse of the command line writes nothing.

use crate::args::shared::ReportArgs;
use crate::destination::Destination;
use crate::input::shown;
use crate::output::{Output, Stop};
use crate::signals;
use crate::source::Source;
use crate::status::{self, Status};
use raddle_analysis::CheckResult;
use raddle_engine::Options;
use raddle_ir::Diagnostic;
use raddle_report::Run;
use raddle_report::findings::case::Cases;
use raddle_report::findings::sarif::{self, Invocation};
use raddle_report::findings::{Case, Outcome, junit};
use raddle_report::source::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The reports that were asked for, and what goes into them.
#[derive(Debug)]
pub(crate) struct Reports {
    command: &'static str,
    sarif: Option<Destination>,
    junit: Option<Destination>,
    cases: Vec<Case>,
    started: SystemTime,
    /// Paths by the names that cases have for them, where those are not the paths.
    paths: BTreeMap<String, PathBuf>,
    /// The suppressions of all checks.
    known: BTreeMap<String, Known>,
    /// Whether some search did not see everything, so that a suppression may match what it missed.
    incomplete: bool,
}

/// What became of a suppression.
#[derive(Debug, Default)]
struct Known {
    kind: &'static str,
    matched: bool,
    /// Whether some search looked for errors of its kind.
    is_sought: bool,
}

impl Reports {
    /// Checks the paths before anything is searched; refuses those that cannot be written.
    pub(crate) fn at(
        args: &ReportArgs,
        command: &'static str,
        inputs: &[PathBuf],
        output: &mut Output,
    ) -> Result<Reports, Stop> {
        let mut checked = |path: &Option<PathBuf>| {
            let inputs = inputs.iter().map(PathBuf::as_path);
            let path = path.as_deref().map(|path| Destination::checked(path, inputs));
            path.transpose().map_err(|diagnostic| output.refuse(&diagnostic))
        };
        let (sarif, junit) = (checked(&args.sarif)?, checked(&args.junit)?);
        let mut reports = Reports {
            command,
            sarif,
            junit,
            cases: Vec::new(),
            started: SystemTime::now(),
            paths: BTreeMap::new(),
            known: BTreeMap::new(),
            incomplete: false,
        };
        reports.know(inputs);
        Ok(reports)
    }

    /// Notes the paths of a program's files: messages name bytes that are not UTF-8 in words, and several files
    /// together.
    pub(crate) fn know(&mut self, files: &[PathBuf]) {
        let names: Vec<String> = files.iter().map(|path| shown(path)).collect();
        if let [first, _, ..] = files {
            self.paths.insert(names.join(" "), first.clone());
        }
        let named = names.into_iter().zip(files);
        let odd = named.filter(|(name, path)| Path::new(name) != path.as_path());
        self.paths.extend(odd.map(|(name, path)| (name, path.clone())));
    }

    /// Whether there are any. If not, no cases need to be made.
    pub(crate) fn are_wanted(&self) -> bool {
        self.sarif.is_some() || self.junit.is_some()
    }

    /// Refuses to overwrite a file that the program was made from: a header, say.
    /// A file that is refused is not written.
    pub(crate) fn check_against(
        &mut self,
        source: &Source,
        output: &mut Output,
    ) -> Result<(), Stop> {
        let files: Vec<PathBuf> = source.paths().map(Path::to_owned).collect();
        files.chunks(1).for_each(|file| self.know(file));
        for file in [&mut self.sarif, &mut self.junit] {
            let apart = file.as_ref().map_or(Ok(()), |file| file.is_none_of(source.paths()));
            if let Err(diagnostic) = apart {
                *file = None;
                return Err(output.refuse(&diagnostic));
            }
        }
        Ok(())
    }

    /// Adds the case that `make` makes, if it is needed.
    pub(crate) fn add(
        &mut self,
        run: &Run<'_>,
        sources: &Sources,
        make: impl FnOnce(&Cases<'_>) -> Case,
    ) {
        if self.are_wanted() {
            let cases = Cases { run, command: self.command, sources };
            self.cases.push(make(&cases));
        }
    }

    /// Notes which suppressions a search has matched.
    pub(crate) fn matched(&mut self, options: &Options, result: &CheckResult) {
        self.incomplete |= result.summary.stopped.is_some();
        for (number, known) in options.ignored.known.iter().enumerate() {
            let entry = self.known.entry(known.to_string()).or_default();
            entry.kind = known.kind.name();
            entry.matched |= result.suppressed.iter().any(|(other, _)| *other == number);
            entry.is_sought |= options.seeks(known.kind);
        }
    }

    /// Warns of suppressions that nothing needs any more, or that can match nothing.
    fn warn_of_unmatched(&self, output: &mut Output) {
        for (known, Known { kind, matched, is_sought }) in &self.known {
            let warning = match () {
                () if !is_sought => format!("has no effect: no search looked for '{kind}'"),
                () if !matched && !self.incomplete => "matches no error".to_owned(),
                () => continue,
            };
            output.complain(&format!("warning: the suppression {known} {warning}"));
        }
    }

    /// Adds cases that were made elsewhere.
    pub(crate) fn extend(&mut self, cases: impl IntoIterator<Item = Case>) {
        self.cases.extend(cases);
    }

    /// Adds the program that was refused, with the messages about it.
    pub(crate) fn refused(&mut self, file: &str, output: &mut Output) {
        let messages = output.take_messages();
        self.incomplete = true;
        if self.are_wanted() {
            self.cases.push(Case::unread(file, self.command, messages));
        }
    }

    /// Runs a command, then writes the reports.
    pub(crate) fn after(
        mut self,
        output: &mut Output,
        run: impl FnOnce(&mut Reports, &mut Output) -> Result<Status, Stop>,
    ) -> Result<Status, Stop> {
        let ended = run(&mut self, output);
        match ended {
            Err(Stop::Usage(_)) => ended,
            ended => {
                self.warn_of_unmatched(output);
                self.save(output);
                ended.map(|_| output.status())
            }
        }
    }

    fn save(&self, output: &mut Output) {
        let folder = std::env::current_dir().unwrap_or_default();
        let code = signals::received().map_or(output.status().code(), status::interrupted);
        let invocation = Invocation {
            root: repository(&folder).unwrap_or(&folder).to_owned(),
            folder,
            status: code,
            successful: output.status() != Status::Bad && signals::received().is_none(),
            paths: self.paths.clone(),
        };
        let sarif = self.sarif.as_ref().map(|file| {
            let log = sarif::document(&self.cases, &invocation);
            file.write(|out| {
                serde_json::to_writer_pretty(&mut *out, &log)?;
                out.write_all(b"\n")
            })
        });
        let junit = self.junit.as_ref().map(|file| {
            let text = junit::document(&self.cases, &date(self.started));
            file.write(|out| out.write_all(text.as_bytes()))
        });
        let failed: Vec<Diagnostic> =
            [sarif, junit].into_iter().flatten().filter_map(Result::err).collect();
        for diagnostic in failed {
            output.refuse(&diagnostic);
        }
    }
}

/// How a case with this status ended.
pub(crate) fn outcome(status: Status) -> Outcome {
    match status {
        Status::Fine => Outcome::Passed,
        Status::Violation => Outcome::Failed,
        Status::Unknown | Status::Unread => Outcome::Unknown,
        Status::Bad => Outcome::Unread,
    }
}

/// The root of the repository that a folder is in.
pub(crate) fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// A time as `2000-01-01T00:00:00` in UTC: Howard Hinnant's algorithm for the civil calendar.
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of year 0, so that a leap day ends its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_of_the_civil_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_399, "2000-02-28T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"),
            (4_107_542_400, "2100-03-01T00:00:00"),
            (1_735_689_599, "2024-12-31T23:59:59"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
