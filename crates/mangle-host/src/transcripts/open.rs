//! Decompressed byte stream of a transcript: from a file, an open document or standard input.

use std::io;
use std::io::{BufRead as _, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::archive;
use super::archive::{MemberReader, Method};
use crate::disk::Content;
use crate::{Overlay, STDIN, disk};

/// Magic bytes of compressed files.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// In bytes: the maximum window size of a decoder, which it allocates. `zstd -19` uses a quarter
/// of this.
const MAX_WINDOW: u64 = 32 << 20;

/// The buffer size in bytes.
const PIECE: usize = 64 << 10;

pub struct Input {
    decoder: Decoder,
    read: Arc<AtomicU64>,
    total: Option<u64>,
    /// The number of bytes returned so far.
    given: u64,
}

enum Decoder {
    Plain(Source),
    Gzip(Box<MultiGzDecoder<Source>>),
    Zstd(Box<Frames>),
    Member(Box<MemberReader<Box<dyn Read + Send>>>),
}

type Source = BufReader<CountingReader>;

/// Reader that counts the compressed bytes.
struct CountingReader {
    source: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Input {
    /// Opens a file. An open document overrides the file on disk, and [`STDIN`] is standard input.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, is not a regular file, or is too long.
    pub fn open(path: &Path, overlay: &Overlay) -> io::Result<Self> {
        if let Some(bytes) = overlay.bytes(path) {
            let total = Some(bytes.len() as u64);
            return Self::new(Box::new(Cursor::new(bytes)), total);
        }
        if path.file_name().is_some_and(|name| name == STDIN) {
            return Self::new(Box::new(io::stdin()), None);
        }
        let file = match disk::open(path, Content::Transcript) {
            Ok(file) => file,
            // The path of an archive member is below the path of a file.
            Err(error) => return Self::of_member(path).map_err(|inner| outer(error, inner)),
        };
        if archive::is_archive(path) {
            // Members have their own paths. This call only checks that the archive has
            // transcripts.
            archive::transcripts_in(path)?;
        }
        let total = file.len();
        Self::new(Box::new(file), total)
    }

    /// An input of bytes in memory.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> io::Result<Self> {
        let total = Some(bytes.len() as u64);
        Self::new(Box::new(Cursor::new(bytes)), total)
    }

    fn of_member(path: &Path) -> io::Result<Self> {
        let (member, source) = archive::open(path)?;
        let read = Arc::new(AtomicU64::new(0));
        let total = Some(member.compressed());
        let source = BufReader::with_capacity(PIECE, CountingReader { source, read: Arc::clone(&read) });
        let inner: Box<dyn Read + Send> = match member.method()? {
            Method::Stored => Box::new(source),
            Method::Deflate => Box::new(DeflateDecoder::new(source)),
            Method::Zstd => Box::new(Frames::new(source)),
        };
        Ok(Self {
            decoder: Decoder::Member(Box::new(MemberReader::new(inner, member))),
            read,
            total,
            given: 0,
        })
    }

    fn new(source: Box<dyn Read + Send>, total: Option<u64>) -> io::Result<Self> {
        let read = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { source, read: Arc::clone(&read) };
        let mut source = BufReader::with_capacity(PIECE, counted);
        let start = fill(&mut source)?;
        let decoder = if start.starts_with(&GZIP) {
            Decoder::Gzip(Box::new(MultiGzDecoder::new(source)))
        } else if start.starts_with(&ZSTD) {
            Decoder::Zstd(Box::new(Frames::new(source)))
        } else {
            Decoder::Plain(source)
        };
        Ok(Self { decoder, read, total, given: 0 })
    }

    /// The number of bytes read from disk so far. Updated while the input is read.
    #[must_use]
    pub fn position(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// The size on disk in bytes, or `None` if unknown.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// True for a member of an archive.
    #[must_use]
    pub fn is_member(&self) -> bool {
        matches!(self.decoder, Decoder::Member(_))
    }

    /// True if the input is not compressed.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(self.decoder, Decoder::Plain(_))
    }
}

/// Fills the buffer. A pipe may return less than the requested four bytes; its data is then
/// treated as uncompressed.
fn fill(source: &mut Source) -> io::Result<&[u8]> {
    loop {
        match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(source.buffer()),
        }
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let given = match &mut self.decoder {
            Decoder::Plain(source) => source.read(into)?,
            Decoder::Gzip(decoder) => decoder.read(into).map_err(of_gzip)?,
            Decoder::Zstd(frames) => frames.read(into)?,
            Decoder::Member(member) => member.read(into)?,
        };
        self.given += given as u64;
        if !self.is_plain() {
            archive::check(self.given, self.read.load(Ordering::Relaxed))?;
        }
        Ok(given)
    }
}

impl Read for CountingReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("read", &self.read).field("total", &self.total).finish_non_exhaustive()
    }
}

/// Reader of concatenated Zstandard frames.
struct Frames {
    source: Source,
    decoder: FrameDecoder,
    /// True between the start and the end of a frame.
    is_inside: bool,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.next_bytes(into)
    }
}

impl Frames {
    fn new(source: Source) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self { source, decoder, is_inside: false }
    }

    fn next_bytes(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_inside && (fill(&mut self.source)?.is_empty() || !self.begin()?) {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let some = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder
                    .decode_blocks(&mut self.source, some)
                    .map_err(|error| damaged("Zstandard", &error))?;
            }
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            self.is_inside = false;
        }
    }

    /// Starts the next frame with data. Returns false at the end of the input.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.is_inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if fill(&mut self.source)?.is_empty() {
                        return Ok(false);
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) => {
                    let why = format!(
                        "it needs {} MiB to be decompressed, and {} are the limit; compress it without `--long`",
                        requested >> 20,
                        MAX_WINDOW >> 20
                    );
                    return Err(io::Error::other(why));
                }
                Err(error) => return Err(damaged("Zstandard", &error)),
            }
        }
    }
}

/// Selects the error to report for a path that may be an archive member: the error of the archive,
/// or the error of the path.
fn outer(path: io::Error, archive: io::Error) -> io::Error {
    if archive.kind() == io::ErrorKind::NotFound { path } else { archive }
}

/// Returns the error of the compressed data or of the underlying reader.
fn of_gzip(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            damaged("gzip", &error)
        }
        _ => error,
    }
}

fn damaged(kind: &str, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("its {kind} data is damaged: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder};
    use rawzip::CompressionMethod;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;
    use crate::plain;
    use crate::transcripts::transcripts_in;

    fn read(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let mut input = Input::new(Box::new(Cursor::new(bytes)), None).unwrap();
        input.read_to_end(&mut all).map_err(|error| plain(&error))?;
        Ok(all)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    #[test]
    fn what_is_compressed_is_read_as_what_it_was() {
        let text = b"{\"control_packet\":{}}\n".repeat(20_000);
        assert_eq!(read(text.clone()).unwrap(), text);
        assert_eq!(read(gzip(&text)).unwrap(), text);
        assert_eq!(read(zstd(&text)).unwrap(), text);
        assert_eq!(read(Vec::new()).unwrap(), b"");
        assert_eq!(read(vec![0x1f]).unwrap(), [0x1f]);
    }

    #[test]
    fn several_members_and_frames_are_one_text() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        assert_eq!(read([gzip(b"a\n"), gzip(b"b\n")].concat()).unwrap(), b"a\nb\n");
        let frames = [zstd(b"a\n"), skipped.clone(), zstd(b""), zstd(b"b\n"), skipped].concat();
        assert_eq!(read(frames).unwrap(), b"a\nb\n");
    }

    #[test]
    fn what_is_damaged_says_so() {
        let text = b"{\"control_packet\":{}}\n".repeat(20_000);
        for (whole, kind) in [(gzip(&text), "gzip"), (zstd(&text), "Zstandard")] {
            let cut = whole.get(..whole.len() / 2).unwrap().to_vec();
            let why = read(cut).unwrap_err();
            assert!(why.starts_with(&format!("its {kind} data is damaged: ")), "{why}");
        }
        let wide = [&ZSTD[..], &[0x00, 0x80]].concat();
        let why = "it needs 64 MiB to be decompressed, and 32 are the limit; compress it without `--long`";
        assert_eq!(read(wide).unwrap_err(), why);
    }

    /// Creates an archive with these members, each with its own compression method. Returns the
    /// path and its temporary folder.
    fn archive(members: &[(&str, &[u8], CompressionMethod)]) -> (tempfile::TempDir, std::path::PathBuf) {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (name, text, method) in members {
            let (mut entry, config) = archive.new_file(name).compression_method(*method).start().unwrap();
            let compressed = match *method {
                CompressionMethod::DEFLATE => {
                    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                    encoder.write_all(text).unwrap();
                    encoder.finish().unwrap()
                }
                CompressionMethod::ZSTD => zstd(text),
                _ => text.to_vec(),
            };
            // The recorded size and checksum of the text, followed by the compressed bytes.
            let mut measured = config.wrap(io::sink());
            measured.write_all(text).unwrap();
            let (_, descriptor) = measured.finish().unwrap();
            entry.write_all(&compressed).unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.eval");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn member(path: &Path) -> Result<Vec<u8>, String> {
        let mut input = Input::open(path, &Overlay::default()).map_err(|error| plain(&error))?;
        assert!(input.is_member() && !input.is_plain());
        let mut all = Vec::new();
        input.read_to_end(&mut all).map_err(|error| plain(&error))?;
        Ok(all)
    }

    #[test]
    fn members_of_archives_are_files_below_them() {
        let text = b"{\"messages\":[]}\n".repeat(9_000);
        let (_folder, path) = archive(&[
            ("header.json", b"{}", CompressionMethod::DEFLATE),
            ("samples/b.json", &text, CompressionMethod::DEFLATE),
            ("samples/a.json", b"{}", CompressionMethod::STORE),
            ("samples/c.json", &text, CompressionMethod::ZSTD),
            ("samples/", b"", CompressionMethod::STORE),
            ("picture.png", b"x", CompressionMethod::STORE),
        ]);
        let samples = ["a", "b", "c"].map(|name| path.join(format!("samples/{name}.json")));
        assert_eq!(transcripts_in(&path).unwrap(), samples);
        let texts = samples.each_ref().map(|path| member(path).unwrap());
        assert_eq!(texts, [b"{}".to_vec(), text.clone(), text]);
        assert!(member(&path.join("samples/d.json")).is_err());
        assert!(member(&path.with_file_name("none.eval")).is_err());
    }

    /// A Zstandard frame with `blocks` blocks, each of four bytes that expand to 128 KiB.
    fn zstd_bomb(blocks: usize) -> Vec<u8> {
        let block = |is_last: u32| ((128_u32 << 10) << 3 | 1 << 1 | is_last).to_le_bytes();
        let mut bytes = [&ZSTD[..], &[0x00, 0x58]].concat();
        for at in 1..=blocks {
            bytes.extend(&block(u32::from(at == blocks))[..3]);
            bytes.push(b' ');
        }
        bytes
    }

    #[test]
    fn what_grows_without_measure_is_not_read() {
        let frame = zstd_bomb(1_000);
        assert_eq!(read(frame.clone()).unwrap().len(), 125 << 20);
        let zeros = vec![b'0'; 64 << 20];
        let part = gzip(&zeros);
        // Concatenated frames or members are one text, and the limit applies to the whole.
        for bomb in [zstd_bomb(8_000), frame.repeat(4), part.repeat(5)] {
            let len = bomb.len() as u64;
            let mut input = Input::new(Box::new(Cursor::new(bomb)), Some(len)).unwrap();
            let why = plain(&io::copy(&mut input, &mut io::sink()).unwrap_err());
            assert!(why.starts_with("it grows to more than 500 times its size"), "{why}");
        }
        // Doubly compressed data is decompressed once.
        assert_eq!(read(gzip(&part)).unwrap(), part);
        let names = ["a", "b", "c", "d", "e"].map(|name| format!("{name}.json"));
        let members = names.each_ref().map(|name| (&**name, &*zeros, CompressionMethod::DEFLATE));
        let (_folder, path) = archive(&members);
        let why = plain(&transcripts_in(&path).unwrap_err());
        assert!(why.starts_with("it grows to more than 500 times its size"), "{why}");
    }

    #[test]
    fn archives_without_samples_have_all_their_texts() {
        let (_folder, path) = archive(&[
            ("b.jsonl", b"{}", CompressionMethod::STORE),
            ("a/c.md", b"x", CompressionMethod::STORE),
            ("d.png", b"x", CompressionMethod::STORE),
        ]);
        assert_eq!(transcripts_in(&path).unwrap(), [path.join("a/c.md"), path.join("b.jsonl")]);
    }

    #[test]
    fn archives_that_are_damaged_or_too_large_say_so() {
        let (_folder, path) = archive(&[("a.json", b"{\"a\":1}", CompressionMethod::STORE)]);
        let whole = std::fs::read(&path).unwrap();
        let at = whole.windows(7).position(|part| part == b"{\"a\":1}").unwrap();
        let mut other = whole.clone();
        other[at + 5] = b'2';
        std::fs::write(&path, &other).unwrap();
        let why = member(&path.join("a.json")).unwrap_err();
        assert_eq!(why, "its ZIP data is damaged: the checksum of a member is another");
        std::fs::write(&path, &whole[..whole.len() - 30]).unwrap();
        let why = plain(&Input::open(&path, &Overlay::default()).unwrap_err());
        assert!(why.starts_with("its ZIP data is damaged: "), "{why}");
        let zeros = vec![b'0'; piggyback::transcript::MAX_DOCUMENT_LEN + 1];
        let (_folder, path) = archive(&[("a.json", &zeros, CompressionMethod::DEFLATE)]);
        let why = member(&path.join("a.json")).unwrap_err();
        assert_eq!(why, "it has more than 64 MiB decompressed, which is the limit");
    }
}
