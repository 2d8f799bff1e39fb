//! The known secrets of a text, for masking them in excerpts. A fragment of a secret may not be
//! recognizable alone.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::{MASK, SHORTEST_NAMED, Secret, are_shown, secrets};

/// The number of consecutive bytes that identify a secret.
const PIECE: usize = 8;

/// The minimum length in bytes of a secret whose fragments are searched for.
const LONG: usize = 16;

/// The maximum total size of the stored secrets in bytes.
const MAX_BYTES: usize = 1 << 18;

/// The secrets of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretContext {
    values: FxHashSet<String>,
    pieces: FxHashSet<[u8; PIECE]>,
    len: usize,
}

impl SecretContext {
    /// Collects the secrets of a text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut context = Self::default();
        context.add(text);
        context
    }

    /// Adds the secrets of another text.
    pub fn add(&mut self, text: &str) {
        self.add_found(text, &secrets(text));
    }

    /// Adds the secrets that a search found in a text.
    pub(super) fn add_found(&mut self, text: &str, found: &[Secret]) {
        for secret in found {
            let value = text.get(secret.range.clone()).unwrap_or("");
            self.keep(value);
            if let Some(plain) = super::decoded_once(value) {
                self.keep(&plain.text);
            }
        }
    }

    fn keep(&mut self, secret: &str) {
        // Each line of a key is a separate secret. Lines with dashes are ignored.
        for value in secret.split_whitespace().filter(|value| !value.contains("-----")) {
            let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
            let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic()) && value.len() < LONG;
            if value.len() < SHORTEST_NAMED || is_word && !has_digit || self.len + value.len() > MAX_BYTES {
                continue;
            }
            if value.len() >= LONG {
                let pieces = value.as_bytes().windows(PIECE).filter(|piece| is_telling(piece));
                self.pieces.extend(pieces.filter_map(|piece| <[u8; PIECE]>::try_from(piece).ok()));
            }
            self.len += value.len();
            self.values.insert(value.to_owned());
        }
    }

    /// True if no secrets are stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// True if a text contains a stored secret or a fragment of a stored secret.
    #[must_use]
    pub fn occurs_in(&self, text: &str) -> bool {
        !self.is_empty() && self.marks(text).contains(&true)
    }

    /// Replaces each secret, and each fragment of a stored secret, with [`MASK`], unless output
    /// shows secrets.
    #[must_use]
    pub fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if are_shown() {
            return text.into();
        }
        if !self.occurs_in(text) {
            return super::redacted(text);
        }
        let marks = self.marks(text);
        let (mut out, mut is_masked) = (String::with_capacity(text.len()), false);
        for (at, char) in text.char_indices() {
            let is_secret = marks.get(at) == Some(&true);
            if is_secret && !is_masked {
                out.push_str(MASK);
            } else if !is_secret {
                out.push(char);
            }
            is_masked = is_secret;
        }
        super::redacted(&out).into_owned().into()
    }

    /// Returns one flag per byte of a text, true if the byte is part of a secret.
    fn marks(&self, text: &str) -> Vec<bool> {
        let mut marks = vec![false; text.len()];
        let mut mark = |from: usize, len: usize| {
            marks.iter_mut().skip(from).take(len).for_each(|mark| *mark = true);
        };
        if !self.pieces.is_empty() {
            let pieces = text.as_bytes().windows(PIECE).enumerate();
            let known =
                |piece: &[u8]| <[u8; PIECE]>::try_from(piece).is_ok_and(|piece| self.pieces.contains(&piece));
            pieces.filter(|(_, piece)| known(piece)).for_each(|(at, _)| mark(at, PIECE));
        }
        for value in &self.values {
            super::count_steps(text.len());
            text.match_indices(value.as_str()).for_each(|(at, found)| mark(at, found.len()));
        }
        marks
    }
}

/// True if the bytes are not a plain word.
fn is_telling(piece: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| piece.iter().any(is);
    has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_secrets_are_masked() {
        let context = SecretContext::from_text("password: hunter2xyz and sk-ant-api03-AbCdEf0123456789xyzQ");
        assert_eq!(context.redacted("`hunter2xyz!` is no atom"), "`[redacted]!` is no atom");
        assert_eq!(context.redacted("after `…AbCdEf0123456789xyzQ\"`"), "after `…[redacted]\"`");
        assert_eq!(context.redacted("the password is wrong"), "the password is wrong");
        let context = SecretContext::from_text(
            "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA7x\nabc\n-----END PRIVATE KEY-----",
        );
        assert_eq!(
            context.redacted("`MIIEowIBAAKCAQEA7x` is no PRIVATE KEY"),
            "`[redacted]` is no PRIVATE KEY"
        );
        let context = SecretContext::from_text(r"sk-ant\u002dapi03-AbCdEf0123456789xyz");
        assert_eq!(context.redacted("sk-ant-api03-AbCdEf0123"), "sk-[redacted]");
    }
}
