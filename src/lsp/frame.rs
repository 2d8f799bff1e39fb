//! Framing of messages in a byte stream: `Content-Length` headers, limits, and resynchronization
//! after damage.
//!
//! The codec of the framework ends the connection at the first broken message, so framing is
//! implemented here.

use std::io;
use std::io::{BufRead, Read};

/// In bytes: longer messages are skipped unread. The longest supported document fits.
const MAX_MESSAGE: u64 = 512 << 20;

/// In bytes: a larger length is treated as invalid. The next header is searched then, instead of
/// skipping that number of bytes.
const MAX_SKIPPED: u64 = 4 << 30;

/// In bytes: the maximum length of one read of a line.
const MAX_LINE: u64 = 8 << 10;

const LENGTH: &[u8] = b"content-length:";

/// The reason why the bytes between two messages are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameError {
    /// Bytes that are not part of a message.
    #[error("skipped {0} bytes before a message header")]
    Garbage(u64),
    /// The length is not a number.
    #[error("the Content-Length header is not a number")]
    Length,
    /// The message exceeds the size limit.
    #[error("a message of {0} bytes exceeds the limit of {MAX_MESSAGE}")]
    TooLong(u64),
}

/// Splits a byte stream into message bodies.
#[derive(Debug)]
pub(super) struct Frames<R> {
    input: R,
    /// The length according to the headers read so far.
    length: Option<u64>,
    /// The number of bytes since the last message that are not a header.
    garbage: u64,
    /// The end of a partial line, which may contain the start of a header.
    carry: Vec<u8>,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, length: None, garbage: 0, carry: Vec::new() }
    }

    /// Returns the next message body, or the error in the bytes before it. Returns `None` at the
    /// end of the stream, including an end inside a message.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, FrameError>>> {
        loop {
            let mut line = std::mem::take(&mut self.carry);
            let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut line)?;
            if read == 0 {
                self.garbage += line.len() as u64;
                return Ok(self.complaint().map(Err));
            }
            if let Some(at) = find_length(&line) {
                self.garbage += at as u64;
                let value = line.get(at + LENGTH.len()..).unwrap_or_default();
                self.length = number(value);
                let complaint = self.complaint();
                if complaint.is_some() || self.length.is_none() {
                    return Ok(Some(Err(complaint.unwrap_or(FrameError::Length))));
                }
            } else if matches!(line.as_slice(), b"\r\n" | b"\n") {
                if let Some(length) = self.length.take() {
                    return self.message(length);
                }
            } else if !is_header(&line) {
                self.keep_end(&mut line);
                self.garbage += line.len() as u64;
            }
        }
    }

    fn complaint(&mut self) -> Option<FrameError> {
        let garbage = std::mem::take(&mut self.garbage);
        (garbage > 0).then_some(FrameError::Garbage(garbage))
    }

    /// Moves a possible start of a header from the end of a partial line to the next read.
    fn keep_end(&mut self, line: &mut Vec<u8>) {
        if !line.ends_with(b"\n") {
            self.carry = line.split_off(line.len().saturating_sub(LENGTH.len() - 1));
        }
    }

    fn message(&mut self, length: u64) -> io::Result<Option<Result<Vec<u8>, FrameError>>> {
        if length > MAX_MESSAGE {
            if length <= MAX_SKIPPED {
                io::copy(&mut (&mut self.input).take(length), &mut io::sink())?;
            }
            return Ok(Some(Err(FrameError::TooLong(length))));
        }
        let mut body = Vec::new();
        (&mut self.input).take(length).read_to_end(&mut body)?;
        Ok((body.len() as u64 == length).then_some(Ok(body)))
    }
}

fn find_length(line: &[u8]) -> Option<usize> {
    line.windows(LENGTH.len()).position(|window| window.eq_ignore_ascii_case(LENGTH))
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// True if the line has the form `Name: value` and is not the length header.
fn is_header(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    let named = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    named && name.len() < line.len() && line.ends_with(b"\r\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use expect_test::{Expect, expect};

    use super::*;

    fn check(input: &[u8], expected: Expect) {
        let mut frames = Frames::new(input);
        let mut seen = String::new();
        while let Some(frame) = frames.next().unwrap() {
            match frame {
                Ok(body) => seen += &format!("message {}\n", String::from_utf8_lossy(&body)),
                Err(error) => seen += &format!("error {error}\n"),
            }
        }
        expected.assert_eq(&seen);
    }

    #[test]
    fn messages_in_a_row() {
        check(
            b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x; charset=utf-8\r\n\r\n[1]",
            expect![[r#"
                message {}
                message [1]
            "#]],
        );
    }

    #[test]
    fn garbage_is_skipped_up_to_the_next_header() {
        check(
            b"foobarContent-Length: 2\r\n\r\n{}no header\r\nContent-Length: x\r\n\r\n{}Content-Length: 1\r\n\r\n1",
            expect![[r#"
                error skipped 6 bytes before a message header
                message {}
                error skipped 11 bytes before a message header
                error skipped 2 bytes before a message header
                message 1
            "#]],
        );
    }

    #[test]
    fn a_header_that_starts_at_the_end_of_a_piece_is_found() {
        for pad in 8180..8200 {
            let mut input = vec![b'x'; pad];
            input.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
            let mut frames = Frames::new(input.as_slice());
            assert_eq!(frames.next().unwrap(), Some(Err(FrameError::Garbage(pad as u64))));
            assert_eq!(frames.next().unwrap(), Some(Ok(b"{}".to_vec())));
            assert_eq!(frames.next().unwrap(), None);
        }
    }

    #[test]
    fn absurd_lengths() {
        check(
            b"Content-Length: 99999999999999999999999\r\n\r\nContent-Length: 999999999999\r\n\r\nContent-Length: 1\r\n\r\n1",
            expect![[r#"
                error the Content-Length header is not a number
                error a message of 999999999999 bytes exceeds the limit of 536870912
                message 1
            "#]],
        );
    }

    #[test]
    fn a_message_cut_by_the_end_is_none() {
        check(b"Content-Length: 20\r\n\r\n{", expect![""]);
    }
}
