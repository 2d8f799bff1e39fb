//! `[runtime] stores`: the name of a known runtime, or a table of stores with their predicates.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use toml_span::value::Table;
use toml_span::{Span, Value};

use super::{BUILT_IN_STORES, DEFAULT, MAX_STORES, Owner, SHARED, Stores};
use crate::declare::Setting;
use crate::keys::Kind;
use crate::output::SettingValue;
use crate::value::{KeyPath, Reader, ValueError, shorten};
use mangle_syntax::text::listed;

/// The name of the default store if the table does not define it.
const UNNAMED_DEFAULT: &str = "main";

pub(crate) enum StoreTable {}

impl Setting<Arc<Stores>> for StoreTable {
    const KIND: Kind = Kind::Stores(&BUILT_IN_STORES);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Arc<Stores>> {
        let span = value.span;
        if let Some(word) = value.as_str().map(str::to_owned) {
            return built_in(reader, &word, span).map(Arc::new);
        }
        let table = reader.table(value, &format!("{}, or the name of a runtime", at.label()))?;
        Some(Arc::new(from_table(reader, span, table)))
    }

    fn output(stores: &Arc<Stores>) -> SettingValue {
        SettingValue::new(stores.word.map_or_else(|| stores.json(), Json::from))
    }
}

fn built_in(reader: &mut Reader<'_>, word: &str, span: Span) -> Option<Stores> {
    let stores = Stores::built_in(word);
    if stores.is_none() {
        let error = ValueError::new(format!("unknown stores `{}`", shorten(word)))
            .note(format!("the known runtimes are {}", listed(BUILT_IN_STORES)))
            .note("a table `[runtime.stores]` lists the predicates of each store");
        reader.bad_value_near(span, error, word, BUILT_IN_STORES);
    }
    stores
}

fn from_table(reader: &mut Reader<'_>, span: Span, mut table: Table<'_>) -> Stores {
    let default = table.remove(DEFAULT).and_then(|value| name(reader, value));
    let mut stores = Stores::new(default.as_deref().unwrap_or(UNNAMED_DEFAULT));
    let mut surplus = 0;
    for (key, value) in table {
        let owner = match &*key.name {
            SHARED => Some(Owner::Shared),
            name if name.trim().is_empty() => {
                reader.bad_value(key.span, ValueError::new("store has an empty name"));
                continue;
            }
            name => stores.store(name).map(Owner::Store),
        };
        let predicates = reader.strings(value, &format!("the store `{}`", shorten(&key.name)));
        match owner {
            Some(owner) => add(reader, &mut stores, owner, predicates),
            None => surplus += 1,
        }
    }
    if surplus > 0 {
        let headline = format!("{surplus} stores too many");
        let note = format!("a configuration has at most {MAX_STORES} stores; the others are ignored");
        reader.bad_value(span, ValueError::new(headline).note(note));
    }
    stores
}

/// Reads the name of the default store.
fn name(reader: &mut Reader<'_>, value: Value<'_>) -> Option<String> {
    let (name, span) = reader.string(value, "`default`")?;
    if name.trim().is_empty() || name == SHARED {
        let headline = format!("unusable name `{}` for the default store", shorten(&name));
        reader.bad_value(span, ValueError::new(headline).note("it is the name of one store"));
        return None;
    }
    Some(name)
}

fn add(reader: &mut Reader<'_>, stores: &mut Stores, owner: Owner, predicates: Vec<(String, Span)>) {
    for (predicate, span) in predicates {
        if !is_predicate(&predicate) {
            let headline = format!("`{}` is not a name of a predicate", shorten(&predicate));
            let help = "write its name without arity, as in `pending_action`";
            reader.bad_value(span, ValueError::new(headline).help(help));
        } else if let Err(other) = stores.set_owner(&predicate, owner) {
            let headline = format!("predicate `{}` is in two stores", shorten(&predicate));
            let note = format!("`{other}` has it already, and keeps it");
            reader.bad_value(span, ValueError::new(headline).note(note));
        }
    }
}

/// True if the text is a predicate name, optionally with a package.
fn is_predicate(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    text.starts_with(char::is_lowercase) && text.chars().all(is_part)
}

impl Stores {
    /// Converts the stores to the table that defines them.
    fn json(&self) -> Json {
        let mut table = Map::new();
        table.insert(DEFAULT.to_owned(), self.name(0).into());
        let mut insert = |name: &str, owner| {
            let owned = self.owned_by(owner);
            if !owned.is_empty() {
                table.insert(name.to_owned(), owned.into());
            }
        };
        insert(SHARED, Owner::Shared);
        (0..self.names.len()).for_each(|store| insert(self.name(store), Owner::Store(store)));
        Json::Object(table)
    }
}
