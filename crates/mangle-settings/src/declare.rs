//! Declares settings: a table of keys makes a struct with its default, and all that reads, documents and prints it.

use toml_span::Value;

use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader};

/// A kind of value, for settings of the type `T`. A type that has only one kind of value is that kind itself; other kinds
/// are types without values.
pub(super) trait Setting<T> {
    /// What the values look like.
    const KIND: Kind;

    /// Reads a value; reports what is wrong with it. `None` leaves the default.
    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<T>;

    /// How the value would be written.
    fn output(value: &T) -> SettingValue;
}

/// What a default is declared with.
pub(super) trait Literal<T> {
    /// The default.
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

/// A struct whose fields are the keys of a table: a comment, which is the key's documentation, and
///
/// ```text
/// field "key": Type as Kind = default => absence;
/// ```
///
/// where `"key"` may be left out if it is the field's name, `as Kind` if the type is its own kind ([`Setting`]), `= default`
/// if it is that of the type, and `=> absence` if there is nothing to say of it ([`Absence`](super::keys::Absence)).
/// `("table", function)` names a function that looks at the whole table after it was read. Fields behind `beside` are no keys.
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

        impl $crate::output::SettingTable for $name {
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

            fn rows(&self) -> $crate::output::Rows {
                $crate::output::Rows::new(Self::SECTION, vec![
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
                $crate::keys::Kind::Table(<Self as $crate::output::SettingTable>::SECTION);

            fn read(
                reader: &mut $crate::value::Reader<'_>,
                value: toml_span::Value<'_>,
                _: $crate::value::KeyPath,
            ) -> Option<Self> {
                Some(reader.read_section(value))
            }

            fn output(value: &Self) -> $crate::output::SettingValue {
                $crate::output::SettingValue::Table($crate::output::SettingTable::rows(value))
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
