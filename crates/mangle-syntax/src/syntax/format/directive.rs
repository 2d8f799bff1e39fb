//! Formatter directives in comments: `mangle-ls: format off`, `on`, `skip`.

use memchr::memmem;

/// A formatter directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// Disables formatting from here on.
    Off,
    /// Enables formatting again.
    On,
    /// Skips the next statement. After code, skips the statement that ends on this line.
    Skip,
}

/// The first word after `mangle-ls:`.
pub const VERB: &str = "format";

/// The words that can follow [`VERB`].
pub const WORDS: [(&str, Directive); 3] =
    [("off", Directive::Off), ("on", Directive::On), ("skip", Directive::Skip)];

/// The mark of all comments for this tool.
const MARK: &str = "mangle-ls";

/// The comments for this tool in a text.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The offset of [`MARK`], and the start of its line. Sorted.
    places: Vec<(usize, usize)>,
}

impl Marks {
    /// Finds all marks. Marks in strings are included, which is harmless.
    pub(super) fn parse(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut places, mut line, mut seen) = (Vec::new(), 0, 0);
        for at in memmem::find_iter(bytes, MARK) {
            let end = memchr::memrchr(b'\n', bytes.get(seen..at).unwrap_or_default());
            line = end.map_or(line, |end| seen + end + 1);
            seen = at;
            places.push((at, line));
        }
        Self { places }
    }

    /// True if no mark was found.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The first mark at or after `at`, if it is on the same line.
    pub(super) fn behind(&self, at: usize) -> Option<usize> {
        let (mark, line) = self.places.get(self.places.partition_point(|(mark, _)| *mark < at))?;
        (*line <= at).then_some(*mark)
    }

    /// The marks in a range.
    pub(super) fn within(&self, start: usize, end: usize) -> impl Iterator<Item = usize> {
        let first = self.places.partition_point(|(mark, _)| *mark < start);
        let rest = self.places.get(first..).unwrap_or_default();
        rest.iter().map(|(mark, _)| *mark).take_while(move |mark| *mark < end)
    }
}

/// Parses the comment with the mark at `at` if it is for the formatter. A reason can follow after
/// `--`.
pub(super) fn read(text: &str, at: usize) -> Option<Directive> {
    // The mark must be the first word of the comment.
    if !text.get(..at)?.trim_end_matches([' ', '\t']).ends_with('#') {
        return None;
    }
    // The words are among the first bytes, and a line can be long.
    const REACH: usize = 100;
    let mut end = text.len().min(at + REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let comment = text.get(at..end)?.split('\n').next()?;
    let mut words = comment.strip_prefix(MARK)?.strip_prefix(':')?.split_whitespace();
    let (verb, word, rest) = (words.next()?, words.next()?, words.next());
    let known = WORDS.iter().find(|(known, _)| *known == word)?;
    (verb == VERB && rest.is_none_or(|rest| rest.starts_with("--"))).then_some(known.1)
}
