//! Macros that declare settings: a table with its struct, defaults, reader, documentation and output, and
//! a type with a fixed set of words.

use toml_span::Value;

use super::keys::{Kind, SettingValue};
use super::value::{KeyPath, Reader};

/// A kind of value for settings of the type `T`. Types with a single kind implement the trait
/// themselves. Other kinds are types without values.
pub(super) trait Setting<T> {
    /// The form of the values.
    const KIND: Kind;

    /// Reads a value and reports errors in it. `None` keeps the default.
    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<T>;

    /// Returns the value as it would be written in a configuration file.
    fn output(value: &T) -> SettingValue;
}

/// The type of the default in a declaration.
pub(super) trait Literal<T> {
    fn value(self) -> T;
}

impl<T> Literal<T> for T {
    fn value(self) -> T {
        self
    }
}

impl Literal<String> for &str {
    fn value(self) -> String {
        self.to_owned()
    }
}

impl<const COUNT: usize> Literal<Vec<String>> for [&str; COUNT] {
    fn value(self) -> Vec<String> {
        self.map(String::from).into()
    }
}

/// Declares a struct whose fields are the keys of a table. Each field has a comment, which is the
/// documentation of the key, and:
///
/// ```text
/// field "key": Type as Kind = default => absence;
/// ```
///
/// Optional parts:
///
/// * `"key"`: the name of the key if it differs from the field
/// * `as Kind`: the kind of value, if it is not the type itself ([`Setting`])
/// * `= default`: the default, if it differs from the default of the type
/// * `=> absence`: the effect of omitting the key, if it is not
///   [`Absence::Default`](super::keys::Absence)
///
/// `("table", function)` names a function that checks the whole table after reading. Fields after
/// `beside` are not keys.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($section:literal $(, $finish:path)?) {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $($key:literal)?: $type:ty $(as $kind:ty)? $(= $default:expr)? $(=> $absence:expr)?;
            )*
        }
        $(beside { $($(#[$beside_meta:meta])* $beside:ident: $beside_type:ty;)* })?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
            $($($(#[$beside_meta])* pub $beside: $beside_type,)*)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $crate::declare::settings!(@default $type $(, $default)?),)*
                    $($($beside: Default::default(),)*)?
                }
            }
        }

        impl $crate::keys::SettingTable for $name {
            const SECTION: &'static $crate::keys::Section = &$crate::keys::Section {
                name: $section,
                keys: &[$($crate::keys::Key {
                    name: $crate::declare::settings!(@key $field $($key)?),
                    kind: <$crate::declare::settings!(@kind $type $(, $kind)?) as $crate::declare::Setting<$type>>::KIND,
                    doc: concat!($($doc),+).trim_ascii_start(),
                    absence: $crate::declare::settings!(@absence $($absence)?),
                    default: || <$crate::declare::settings!(@kind $type $(, $kind)?)
                        as $crate::declare::Setting<$type>>::output(&Self::default().$field),
                }),*],
            };

            fn rows(&self) -> $crate::keys::Rows {
                $crate::keys::Rows::new(Self::SECTION, vec![
                    $(<$crate::declare::settings!(@kind $type $(, $kind)?) as $crate::declare::Setting<$type>>::output(
                        &self.$field,
                    )),*
                ])
            }
        }

        impl $crate::value::TableReader for $name {
            fn set(
                &mut self,
                at: $crate::value::KeyPath,
                value: toml_span::Value<'_>,
                reader: &mut $crate::value::Reader<'_>,
            ) {
                match at.key.name {
                    $($crate::declare::settings!(@key $field $($key)?) => {
                        let read = <$crate::declare::settings!(@kind $type $(, $kind)?)
                            as $crate::declare::Setting<$type>>::read(reader, value, at);
                        if let Some(read) = read {
                            self.$field = read;
                        }
                    })*
                    _ => {}
                }
            }

            #[allow(unused_variables)]
            fn finish(&mut self, reader: &mut $crate::value::Reader<'_>) {
                $($finish(self, reader);)?
            }
        }

        impl $crate::declare::Setting<Self> for $name {
            const KIND: $crate::keys::Kind =
                $crate::keys::Kind::Table(<Self as $crate::keys::SettingTable>::SECTION);

            fn read(
                reader: &mut $crate::value::Reader<'_>,
                value: toml_span::Value<'_>,
                _: $crate::value::KeyPath,
            ) -> Option<Self> {
                Some(reader.read_section(value))
            }

            fn output(value: &Self) -> $crate::keys::SettingValue {
                $crate::keys::SettingValue::Table($crate::keys::SettingTable::rows(value))
            }
        }
    };

    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@kind $type:ty) => { $type };
    (@kind $type:ty, $kind:ty) => { $kind };
    (@default $type:ty) => { <$type>::default() };
    (@default $type:ty, $default:expr) => { $crate::declare::Literal::<$type>::value($default) };
    (@absence) => { $crate::keys::Absence::Default };
    (@absence $absence:expr) => {{
        #[allow(unused_imports)]
        use $crate::keys::Absence::*;
        $absence
    }};
}

pub(super) use settings;

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

            fn output(value: &Self) -> $crate::keys::SettingValue {
                $crate::keys::SettingValue::new(value.as_str())
            }
        }
    };
}

pub(super) use words;
