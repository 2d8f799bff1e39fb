//! After any edit the tree that was edited and parsed again equals a fresh one.

mod sample;

use sample::edits::{self, Edit};
use sample::{Rng, Text};

/// Edits in a chain, without ever going back to a clean text.
fn chain(text: &Text, count: usize, seed: u64) {
    let mut parser = sample::parser();
    let mut rng = Rng::new(seed);
    let mut bytes = text.bytes.clone();
    let mut tree = parser.parse(&bytes, None).unwrap();
    for number in 0..count {
        let edit = edits::random(&mut rng, &bytes);
        let before = bytes.clone();
        edit.apply(&mut bytes, &mut tree);
        tree = parser.parse(&bytes, Some(&tree)).unwrap();
        let fresh = parser.parse(&bytes, None).unwrap();
        check(text, seed, number, &edit, &before, sample::difference(&tree, &fresh));
        if number % 40 == 39 {
            // Back to a clean text, by one edit, so that damage does not swallow everything.
            let edit = Edit { range: 0..bytes.len(), text: text.bytes.clone() };
            edit.apply(&mut bytes, &mut tree);
            tree = parser.parse(&bytes, Some(&tree)).unwrap();
        }
    }
}

/// Single edits, each taken back at once: what typing and undoing does.
fn there_and_back(text: &Text, count: usize, seed: u64) {
    let mut parser = sample::parser();
    let mut rng = Rng::new(seed);
    let mut bytes = text.bytes.clone();
    let clean = parser.parse(&bytes, None).unwrap();
    let mut tree = clean.clone();
    for number in 0..count {
        let edit = edits::random(&mut rng, &bytes);
        let before = bytes.clone();
        let back = edit.apply(&mut bytes, &mut tree);
        tree = parser.parse(&bytes, Some(&tree)).unwrap();
        let fresh = parser.parse(&bytes, None).unwrap();
        check(text, seed, number, &edit, &before, sample::difference(&tree, &fresh));
        let before = bytes.clone();
        back.apply(&mut bytes, &mut tree);
        tree = parser.parse(&bytes, Some(&tree)).unwrap();
        check(text, seed, number, &back, &before, sample::difference(&tree, &clean));
    }
}

fn check(text: &Text, seed: u64, number: usize, edit: &Edit, before: &[u8], difference: Option<String>) {
    if let Some(difference) = difference {
        let near = edit.range.start.saturating_sub(120)..(edit.range.end + 120).min(before.len());
        panic!(
            "{} seed {seed} edit {number}: {difference}\n{:?} replaced by {:?} in\n{}",
            text.name,
            edit.range,
            String::from_utf8_lossy(&edit.text),
            String::from_utf8_lossy(&before[near]),
        );
    }
}

#[test]
fn chained_edits_of_built_in_texts() {
    for (index, text) in sample::built_in().iter().enumerate() {
        chain(text, 400, 11 + index as u64);
    }
}

#[test]
fn edits_of_built_in_texts_taken_back() {
    for (index, text) in sample::built_in().iter().enumerate() {
        there_and_back(text, 200, 21 + index as u64);
    }
}

#[test]
fn edits_of_the_corpus() {
    for (index, text) in sample::corpus_of_environment().iter().enumerate() {
        chain(text, 40, 31 + index as u64);
        there_and_back(text, 20, 41 + index as u64);
    }
}
