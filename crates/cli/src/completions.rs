//! `raddle completions`.

use crate::args::Cli;
use crate::output::{Output, Stop};
use crate::status::Status;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

pub(crate) fn run(shell: Shell, output: &mut Output) -> Result<Status, Stop> {
    output.print_bytes(&script(shell))?;
    Ok(Status::Fine)
}

/// The generator panics if it cannot write, so it writes to memory.
fn script(shell: Shell) -> Vec<u8> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(shell, &mut command, name, &mut script);
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use raddle_engine::{Model, Strategy};

    #[test]
    fn commands_options_and_values_are_completed() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).expect("UTF-8");
            let missing = |word: &str| panic!("{shell}: no {word}");
            for command in Cli::command().get_subcommands() {
                let name = command.get_name();
                script.find(name).unwrap_or_else(|| missing(name));
                for long in command.get_arguments().filter_map(|arg| arg.get_long()) {
                    // Fish names options without their dashes.
                    let word = match shell {
                        Shell::Fish => format!("-l {long}"),
                        _ => format!("--{long}"),
                    };
                    script.find(&word).unwrap_or_else(|| missing(&word));
                }
            }
            // Elvish and PowerShell have no completion of values.
            if matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish) {
                let models = Model::ALL.map(Model::name);
                for name in models.into_iter().chain(Strategy::ALL.map(Strategy::name)) {
                    script.find(name).unwrap_or_else(|| missing(name));
                }
            }
        }
    }
}
