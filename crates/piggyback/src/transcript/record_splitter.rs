//! Where records end in bytes that keep coming.

use super::entry::{Borders, EntryForm};
use crate::transcript::line_border::Border;

/// How the records of a container lie behind one another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Frame {
    /// A line each.
    Lines,
    /// Several lines each; the line says whether one begins or ends with it.
    Groups(fn(&[u8]) -> Border),
    /// The entries of a log that begin so.
    Entries(EntryForm),
    /// The elements of an array.
    Elements,
    /// JSON values one behind the other, each on as many lines as it likes.
    Values,
    /// One record, or several that only the whole document shows.
    Whole,
}

/// Finds where the next record is, and looks at no byte twice.
#[derive(Debug)]
pub(super) struct RecordSplitter {
    frame: Frame,
    /// How far the bytes were looked at.
    seen: usize,
    /// Where the record begins: behind commas and white space in an array.
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
    /// Whether it has ended, with nothing after it.
    is_over: bool,
}

/// A record that was found: its bytes, and how many belong to it and to what is between records.
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

    /// The next record in `bytes`, which begin where the last one ended; `None` until more bytes come, or at the
    /// end when there is none.
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
                // The line that ended this record is looked at again as the first of the next.
                self.borders = Borders::default();
            }
            None => self.seen = self.seen.max(self.start),
        }
        found
    }

    /// Goes on after `dropped` of the bytes were thrown away.
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

    /// An object or an array ends with its last bracket, anything else with its line.
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

    /// The records of a text that comes in pieces of `step` bytes.
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
