//! Enumerations that the text spells with one word each.

/// An enumeration of keywords.
pub trait Word: Sized {
    fn from_word(word: &[u8]) -> Option<Self>;
    /// How the text spells it.
    fn word(self) -> &'static str;
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $crate::ast::Word for $name {
            fn from_word(word: &[u8]) -> Option<$name> {
                // A match on slices compiles to comparisons by length first; there is no table.
                match std::str::from_utf8(word) {
                    $(Ok($word) => Some($name::$variant),)+
                    _ => None,
                }
            }

            fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

pub(super) use words;
