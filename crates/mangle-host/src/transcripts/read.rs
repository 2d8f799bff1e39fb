//! Reading of a transcript record by record, with the line and column of each record.

use std::io;

use super::pieces::{EachRead, Lines, Pieces};
use super::read_ahead::{ReadAhead, Readers};
use super::{Input, TranscriptFile};
use mangle_report::LinePosition;
use mangle_settings::Container;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Batch, ReadSummary, Record, TranscriptOptions, TranscriptReader};

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
    let name = super::plain_name(&found.path.to_string_lossy()).to_owned();
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
