//! A cycle as a litmus test, in the syntax of a machine.

use super::{Between, Cycle, Direction, Edge, Node, last_value};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arch {
    X86,
    Ppc,
    Arm,
}

const PLACES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];
const X86_REGISTERS: [&str; 4] = ["EAX", "EBX", "ECX", "EDX"];
/// The address of place `n` is in the register with this number plus `n`; lower registers hold values.
const FIRST_ADDRESS: usize = 20;
const FIRST_ARM_ADDRESS: usize = 9;

impl Arch {
    pub const ALL: [Arch; 3] = [Arch::X86, Arch::Ppc, Arch::Arm];

    /// The folder of the tests for this architecture.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::X86 => "x86",
            Arch::Ppc => "ppc",
            Arch::Arm => "arm",
        }
    }

    /// Whether the machine has this fence or dependency.
    pub fn has(self, between: Between) -> bool {
        match self {
            Arch::Ppc => true,
            Arch::Arm => between != Between::LightFence,
            Arch::X86 => {
                matches!(between, Between::Nothing | Between::StoreFence | Between::FullFence)
            }
        }
    }

    fn register(self, number: usize) -> String {
        match self {
            Arch::X86 => X86_REGISTERS[number].to_owned(),
            Arch::Ppc => format!("r{}", number + 1),
            Arch::Arm => format!("R{number}"),
        }
    }

    fn address(self, place: usize) -> String {
        match self {
            Arch::X86 => format!("[{}]", PLACES[place]),
            Arch::Ppc => format!("r{}", FIRST_ADDRESS + place),
            Arch::Arm => format!("R{}", FIRST_ARM_ADDRESS + place),
        }
    }

    fn fence(self, between: Between) -> Option<&'static str> {
        let [x86, ppc, arm] = match between {
            Between::StoreFence => ["SFENCE", "eieio", "DMB ST"],
            Between::FullFence => ["MFENCE", "sync", "DMB"],
            Between::LightFence => ["", "lwsync", ""],
            Between::ControlFence => ["", "isync", "ISB"],
            Between::Nothing | Between::Address | Between::Data | Between::Control => return None,
        };
        Some(match self {
            Arch::X86 => x86,
            Arch::Ppc => ppc,
            Arch::Arm => arm,
        })
    }
}

/// The code of one thread during construction.
struct Code {
    arch: Arch,
    lines: Vec<String>,
    registers: usize,
    labels: usize,
}

impl Code {
    fn fresh(&mut self) -> String {
        self.registers += 1;
        self.arch.register(self.registers - 1)
    }

    fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// The value 0, computed from a register so that it depends on it.
    fn zero(&mut self, read: &str) -> String {
        let zero = self.fresh();
        let name = if self.arch == Arch::Ppc { "xor" } else { "EOR" };
        self.push(format!("{name} {zero},{read},{read}"));
        zero
    }

    /// A branch to the next instruction in both cases.
    fn branch(&mut self, read: &str) {
        let label = format!("L{}", self.labels);
        self.labels += 1;
        let [compare, branch] =
            if self.arch == Arch::Ppc { ["cmpw", "beq"] } else { ["CMP", "BNE"] };
        self.push(format!("{compare} {read},{read}"));
        self.push(format!("{branch} {label}"));
        self.push(format!("{label}:"));
    }

    /// Emits an access and the fence or dependency before it; returns the register of a load.
    fn event(&mut self, node: Node, between: Between, last: Option<&str>) -> Option<String> {
        if let (Between::Control | Between::ControlFence, Some(read)) = (between, last) {
            self.branch(read);
        }
        if let Some(fence) = self.arch.fence(between) {
            self.push(fence);
        }
        let zero = match (between, last) {
            (Between::Address | Between::Data, Some(read)) => Some(self.zero(read)),
            _ => None,
        };
        let index = zero.clone().filter(|_| between == Between::Address);
        match node.direction {
            Direction::R => Some(self.load(node, index)),
            Direction::W => {
                self.store(node, index, zero.filter(|_| between == Between::Data));
                None
            }
        }
    }

    fn load(&mut self, node: Node, index: Option<String>) -> String {
        let (to, address) = (self.fresh(), self.arch.address(node.place));
        self.push(match (self.arch, index) {
            (Arch::X86, _) => format!("MOV {to},{address}"),
            (Arch::Ppc, None) => format!("lwz {to},0({address})"),
            (Arch::Ppc, Some(index)) => format!("lwzx {to},{index},{address}"),
            (Arch::Arm, None) => format!("LDR {to},[{address}]"),
            (Arch::Arm, Some(index)) => format!("LDR {to},[{index},{address}]"),
        });
        to
    }

    /// The stored value depends on `zero`.
    fn store(&mut self, node: Node, index: Option<String>, zero: Option<String>) {
        let (value, address) = (node.value, self.arch.address(node.place));
        if self.arch == Arch::X86 {
            return self.push(format!("MOV {address},${value}"));
        }
        let from = self.value(value, zero);
        self.push(match (self.arch, index) {
            (Arch::Ppc, None) => format!("stw {from},0({address})"),
            (Arch::Ppc, Some(index)) => format!("stwx {from},{index},{address}"),
            (_, None) => format!("STR {from},[{address}]"),
            (_, Some(index)) => format!("STR {from},[{index},{address}]"),
        });
    }

    /// A register with a value; the value may be added to a zero that carries a dependency.
    fn value(&mut self, value: u64, zero: Option<String>) -> String {
        let to = zero.clone().unwrap_or_else(|| self.fresh());
        self.push(match (self.arch, zero) {
            (Arch::Ppc, None) => format!("li {to},{value}"),
            (Arch::Ppc, Some(zero)) => format!("addi {to},{zero},{value}"),
            (_, None) => format!("MOV {to},#{value}"),
            (_, Some(zero)) => format!("ADD {to},{zero},#{value}"),
        });
        to
    }
}

impl Cycle {
    /// A name that can also be used as a file name.
    pub fn name(&self) -> String {
        self.to_string().replace(' ', "+")
    }

    /// The litmus test. Its condition holds in exactly the executions that contain the cycle. `None`
    /// if the machine lacks one of the edges, or has too few registers, or if no condition decides the cycle.
    pub fn litmus(&self, arch: Arch) -> Option<String> {
        let nodes = self.nodes();
        let fits = |edge: &Edge| match edge {
            Edge::Po { between, .. } => arch.has(*between),
            _ => true,
        };
        let places = nodes.iter().map(|node| node.place + 1).max()?;
        if !self.is_decided(&nodes) || !self.edges.iter().all(fits) || places > PLACES.len() {
            return None;
        }
        let (mut columns, mut known, mut atoms) = (Vec::new(), Vec::new(), Vec::new());
        for (thread, events) in self.threads().iter().enumerate() {
            let mut code = Code { arch, lines: Vec::new(), registers: 0, labels: 0 };
            let mut last: Option<String> = None;
            for event in events {
                let between = match self.into(*event) {
                    Edge::Po { between, .. } => between,
                    Edge::Rfe | Edge::Fre | Edge::Coe => Between::Nothing,
                };
                let node = nodes[*event];
                known.push(format!(
                    "{thread}:{}={};",
                    arch.address(node.place),
                    PLACES[node.place]
                ));
                last = code.event(node, between, last.as_deref());
                atoms.extend(last.iter().map(|to| format!("{thread}:{to}={}", node.value)));
            }
            columns.push(code.lines);
        }
        known.sort();
        known.dedup();
        // If a place has one write, that write is last; if it has two, the condition tells which one is.
        let twice = (0..places).filter(|place| last_value(&nodes, *place) == 2);
        atoms.extend(twice.map(|place| format!("{}=2", PLACES[place])));
        let known = if arch == Arch::X86 { String::new() } else { known.join(" ") };
        Some(test(arch, &self.name(), &known, &columns, &atoms))
    }
}

fn test(arch: Arch, name: &str, known: &str, columns: &[Vec<String>], atoms: &[String]) -> String {
    let mut text = format!("{} {name}\n{{ {known} }}\n", arch.name().to_uppercase());
    let heads: Vec<String> = (0..columns.len()).map(|n| format!("P{n}")).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |n: usize| -> Vec<&str> {
        columns.iter().map(|column| column.get(n).map_or("", String::as_str)).collect()
    };
    let rows = std::iter::once(heads.iter().map(String::as_str).collect());
    for row in rows.chain((0..height).map(row)) {
        let _ = writeln!(text, " {} ;", row.join(" | "));
    }
    let _ = writeln!(text, "exists ({})", atoms.join(" /\\ "));
    text
}
