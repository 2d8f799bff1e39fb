//! Structures made of bytes, so that a small change of the bytes is a small change of the structure and coverage can lead
//! libFuzzer.

mod mangle;
mod messages;
mod reply;
mod world;
#[allow(dead_code)]
#[path = "../../../crates/piggyback/src/transcript/testing.rs"]
mod wrapping;

pub(crate) use mangle::mangle;
pub(crate) use messages::{Step, documents, steps};
pub(crate) use reply::{reply, transcript};
pub(crate) use world::{World, fixture};

use crate::support::Random;

/// One of several.
pub(crate) fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())]
}

/// The place of a character in a text, at or before `at`.
pub(crate) fn border(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The bytes as text: as they are as far as they are UTF-8, with a sign for the rest.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
