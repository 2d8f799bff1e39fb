//! `mangle/status`: the state of the workspace, for bug reports and for the assignment of files to
//! programs. Contains no document text, only lengths and checksums.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_host::{ShownStores, ShownVersions};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    version: &'static str,
    /// The number of changes since the start.
    revision: u64,
    /// The negotiated unit of columns.
    position_encoding: String,
    /// The longest time that an edit or a request had to wait for another one, in microseconds.
    longest_turn_us: u64,
    scan: Scan,
    programs: Vec<Program>,
    documents: Vec<Document>,
}

/// Progress of the workspace scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Scan {
    /// False if only the folders of open documents have been scanned.
    complete: bool,
    /// The incompletely scanned folders.
    limited: Vec<Limited>,
}

/// An incompletely scanned folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Limited {
    folder: String,
    /// The key of the limit in `[files]`.
    limit: &'static str,
    /// The number of visited files of all kinds and folders.
    entries: u64,
    /// The number of visited Mangle files.
    files: u64,
    /// The size of these files in bytes.
    bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Program {
    name: String,
    /// The path of the governing `mangle-ls.toml`, if any.
    configuration: Option<String>,
    /// The paths of its files.
    files: Vec<String>,
    #[serde(flatten)]
    versions: ShownVersions,
    /// The names of its stores, if the runtime has several.
    #[serde(skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    uri: String,
    /// `null` if the text was never received.
    version: Option<i32>,
    /// Length in UTF-8 bytes.
    bytes: usize,
    /// FNV-1a (64 bits) of these bytes, in hexadecimal.
    checksum: String,
    /// An edit was lost or could not be applied. No fixes are offered until the client sends the
    /// whole text.
    suspect: bool,
}

pub(super) fn status(view: &View) -> Status {
    let name = |file: &std::sync::Arc<SnapshotFile>| file.path.to_string_lossy().into_owned();
    let programs = view.snapshot.programs.iter().map(|program| Program {
        name: program.name().to_string(),
        configuration: program.configuration().map(|path| path.to_string_lossy().into_owned()),
        files: program.files.iter().map(name).collect(),
        versions: ShownVersions::new(program.versions()),
        stores: ShownStores::new(program.stores()),
    });
    let missed = view.snapshot.missed.iter().map(|uri| missed(uri));
    let further = view.snapshot.further_openings().into_iter().map(|opening| &opening.file);
    let files = view.snapshot.files().chain(further);
    let mut documents: Vec<_> = files.filter_map(|file| document(file)).chain(missed).collect();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    Status {
        version: env!("CARGO_PKG_VERSION"),
        revision: view.snapshot.revision,
        position_encoding: view.session.encoding_kind().as_str().to_owned(),
        longest_turn_us: view.writer_status.longest_turn.load(Ordering::Relaxed),
        scan: scan(view),
        programs: programs.collect(),
        documents,
    }
}

fn scan(view: &View) -> Scan {
    let limited = view.snapshot.partial_scans.iter().map(|cut| Limited {
        folder: cut.folder.to_string_lossy().into_owned(),
        limit: cut.key(),
        entries: cut.visited.entries,
        files: cut.visited.files,
        bytes: cut.visited.bytes,
    });
    Scan { complete: !view.snapshot.is_partial, limited: limited.collect() }
}

fn document(file: &SnapshotFile) -> Option<Document> {
    let open = file.open.as_ref()?;
    Some(Document {
        uri: open.uri.to_string(),
        version: Some(open.version),
        bytes: open.text.len(),
        checksum: format!("{:016x}", checksum(open.text.as_bytes())),
        suspect: open.suspect,
    })
}

/// A document that the editor edits although its opening was never received.
fn missed(uri: &str) -> Document {
    let checksum = format!("{:016x}", checksum(b""));
    Document { uri: uri.to_owned(), version: None, bytes: 0, checksum, suspect: true }
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
