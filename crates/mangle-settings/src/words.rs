//! Macro for settings with a fixed set of words: generates the type, its reader and its output.

/// Declares an enum whose values are words in configuration and output. The word after `|` is the
/// name in earlier versions, which is still accepted.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal $(| $earlier:literal)?,)+ }
    ) => {
        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $value,)+ }

        impl $name {
            /// All values, in documentation order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The words of all values, in the same order.
            pub const WORDS: [&str; Self::ALL.len()] = [$($word),+];

            /// The word used in output and configuration.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// Parses a word. Words of earlier versions are accepted.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word $(| $earlier)? => Some(Self::$value),)+
                    _ => None,
                }
            }

            /// The word that replaces a word of earlier versions.
            #[must_use]
            pub fn successor(earlier: &str) -> Option<&'static str> {
                let pairs: &[(&str, &'static str)] = &[$($(($earlier, $word),)?)+];
                pairs.iter().find(|(known, _)| *known == earlier).map(|(_, word)| *word)
            }
        }

        impl $crate::declare::Setting<Self> for $name {
            const KIND: $crate::keys::Kind = $crate::keys::Kind::Word(&Self::WORDS);

            fn read(
                reader: &mut $crate::value::Reader<'_>,
                value: toml_span::Value<'_>,
                at: $crate::value::KeyPath,
            ) -> Option<Self> {
                if let Some(word) = value.as_str().and_then(Self::successor) {
                    reader.replaced_word(&value, word);
                }
                reader.word(value, &at.label(), &Self::WORDS, Self::parse)
            }

            fn output(value: &Self) -> $crate::output::SettingValue {
                $crate::output::SettingValue::new(value.as_str())
            }
        }
    };
}

pub(super) use words;
