//! Load errors: the reasons why a program does not load, for all output formats.

use serde::Serialize;
use serde_json::{Value, json};

use super::sink;

/// The JSON member `false` for programs that do not load. Omitted for other programs.
pub const PROGRAM_LOADS: &str = "program_loads";

/// The maximum number of displayed errors.
const SHOWN: usize = 3;

/// The reasons why a program does not load: the engine rejects it, a part of it cannot be parsed,
/// or its settings cannot be read. Empty for a program that loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadErrors(Vec<LoadError>);

/// A reason why a program does not load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadError {
    /// The display name of the file.
    pub file: String,
    /// The line from 1; 0 for the whole file.
    pub line: usize,
    /// The column from 1, in Unicode scalar values.
    pub column: usize,
    /// The code of the rule; empty for an unreadable file.
    pub code: &'static str,
    pub message: String,
    /// The version of the engine that rejects the program; empty if no engine is involved.
    #[serde(skip)]
    pub engine: String,
    /// True if the output includes the engine, because another version accepts the program here.
    #[serde(skip)]
    pub names_engine: bool,
}

impl LoadError {
    #[must_use]
    pub fn unreadable(file: String, why: &str) -> Self {
        Self {
            file,
            line: 0,
            column: 0,
            code: "",
            message: format!("the file cannot be read: {why}"),
            engine: String::new(),
            names_engine: false,
        }
    }

    /// The error on one line, with its location.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { file, line, column, code, message, .. } = self;
        let place = if *line == 0 { file.clone() } else { format!("{file}:{line}:{column}") };
        let code = if code.is_empty() { String::new() } else { format!(" ({code})") };
        let engine = match self.names_engine {
            true => format!("; engine {} rejects it", self.engine),
            false => String::new(),
        };
        sink::line(&format!("{place}: {message}{code}{engine}"))
    }

    /// True for the same error, independent of the engine.
    fn is_same(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.line, one.column, one.code);
        key(self) == key(other) && self.file == other.file && self.message == other.message
    }
}

impl LoadErrors {
    /// The errors of a program, most severe first.
    #[must_use]
    pub fn new(errors: Vec<LoadError>) -> Self {
        Self(errors)
    }

    /// True if the program loads.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the errors of another program without duplicates.
    pub fn add(&mut self, more: Self) {
        for error in more.0 {
            if !self.0.iter().any(|known| known.is_same(&error)) {
                self.0.push(error);
            }
        }
    }

    /// The errors for two versions. Errors of only one version include the engine.
    #[must_use]
    pub fn of_versions(mut old: Self, mut new: Self) -> Self {
        let lacks = |errors: &Self, error: &LoadError| !errors.0.iter().any(|one| one.is_same(error));
        let only_new: Vec<_> = new.0.iter().map(|error| lacks(&old, error)).collect();
        for error in &mut old.0 {
            error.names_engine = !error.engine.is_empty() && lacks(&new, error);
        }
        for (error, is_new) in new.0.iter_mut().zip(only_new) {
            error.names_engine = !error.engine.is_empty() && is_new;
        }
        old.add(new);
        old
    }

    /// The same errors with a prefix for file names.
    #[must_use]
    pub fn named(mut self, prefix: &str) -> Self {
        self.0.iter_mut().for_each(|error| error.file.insert_str(0, prefix));
        self
    }

    /// A one-line note that the program does not load, with the first error. `None` if it loads.
    #[must_use]
    pub fn mark(&self) -> Option<String> {
        let first = self.0.first()?;
        let more = match self.0.len() {
            1 => String::new(),
            2 => ", and 1 more error".to_owned(),
            count => format!(", and {} more errors", count - 1),
        };
        Some(format!("the program does not load: {}{more}", first.text()))
    }

    /// The first errors, one for each line, and the number of further errors.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.0.iter().take(SHOWN).map(LoadError::text).collect();
        match self.0.len().saturating_sub(SHOWN) {
            0 => {}
            1 => lines.push("and 1 more error".to_owned()),
            more => lines.push(format!("and {more} more errors")),
        }
        lines
    }

    /// The note as a comment line. `start` is the comment marker of the format. Empty if the
    /// program loads.
    #[must_use]
    pub fn comment(&self, start: &str) -> String {
        self.mark().map_or_else(String::new, |mark| format!("{start} {mark}\n"))
    }

    /// The note as a Markdown paragraph. Empty if the program loads.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.mark().map_or_else(String::new, |mark| format!("> **Note:** {}\n\n", sink::markdown(&mark)))
    }

    /// Marks a JSON object, or each object of a list. No change if the program loads.
    pub fn mark_json(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::Object(members) => drop(members.insert(PROGRAM_LOADS.to_owned(), Value::Bool(false))),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mark_json(item)),
            _ => {}
        }
    }

    /// The first errors as JSON, with the total number.
    #[must_use]
    pub fn json(&self) -> Value {
        let shown: Vec<_> = self.0.iter().take(SHOWN).collect();
        json!({ PROGRAM_LOADS: self.is_empty(), "errors": shown, "count": self.0.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(count: usize) -> LoadErrors {
        let error = |line| LoadError {
            file: "a.mg".into(),
            line,
            column: 2,
            code: "MG301",
            message: "undefined predicate `p/1`".into(),
            engine: "2026-06".into(),
            names_engine: false,
        };
        LoadErrors::new((1..=count).map(error).collect())
    }

    #[test]
    fn mark_has_the_first_error_and_counts_the_others() {
        assert_eq!(errors(0).mark(), None);
        let mark = "the program does not load: a.mg:1:2: undefined predicate `p/1` (MG301)";
        assert_eq!(errors(1).mark().as_deref(), Some(mark));
        assert_eq!(errors(3).mark(), Some(format!("{mark}, and 2 more errors")));
    }

    #[test]
    fn errors_of_one_version_name_the_engine() {
        let mut new = errors(2);
        new.0.iter_mut().for_each(|error| error.engine = "2026-09".into());
        let text = |errors: LoadErrors| errors.0.iter().map(LoadError::text).collect::<Vec<_>>();
        let plain = |line| format!("a.mg:{line}:2: undefined predicate `p/1` (MG301)");
        let named = format!("{}; engine 2026-09 rejects it", plain(2));
        assert_eq!(text(LoadErrors::of_versions(errors(1), new.clone())), [plain(1), named.clone()]);
        let named_old = format!("{}; engine 2026-06 rejects it", plain(1));
        assert_eq!(text(LoadErrors::of_versions(errors(1), errors(0))), [named_old]);
        assert_eq!(text(LoadErrors::of_versions(errors(0), new)).last(), Some(&named));
    }

    #[test]
    fn few_errors_are_listed() {
        assert_eq!(errors(5).lines().len(), 4);
        assert_eq!(errors(5).lines().last().unwrap(), "and 2 more errors");
    }

    #[test]
    fn objects_and_lists_are_marked() {
        let mut value = json!([{"a": 1}, {"b": 2}]);
        errors(0).mark_json(&mut value);
        assert_eq!(value, json!([{"a": 1}, {"b": 2}]));
        errors(1).mark_json(&mut value);
        assert_eq!(value, json!([{"a": 1, "program_loads": false}, {"b": 2, "program_loads": false}]));
    }
}
