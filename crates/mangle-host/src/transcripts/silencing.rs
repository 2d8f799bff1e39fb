//! Comments that silence findings in a transcript on disk, read before its records.

use std::io::{self, Read as _};

use memchr::memmem;

use super::{Input, TranscriptFile, is_markdown, plain_name};
use crate::{Overlay, STDIN};
use mangle_ide::transcripts::{Comments, MAX_COMMENTED};
use mangle_settings::Container;
use piggyback::transcript::{Transcript, TranscriptOptions};

/// Prefixes of code fences.
const FENCES: [&[u8]; 2] = [b"```", b"~~~"];

/// Information from the beginning of a transcript, read before its records.
#[derive(Debug, Default)]
pub struct Beginning {
    pub comments: Comments,
    /// The text of a Markdown file, which may contain Mangle code fences. Empty for other files.
    pub markdown: Vec<u8>,
}

impl Beginning {
    /// Reads the beginning of a transcript. Empty for standard input, which can be read only once.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(found: &TranscriptFile) -> io::Result<Self> {
        if found.path.file_name().is_some_and(|name| name == STDIN) {
            return Ok(Self::default());
        }
        let mut text = Vec::new();
        Input::open(&found.path, &Overlay::default())?.take(MAX_COMMENTED as u64).read_to_end(&mut text)?;
        let options = TranscriptOptions::new(&found.settings, plain_name(&found.path.to_string_lossy()));
        // Detecting the container costs as much as reading the text, which is unnecessary for most
        // files.
        let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        let has_fence = || !is_json && FENCES.iter().any(|fence| memmem::find(&text, fence).is_some());
        let is_wanted = is_markdown(&found.path) || has_fence() || !Comments::parse(&text).is_empty();
        let container = is_wanted.then(|| Transcript::parse(options, &text).container()).flatten();
        let comments = Comments::in_container(&text, container);
        let markdown = if container == Some(Container::Markdown) { text } else { Vec::new() };
        Ok(Self { comments, markdown })
    }
}

/// Returns the comments of a transcript. Empty for standard input, which can be read only once,
/// and for unreadable files, which are reported elsewhere.
#[must_use]
pub fn comments(found: &TranscriptFile) -> Comments {
    Beginning::read(found).map(|beginning| beginning.comments).unwrap_or_default()
}
