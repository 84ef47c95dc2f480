//! Enumerations that the text spells with one word each.

/// An enumeration of keywords.
pub trait Word: Sized {
    fn from_word(word: &[u8]) -> Option<Self>;
    /// The spelling in the text.
    fn word(self) -> &'static str;
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $crate::ast::Word for $name {
            fn from_word(word: &[u8]) -> Option<$name> {
                $(if word == $word.as_bytes() {
                    return Some($name::$variant);
                })+
                None
            }

            fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

pub(super) use words;
