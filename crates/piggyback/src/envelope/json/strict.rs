//! A strict JSON validator that reports errors at the same offset as Go's decoder.

use super::string::unit;

/// A JSON syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    /// The byte offset of the error.
    pub offset: usize,
    /// True if the text ends unexpectedly.
    pub is_end: bool,
}

/// The maximum nesting depth.
const MAX_DEPTH: usize = 10_000;

/// Reads the value at the start of `text` and returns its end offset.
///
/// # Errors
/// Returns the first syntax error.
pub fn value_end(text: &[u8]) -> Result<usize, Flaw> {
    let mut reader = Reader { text, at: 0 };
    // One entry per open value, true for objects.
    let mut open: Vec<bool> = Vec::new();
    loop {
        reader.space();
        match reader.peek()? {
            byte @ (b'{' | b'[') => {
                if open.len() == MAX_DEPTH {
                    return reader.wrong();
                }
                reader.at += 1;
                reader.space();
                let is_object = byte == b'{';
                if reader.peek()? == if is_object { b'}' } else { b']' } {
                    reader.at += 1;
                } else {
                    open.push(is_object);
                    if is_object {
                        reader.key()?;
                    }
                    continue;
                }
            }
            b'"' => reader.string()?,
            b'-' | b'0'..=b'9' => reader.number()?,
            b't' => reader.word(b"true")?,
            b'f' => reader.word(b"false")?,
            b'n' => reader.word(b"null")?,
            _ => return reader.wrong(),
        }
        // After a value.
        loop {
            let Some(&is_object) = open.last() else { return Ok(reader.at) };
            reader.space();
            match (reader.peek()?, is_object) {
                (b',', _) => {
                    reader.at += 1;
                    if is_object {
                        reader.space();
                        reader.key()?;
                    }
                    break;
                }
                (b'}', true) | (b']', false) => {
                    reader.at += 1;
                    open.pop();
                }
                _ => return reader.wrong(),
            }
        }
    }
}

/// Checks that `text` is one value with optional white space.
///
/// # Errors
/// Returns the first syntax error, or an error for text after the value.
pub fn whole(text: &[u8]) -> Result<(), Flaw> {
    let mut reader = Reader { text, at: value_end(text)? };
    reader.space();
    if reader.at < text.len() { reader.wrong() } else { Ok(()) }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Result<u8, Flaw> {
        self.text.get(self.at).copied().ok_or(Flaw { offset: self.at, is_end: true })
    }

    fn wrong<T>(&self) -> Result<T, Flaw> {
        Err(Flaw { offset: self.at, is_end: self.at >= self.text.len() })
    }

    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Result<(), Flaw> {
        if self.peek()? != b'"' {
            return self.wrong();
        }
        self.string()?;
        self.space();
        if self.peek()? != b':' {
            return self.wrong();
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Flaw> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or(&[]);
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            self.at += plain.unwrap_or(rest.len());
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                _ => return self.wrong(),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        self.at += 1;
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' if unit(rest).is_some() => self.at += 5,
            b'u' => {
                self.at += 1;
                while self.peek()?.is_ascii_hexdigit() {
                    self.at += 1;
                }
                return self.wrong();
            }
            _ => return self.wrong(),
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Flaw> {
        for byte in word {
            if self.peek()? != *byte {
                return self.wrong();
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Flaw> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            _ => return self.wrong(),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek()?, b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), Flaw> {
        if !self.peek()?.is_ascii_digit() {
            return self.wrong();
        }
        self.digits();
        Ok(())
    }
}
