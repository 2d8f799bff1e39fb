//! A simple parser of atoms for audit objects: predicate and argument texts.

/// The parts of an atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    pub(super) predicate: &'t str,
    /// The source texts of the arguments, trimmed.
    pub(super) arguments: Vec<&'t str>,
}

impl<'t> Parts<'t> {
    /// Parses an atom with an optional final period. Returns `None` for other text.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix('.').unwrap_or(text).trim_end();
        let (predicate, rest) = text.split_once('(')?;
        let inner = rest.strip_suffix(')')?;
        let predicate = predicate.trim();
        (!predicate.is_empty()).then(|| Self { predicate, arguments: arguments(inner) })
    }

    /// Returns the predicate and first argument, which identify the subject of the atom.
    pub(super) fn subject(&self) -> String {
        format!("{}({}", self.predicate, self.arguments.first().copied().unwrap_or(""))
    }
}

/// Splits a text at commas outside of brackets and strings.
fn arguments(inner: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut quote, mut is_escaped) = (Vec::new(), 0, 0usize, None, false);
    for (at, char) in inner.char_indices() {
        match (quote, char) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if char == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(inner.get(start..at).unwrap_or("").trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inner.get(start..).unwrap_or("").trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_taken_apart() {
        let parts = |text| Parts::parse(text).map(|parts| (parts.predicate, parts.arguments));
        assert_eq!(parts("task_status(/t1, /done)."), Some(("task_status", vec!["/t1", "/done"])));
        assert_eq!(parts(r#"p("a, \"b", [1, 2],)"#), Some(("p", vec![r#""a, \"b""#, "[1, 2]"])));
        assert_eq!(parts("p()"), Some(("p", vec![])));
        assert_eq!(parts("done"), None);
    }
}
