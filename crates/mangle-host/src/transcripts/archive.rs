//! Transcripts inside ZIP archives, such as `.eval` logs of Inspect. Each member has its own path
//! below the path of the archive.
//!
//! The output of decompression is limited, because a few bytes can expand to terabytes.
//! `docs/limits.md` has the same numbers.

use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use flate2::Crc;
use parking_lot::Mutex;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};

use crate::disk;
use crate::disk::{Content, TooLong};
use piggyback::transcript::MAX_DOCUMENT_LEN;

/// File name extensions of archives.
const ENDS: [&str; 2] = [".eval", ".zip"];

/// File name extensions of members that may be transcripts.
const TRANSCRIPTS: [&str; 7] = [".json", ".jsonl", ".ndjson", ".md", ".txt", ".log", ".traj"];

const MAGIC: &[u8] = b"PK\x03\x04";

/// The maximum number of members of an archive.
const MAX_MEMBERS: usize = 100_000;

#[derive(Debug, Clone)]
pub(super) struct Member {
    name: String,
    method: CompressionMethod,
    /// The offset of the compressed bytes in the archive.
    start: u64,
    end: u64,
    /// The expected length of the decompressed text, in bytes.
    size: u64,
    crc: u32,
}

/// True if the name and the first bytes of a file belong to an archive.
pub(crate) fn is_archive(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    ENDS.iter().any(|end| name.ends_with(end)) && disk::starts_with(path, MAGIC, Content::Transcript)
}

/// Returns the paths of the transcripts in an archive. In an Inspect log, only the samples are
/// transcripts, because all other members repeat their replies.
///
/// # Errors
///
/// If the archive cannot be read.
pub(crate) fn transcripts_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    let members = directory(path)?;
    let is_transcript =
        |member: &&Member| TRANSCRIPTS.iter().any(|end| member.name.to_lowercase().ends_with(end));
    let is_sample = |member: &&Member| member.name.starts_with("samples/");
    let all: Vec<_> = members.iter().filter(is_transcript).collect();
    let is_inspect = all.iter().any(&is_sample);
    let wanted = all.into_iter().filter(|member| !is_inspect || is_sample(member));
    Ok(wanted.map(|member| path.join(&member.name)).collect())
}

/// Splits a path into the archive and the name of a member.
fn split(path: &Path) -> Option<(&Path, String)> {
    let archive = path.ancestors().skip(1).find(|above| above.is_file())?;
    let inner = path.strip_prefix(archive).ok()?;
    let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
    Some((archive, parts.join("/")))
}

/// Opens a member of an archive by its path.
///
/// # Errors
///
/// If the archive or the member does not exist or cannot be read.
pub(super) fn open(path: &Path) -> io::Result<(Member, Box<dyn Read + Send>)> {
    let (archive, name) = split(path).ok_or(io::ErrorKind::NotFound)?;
    let members = directory(archive)?;
    let at = members.binary_search_by(|member| member.name.as_str().cmp(&name));
    let member = at.ok().and_then(|at| members.get(at)).ok_or(io::ErrorKind::NotFound)?.clone();
    let mut file = disk::open(archive, Content::Transcript)?;
    file.seek(member.start)?;
    let len = member.end.saturating_sub(member.start);
    Ok((member, Box::new(file.take(len))))
}

/// Path, modification time, length and members of an archive.
type CachedArchive = (PathBuf, SystemTime, u64, Arc<[Member]>);

/// The last archive. Its members are usually read in succession.
static LAST: Mutex<Option<CachedArchive>> = Mutex::new(None);

/// Returns the members of an archive, sorted by name.
fn directory(path: &Path) -> io::Result<Arc<[Member]>> {
    let metadata = std::fs::metadata(path)?;
    let (written, len) = (metadata.modified()?, metadata.len());
    if let Some((known, at, of, members)) = &*LAST.lock()
        && (known.as_path(), *at, *of) == (path, written, len)
    {
        return Ok(Arc::clone(members));
    }
    let members: Arc<[Member]> = read_directory(path)?.into();
    *LAST.lock() = Some((path.to_owned(), written, len, Arc::clone(&members)));
    Ok(members)
}

fn read_directory(path: &Path) -> io::Result<Vec<Member>> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let file = disk::open(path, Content::Transcript)?;
    let len = file.len().unwrap_or(0);
    let archive = ZipArchive::from_file(file.into_inner(), &mut buffer).map_err(damaged)?;
    let (mut members, mut sum) = (Vec::new(), 0_u64);
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        let name = entry.file_path().try_normalize().map(|name| name.as_ref().to_owned());
        let Some(name) = name.ok().filter(|_| !entry.is_dir()) else { continue };
        if members.len() == MAX_MEMBERS {
            return Err(io::Error::other(format!("it has more than {MAX_MEMBERS} members")));
        }
        let found = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
        let (start, end) = found.compressed_data_range();
        let (method, size, crc) = (entry.compression_method(), entry.uncompressed_size_hint(), entry.crc32());
        sum = sum.saturating_add(size);
        check(sum, len)?;
        members.push(Member { name, method, start, end, size, crc });
    }
    members.sort_by_key(|member| member.start);
    let overlap = |pair: &[Member]| matches!(pair, [one, other] if one.end > other.start);
    if members.windows(2).any(overlap) {
        return Err(io::Error::other("its ZIP data is damaged: members overlap"));
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(members)
}

fn damaged(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("its ZIP data is damaged: {error}"))
}

/// The compression method of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflate,
    Zstd,
}

impl Member {
    /// # Errors
    ///
    /// If the compression method is not supported.
    pub(super) fn method(&self) -> io::Result<Method> {
        match self.method {
            CompressionMethod::STORE => Ok(Method::Stored),
            CompressionMethod::DEFLATE => Ok(Method::Deflate),
            CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => Ok(Method::Zstd),
            other => Err(io::Error::other(format!("its compression method {other:?} is not supported"))),
        }
    }

    /// The compressed size in bytes.
    pub(super) fn compressed(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Reader that verifies the length and the checksum of a member, and enforces the size limit of a
/// document.
pub(super) struct MemberReader<R> {
    inner: R,
    member: Member,
    crc: Crc,
}

impl<R: Read> MemberReader<R> {
    pub(super) fn new(inner: R, member: Member) -> Self {
        Self { inner, member, crc: Crc::new() }
    }

    /// Checks the length and the checksum at the end of the text.
    fn finish(&self) -> io::Result<()> {
        let Member { size, crc, .. } = self.member;
        match u64::from(self.crc.amount()) == size && self.crc.sum() == crc {
            true => Ok(()),
            false => Err(damaged("the checksum of a member is another")),
        }
    }
}

impl<R: Read> Read for MemberReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        if read == 0 && !into.is_empty() {
            self.finish()?;
        }
        self.crc.update(into.get(..read).unwrap_or(&[]));
        if self.crc.amount() as usize > MAX_DOCUMENT_LEN {
            let limit = MAX_DOCUMENT_LEN >> 20;
            return Err(io::Error::other(format!(
                "it has more than {limit} MiB decompressed, which is the limit"
            )));
        }
        // The limit of all members together uses the declared sizes.
        if u64::from(self.crc.amount()) > self.member.size {
            return Err(damaged("a member is longer than the archive says"));
        }
        Ok(read)
    }
}

/// In bytes: output up to this size is always allowed.
const ALWAYS_ALLOWED_BYTES: u64 = 256 << 20;

/// The maximum ratio of output to input beyond [`ALWAYS_ALLOWED_BYTES`].
const MAX_RATIO: u64 = 500;

/// For the test of `docs/limits.md`.
#[cfg(test)]
pub(crate) const EXPANSION: (u64, u64) = (ALWAYS_ALLOWED_BYTES, MAX_RATIO);

/// Checks the ratio of `given` output bytes to `read` input bytes.
///
/// # Errors
///
/// If the output exceeds the size limit of transcripts. Also if it exceeds [`ALWAYS_ALLOWED_BYTES`]
/// and [`MAX_RATIO`].
pub(super) fn check(given: u64, read: u64) -> io::Result<()> {
    let limit = Content::Transcript.limit();
    if given > limit {
        return Err(TooLong { len: given, limit }.into());
    }
    if given > ALWAYS_ALLOWED_BYTES && given / MAX_RATIO > read {
        return Err(io::Error::other(format!(
            "it grows to more than {MAX_RATIO} times its size when it is decompressed; decompress it to have it read"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_too_much_is_refused() {
        assert!(check(ALWAYS_ALLOWED_BYTES, 1).is_ok());
        assert!(check(ALWAYS_ALLOWED_BYTES + 1, 1).is_err());
        assert!(check(ALWAYS_ALLOWED_BYTES * 4, ALWAYS_ALLOWED_BYTES * 4 / MAX_RATIO).is_ok());
        assert!(check(ALWAYS_ALLOWED_BYTES * 4, ALWAYS_ALLOWED_BYTES * 4 / MAX_RATIO - 1).is_err());
        assert!(check(Content::Transcript.limit() + 1, u64::MAX).is_err());
    }
}
