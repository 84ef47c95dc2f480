//! Names of C++ as people write them: `app::Counter::add` for `_ZN3app7Counter3addEi`.
//!
//! The names of the Itanium C++ ABI (section 5.1), as far as programs that raddle runs have them: scopes,
//! template arguments, constructors, operators, lambdas, substitutions. Parameters are left out, the name
//! says enough. Whatever is not understood stays as it is.

/// A name within a name is not looked at beyond so many levels.
const MAX_DEPTH: u32 = 40;

/// A name is not told at a greater length: substitutions can make one grow without end.
const MAX_LENGTH: usize = 400;

/// Replaces the mangled names in a text.
pub fn demangled(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_Z") {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let inside = before.chars().next_back().is_some_and(is_word);
        let end = found.find(|c| !is_word(c)).unwrap_or(found.len());
        let (word, after) = found.split_at(end);
        match name(word).filter(|_| !inside) {
            Some(name) => out.push_str(&name),
            None => out.push_str(word),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// `_ZN1a1bEv` as `a::b`.
fn name(symbol: &str) -> Option<String> {
    let mut reader =
        Reader { rest: symbol.strip_prefix("_Z")?.as_bytes(), known: Vec::new(), depth: 0 };
    let kind = match reader.rest {
        [b'T', b'V', ..] => "vtable of ",
        [b'T', b'I', ..] => "typeinfo of ",
        [b'T', b'S', ..] => "typeinfo name of ",
        [b'G', b'V', ..] => "guard of ",
        _ => "",
    };
    reader.rest = &reader.rest[if kind.is_empty() { 0 } else { 2 }..];
    let name = match kind {
        "vtable of " | "typeinfo of " | "typeinfo name of " => reader.ty()?,
        _ => reader.name()?,
    };
    Some(format!("{kind}{name}"))
}

struct Reader<'a> {
    rest: &'a [u8],
    /// What substitutions refer to, in order.
    known: Vec<String>,
    depth: u32,
}

impl Reader<'_> {
    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest.strip_prefix(word.as_bytes());
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    /// Runs a rule one level deeper.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = rule(self);
        self.depth -= 1;
        found
    }

    fn note(&mut self, name: &str) -> Option<()> {
        if name.len() > MAX_LENGTH {
            return None;
        }
        self.known.push(name.to_owned());
        Some(())
    }

    fn name(&mut self) -> Option<String> {
        self.deeper(|reader| match reader.rest.first()? {
            b'N' => reader.nested(),
            b'Z' => reader.local(),
            _ => {
                let mut name = reader.unscoped()?;
                if reader.rest.first() == Some(&b'I') {
                    reader.note(&name)?;
                    name += &reader.arguments()?;
                }
                Some(name)
            }
        })
    }

    fn unscoped(&mut self) -> Option<String> {
        if self.rest.first() == Some(&b'S') && !self.rest.starts_with(b"St") {
            return self.substitution();
        }
        let scope = if self.eat("St") { "std::" } else { "" };
        Some(format!("{scope}{}", self.unqualified(None)?))
    }

    /// `N … E`
    fn nested(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix(b"N")?;
        while self.eat("r") || self.eat("V") || self.eat("K") {}
        let _ = self.eat("R") || self.eat("O");
        let mut name = String::new();
        let mut last = None;
        while !self.eat("E") {
            match self.rest.first()? {
                b'S' if self.rest.starts_with(b"St") => {
                    self.rest = &self.rest[2..];
                    name = "std".to_owned();
                    continue;
                }
                b'S' => {
                    name = self.substitution()?;
                    last = name.rsplit("::").next().map(plain);
                    continue;
                }
                b'I' => name += &self.arguments()?,
                b'M' => {
                    self.rest = &self.rest[1..];
                    continue;
                }
                _ => {
                    let part = self.unqualified(last.as_deref())?;
                    name += if name.is_empty() { "" } else { "::" };
                    name += &part;
                    last = Some(part);
                }
            }
            if self.rest.first() != Some(&b'E') {
                self.note(&name)?;
            }
        }
        (name.len() <= MAX_LENGTH).then_some(name)
    }

    /// `Z function E entity`
    fn local(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix(b"Z")?;
        let function = self.name()?;
        // The parameters of the function, which are not told.
        while !self.eat("E") {
            self.ty()?;
        }
        if self.eat("s") {
            return Some(function);
        }
        if self.eat("d") {
            let _ = self.number();
            self.eat("_");
        }
        let entity = self.name()?;
        if self.eat("__") {
            self.number()?;
            self.eat("_");
        } else if self.eat("_") {
            self.number()?;
        }
        Some(format!("{function}::{entity}"))
    }

    /// A name without its scope; `class` is the one that a constructor is of.
    fn unqualified(&mut self, class: Option<&str>) -> Option<String> {
        let mut name = match self.rest {
            [b'0'..=b'9', ..] => self.source_name()?,
            [b'C', b'1'..=b'3', ..] => {
                self.rest = &self.rest[2..];
                class?.to_owned()
            }
            [b'D', b'0'..=b'2', ..] => {
                self.rest = &self.rest[2..];
                format!("~{}", class?)
            }
            [b'L', ..] => {
                self.rest = &self.rest[1..];
                self.source_name()?
            }
            [b'U', b'l', ..] => self.lambda()?,
            [b'U', b't', ..] => {
                self.rest = &self.rest[2..];
                let _ = self.number();
                self.eat("_").then(|| "unnamed".to_owned())?
            }
            _ => self.operator()?,
        };
        while self.eat("B") {
            name = format!("{name}[{}]", self.source_name()?);
        }
        Some(name)
    }

    fn source_name(&mut self) -> Option<String> {
        let length = self.number()?;
        if length > self.rest.len() {
            return None;
        }
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        let name = std::str::from_utf8(name).ok()?;
        Some(if name.starts_with("_GLOBAL__N") { "(anonymous)" } else { name }.to_owned())
    }

    fn lambda(&mut self) -> Option<String> {
        self.rest = &self.rest[2..];
        while !self.eat("E") {
            self.ty()?;
        }
        let _ = self.number();
        self.eat("_").then(|| "lambda".to_owned())
    }

    fn operator(&mut self) -> Option<String> {
        let (code, rest) = self.rest.split_at_checked(2)?;
        let (_, word) = OPERATORS.iter().find(|(known, _)| known.as_bytes() == code)?;
        self.rest = rest;
        if *word == "cv" {
            return Some(format!("operator {}", self.ty()?));
        }
        Some(format!("operator{word}"))
    }

    fn substitution(&mut self) -> Option<String> {
        for (code, name) in STANDARD {
            if self.eat(code) {
                return Some((*name).to_owned());
            }
        }
        self.rest = self.rest.strip_prefix(b"S")?;
        let mut number = 0;
        if !self.eat("_") {
            let digits = self.rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let (digits, rest) = self.rest.split_at(digits);
            number = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 36).ok()? + 1;
            self.rest = rest.strip_prefix(b"_")?;
        }
        self.known.get(number).cloned()
    }

    /// `I … E`
    fn arguments(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix(b"I").or_else(|| self.rest.strip_prefix(b"J"))?;
        let mut all = Vec::new();
        while !self.eat("E") {
            all.push(self.argument()?);
        }
        all.retain(|argument: &String| !argument.is_empty());
        Some(format!("<{}>", all.join(", ")))
    }

    fn argument(&mut self) -> Option<String> {
        match self.rest.first()? {
            b'J' => {
                let pack = self.deeper(Self::arguments)?;
                Some(pack[1..pack.len() - 1].to_owned())
            }
            b'L' => {
                self.rest = &self.rest[1..];
                if self.eat("_Z") {
                    let name = self.name()?;
                    return self.eat("E").then_some(name);
                }
                self.ty()?;
                let sign = if self.eat("n") { "-" } else { "" };
                let value = self.number()?;
                self.eat("E").then(|| format!("{sign}{value}"))
            }
            b'X' => None,
            _ => self.ty(),
        }
    }

    fn ty(&mut self) -> Option<String> {
        self.deeper(|reader| {
            let first = *reader.rest.first()?;
            if let Some((_, name)) = BUILTIN.iter().find(|(code, _)| *code == first) {
                reader.rest = &reader.rest[1..];
                return Some((*name).to_owned());
            }
            let name = match first {
                b'P' | b'R' | b'O' | b'K' | b'V' => {
                    reader.rest = &reader.rest[1..];
                    let inner = reader.ty()?;
                    match first {
                        b'P' => format!("{inner}*"),
                        b'R' => format!("{inner}&"),
                        b'O' => format!("{inner}&&"),
                        b'K' => format!("const {inner}"),
                        _ => format!("volatile {inner}"),
                    }
                }
                b'F' => reader.function()?,
                b'S' if !reader.rest.starts_with(b"St") => {
                    let name = reader.substitution()?;
                    if reader.rest.first() != Some(&b'I') {
                        return Some(name);
                    }
                    name + &reader.arguments()?
                }
                b'D' if reader.eat("Dn") => return Some("std::nullptr_t".to_owned()),
                _ => reader.name()?,
            };
            reader.note(&name)?;
            Some(name)
        })
    }

    /// `F result parameters E`
    fn function(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix(b"F")?;
        let result = self.ty()?;
        let mut parameters = Vec::new();
        while !self.eat("E") {
            parameters.push(self.ty()?);
        }
        parameters.retain(|parameter| parameter != "void");
        Some(format!("{result} ({})", parameters.join(", ")))
    }
}

/// A class without its template arguments.
fn plain(name: &str) -> String {
    name.split('<').next().unwrap_or(name).to_owned()
}

const STANDARD: &[(&str, &str)] = &[
    ("Sa", "std::allocator"),
    ("Sb", "std::basic_string"),
    ("Ss", "std::string"),
    ("Si", "std::istream"),
    ("So", "std::ostream"),
    ("Sd", "std::iostream"),
];

const BUILTIN: &[(u8, &str)] = &[
    (b'v', "void"),
    (b'b', "bool"),
    (b'c', "char"),
    (b'a', "signed char"),
    (b'h', "unsigned char"),
    (b's', "short"),
    (b't', "unsigned short"),
    (b'i', "int"),
    (b'j', "unsigned"),
    (b'l', "long"),
    (b'm', "unsigned long"),
    (b'x', "long long"),
    (b'y', "unsigned long long"),
    (b'n', "__int128"),
    (b'o', "unsigned __int128"),
    (b'f', "float"),
    (b'd', "double"),
    (b'e', "long double"),
    (b'w', "wchar_t"),
    (b'z', "..."),
];

const OPERATORS: &[(&str, &str)] = &[
    ("nw", " new"),
    ("na", " new[]"),
    ("dl", " delete"),
    ("da", " delete[]"),
    ("pl", "+"),
    ("mi", "-"),
    ("ml", "*"),
    ("dv", "/"),
    ("rm", "%"),
    ("an", "&"),
    ("or", "|"),
    ("eo", "^"),
    ("co", "~"),
    ("nt", "!"),
    ("aS", "="),
    ("pL", "+="),
    ("mI", "-="),
    ("eq", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("gt", ">"),
    ("le", "<="),
    ("ge", ">="),
    ("aa", "&&"),
    ("oo", "||"),
    ("pp", "++"),
    ("mm", "--"),
    ("ls", "<<"),
    ("rs", ">>"),
    ("cl", "()"),
    ("ix", "[]"),
    ("pt", "->"),
    ("de", "*"),
    ("ad", "&"),
    ("cv", "cv"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_people_write_them() {
        for (mangled, wanted) in [
            ("_Z1fv", "f"),
            ("_ZN3app5readyE", "app::ready"),
            ("_ZN3app7Counter3addEi", "app::Counter::add"),
            ("_ZN7CounterC2Ei", "Counter::Counter"),
            ("_ZNK7Counter3getEv", "Counter::get"),
            ("_ZN5QueueIiE4pushERKi", "Queue<int>::push"),
            ("_ZNSt6atomicIbE5storeEbSt12memory_order", "std::atomic<bool>::store"),
            ("_ZN7CounterppEv", "Counter::operator++"),
            ("_ZZ4mainENKUlvE_clEv", "main::lambda::operator()"),
            ("_ZZ4mainENK3$_0clEv", "main::$_0::operator()"),
            ("_ZN12_GLOBAL__N_11xE", "(anonymous)::x"),
            ("_ZTVNSt6thread6_StateE", "vtable of std::thread::_State"),
            ("_ZGVZ8instancevE3one", "guard of instance::one"),
            ("_ZSt9terminatev", "std::terminate"),
            ("_ZN5QueueIiJEE4pushEi", "Queue<int>::push"),
            ("_ZN4PairIiS_IicEE4swapERS1_", "Pair<int, Pair<int, char>>::swap"),
            (
                "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
                "std::thread::_M_start_thread",
            ),
        ] {
            assert_eq!(demangled(mangled), wanted);
        }
    }

    #[test]
    fn names_in_a_text() {
        assert_eq!(demangled("main.1:_ZN1a1bEv reads _ZN1a1cE = 1"), "main.1:a::b reads a::c = 1");
        assert_eq!(demangled("x_Z1f y"), "x_Z1f y");
    }

    #[test]
    fn what_is_not_understood_stays() {
        for text in ["_Z", "_ZN", "_ZN9abE", "_Z99999999999999999999f", "_ZS0_", "_ZNZ", "a _Z- b"]
        {
            assert_eq!(demangled(text), text);
        }
        let deep = format!("_ZN1aI{}", "P".repeat(100_000));
        assert_eq!(demangled(&deep), deep);
    }
}
