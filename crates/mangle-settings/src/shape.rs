//! `[[transcripts.shape]]`: positions of the turns in transcript formats that are not built in.

use toml_span::Value;
use toml_span::value::Table;

use super::Globs;
use super::declare::{Setting, settings};
use super::findings::CONFIG_BAD_VALUE;
use super::globs::GlobOrGlobs;
use super::keys::Kind;
use super::keys::SettingValue;
use super::kinds::{Entry, Text};
use super::pattern::Pattern;
use super::value::{KeyPath, Reader, ValueError, shorten};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, listed};

/// A step of a pointer into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The value with this key.
    Key(String),
    /// Every element.
    Each,
}

/// A JSON pointer with `*` for every element. A dot in a key separates keys, so that `/a.b` finds
/// the value both in `{"a": {"b": …}}` and in `{"a.b": …}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointerPattern {
    text: String,
    steps: Vec<Step>,
}

impl PointerPattern {
    /// Parses a pointer.
    ///
    /// # Errors
    /// Returns the reason that the text is not a pointer, as the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut steps = Vec::new();
        if !text.is_empty() {
            let inner = text.strip_prefix('/').ok_or("it does not begin with `/`")?;
            for part in inner.split('/') {
                push(part, &mut steps)?;
            }
        }
        Ok(Self { text: text.to_owned(), steps })
    }

    /// The source text of the pointer.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The steps of the pointer, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// Adds the steps of one part between slashes.
fn push(part: &str, steps: &mut Vec<Step>) -> Result<(), &'static str> {
    let mut tildes = part.split('~').skip(1);
    if tildes.any(|rest| !rest.starts_with(['0', '1'])) {
        return Err("a `~` in it is followed by neither `0` nor `1`");
    }
    let key = part.replace("~1", "/").replace("~0", "~");
    let has_gap = key.split('.').any(str::is_empty);
    let keys: Vec<&str> = if has_gap { vec![&key] } else { key.split('.').collect() };
    steps.extend(keys.into_iter().map(|key| match key {
        "*" => Step::Each,
        _ => Step::Key(key.to_owned()),
    }));
    Ok(())
}

settings! {
    /// `[[transcripts.shape]]`
    #[derive(Debug, Clone, PartialEq)]
    pub struct TranscriptShape("transcripts.shape") {
        /// The name of the shape.
        name: String;
        /// The transcripts of this shape: a glob, or a list of globs. Default: all transcripts.
        glob: Option<Globs> as Option<GlobOrGlobs> => Means("all transcripts");
        /// A JSON pointer to the turns of a record, for example `"/entries/*"`; `*` means every element.
        /// Default: a record is one turn.
        records: Option<PointerPattern> => Is("");
        /// A pointer to the speaker, starting at the turn. Default: the model.
        role: Option<PointerPattern> => Means("the model");
        /// A pointer, or several, to the text, starting at the turn. The first pointer with a value is used.
        /// Several strings become one text; JSON in a string is parsed. A dot in a key separates keys:
        /// `"/llm.output"` also finds nested objects.
        text: Vec<PointerPattern> as PointerOrPointers => Means("from `pattern`");
        /// A pointer to the session of a turn, starting at the turn.
        session: Option<PointerPattern> => Means("from the record");
        /// A pointer to the time of a turn, starting at the turn.
        time: Option<PointerPattern> => Means("from the record");
        /// Roles of the model, in addition to `assistant`, `model`, `ai` and similar names.
        assistant: Vec<String>;
        /// For plain text, instead of pointers: a regular expression for the first line of a turn. Its groups
        /// are `role`, `text`, `time` and `session`. A `text` at the end of the line continues until the next
        /// turn.
        pattern: Option<String> as Option<LinePattern> => Means("the file is JSON");
    }
}

/// The group names that a `pattern` can use.
pub const PATTERN_GROUPS: [&str; 4] = ["role", "text", "session", "time"];

impl Entry for TranscriptShape {
    const ONE: &'static str = "a shape";

    /// Reports and drops an entry that cannot match.
    fn entry(reader: &mut Reader<'_>, table: Table<'_>, start: TextRange, _: &[Self]) -> Option<Self> {
        let has_one_of = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
        let wrong = match (has_one_of(&["text", "pattern"]), has_one_of(&["pattern"])) {
            (false, _) => Some((
                "shape has neither `text` nor `pattern`",
                "`text` points to what is said in JSON, `pattern` finds it in lines",
            )),
            (true, true) if has_one_of(&["text", "records", "role"]) => Some((
                "shape has both pointers and a `pattern`",
                "pointers are for JSON, a `pattern` is for lines of text",
            )),
            _ => None,
        };
        let shape: Self = reader.read_table(table);
        if let Some((message, note)) = wrong {
            let finding = Finding::new(&CONFIG_BAD_VALUE, start, message);
            reader.findings.push(finding.label("this shape is ignored").note(note));
        }
        (wrong.is_none() && (shape.pattern.is_some() || !shape.text.is_empty())).then_some(shape)
    }
}

impl Text for PointerPattern {
    type Value = Self;

    const KIND: Kind = Kind::Pointer;

    fn parse(text: &str, at: KeyPath) -> Result<Self, ValueError> {
        let headline = || format!("{} is not a JSON pointer", at.label());
        Self::parse(text).map_err(|why| ValueError::new(headline()).note(why))
    }

    fn print(value: &Self) -> String {
        value.text.clone()
    }
}

/// A pointer, or a list of pointers.
enum PointerOrPointers {}

impl Setting<Vec<PointerPattern>> for PointerOrPointers {
    const KIND: Kind = Kind::PointerOrPointers;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Vec<PointerPattern>> {
        match value.as_str() {
            Some(_) => PointerPattern::read(reader, value, at).map(|pointer| vec![pointer]),
            None => Vec::<PointerPattern>::read(reader, value, at),
        }
    }

    fn output(value: &Vec<PointerPattern>) -> SettingValue {
        if value.is_empty() { SettingValue::Unset } else { Vec::<PointerPattern>::output(value) }
    }
}

/// A line pattern with known group names.
enum LinePattern {}

impl Setting<String> for LinePattern {
    const KIND: Kind = Kind::Pattern;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<String> {
        let span = value.span;
        let pattern = Pattern::read(reader, value, at)?;
        let regex = regex::Regex::new(&pattern).ok()?;
        for name in regex.capture_names().flatten().filter(|name| !PATTERN_GROUPS.contains(name)) {
            let error = ValueError::new(format!("unknown group `{}` in {}", shorten(name), at.label()))
                .note(format!("the groups are {}", listed(PATTERN_GROUPS)));
            reader.questionable_value_near(span, error, name, PATTERN_GROUPS);
        }
        Some(pattern)
    }

    fn output(value: &String) -> SettingValue {
        Pattern::output(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn steps(text: &str) -> String {
        let shown = |step: &Step| match step {
            Step::Key(key) => format!("<{key}>"),
            Step::Each => "*".to_owned(),
        };
        PointerPattern::parse(text).unwrap().steps().iter().map(shown).collect()
    }

    #[test]
    fn pointers_are_split_at_slashes_and_dots() {
        assert_eq!(steps(""), "");
        assert_eq!(steps("/a/*/b"), "<a>*<b>");
        assert_eq!(steps("/a~1b/c~0d"), "<a/b><c~d>");
        assert_eq!(steps("/llm.output.*.text"), "<llm><output>*<text>");
        assert_eq!(steps("/a..b/."), "<a..b><.>");
    }

    #[test]
    fn what_is_not_a_pointer_is_refused() {
        for text in ["a", "#/a", "/a~2", "/a~"] {
            assert!(PointerPattern::parse(text).is_err(), "{text}");
        }
    }
}
