//! Sites: places where a statement or an expression could be added to a source of C or C++.
//!
//! Sites are taken from the concrete syntax tree of the text before the preprocessor. That tree can be wrong
//! about macros, so a site is only a suggestion: the compiler decides which place of the program it is
//! ([`super::marks`]). There are many sites, and wrong ones cost little.

use std::ops::Range;
use tree_sitter::{Node, Parser};

/// The form of an addition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Shape {
    /// A statement before the one that begins here, indented like the line at `like`.
    Statement { like: usize },
    /// A statement before (or after) a body without braces, which get added; `owner` is the start of the
    /// statement that has this body.
    Braced { owner: usize, after: bool },
    /// `fence, expr` if that needs no parentheses.
    First,
    /// `(fence, expr)`
    Comma,
    /// `expr, fence` if the value is not used.
    Then,
    /// `({ auto v = expr; fence; v; })`
    Value,
}

/// A unit of the source that has sites: a function, or the definition of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    pub file: usize,
    pub range: Range<usize>,
    /// Its name, if it is a macro.
    pub macro_name: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    pub unit: usize,
    pub shape: Shape,
    /// The statement or expression; for [`Shape::Statement`], its start.
    pub range: Range<usize>,
}

/// A parser of C, or of C++.
pub(super) fn parser(cpp: bool) -> Option<Parser> {
    let mut parser = Parser::new();
    let grammar = if cpp { tree_sitter_cpp::LANGUAGE } else { tree_sitter_c::LANGUAGE };
    parser.set_language(&grammar.into()).ok()?;
    Some(parser)
}

/// The functions and macros of a file, and the sites in them.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    pub units: Vec<Unit>,
    pub sites: Vec<Site>,
}

impl Sites {
    /// Adds the sites of the functions of a file that contain one of these lines (from 0), and of its
    /// macros if requested.
    pub(super) fn read(&mut self, file: usize, text: &[u8], cpp: bool, lines: &[usize]) {
        let text = &without_assembly(text);
        let Some(tree) = parser(cpp).and_then(|mut parser| parser.parse(text, None)) else {
            return;
        };
        let mut left = vec![tree.root_node()];
        while let Some(node) = left.pop() {
            match node.kind() {
                // A body without a recognised function head is still a function: its head may be a macro,
                // or in the old style.
                "function_definition" | "compound_statement" => {
                    let rows = node.start_position().row..=node.end_position().row;
                    if lines.iter().any(|line| rows.contains(line)) {
                        let unit = self.unit(file, node.byte_range(), None);
                        let mut reader =
                            Reader { sites: self, text, unit, shift: 0, statements: true };
                        code_of(node).into_iter().for_each(|part| reader.read(part));
                    }
                }
                "preproc_def" | "preproc_function_def" => self.macro_body(file, text, cpp, node),
                _ => left.extend(children(node)),
            }
        }
    }

    /// The function or macro that a site is in.
    pub(super) fn unit_of(&self, site: usize) -> &Unit {
        &self.units[self.sites[site].unit]
    }

    fn unit(&mut self, file: usize, range: Range<usize>, macro_name: Option<String>) -> usize {
        self.units.push(Unit { file, range, macro_name });
        self.units.len() - 1
    }

    /// Parses the body of a macro as statements, or as functions that it defines. A body that is only an
    /// expression has no room for statements.
    fn macro_body(&mut self, file: usize, text: &[u8], cpp: bool, node: Node<'_>) {
        let (Some(name), Some(value)) =
            (node.child_by_field_name("name"), node.child_by_field_name("value"))
        else {
            return;
        };
        let name = String::from_utf8_lossy(&text[name.byte_range()]).into_owned();
        let body = &without_operators(&text[value.byte_range()]);
        const HEAD: &[u8] = b"void f(void) {";
        let wrapped = [HEAD, body, b"\n;}"].concat();
        let tree = parser(cpp).and_then(|mut parser| parser.parse(&wrapped, None));
        let Some(tree) = tree else { return };
        let parts = blocks_without_errors(tree.root_node());
        let statements = body.iter().any(|byte| matches!(byte, b';' | b'}'));
        let unit = self.unit(file, value.byte_range(), Some(name));
        let shift = value.start_byte() as isize - HEAD.len() as isize;
        let end = value.end_byte();
        let before = self.sites.len();
        let mut reader = Reader { sites: self, text: &wrapped, unit, shift, statements };
        parts.into_iter().for_each(|part| reader.read(part));
        let inside = |site: &Site| site.range.start >= value.start_byte() && site.range.end <= end;
        let mut number = 0;
        self.sites.retain(|site| {
            number += 1;
            number <= before || inside(site)
        });
    }
}

/// The whole tree if it has no errors, and otherwise its largest blocks that have none: the body of a function may
/// be understood where its head is not.
fn blocks_without_errors(root: Node<'_>) -> Vec<Node<'_>> {
    let (mut left, mut found) = (vec![root], Vec::new());
    while let Some(node) = left.pop() {
        match node.has_error() {
            true => left.extend(children(node)),
            false if node == root || node.kind() == "compound_statement" => found.push(node),
            false => left.extend(children(node)),
        }
    }
    found
}

/// The parts of a function that are executed. A head that is not recognised may look like expressions.
fn code_of(function: Node<'_>) -> Vec<Node<'_>> {
    let is_code = |node: &Node<'_>| {
        let kinds = ["compound_statement", "try_statement", "constructor_try_statement"];
        kinds.contains(&node.kind()) || node.kind() == "field_initializer_list"
    };
    match function.kind() {
        "function_definition" => children(function).into_iter().filter(is_code).collect(),
        _ => vec![function],
    }
}

/// The body of a macro with `##` and `#` replaced, so that it is C: `f_##x` becomes `f___x`.
fn without_operators(body: &[u8]) -> Vec<u8> {
    let mut text = body.to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|byte| **byte == b'#').count();
        let (mut first, mut last) = (at, end);
        if end - at == 2 {
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
            first -= text[..at].iter().rev().take_while(|byte| is_blank(byte)).count();
            last += text[end..].iter().take_while(|byte| is_blank(byte)).count();
        }
        text[first..last].fill(b'_');
        at = last.max(at + 1);
    }
    text
}

/// The text with the operands of inline assembly left out. They have no sites, and macros in them are often not
/// understood.
fn without_assembly(text: &[u8]) -> Vec<u8> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut out = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let word = &text[at..at + text[at..].iter().take_while(|byte| is_word(byte)).count()];
        at += word.len().max(1);
        if !matches!(word, b"asm" | b"__asm" | b"__asm__") {
            continue;
        }
        // `volatile`, `goto` and so on.
        let rest = &text[at..];
        let start = at + rest.iter().take_while(|b| is_word(b) || b.is_ascii_whitespace()).count();
        let Some(end) = closing(text, start) else { continue };
        if end - start > 2 {
            let blanks = out[start + 3..end].iter_mut();
            blanks.filter(|byte| !matches!(byte, b'\\' | b'\n' | b'\r')).for_each(|b| *b = b' ');
            out[start + 1..start + 3].copy_from_slice(b"\"\"");
        }
        at = end;
    }
    out
}

/// The position of the parenthesis that closes the one at `start`.
fn closing(text: &[u8], start: usize) -> Option<usize> {
    (text.get(start) == Some(&b'(')).then_some(())?;
    let (mut depth, mut in_string, mut at) = (0u32, false, start);
    loop {
        match text.get(at)? {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'(' if !in_string => depth += 1,
            b')' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Reads one function, or the body of a macro.
struct Reader<'s, 't> {
    sites: &'s mut Sites,
    text: &'t [u8],
    unit: usize,
    /// The offset from positions in the text to positions in the file.
    shift: isize,
    statements: bool,
}

/// How the value of an expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The expression may be replaced by another one with the same value.
    Value,
    /// Like `Value`, and a comma needs no parentheses.
    Condition,
    /// The value is not used, and a comma needs no parentheses.
    Discarded,
    /// Like `Discarded`, for a part of a `for`.
    Part,
    /// The compiler makes branches of it, which it does not do for a comma: only its operands have sites.
    Branches,
    /// The expression may have to be an lvalue, a constant or a type.
    Other,
}

impl Reader<'_, '_> {
    /// Reads the whole tree, without recursion.
    fn read(&mut self, root: Node<'_>) {
        let mut left = vec![(root, Use::Other)];
        while let Some((node, used)) = left.pop() {
            if is_unevaluated(node, self.text) {
                continue;
            }
            if is_expression(node) {
                self.expression(node, used);
            }
            self.statements_in(node);
            for (index, child) in children(node).into_iter().enumerate() {
                let field = node.field_name_for_child(index as u32).unwrap_or_default();
                left.push((child, self.use_of(node, used, child, field)));
            }
        }
    }

    fn site(&mut self, shape: Shape, range: Range<usize>) {
        let moved = |at: usize| at.saturating_add_signed(self.shift);
        let shape = match shape {
            Shape::Statement { like } => Shape::Statement { like: moved(like) },
            Shape::Braced { owner, after } => Shape::Braced { owner: moved(owner), after },
            other => other,
        };
        let range = moved(range.start)..moved(range.end);
        self.sites.sites.push(Site { unit: self.unit, shape, range });
    }

    fn expression(&mut self, node: Node<'_>, used: Use) {
        let range = node.byte_range();
        match used {
            Use::Value => self.site(Shape::Comma, range),
            Use::Condition | Use::Discarded => self.site(Shape::First, range),
            Use::Part => {
                self.site(Shape::First, range.clone());
                self.site(Shape::Then, range);
            }
            Use::Branches | Use::Other => {}
        }
        if matches!(used, Use::Value | Use::Condition) && may_read(node) {
            self.site(Shape::Value, node.byte_range());
        }
    }

    fn use_of(&self, parent: Node<'_>, used: Use, child: Node<'_>, field: &str) -> Use {
        let own = self.use_in(parent, used, child, field);
        let is_decided = match (parent.kind(), field) {
            ("binary_expression", "left") if branches(parent) => true,
            ("conditional_expression", "condition") => true,
            _ => used == Use::Branches || own == Use::Condition,
        };
        if is_decided && branches(child) { Use::Branches } else { own }
    }

    fn use_in(&self, parent: Node<'_>, used: Use, child: Node<'_>, field: &str) -> Use {
        let operator = || parent.child_by_field_name("operator").map(|node| node.kind());
        match (parent.kind(), field) {
            ("binary_expression", "left" | "right")
            | ("assignment_expression", "right")
            | ("init_declarator", "value")
            | ("argument_list" | "subscript_argument_list" | "initializer_list", _)
            | ("return_statement" | "throw_statement", _)
            | ("conditional_expression", "condition" | "consequence" | "alternative")
            | ("subscript_expression", "index" | "indices")
            | ("cast_expression", "value")
            | ("unary_expression", "argument")
            | ("initializer_pair", "value")
            | ("for_range_loop", "right") => Use::Value,
            ("pointer_expression", "argument") if operator() == Some("*") => Use::Value,
            ("field_expression", "argument") if operator() == Some("->") => Use::Value,
            ("condition_clause", "value") => Use::Condition,
            ("for_statement", "condition") => Use::Condition,
            ("for_statement", "initializer" | "update") => Use::Part,
            ("expression_statement", _) if self.statements => self.statement_use(parent),
            ("expression_statement", _) => Use::Value,
            ("comma_expression", _) => Use::Discarded,
            ("parenthesized_expression", _) if is_condition(parent) => Use::Condition,
            // An expression in parentheses is used as they are, and a comma inside needs no further
            // parentheses.
            ("parenthesized_expression", _) if child.is_named() => match used {
                Use::Value | Use::Condition | Use::Branches => Use::Condition,
                Use::Part | Use::Discarded => Use::Discarded,
                Use::Other => Use::Other,
            },
            _ => Use::Other,
        }
    }

    /// An expression statement has better sites around it, except for the value of a block.
    fn statement_use(&self, statement: Node<'_>) -> Use {
        let Some(block) = statement.parent() else { return Use::Other };
        match is_value_block(block) && statement.next_named_sibling().is_none() {
            true => Use::Value,
            false => Use::Other,
        }
    }

    fn statements_in(&mut self, node: Node<'_>) {
        if !self.statements {
            return;
        }
        let owner = node.start_byte();
        match node.kind() {
            "compound_statement" => self.block(node),
            kind if kind.starts_with("preproc_") => self.siblings(node),
            "case_statement" => {
                let value = node.child_by_field_name("value").map(|value| value.id());
                let named = named_children(node).into_iter();
                named.filter(|child| Some(child.id()) != value).for_each(|c| self.before(c));
            }
            "labeled_statement" => {
                let parent = node.parent().map_or("", |parent| parent.kind());
                match named_children(node).last() {
                    Some(inner) if matches!(parent, "compound_statement" | "case_statement") => {
                        self.before(*inner);
                    }
                    inner => self.body(inner.copied(), owner),
                }
            }
            "if_statement" => self.body(node.child_by_field_name("consequence"), owner),
            "else_clause" => self.body(named_children(node).last().copied(), owner),
            "for_statement" | "while_statement" | "do_statement" | "for_range_loop"
            | "switch_statement" => self.body(node.child_by_field_name("body"), owner),
            _ => {}
        }
    }

    fn before(&mut self, statement: Node<'_>) {
        if is_code(statement) {
            let at = statement.start_byte();
            self.site(Shape::Statement { like: at }, at..at);
        }
    }

    fn siblings(&mut self, node: Node<'_>) {
        for child in named_children(node) {
            if child.kind().ends_with("_statement") || child.kind() == "declaration" {
                self.before(child);
            }
        }
    }

    /// Adds sites before each statement of a block, and before its end.
    fn block(&mut self, node: Node<'_>) {
        let named = named_children(node);
        named.iter().for_each(|child| self.before(*child));
        let last = named.into_iter().rfind(|child| is_code(*child));
        let end = node.child(node.child_count().saturating_sub(1) as u32);
        let Some(end) = end.filter(|end| end.kind() == "}" && !end.is_missing()) else { return };
        if !is_value_block(node) {
            let at = end.start_byte();
            let like = last.map_or(at, |last| last.start_byte());
            self.site(Shape::Statement { like }, at..at);
        }
    }

    /// Adds sites before and after a body without braces.
    fn body(&mut self, body: Option<Node<'_>>, owner: usize) {
        let bare = |body: &Node<'_>| {
            !matches!(body.kind(), "compound_statement" | "comment" | "declaration")
        };
        let Some(body) = body.filter(bare) else { return };
        for after in [false, true] {
            self.site(Shape::Braced { owner, after }, body.byte_range());
        }
    }
}

fn is_code(node: Node<'_>) -> bool {
    node.kind() != "comment" && !node.kind().starts_with("preproc_")
}

/// A statement expression's block: its last statement is its value.
fn is_value_block(block: Node<'_>) -> bool {
    block.parent().is_some_and(|parent| parent.kind() == "parenthesized_expression")
}

/// Whether these are the parentheses of an `if` or a similar statement.
fn is_condition(parentheses: Node<'_>) -> bool {
    let Some(parent) = parentheses.parent() else { return false };
    let kinds = ["if_statement", "while_statement", "do_statement", "switch_statement"];
    kinds.contains(&parent.kind())
        && parent.child_by_field_name("condition").is_some_and(|node| node == parentheses)
}

fn is_expression(node: Node<'_>) -> bool {
    let computes = matches!(
        node.kind(),
        "binary_expression"
            | "conditional_expression"
            | "cast_expression"
            | "parenthesized_expression"
            | "unary_expression"
            | "comma_expression"
            | "new_expression"
    );
    computes || may_read(node)
}

/// Whether the compiler makes branches of a condition instead of computing its value.
fn branches(node: Node<'_>) -> bool {
    let operator = node.child_by_field_name("operator").map(|node| node.kind());
    match node.kind() {
        "binary_expression" => matches!(operator, Some("&&" | "||" | "and" | "or")),
        "unary_expression" => matches!(operator, Some("!" | "not")),
        "conditional_expression" => true,
        "parenthesized_expression" => named_children(node).into_iter().any(branches),
        _ => false,
    }
}

/// Whether the last operation of an expression may be an access.
fn may_read(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "identifier"
            | "qualified_identifier"
            | "field_expression"
            | "subscript_expression"
            | "call_expression"
            | "pointer_expression"
            | "assignment_expression"
            | "update_expression"
    )
}

/// Whether code is not executed, must be constant, or is not C.
fn is_unevaluated(node: Node<'_>, text: &[u8]) -> bool {
    match node.kind() {
        "sizeof_expression"
        | "alignof_expression"
        | "offsetof_expression"
        | "generic_expression"
        | "decltype"
        | "static_assert_declaration"
        | "enum_specifier"
        | "struct_specifier"
        | "union_specifier"
        | "bitfield_clause"
        | "template_argument_list"
        | "attribute_specifier"
        | "attribute_declaration"
        | "gnu_asm_expression"
        | "parameter_list"
        | "comment"
        | "ERROR" => true,
        "array_declarator" => true,
        "declaration" => {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|child| {
                let word = &text[child.byte_range()];
                matches!(child.kind(), "storage_class_specifier" | "type_qualifier")
                    && matches!(word, b"static" | b"constexpr" | b"extern" | b"thread_local")
            })
        }
        _ => false,
    }
}
