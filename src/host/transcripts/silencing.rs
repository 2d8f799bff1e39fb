//! The comments that silence in a transcript on disk, known before its records are read.

use std::io::Read as _;

use super::{Input, TranscriptFile, plain_name};
use crate::host::{Overlay, STDIN};
use crate::ide::transcripts::{Comments, MAX_COMMENTED};
use piggyback::transcript::{Transcript, TranscriptOptions};

/// The comments of a transcript. Standard input, which is read once, has none; of what cannot be read who reads all of it
/// tells.
#[must_use]
pub fn comments(found: &TranscriptFile) -> Comments {
    if found.path.file_name().is_some_and(|name| name == STDIN) {
        return Comments::default();
    }
    let mut beginning = Vec::new();
    let input = Input::open(&found.path, &Overlay::default());
    let read = input.and_then(|input| input.take(MAX_COMMENTED as u64).read_to_end(&mut beginning));
    if read.is_err() || Comments::of(&beginning).is_empty() {
        return Comments::default();
    }
    let options = TranscriptOptions::new(&found.settings, plain_name(&found.path.to_string_lossy()));
    Comments::in_container(&beginning, Transcript::parse(options, &beginning).container())
}
