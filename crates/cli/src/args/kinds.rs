//! The kinds of errors: which are checked, and which single ones are known.
//!
//! The arguments are made from the table of kinds, so they are written by hand: `--no-KIND` exists for each of
//! them.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use raddle_engine::{FailureKind, Ignored, KnownError, Spot};
use std::ffi::OsStr;

/// A kind of error that can be selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Failure(FailureKind),
    /// The final condition.
    Condition,
}

impl Kind {
    /// Every kind. An unsupported construct is not an error of the program, so its kind cannot be left out.
    pub(crate) fn all() -> impl Iterator<Item = Kind> {
        let failures = FailureKind::NAMES.into_iter().map(|(kind, _)| kind);
        let failures = failures.filter(|kind| *kind != FailureKind::Unsupported);
        failures.map(Kind::Failure).chain([Kind::Condition])
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Failure(kind) => kind.name(),
            Kind::Condition => Ignored::CONDITION,
        }
    }

    /// The name in the plural, where it was the word for the kind before there were others.
    const fn alias(self) -> Option<&'static str> {
        match self {
            Kind::Failure(FailureKind::Race) => Some("races"),
            _ => None,
        }
    }

    pub(crate) fn named(word: &str) -> Option<Kind> {
        Kind::all().find(|kind| kind.name() == word || kind.alias() == Some(word))
    }

    /// `no-deadlock`
    fn negation(self) -> String {
        format!("no-{}", self.name())
    }

    fn value(self) -> PossibleValue {
        PossibleValue::new(self.name()).aliases(self.alias())
    }
}

const ALL: &str = "all";

/// Parses the name of a kind; `all` is one of the words if it is `true`.
#[derive(Clone, Copy, Debug)]
struct Kinds(bool);

impl TypedValueParser for Kinds {
    /// `None` for all kinds.
    type Value = Option<Kind>;

    fn parse_ref(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        word: &OsStr,
    ) -> Result<Self::Value, Error> {
        let possible = self.possible_values().into_iter().flatten();
        let word = clap::builder::PossibleValuesParser::new(possible).parse_ref(cmd, arg, word)?;
        Ok(Kind::named(&word))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all = self.0.then(|| PossibleValue::new(ALL));
        Some(Box::new(Kind::all().map(Kind::value).chain(all)))
    }
}

/// The kinds of errors that are checked, and known errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindArgs {
    /// `--check`
    pub checked: Vec<Kind>,
    /// `--no-check` and `--no-KIND`
    pub unchecked: Vec<Kind>,
    /// `--no-check all`
    pub none: bool,
    pub known: Vec<KnownError>,
}

const CHECK: &str = "check";
const NO_CHECK: &str = "no-check";
const SUPPRESS: &str = "suppress";

impl FromArgMatches for KindArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<KindArgs, Error> {
        let kinds = |id| matches.get_many::<Option<Kind>>(id).into_iter().flatten().copied();
        let negated = Kind::all().filter(|kind| matches.get_flag(&kind.negation()));
        let known = matches.get_many::<KnownError>(SUPPRESS).into_iter().flatten();
        Ok(KindArgs {
            checked: kinds(CHECK).flatten().collect(),
            unchecked: kinds(NO_CHECK).flatten().chain(negated).collect(),
            none: kinds(NO_CHECK).any(|kind| kind.is_none()),
            known: known.cloned().collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = KindArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for KindArgs {
    fn augment_args(command: Command) -> Command {
        let option = |id: &'static str| {
            Arg::new(id).long(id).action(ArgAction::Append).help_heading("Errors")
        };
        let check =
            option(CHECK).value_name("KIND").value_delimiter(',').value_parser(Kinds(false));
        let no_check =
            option(NO_CHECK).value_name("KIND").value_delimiter(',').value_parser(Kinds(true));
        let suppress = option(SUPPRESS).value_name("KIND@FILE[:LINE]=REASON").value_parser(known);
        let negations = Kind::all().map(|kind| {
            let flag = Arg::new(kind.negation()).long(kind.negation()).hide(true);
            flag.action(ArgAction::SetTrue).aliases(kind.alias().map(|name| format!("no-{name}")))
        });
        command
            .arg(check.help("Kinds of errors to look for, too: race, or one that raddle.toml or --no-check all left out"))
            .arg(no_check.help("Kinds of errors not to report; an execution still ends at them. --no-deadlock and the like are short for --no-check deadlock"))
            .arg(suppress.help("Accept a known error, with the reason: neither a violation, nor the end of the search. FILE:FUNCTION and FILE alone are places, too. May be repeated"))
            .args(negations)
    }

    fn augment_args_for_update(command: Command) -> Command {
        KindArgs::augment_args(command)
    }
}

/// Parses `KIND@FILE:LINE=REASON`.
fn known(word: &str) -> Result<KnownError, String> {
    let wanted =
        "expected a kind, a place and a reason, such as memory@queue.c:40='read by the log only'";
    let (kind, rest) = word.split_once('@').ok_or(wanted)?;
    let (place, reason) = rest.split_once('=').ok_or(wanted)?;
    let (file, spot) = match place.rsplit_once(':') {
        None => (place, Spot::Anywhere),
        Some((file, spot)) => match spot.parse() {
            Ok(line) => (file, Spot::Line(line)),
            Err(_) => (file, Spot::Function(spot.to_owned())),
        },
    };
    known_error(kind, file, spot, reason).map_err(|(_, message)| message)
}

/// A known error from its parts; or the part that is wrong, and what is wrong with it.
pub(crate) fn known_error(
    kind: &str,
    file: &str,
    spot: Spot,
    reason: &str,
) -> Result<KnownError, (&'static str, String)> {
    let names: Vec<&str> =
        Kind::all().filter(|kind| *kind != Kind::Condition).map(Kind::name).collect();
    let Some(Kind::Failure(kind)) = Kind::named(kind) else {
        let names = names.join(", ");
        return Err(("kind", format!("'{kind}' is not a kind of error with a place: {names}")));
    };
    if file.is_empty() || spot == Spot::Function(String::new()) {
        let part = if file.is_empty() { "file" } else { "function" };
        let message = "the place is empty: expected FILE, FILE:LINE or FILE:FUNCTION";
        return Err((part, message.to_owned()));
    }
    if reason.trim().is_empty() {
        return Err(("reason", "a reason is needed: why the error is accepted".to_owned()));
    }
    let reason = reason.trim().to_owned();
    Ok(KnownError { kind, file: file.to_owned(), spot, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppressions_have_a_kind_a_place_and_a_reason() {
        let parsed = |word: &str| known(word).map(|known| (known.to_string(), known.reason));
        let good = |place: &str, why: &str| Ok((place.to_owned(), why.to_owned()));
        assert_eq!(parsed("memory@q.c:12=a = b"), good("memory@q.c:12", "a = b"));
        assert_eq!(parsed("races@a:b/q.c:push= why "), good("race@a:b/q.c:push", "why"));
        assert_eq!(parsed("deadlock@q.c=why"), good("deadlock@q.c", "why"));
        for wrong in [
            "",
            "memory",
            "memory@q.c:1",
            "memory@q.c:1= ",
            "memory@=x",
            "memory@q.c:=x",
            "oops@q.c=x",
            "condition@q.c=x",
            "unsupported@q.c=x",
        ] {
            assert!(known(wrong).is_err(), "{wrong}");
        }
    }
}
