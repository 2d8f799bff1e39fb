//! `mangle/status`: what the server knows of its workspace, for bug reports and for the question
//! "which files are one program here". No document text, only lengths and checksums.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::view::View;
use crate::host::workspace::SnapshotFile;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    /// The server's version.
    version: &'static str,
    /// Counts the changes since the start.
    revision: u64,
    /// The negotiated unit of columns.
    position_encoding: String,
    /// The longest time that an edit or a request had to wait for another one, in microseconds.
    longest_turn_us: u64,
    programs: Vec<Program>,
    documents: Vec<Document>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Program {
    name: String,
    /// The path of the `mangle-ls.toml` that speaks of it, if there is one.
    configuration: Option<String>,
    /// The paths of its files.
    files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    uri: String,
    version: i32,
    /// Length in bytes of UTF-8.
    bytes: usize,
    /// FNV-1a, 64 bits, of these bytes, in hexadecimal.
    checksum: String,
    /// An edit could not be applied; nothing is fixed until the text is sent whole.
    suspect: bool,
}

/// Describes a view.
pub(super) fn status(view: &View) -> Status {
    let name = |file: &std::sync::Arc<SnapshotFile>| file.path.to_string_lossy().into_owned();
    let programs = view.snapshot.programs.iter().map(|program| Program {
        name: program.name.to_string(),
        configuration: program.configuration().map(|path| path.to_string_lossy().into_owned()),
        files: program.files.iter().map(name).collect(),
    });
    let mut documents: Vec<_> = view.snapshot.files().filter_map(|file| document(file)).collect();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    Status {
        version: env!("CARGO_PKG_VERSION"),
        revision: view.snapshot.revision,
        position_encoding: view.session.encoding_kind().as_str().to_owned(),
        longest_turn_us: view.pulse.longest_turn.load(Ordering::Relaxed),
        programs: programs.collect(),
        documents,
    }
}

fn document(file: &SnapshotFile) -> Option<Document> {
    let open = file.open.as_ref()?;
    Some(Document {
        uri: open.uri.to_string(),
        version: open.version,
        bytes: open.text.len(),
        checksum: format!("{:016x}", checksum(open.text.as_bytes())),
        suspect: open.suspect,
    })
}

fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn checksums_are_those_that_everybody_computes() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
