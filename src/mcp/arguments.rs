//! The arguments of a tool: their JSON Schema, strict validation of a client's input, and the folders
//! that paths must be in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};

use mangle_host::disk;
use mangle_settings::FILE_NAME;

/// In bytes: the maximum length of an unsaved text.
const MAX_TEXT: usize = 1 << 20;

/// The maximum number of characters of any other string.
const MAX_WORD: usize = 4096;

/// The maximum number of items of a list.
const MAX_LIST: usize = 100;

#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The description for the model.
    pub(super) description: &'static str,
    pub(super) required: bool,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A short string.
    Word,
    /// The text of a file.
    Text,
    Flag,
    /// A number in this inclusive range.
    Number(u64, u64),
    Choice(&'static [&'static str]),
    /// A list of short strings.
    Words,
}

pub(super) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Argument {
    Argument { name, kind, description, required: false }
}

pub(super) const fn required(name: &'static str, kind: Kind, description: &'static str) -> Argument {
    Argument { name, kind, description, required: true }
}

/// The argument of all tools with paged results.
pub(super) const CURSOR: Argument = optional(
    "cursor",
    Kind::Word,
    "The `next_cursor` of the previous answer. Returns the next page. All other arguments must be the same as before.",
);

impl Kind {
    fn schema(self) -> Value {
        match self {
            Self::Word => json!({"type": "string", "maxLength": MAX_WORD}),
            Self::Text => json!({"type": "string", "maxLength": MAX_TEXT}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Choice(words) => json!({"type": "string", "enum": words}),
            Self::Words => json!({
                "type": "array", "maxItems": MAX_LIST, "items": {"type": "string", "maxLength": MAX_WORD},
            }),
        }
    }

    /// Returns the problem of a value, or `None` if it is valid.
    fn problem(self, value: &Value) -> Option<String> {
        let is_word = |value: &Value| value.as_str().is_some_and(|text| text.chars().count() <= MAX_WORD);
        match self {
            Self::Word if !is_word(value) => Some(format!("a string of at most {MAX_WORD} characters")),
            Self::Text if value.as_str().is_none_or(|text| text.len() > MAX_TEXT) => {
                Some(format!("a string of at most {MAX_TEXT} bytes"))
            }
            Self::Flag if !value.is_boolean() => Some("`true` or `false`".into()),
            Self::Number(least, most)
                if !value.as_u64().is_some_and(|number| (least..=most).contains(&number)) =>
            {
                Some(format!("a whole number from {least} to {most}"))
            }
            Self::Choice(words) if !value.as_str().is_some_and(|word| words.contains(&word)) => {
                Some(format!("one of `{}`", words.join("`, `")))
            }
            Self::Words
                if !value.as_array().is_some_and(|all| all.len() <= MAX_LIST && all.iter().all(is_word)) =>
            {
                Some(format!("a list of at most {MAX_LIST} strings"))
            }
            _ => None,
        }
    }
}

/// Returns the JSON Schema of some arguments.
pub(super) fn schema(arguments: &[Argument]) -> Arc<Map<String, Value>> {
    let property = |argument: &Argument| {
        let mut schema = argument.kind.schema();
        if let Value::Object(members) = &mut schema {
            members.insert("description".into(), argument.description.into());
        }
        (argument.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = arguments.iter().map(property).collect();
    let needed: Vec<_> = arguments.iter().filter(|one| one.required).map(|one| one.name).collect();
    let schema = json!({
        "type": "object", "properties": properties, "required": needed, "additionalProperties": false,
    });
    match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    }
}

/// Validated arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments(BTreeMap<&'static str, Value>);

impl Arguments {
    /// Validates the arguments of a client.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, missing or invalid.
    pub(super) fn read(sent: Map<String, Value>, known: &[Argument]) -> Result<Self, String> {
        let mut read = BTreeMap::new();
        for (name, value) in sent {
            let Some(argument) = known.iter().find(|argument| argument.name == name) else {
                let names: Vec<_> = known.iter().map(|argument| argument.name).collect();
                return Err(format!("unknown argument `{name}`; known arguments: `{}`", names.join("`, `")));
            };
            if let Some(wanted) = argument.kind.problem(&value) {
                return Err(format!("the argument `{name}` must be {wanted}"));
            }
            read.insert(argument.name, value);
        }
        match known.iter().find(|argument| argument.required && !read.contains_key(argument.name)) {
            Some(missing) => Err(format!("the argument `{}` is missing", missing.name)),
            None => Ok(Self(read)),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// True if a flag is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    /// Returns the strings of a list argument, or none if it is omitted.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }
}

/// The folders, with links resolved. At least one; relative paths are resolved from the first.
#[derive(Debug, Clone)]
pub(super) struct Folders(Vec<PathBuf>);

impl Folders {
    /// Returns the `named` folders, or `working` if there are none.
    ///
    /// # Errors
    ///
    /// If one of them is not a folder.
    pub(super) fn new(named: &[PathBuf], working: &Path) -> Result<Self> {
        let all: Vec<PathBuf> = match named {
            [] => vec![working.to_path_buf()],
            some => some.iter().map(|folder| mangle_host::absolute(working, folder)).collect(),
        };
        for folder in &all {
            ensure!(folder.is_dir(), "{}: not a folder", folder.display());
        }
        Ok(Self(all.iter().map(|folder| mangle_host::real(folder)).collect()))
    }

    /// The base folder of relative paths.
    pub(super) fn working(&self) -> &Path {
        self.0.first().map_or_else(|| Path::new(""), PathBuf::as_path)
    }

    pub(super) fn confine(&self) {
        disk::confine(&self.0);
    }

    /// Resolves the path in an argument, including links.
    ///
    /// # Errors
    ///
    /// If the path is outside the folders. The error does not reveal if the path exists.
    pub(super) fn resolve(&self, argument: &str) -> Result<PathBuf, String> {
        if argument.is_empty() || argument.contains('\0') {
            return Err("a path is empty or contains a zero byte".into());
        }
        let path = mangle_host::real(&mangle_host::absolute(self.working(), Path::new(argument)));
        if self.0.iter().any(|folder| path.starts_with(folder)) {
            return Ok(path);
        }
        let all: Vec<_> = self.0.iter().map(|folder| format!("`{}`", folder.display())).collect();
        Err(format!("`{argument}` is outside of the folders of this server: {}", all.join(", ")))
    }

    /// Returns notes for a result: configurations in ancestors of the folders, which are not read.
    pub(super) fn notes(&self) -> Vec<String> {
        let around = |folder: &PathBuf| {
            let above = folder.ancestors().skip(1).find(|above| above.join(FILE_NAME).is_file())?;
            let is_inside = self.0.iter().any(|given| above.starts_with(given));
            (!is_inside && !folder.join(FILE_NAME).is_file()).then(|| {
                format!(
                    "a `{FILE_NAME}` above the folder `{}` is not read: pass its folder to the server",
                    folder.display()
                )
            })
        };
        self.0.iter().filter_map(around).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Argument] = &[
        required("atom", Kind::Word, "An atom."),
        optional("depth", Kind::Number(1, 9), "How deep."),
        optional("reading", Kind::Choice(&["engine", "intended"]), "Which reading."),
    ];

    fn read(sent: Value) -> Result<Arguments, String> {
        Arguments::read(sent.as_object().unwrap().clone(), KNOWN)
    }

    #[test]
    fn arguments_that_fit_are_read() {
        let read = read(json!({"atom": "p(X)", "depth": 3})).unwrap();
        assert_eq!((read.text("atom"), read.number("depth")), (Some("p(X)"), Some(3)));
        assert_eq!(read.text("reading"), None);
    }

    #[test]
    fn others_are_refused() {
        let why = |sent| read(sent).unwrap_err();
        assert_eq!(why(json!({})), "the argument `atom` is missing");
        assert_eq!(
            why(json!({"atom": "p", "atoms": 1})),
            "unknown argument `atoms`; known arguments: `atom`, `depth`, `reading`"
        );
        assert_eq!(
            why(json!({"atom": 1})),
            "the argument `atom` must be a string of at most 4096 characters"
        );
        assert_eq!(
            why(json!({"atom": "p", "depth": 10})),
            "the argument `depth` must be a whole number from 1 to 9"
        );
        assert_eq!(
            why(json!({"atom": "p", "reading": "both"})),
            "the argument `reading` must be one of `engine`, `intended`"
        );
    }
}
