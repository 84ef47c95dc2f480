//! The errors that the verifier reports.

use crate::diag::Diagnostic;
use crate::program::{BlockId, LocId, Program};
use std::fmt;

macro_rules! rules {
    ($($name:ident = $title:literal),+ $(,)?) => {
        /// The rules of the [module header](super), in the order of their numbers there.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule { $($name),+ }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$name),+];

            /// The rule's title in the list.
            pub const fn title(self) -> &'static str {
                match self { $(Rule::$name => $title),+ }
            }
        }
    };
}

rules! {
    Names = "Names",
    References = "References",
    Positions = "Positions",
    Widths = "Widths",
    Sizes = "Sizes",
    Alignments = "Alignments",
    InitialBytes = "Initial bytes",
    Relocations = "Relocations",
    Parameters = "Parameters",
    Declarations = "Declarations",
    Returns = "Returns",
    Assignment = "Assignment",
    OperandTypes = "Operand types",
    Constants = "Constants",
    ResultTypes = "Result types",
    Operations = "Operations",
    Casts = "Casts",
    DistinctResults = "Distinct results",
    Orders = "Orders",
    FailureOrders = "Failure orders",
    Exclusives = "Exclusives",
    RawAccesses = "Raw accesses",
    ConstantObjects = "Constant objects",
    Calls = "Calls",
    Cases = "Cases",
    Choices = "Choices",
    Threads = "Threads",
    Observables = "Observables",
    Conditions = "Conditions",
    PrivateGlobals = "Private globals",
    Goals = "Goals",
    MemoryLock = "Memory lock",
    SourceTypes = "Source types",
}

impl Rule {
    /// The rule's number in the list.
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// One place where a program breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    pub func: Option<String>,
    pub block: Option<BlockId>,
    /// Index in the block; the number of its instructions for the terminator.
    pub inst: Option<usize>,
    pub loc: LocId,
    pub rule: Rule,
    pub message: String,
}

impl VerifyError {
    /// The error for the user, at its source position if it has one.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let message = self.to_string();
        let Some(loc) = program.loc(self.loc) else {
            return Diagnostic::whole_file(&program.name, message);
        };
        let file = program.files.get(loc.file as usize).unwrap_or(&program.name);
        Diagnostic { line: loc.line, column: loc.column, ..Diagnostic::whole_file(file, message) }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(func) = &self.func {
            write!(f, ", in function {func}")?;
        }
        if let Some(block) = self.block {
            write!(f, ", {block}")?;
        }
        if let Some(inst) = self.inst {
            write!(f, ", instruction {inst}")?;
        }
        write!(f, " [rule {}: {}]", self.rule.number(), self.rule.title())
    }
}

impl std::error::Error for VerifyError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of the module lists every rule, by number and title.
    #[test]
    fn the_list_of_rules_is_complete() {
        let listed: Vec<String> = include_str!("mod.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! ")?.trim_start().split_once(". **"))
            .filter_map(|(number, rest)| Some(format!("{number} {}", rest.split_once("**")?.0)))
            .collect();
        let rules: Vec<String> =
            Rule::ALL.iter().map(|rule| format!("{} {}", rule.number(), rule.title())).collect();
        assert_eq!(listed, rules);
    }
}
