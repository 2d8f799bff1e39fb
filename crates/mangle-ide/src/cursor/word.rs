//! Word at the cursor, found in the text, because unfinished words are rarely valid tokens.

use mangle_syntax::text::{TextRange, TextSize, size, slice};

/// A word, or an empty position between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorWord {
    /// From the start of the word to the cursor.
    pub range: TextRange,
    /// End of the word, at or after the cursor.
    pub end: TextSize,
}

impl CursorWord {
    /// Returns the word that ends at `offset` or contains it.
    #[must_use]
    pub fn at(text: &str, offset: TextSize) -> Self {
        let (before, after) = text.split_at_checked(offset.into()).unwrap_or((text, ""));
        let start = start(before);
        let word = before.get(start..).unwrap_or("");
        let end = offset + size(if word.is_empty() { 0 } else { rest(word, after) });
        Self { range: TextRange::new(size(start), offset), end }
    }

    /// Returns the part of the word before the cursor.
    #[must_use]
    pub fn typed(self, text: &str) -> &str {
        slice(text, self.range)
    }

    #[must_use]
    pub fn whole(self) -> TextRange {
        TextRange::new(self.range.start(), self.end)
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True for bytes of a name constant after its first slash.
fn is_constant(byte: u8) -> bool {
    is_letter(byte) || matches!(byte, b'.' | b'~' | b'%' | b'-' | b'/')
}

/// Returns the start of the longest suffix of `text` that consists of bytes accepted by `of`.
fn run(text: &str, of: impl Fn(u8) -> bool) -> usize {
    text.len() - text.bytes().rev().take_while(|byte| of(*byte)).count()
}

fn start(before: &str) -> usize {
    let constant = run(before, is_constant);
    if let Some(slash) = before.get(constant..).and_then(|run| run.find('/')) {
        return constant + slash;
    }
    let name = run(before, |byte| is_letter(byte) || matches!(byte, b':' | b'.'));
    let letters = run(before, is_letter);
    match before.as_bytes().get(letters) {
        Some(byte) if byte.is_ascii_uppercase() || *byte == b'_' => type_start(before, letters),
        None if before.ends_with('.') && name + 1 == before.len() => type_start(before, letters),
        _ => name_start(before, name),
    }
}

/// Includes the dot of a type such as `.List` if no statement can end there.
fn type_start(before: &str, letters: usize) -> usize {
    let Some(rest) = before.get(..letters).and_then(|rest| rest.strip_suffix('.')) else { return letters };
    if rest.is_empty() || rest.ends_with(['[', '<', '(', ',', ':', ' ', '\t', '\n']) {
        rest.len()
    } else {
        letters
    }
}

/// Returns the start of a lower-case name in a run of letters, colons and dots. Skips digits,
/// capitals and the colon of an adjacent map entry.
fn name_start(before: &str, run: usize) -> usize {
    let mut start = run;
    while let Some(rest) = before.get(start..)
        && let Some(first) = rest.bytes().next()
    {
        let second = rest.as_bytes().get(1).copied();
        match first {
            b'a'..=b'z' => break,
            b':' if start > run && rest.starts_with(":fn:") => {}
            b':' if second.is_none_or(|byte| byte.is_ascii_lowercase()) => break,
            // A number is a separate word.
            b'0'..=b'9' if rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => break,
            _ => {}
        }
        start += 1;
    }
    start
}

/// Returns the number of bytes of `after` that belong to `word`.
fn rest(word: &str, after: &str) -> usize {
    let bytes = after.as_bytes();
    let goes_on = |at: usize| bytes.get(at + 1).is_some_and(|byte| is_letter(*byte));
    let belongs = |at: usize, byte: u8| match byte {
        byte if is_letter(byte) => true,
        b'.' | b'/' | b'-' if word.starts_with('/') => goes_on(at),
        b'~' | b'%' => word.starts_with('/'),
        b'.' | b':' if word.starts_with(|c: char| c.is_ascii_lowercase() || c == ':') => goes_on(at),
        _ => false,
    };
    bytes.iter().enumerate().take_while(|(at, byte)| belongs(*at, **byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(marked: &str, expected: &str) {
        let at = marked.find('|').unwrap_or(marked.len());
        let text = marked.replacen('|', "", 1);
        let word = CursorWord::at(&text, size(at));
        let mut found = slice(&text, word.whole()).to_owned();
        found.insert(word.typed(&text).len(), '|');
        assert_eq!(found, expected, "{marked}");
    }

    #[test]
    fn words() {
        check("p(X) :- fo|o(X)", "fo|o");
        check("p(X) :- |foo(X)", "|");
        check("p(X) :- :str|", ":str|");
        check("p(X) :-|", "|");
        check("p(X):-fo|", "fo|");
        check("X = fn:string:c|oncat(", "fn:string:c|oncat");
        check("[1:fn:pl|", "fn:pl|");
        check("[X:fn:pl|", "fn:pl|");
        check("X = fn:|", "fn:|");
        check("p(Act|ion)", "Act|ion");
        check("p(/a/b|.c/d)", "/a/b|.c/d");
        check("p(/|)", "/|");
        check("p(/a|.", "/a|");
        check("p({/a:/b|})", "/b|");
        check("bound [.Li|st</string>", ".Li|st");
        check("bound [.|", ".|");
        check("bound [/a, .|", ".|");
        check("p(X).|", "|");
        check("p(X).q|", "q|");
        check("a.b.|", "a.b.|");
        check("p(1|2", "1|2");
        check("p(1.|", "1.|");
        check("é|", "|");
        check("p(\"🦀\", Na|", "Na|");
        check("_|", "_|");
    }
}
