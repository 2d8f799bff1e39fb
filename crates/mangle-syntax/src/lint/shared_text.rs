//! Shared texts of findings: deduplicated, cheap to clone and limited in length.
//!
//! A file can have a million findings with mostly equal texts, and a finding can quote a word of a
//! megabyte.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

/// Maximum length of a text, in bytes. The middle of longer texts is omitted.
pub const MAX_TEXT_LEN: usize = 2_000;

/// The placeholder for omitted text.
const CUT: &str = " […] ";

/// The number of texts that each thread remembers, to share them with later findings.
const REMEMBERED: usize = 256;

thread_local! {
    static RECENT: RefCell<Vec<Option<Arc<str>>>> = const { RefCell::new(Vec::new()) };
}

/// A message, a title or a label of a finding. Cheap to clone.
#[derive(Clone)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds a text at the end.
    pub fn push_str(&mut self, more: &str) {
        *self = Self::new(&[self.as_str(), more].concat());
    }

    fn new(text: &str) -> Self {
        let cut = cut(text);
        let text = cut.as_deref().unwrap_or(text);
        let slot = usize::try_from(FxBuildHasher.hash_one(text) >> 32).unwrap_or(0) % REMEMBERED;
        let shared = RECENT.with_borrow_mut(|recent| {
            recent.resize(REMEMBERED, None);
            let known = recent.get_mut(slot);
            match known {
                Some(Some(known)) if **known == *text => Arc::clone(known),
                Some(known) => Arc::clone(known.insert(text.into())),
                None => text.into(),
            }
        });
        Self(shared)
    }
}

/// Omits the middle of a text that is too long. `None` if the text is short enough.
fn cut(text: &str) -> Option<String> {
    if text.len() <= MAX_TEXT_LEN {
        return None;
    }
    let part = (MAX_TEXT_LEN - CUT.len()) / 2;
    let (mut head, mut tail) = (part, text.len() - part);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    Some([text.get(..head)?, CUT, text.get(tail..)?].concat())
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl From<&String> for SharedText {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&Self> for SharedText {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<SharedText> for String {
    fn from(text: SharedText) -> Self {
        text.as_str().to_owned()
    }
}

impl Default for SharedText {
    fn default() -> Self {
        Self::new("")
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for SharedText {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for SharedText {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for SharedText {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SharedText {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for SharedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_stored_once() {
        let [one, other] = [(); 2].map(|()| SharedText::from(format!("`{}` is unbound", "X")));
        assert!(Arc::ptr_eq(&one.0, &other.0));
    }

    #[test]
    fn a_long_text_is_cut_in_the_middle_between_characters() {
        for sign in ["a", "é", "€", "𝄞"] {
            for shift in 0..4 {
                let text = SharedText::from(format!("{}`{}` end", "x".repeat(shift), sign.repeat(400_000)));
                assert!(text.len() <= MAX_TEXT_LEN && text.len() > MAX_TEXT_LEN - 10, "{}", text.len());
                assert!(
                    text.contains(CUT)
                        && text.ends_with("` end")
                        && text.starts_with("x".repeat(shift).as_str())
                );
            }
        }
        let whole = "a".repeat(MAX_TEXT_LEN);
        assert_eq!(SharedText::from(whole.clone()), whole.as_str());
    }
}
