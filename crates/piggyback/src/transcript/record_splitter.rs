//! Incremental detection of record boundaries.

use super::entry::{Borders, EntryForm};
use super::turn::Border;

/// Delimiters of the records of a container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Frame {
    /// One record per line.
    Lines,
    /// Several lines per record. The function classifies each line as a boundary.
    Groups(fn(&[u8]) -> Border),
    /// Log entries of this format.
    Entries(EntryForm),
    /// Elements of a JSON array.
    Elements,
    /// Consecutive JSON values, each on any number of lines.
    Values,
    /// One record, or several that require the whole document.
    Whole,
}

/// Finds the next record. Examines each byte at most once, except at record boundaries.
#[derive(Debug)]
pub(super) struct RecordSplitter {
    frame: Frame,
    /// Number of examined bytes.
    seen: usize,
    /// Start of the record, after commas and white space.
    start: usize,
    array: Array,
    borders: Borders,
}

#[derive(Debug, Default)]
struct Array {
    depth: u32,
    is_in_string: bool,
    is_escaped: bool,
    is_open: bool,
    is_element: bool,
    /// True after the closing bracket. Later text is ignored.
    is_over: bool,
}

/// Bounds of a record. `next` is the number of bytes up to the start of the search for the next
/// record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordBounds {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) next: usize,
}

impl RecordSplitter {
    pub(super) fn new(frame: Frame) -> Self {
        Self { frame, seen: 0, start: 0, array: Array::default(), borders: Borders::default() }
    }

    /// Returns the next record in `bytes`, which begin at the end of the last record. `None` if
    /// more bytes are needed, or at the end of the file.
    pub(super) fn next(&mut self, bytes: &[u8], is_end: bool) -> Option<RecordBounds> {
        let found = match self.frame {
            Frame::Lines => self.line(bytes),
            Frame::Groups(border) => self.group(bytes, &mut |_, line| border(line), is_end),
            Frame::Entries(form) => {
                self.group(bytes, &mut |borders, line| borders.border(line, &form), is_end)
            }
            Frame::Elements => self.element(bytes),
            Frame::Values => self.value(bytes),
            Frame::Whole => None,
        };
        let rest = || (is_end && self.start < bytes.len()).then_some((self.start, bytes.len(), bytes.len()));
        let found = found.or_else(rest).map(|(start, end, next)| RecordBounds { start, end, next });
        match found {
            Some(_) => {
                (self.seen, self.start) = (0, 0);
                // The next record begins with the line that ended this record.
                self.borders = Borders::default();
            }
            None => self.seen = self.seen.max(self.start),
        }
        found
    }

    /// Adjusts the state after `dropped` leading bytes were discarded.
    pub(super) fn forget(&mut self, dropped: usize) {
        self.seen = self.seen.saturating_sub(dropped);
        self.start = self.start.saturating_sub(dropped);
    }

    fn line(&mut self, bytes: &[u8]) -> Option<(usize, usize, usize)> {
        let rest = bytes.get(self.seen..)?;
        let Some(end) = memchr::memchr(b'\n', rest) else {
            self.seen = bytes.len();
            return None;
        };
        let end = self.seen + end;
        Some((0, end, end + 1))
    }

    fn group(
        &mut self,
        bytes: &[u8],
        border: &mut dyn FnMut(&mut Borders, &[u8]) -> Border,
        is_end: bool,
    ) -> Option<(usize, usize, usize)> {
        loop {
            let rest = bytes.get(self.seen..).filter(|rest| !rest.is_empty())?;
            let len = match memchr::memchr(b'\n', rest) {
                Some(end) => end + 1,
                None if is_end => rest.len(),
                None => return None,
            };
            let (from, to) = (self.seen, self.seen + len);
            self.seen = to;
            match border(&mut self.borders, bytes.get(from..to).unwrap_or(&[])) {
                Border::Begin if from > 0 => return Some((0, from, from)),
                Border::End => return Some((0, to, to)),
                _ => {}
            }
        }
    }

    /// Finds the end of a JSON value: the last bracket of an object or array, or the end of the
    /// line.
    fn value(&mut self, bytes: &[u8]) -> Option<(usize, usize, usize)> {
        let array = &mut self.array;
        while let Some(&byte) = bytes.get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            if !array.is_element {
                if byte.is_ascii_whitespace() || byte == b',' {
                    self.start = self.seen;
                    continue;
                }
                array.is_element = true;
            }
            if array.is_escaped {
                array.is_escaped = false;
            } else if array.is_in_string {
                array.is_escaped = byte == b'\\';
                array.is_in_string = byte != b'"';
            } else {
                let is_open = array.depth > 0;
                match byte {
                    b'"' => array.is_in_string = true,
                    b'{' | b'[' => array.depth += 1,
                    b'}' | b']' if is_open => array.depth -= 1,
                    _ => {}
                }
                if array.depth == 0 && (is_open || byte == b'\n') {
                    array.is_element = false;
                    return Some((self.start, at + 1, at + 1));
                }
            }
        }
        None
    }

    fn element(&mut self, bytes: &[u8]) -> Option<(usize, usize, usize)> {
        let array = &mut self.array;
        if array.is_over {
            (self.start, self.seen) = (bytes.len(), bytes.len());
            return None;
        }
        while let Some(&byte) = bytes.get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            if !array.is_open {
                array.is_open = byte == b'[';
                self.start = self.seen;
                continue;
            }
            if !array.is_element {
                match byte {
                    b',' | b' ' | b'\t' | b'\r' | b'\n' => {
                        self.start = self.seen;
                        continue;
                    }
                    b']' => {
                        array.is_over = true;
                        (self.start, self.seen) = (bytes.len(), bytes.len());
                        return None;
                    }
                    _ => array.is_element = true,
                }
            }
            if array.is_escaped {
                array.is_escaped = false;
            } else if array.is_in_string {
                array.is_escaped = byte == b'\\';
                array.is_in_string = byte != b'"';
            } else {
                match byte {
                    b'"' => array.is_in_string = true,
                    b'{' | b'[' => array.depth += 1,
                    b'}' | b']' if array.depth > 0 => array.depth -= 1,
                    b',' | b']' if array.depth == 0 => {
                        array.is_element = false;
                        return Some((self.start, at, at));
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns the records of a text that arrives in chunks of `step` bytes.
    fn cut(frame: Frame, text: &str, step: usize) -> Vec<String> {
        let mut cutter = RecordSplitter::new(frame);
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        let mut chunks = text.as_bytes().chunks(step).peekable();
        while let Some(chunk) = chunks.next() {
            buffer.extend_from_slice(chunk);
            while let Some(cut) = cutter.next(&buffer, chunks.peek().is_none()) {
                found.push(String::from_utf8(buffer[cut.start..cut.end].to_vec()).unwrap());
                buffer.drain(..cut.next);
            }
        }
        found
    }

    fn border(line: &[u8]) -> Border {
        match line.first() {
            Some(b'>') => Border::Begin,
            Some(b'<') => Border::End,
            _ => Border::Within,
        }
    }

    #[test]
    fn pieces_make_no_difference() {
        for step in 1..12 {
            assert_eq!(cut(Frame::Lines, "a\n\nbc\nd", step), ["a", "", "bc", "d"]);
            let array = r#" [ {"a":"]},"}, [1,[2]] ,3, "\"," ] "#;
            assert_eq!(cut(Frame::Elements, array, step), [r#"{"a":"]},"}"#, "[1,[2]] ", "3", r#""\"," "#]);
            assert_eq!(cut(Frame::Groups(border), "a\n>b\nc\n<d\ne", step), ["a\n", ">b\nc\n<d\n", "e"]);
            assert_eq!(cut(Frame::Elements, "[1, 2] [3]", step), ["1", "2"]);
            assert_eq!(cut(Frame::Whole, "a\nb", step), ["a\nb"]);
        }
    }

    #[test]
    fn values_take_any_number_of_lines() {
        for step in 1..12 {
            let text = "{\n \"a}\": [1,\n2]\n}\n{\"b\":1}{}\nword\n[\n]\n{\"c\"";
            let expected = ["{\n \"a}\": [1,\n2]\n}", "{\"b\":1}", "{}", "word\n", "[\n]", "{\"c\""];
            assert_eq!(cut(Frame::Values, text, step), expected);
        }
    }

    #[test]
    fn arrays_need_not_end() {
        assert_eq!(cut(Frame::Elements, r#"[{"a":1},{"b":"#, 3), [r#"{"a":1}"#, r#"{"b":"#]);
        assert_eq!(cut(Frame::Elements, "[]", 1), Vec::<String>::new());
    }
}
