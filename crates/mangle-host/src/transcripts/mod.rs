//! Transcripts on disk: detection, and streaming of their decompressed bytes.
//!
//! Input is a list of paths, the settings, and the result of a folder walk. Results are
//! [`TranscriptFile`]s, and an [`Input`] per file that buffers one piece at a time. Parsing of the
//! content is in `transcript`.

mod archive;
mod detection;
mod open;
mod read_ahead;
mod stretch;

use std::io;
use std::io::Read as _;

use memchr::memmem;

use self::read_ahead::{Lines, Pieces, ReadAhead, Readers};
use super::{Overlay, STDIN};
use mangle_ide::transcripts::{Comments, MAX_COMMENTED};
use mangle_report::LinePosition;
use mangle_settings::Container;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Batch, ReadSummary, Record, Transcript, TranscriptOptions, TranscriptReader};

#[cfg(test)]
pub(super) use archive::EXPANSION;
pub(super) use archive::{is_archive, transcripts_in};
pub(super) use detection::{
    CaptureKind, capture_kind, closed_limits, has_envelope, has_fence, has_replies, is_included, is_markdown,
    is_text, read_closed,
};
pub use detection::{TranscriptFile, plain_name};
pub use open::Input;
pub use read_ahead::EachRead;
pub use stretch::{RecordStart, StretchTarget};
pub(super) use stretch::{Stretch, StretchRequest, read_stretch};

/// The chunk size in bytes.
const PIECE: usize = 256 << 10;

/// In bytes: the prefix that one thread reads before other threads help.
const SINGLE_THREAD_BYTES: u64 = 2 << 20;

#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'o> {
    pub found: &'o TranscriptFile,
    /// The token that stops the reading.
    pub stop: &'o Cancel,
}

/// Reads a transcript to its end, or until `stop` is canceled. `see` receives all bytes, and the
/// container format after it is detected. `each` receives the records in order, with a function
/// that returns the position of a record.
///
/// # Errors
///
/// If the file cannot be read to its end. The callbacks have received the data before the error.
pub fn read_transcript(
    found: &TranscriptFile,
    input: Input,
    stop: &Cancel,
    see: &mut dyn FnMut(&[u8], Option<Container>),
    each: &mut dyn FnMut(&Record<'_>, &mut dyn FnMut() -> LinePosition),
) -> io::Result<ReadSummary> {
    let options = ReadOptions { found, stop };
    read_transcript_with(options, input, see, &|| |_: &Record<'_>| (), &mut |record, (), spot| {
        each(record, spot)
    })
}

/// [`read_transcript`] that also computes a value for each record before it is passed to `each`.
/// Several threads read a long file; `worker` creates the state of one thread.
///
/// # Errors
///
/// If the file cannot be read to its end. The callbacks have received the data before the error.
pub fn read_transcript_with<T: Send, W: FnMut(&Record<'_>) -> T>(
    ReadOptions { found, stop }: ReadOptions<'_>,
    input: Input,
    see: &mut dyn FnMut(&[u8], Option<Container>),
    worker: &(impl Fn() -> W + Sync),
    each: &mut EachRead<'_, T>,
) -> io::Result<ReadSummary> {
    let name = plain_name(&found.path.to_string_lossy()).to_owned();
    let options =
        TranscriptOptions { is_named: found.named, ..TranscriptOptions::new(&found.settings, name) };
    let reader = TranscriptReader::new(options);
    let pieces = Pieces { input, piece: vec![0; PIECE], stop };
    read_pieces(reader, pieces, SINGLE_THREAD_BYTES, see, worker, each)
}

/// Reads a transcript from its chunks. The first `alone` bytes are read on the current thread.
fn read_pieces<T: Send, W: FnMut(&Record<'_>) -> T, R: io::Read>(
    mut reader: TranscriptReader,
    mut pieces: Pieces<'_, R>,
    mut alone: u64,
    see: &mut dyn FnMut(&[u8], Option<Container>),
    worker: &(impl Fn() -> W + Sync),
    each: &mut EachRead<'_, T>,
) -> io::Result<ReadSummary> {
    let mut own = worker();
    let mut lines = Lines::default();
    let (mut has_more, mut failure) = (true, None);
    while has_more && failure.is_none() {
        let helpers = if reader.position() >= alone && reader.has_records() { Readers::take() } else { None };
        if let Some(helpers) = helpers {
            let ahead = ReadAhead { helpers: &helpers, worker, own: &mut own };
            match ahead.run(&mut reader, &mut pieces, see, &mut lines, each) {
                Ok(false) => alone = u64::MAX,
                Ok(true) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        match pieces.next() {
            Ok(Some(chunk)) => {
                see(chunk, reader.container());
                let mut batch = reader.cut(chunk);
                here(&mut reader, &mut batch, &mut own, &mut lines, each);
            }
            Ok(None) => has_more = false,
            Err(error) => failure = Some(error),
        }
    }
    let mut batch = reader.cut_rest();
    here(&mut reader, &mut batch, &mut own, &mut lines, each);
    failure.map_or_else(|| Ok(reader.summary()), Err)
}

/// Reads a batch on the current thread.
fn here<T>(
    reader: &mut TranscriptReader,
    batch: &mut Batch,
    own: &mut impl FnMut(&Record<'_>) -> T,
    lines: &mut Lines,
    each: &mut EachRead<'_, T>,
) {
    lines.begin();
    reader.read(batch, &mut |record, before| {
        let more = own(record);
        each(record, more, &mut || lines.spot(before));
    });
    lines.end(batch.bytes());
}

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
