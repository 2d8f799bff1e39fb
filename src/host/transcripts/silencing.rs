//! The comments that silence in a transcript on disk, known before its records are read.

use std::io::{self, Read as _};

use memchr::memmem;

use super::{Input, TranscriptFile, is_markdown, plain_name};
use crate::host::{Overlay, STDIN};
use crate::ide::transcripts::{Comments, MAX_COMMENTED};
use mangle_settings::Container;
use piggyback::transcript::{Transcript, TranscriptOptions};

/// What a fence begins with.
const FENCES: [&[u8]; 2] = [b"```", b"~~~"];

/// What the beginning of a transcript tells before its records are read.
#[derive(Debug, Default)]
pub struct Beginning {
    /// The comments that silence.
    pub comments: Comments,
    /// Its text where that is Markdown, in which there may be fences of Mangle; else nothing.
    pub markdown: Vec<u8>,
}

impl Beginning {
    /// Reads the beginning of a transcript; of standard input, which is read once, nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(found: &TranscriptFile) -> io::Result<Self> {
        if found.path.file_name().is_some_and(|name| name == STDIN) {
            return Ok(Self::default());
        }
        let mut text = Vec::new();
        Input::open(&found.path, &Overlay::default())?.take(MAX_COMMENTED as u64).read_to_end(&mut text)?;
        let options = TranscriptOptions::new(&found.settings, plain_name(&found.path.to_string_lossy()));
        // To find the container out costs as much as to read the text, which most files need not.
        let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        let has_fence = || !is_json && FENCES.iter().any(|fence| memmem::find(&text, fence).is_some());
        let is_wanted = is_markdown(&found.path) || has_fence() || !Comments::of(&text).is_empty();
        let container = is_wanted.then(|| Transcript::parse(options, &text).container()).flatten();
        let comments = Comments::in_container(&text, container);
        let markdown = if container == Some(Container::Markdown) { text } else { Vec::new() };
        Ok(Self { comments, markdown })
    }
}

/// The comments of a transcript. Standard input, which is read once, has none; of what cannot be read who reads all of it
/// tells.
#[must_use]
pub fn comments(found: &TranscriptFile) -> Comments {
    Beginning::of(found).map(|beginning| beginning.comments).unwrap_or_default()
}
