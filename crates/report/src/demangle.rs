//! C++ names in readable form: `app::Counter::add` for `_ZN3app7Counter3addEi`.
//!
//! Parameters are left out, because the name is enough. A name that is not understood stays unchanged.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// The maximal nesting depth of names.
const MAX_DEPTH: u32 = 64;

/// The maximal length of a name: substitutions can make it grow without limit.
const MAX_LENGTH: usize = 400;

/// Replaces the mangled names in a text.
pub(crate) fn demangled(text: &str) -> String {
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
    let parsing = ParseOptions::default().recursion_limit(MAX_DEPTH);
    let telling = DemangleOptions::new().no_params().no_return_type().recursion_limit(MAX_DEPTH);
    let symbol = Symbol::new_with_options(symbol, &parsing).ok()?;
    let name = symbol.demangle_with_options(&telling).ok()?;
    let name = name.strip_suffix(" const").unwrap_or(&name);
    (name.len() <= MAX_LENGTH).then(|| name.to_owned())
}

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
            ("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"),
            ("_ZZ4mainENK3$_0clEv", "main::$_0::operator()"),
            ("_ZN12_GLOBAL__N_11xE", "(anonymous namespace)::x"),
            ("_ZTVNSt6thread6_StateE", "{vtable(std::thread::_State)}"),
            ("_ZGVZ8instancevE3one", "guard variable for instance()::one"),
            ("_ZSt9terminatev", "std::terminate"),
            ("_ZN4PairIiS_IicEE4swapERS1_", "Pair<int, Pair<int, char> >::swap"),
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
