//! Templates: statements and their operands.

/// An operand as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum AsmOperand {
    /// `$0`: the operand with this index in the constraints.
    Operand(usize),
    /// `($0)`: the memory that an operand points to.
    Pointed(usize),
    Immediate(i128),
    /// Memory at the stack pointer.
    Stack,
    /// Anything else.
    Word(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Statement {
    pub mnemonic: String,
    pub operands: Vec<AsmOperand>,
    /// Whether the statement has the prefix `lock`.
    pub lock: bool,
}

/// The statements of a template, in lower case. Comments are not recognised and appear as words.
pub(crate) fn statements(template: &str) -> Vec<Statement> {
    let plain = expand(template).to_ascii_lowercase();
    plain.split(['\n', ';', '\r']).filter_map(statement).collect()
}

/// Writes operands as `{0}`, selects the first alternative, and unescapes dollar signs.
fn expand(template: &str) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template.chars().peekable();
    let mut skipping = false;
    while let Some(letter) = rest.next() {
        if letter != '$' {
            if !skipping {
                out.push(letter);
            }
            continue;
        }
        match rest.next() {
            Some('(') => {}
            Some('|') => skipping = true,
            Some(')') => skipping = false,
            Some('$') if !skipping => out.push('$'),
            Some('{') if !skipping => {
                let inside: String = rest.by_ref().take_while(|letter| *letter != '}').collect();
                let number = inside.split(':').next().unwrap_or("");
                out.push_str(&format!("{{{number}}}"));
            }
            Some(digit) if digit.is_ascii_digit() && !skipping => {
                let mut number = digit.to_string();
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                out.push_str(&format!("{{{number}}}"));
            }
            _ => {}
        }
    }
    out
}

fn statement(text: &str) -> Option<Statement> {
    let mut text = text.trim();
    let mut lock = false;
    for prefix in ["lock ", "lock\t"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            (text, lock) = (rest.trim(), true);
        }
    }
    // Old assemblers spell `pause` as `rep nop`.
    let text = text.strip_prefix("rep ").unwrap_or(text).trim();
    if text.is_empty() {
        return None;
    }
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let operands = operands.trim();
    let operands = if operands.is_empty() {
        Vec::new()
    } else {
        operands.split(',').map(|operand| place(operand.trim())).collect()
    };
    Some(Statement { mnemonic: mnemonic.to_owned(), operands, lock })
}

fn place(text: &str) -> AsmOperand {
    let number =
        |text: &str| -> Option<usize> { text.strip_prefix('{')?.strip_suffix('}')?.parse().ok() };
    if let Some(operand) = number(text) {
        return AsmOperand::Operand(operand);
    }
    if let Some(operand) = text.strip_prefix('(').and_then(|t| number(t.strip_suffix(')')?)) {
        return AsmOperand::Pointed(operand);
    }
    if let Some(value) = text.strip_prefix('$').and_then(immediate) {
        return AsmOperand::Immediate(value);
    }
    let at_stack = ["(%rsp)", "(%esp)", "(%%rsp)", "(%%esp)"].iter().any(|s| text.ends_with(s));
    if at_stack { AsmOperand::Stack } else { AsmOperand::Word(text.to_owned()) }
}

fn immediate(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}
