//! The text that the user sees while a reply is streamed.
//!
//! String escapes are decoded outside of the JSON decoder, as in the runtime.

const KEY: &[u8] = b"\"surface_response\"";

/// Incremental search for the surface in a streamed reply.
///
/// The surface is shown only if its key and colon arrive in the same piece.
#[derive(Debug, Default)]
pub struct LiveChannel {
    text: Vec<u8>,
    at: usize,
    depth: usize,
    state: LiveState,
    is_escaped: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LiveState {
    /// Outside of strings, before the surface.
    #[default]
    Structure,
    /// In a string before the surface.
    Skipped,
    /// After the key, before its value.
    Key,
    /// In the surface.
    Surface,
    /// After the surface.
    Done,
}

impl LiveChannel {
    /// Adds the next piece and returns the newly visible text: whole characters with decoded
    /// escapes.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        if self.state == LiveState::Done {
            return out;
        }
        self.text.extend_from_slice(piece);
        while self.at < self.text.len() && self.state != LiveState::Done {
            let is_whole = match self.state {
                LiveState::Surface => self.surface(&mut out),
                _ => {
                    self.structure();
                    true
                }
            };
            if !is_whole {
                break;
            }
        }
        out
    }

    /// Reads the next character of the surface. Returns false if more input is needed.
    fn surface(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.first() {
            Some(b'"') => {
                self.state = LiveState::Done;
                self.at += 1;
            }
            Some(b'\\') => match read_escape(rest) {
                Escape::Cut => return false,
                Escape::Byte(byte) => {
                    out.push(byte);
                    self.at += 2;
                }
                // The low surrogate may still arrive.
                Escape::Char(char::REPLACEMENT_CHARACTER, 6) if may_be_pair(rest) => return false,
                Escape::Char(char, len) => {
                    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    self.at += len;
                }
                Escape::Bad => {
                    out.extend_from_slice("\u{fffd}".as_bytes());
                    self.at += 6;
                }
            },
            Some(byte @ 0x80..) => {
                let chunk = rest.get(..4.min(rest.len())).and_then(|near| near.utf8_chunks().next());
                let cut = std::str::from_utf8(rest.get(..4.min(rest.len())).unwrap_or_default());
                let is_cut = cut.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none());
                if is_cut && chunk.as_ref().is_some_and(|chunk| chunk.valid().is_empty()) {
                    return false;
                }
                let whole = chunk.and_then(|chunk| chunk.valid().chars().next()).map_or(1, char::len_utf8);
                match whole {
                    1 => out.push(*byte),
                    len => out.extend_from_slice(rest.get(..len).unwrap_or_default()),
                }
                self.at += whole;
            }
            Some(byte) => {
                out.push(*byte);
                self.at += 1;
            }
            None => {}
        }
        true
    }

    /// Reads a byte before the surface.
    fn structure(&mut self) {
        let Some(byte) = self.text.get(self.at).copied() else { return };
        self.at += 1;
        if self.is_escaped {
            self.is_escaped = false;
            return;
        }
        match (self.state, byte) {
            (LiveState::Skipped, b'\\') => self.is_escaped = true,
            (LiveState::Skipped, b'"') => self.state = LiveState::Structure,
            (LiveState::Skipped, _) => {}
            (LiveState::Key, b'"') => self.state = LiveState::Surface,
            (_, b'"') if self.depth == 1 && self.is_key() => {
                self.at += KEY.len() - 1;
                self.state = LiveState::Key;
            }
            (_, b'"') => self.state = LiveState::Skipped,
            (state, byte) => {
                // The value is not a string.
                if state == LiveState::Key && b",{}[]".contains(&byte) {
                    self.state = LiveState::Structure;
                }
                match byte {
                    b'{' => self.depth += 1,
                    b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    /// True if the key and its colon have arrived. The opening quote of the key was already read.
    fn is_key(&self) -> bool {
        let rest = self.text.get(self.at - 1..).and_then(|rest| rest.strip_prefix(KEY));
        rest.is_some_and(|rest| rest.iter().find(|byte| !b" \t\r\n".contains(byte)) == Some(&b':'))
    }
}

/// True if an escape is a high surrogate and its low surrogate may still arrive.
fn may_be_pair(rest: &[u8]) -> bool {
    let is_high = rest.get(2..6).and_then(code_unit).is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
    let behind = rest.get(6..).unwrap_or_default();
    is_high && behind.len() < 6 && (behind.is_empty() || behind == b"\\" || behind.starts_with(b"\\u"))
}

/// Returns the text that is shown while a reply arrives in pieces of these sizes. The sizes are
/// repeated.
#[must_use]
pub fn live(raw: &[u8], sizes: &[usize]) -> Vec<u8> {
    let (mut channel, mut out, mut rest) = (LiveChannel::default(), Vec::new(), raw);
    for size in sizes.iter().cycle().filter(|size| **size > 0) {
        let (piece, behind) = rest.split_at((*size).min(rest.len()));
        out.extend(channel.push(piece));
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    out
}

/// An escape at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// Two bytes that are decoded to one byte.
    Byte(u8),
    /// A character and the length of its escape in bytes. A lone surrogate is decoded to U+FFFD.
    Char(char, usize),
    /// `\u` without four hexadecimal digits.
    Bad,
    /// An escape that is cut off at the end of the text.
    Cut,
}

/// Decodes the escape at the start of a text. An unknown escape is decoded to its second byte.
pub(super) fn read_escape(text: &[u8]) -> Escape {
    let Some(byte) = text.get(1) else { return Escape::Cut };
    match byte {
        b'b' => Escape::Byte(8),
        b'f' => Escape::Byte(12),
        b'n' => Escape::Byte(b'\n'),
        b'r' => Escape::Byte(b'\r'),
        b't' => Escape::Byte(b'\t'),
        b'u' => unicode_escape(text),
        byte => Escape::Byte(*byte),
    }
}

fn unicode_escape(text: &[u8]) -> Escape {
    let Some(digits) = text.get(2..6) else { return Escape::Cut };
    let Some(high) = code_unit(digits) else { return Escape::Bad };
    if let 0xd800..0xdc00 = high
        && let Some(low @ 0xdc00..0xe000) = low_surrogate(text)
        && let Some(char) = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low - 0xdc00)
    {
        return Escape::Char(char, 12);
    }
    Escape::Char(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// Returns the code unit of the second escape of a surrogate pair.
fn low_surrogate(text: &[u8]) -> Option<u32> {
    code_unit(text.get(6..12)?.strip_prefix(b"\\u")?)
}

/// Parses four hexadecimal digits.
fn code_unit(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::live;

    #[track_caller]
    fn check(raw: &str, sizes: &[usize], shown: &str) {
        assert_eq!(String::from_utf8_lossy(&live(raw.as_bytes(), sizes)), shown, "{raw} {sizes:?}");
    }

    #[test]
    fn a_key_in_two_pieces_is_never_found() {
        let raw = r#"{"surface_response":"café 😀 \ud83d\ude00 \/"}"#;
        let shown = "café 😀 😀 /";
        check(raw, &[usize::MAX], shown);
        check(
            raw,
            &[20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            shown,
        );
        check(raw, &[19, 100], "");
        check(raw, &[1], "");
    }

    #[test]
    fn keys_in_strings_and_deeper_objects_are_skipped() {
        let raw = r#"{"a":"\"surface_response\":\"x","b":{"surface_response":"y"},"surface_response":[],"surface_response":"z"}"#;
        check(raw, &[usize::MAX], "z");
    }
}
