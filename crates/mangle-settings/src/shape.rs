//! `[[transcripts.shape]]`: where the turns are in transcripts of a format that is not built in.

use super::Globs;

/// A step of a pointer into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The value with this key.
    Key(String),
    /// Every element.
    Each,
}

/// A JSON pointer in which `*` means every element. A dot in a key separates keys, so that `/a.b` finds the value both
/// in `{"a": {"b": …}}` and in `{"a.b": …}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointerPattern {
    text: String,
    steps: Vec<Step>,
}

impl PointerPattern {
    /// Reads a pointer.
    ///
    /// # Errors
    /// Why it is not a pointer, as the end of a sentence.
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

    /// The pointer as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its steps, the outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// Adds the steps that a part between two slashes stands for.
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

/// `[[transcripts.shape]]`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptShape {
    /// `name`: what messages call it.
    pub name: String,
    /// `glob`: which transcripts it is for; all without one.
    pub glob: Option<Globs>,
    /// `records`: the values of a JSON record that are turns; the record itself without it.
    pub records: Option<PointerPattern>,
    /// `role`: who speaks; the model without it.
    pub role: Option<PointerPattern>,
    /// `text`: what is said; the first that is there counts.
    pub text: Vec<PointerPattern>,
    /// `session`: the session that a turn belongs to.
    pub session: Option<PointerPattern>,
    /// `time`: when a turn was.
    pub time: Option<PointerPattern>,
    /// `assistant`: roles that mean the model, beside the usual ones.
    pub assistant: Vec<String>,
    /// `pattern`: a regular expression for the line that begins a turn, in place of the pointers.
    pub pattern: Option<String>,
}

/// The groups that a `pattern` may name.
pub const PATTERN_GROUPS: [&str; 4] = ["role", "text", "session", "time"];

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
