//! Tests of scans of large folders: order, limits and cancellation. They count operations and do
//! not measure time.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::ScanLimit;

struct Large {
    folder: TempDir,
    workspace: Workspace,
}

impl Large {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut workspace = Workspace::new();
        workspace.set_folders(vec![folder.path().canonicalize().unwrap()]);
        Self { folder, workspace }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes `count` Mangle files, one hundred per folder.
    fn fill(&self, count: usize) {
        (0..count).for_each(|n| self.write(&format!("{}/p{n:05}.mg", n / 100), &format!("p{n}(1).\n")));
    }

    fn open(&mut self, path: &str, text: &str) {
        let path = self.path(path);
        self.workspace.open(&path, &format!("file://{}", path.display()), "mangle", 1, text);
    }

    fn look(&mut self) -> bool {
        let scan = self.workspace.next_scan().unwrap();
        self.workspace.scanned(scan.run(|_, _| {}))
    }

    /// Returns the files of the program of a document, relative to the workspace.
    fn beside(&mut self, path: &str) -> Vec<PathBuf> {
        let snapshot = self.workspace.snapshot();
        let id = snapshot.id(&self.path(path)).unwrap();
        let program = Arc::clone(snapshot.programs_of(id).next().unwrap());
        let root = self.path("");
        let mut files: Vec<_> =
            program.files.iter().map(|file| file.path.strip_prefix(&root).unwrap().to_owned()).collect();
        files.sort();
        files
    }

    fn files(&mut self) -> usize {
        self.workspace.snapshot().files().filter(|file| is_mangle(&file.path)).count()
    }
}

#[test]
fn what_lies_beside_an_open_document_is_known_before_the_rest_of_a_large_folder() {
    let mut large = Large::new();
    large.fill(3_000);
    large.write("zz/a.mg", "a(X) :- b(X), c(X).\n");
    large.write("zz/b.mg", "b(1).\n");
    large.write("zz/deep/c.mg", "c(1).\n");
    large.open("zz/a.mg", "a(X) :- b(X), c(X).\n");
    assert!(large.look());
    assert!(large.workspace.is_partial() && !large.workspace.is_loading());
    assert!(!large.workspace.is_unplaced(&large.path("zz/a.mg")));
    assert_eq!(large.beside("zz/a.mg"), [Path::new("zz/a.mg"), Path::new("zz/b.mg")]);
    assert!(large.look());
    assert!(!large.workspace.is_partial() && large.workspace.next_scan().is_none());
    assert_eq!((large.beside("zz/a.mg").len(), large.workspace.partial_scans()), (3, &[][..]));
}

#[test]
fn small_folders_are_looked_at_once() {
    let mut large = Large::new();
    large.fill(100);
    large.open("0/p00000.mg", "p0(1).\n");
    large.look();
    assert!(!large.workspace.is_partial() && large.workspace.next_scan().is_none());
    assert_eq!(large.beside("0/p00000.mg").len(), 100);
}

#[test]
fn a_look_stops_at_each_limit() {
    for (setting, limit) in [
        ("max_scan_entries = 150", ScanLimit::Entries(150)),
        ("max_scan_files = 40", ScanLimit::Files(40)),
        ("max_scan_bytes = 400", ScanLimit::Bytes(400)),
    ] {
        let mut large = Large::new();
        large.write("mangle-ls.toml", &format!("[files]\n{setting}\n"));
        large.fill(300);
        (0..200).for_each(|n| large.write(&format!("00/{n}.txt"), ""));
        large.write("zz/a.mg", "a(1).\n");
        large.open("zz/a.mg", "a(1).\n");
        while let Some(scan) = large.workspace.next_scan() {
            large.workspace.scanned(scan.run(|_, _| {}));
        }
        let cut = large.workspace.partial_scans().first().cloned().unwrap();
        assert_eq!((cut.limit, cut.folder.as_path()), (limit, large.path("").as_path()));
        let visited = cut.visited;
        assert!(visited.entries <= 150 || setting != "max_scan_entries = 150");
        assert!(visited.files <= 40 || setting != "max_scan_files = 40");
        assert!(visited.bytes <= 400 || setting != "max_scan_bytes = 400");
        assert_eq!(large.files() as u64, visited.files, "no more is held than was counted");
        assert!(large.beside("zz/a.mg").contains(&PathBuf::from("zz/a.mg")), "the open document comes first");
        assert!(large.workspace.snapshot().reported().len() as u64 <= visited.files + 2);
    }
}

#[test]
fn files_that_are_no_policies_count() {
    let mut large = Large::new();
    large.write("mangle-ls.toml", "[files]\nmax_scan_entries = 100\n");
    (0..500).for_each(|n| large.write(&format!("{n}.txt"), ""));
    large.write("z.mg", "z(1).\n");
    large.look();
    let cut = large.workspace.partial_scans().first().cloned().unwrap();
    assert_eq!((cut.visited.entries, cut.visited.files), (100, 0));
}

#[test]
fn the_same_files_are_left_out_each_time() {
    let mut seen = Vec::new();
    for order in [false, true] {
        let mut large = Large::new();
        large.write("mangle-ls.toml", "[files]\nmax_scan_files = 20\n");
        let numbers: Vec<usize> = if order { (0..60).rev().collect() } else { (0..60).collect() };
        numbers.iter().for_each(|n| large.write(&format!("p{n:02}.mg"), "p(1).\n"));
        large.look();
        seen.push(large.beside("p00.mg"));
    }
    assert_eq!(seen[0].len(), 20);
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn a_look_that_is_stopped_changes_nothing_and_is_done_again() {
    let mut large = Large::new();
    large.fill(50);
    let first = large.workspace.next_scan().unwrap();
    // The folder was removed during the scan.
    large.workspace.set_folders(Vec::new());
    assert!(!large.workspace.scanned(first.run(|_, _| {})));
    assert!(large.workspace.is_loading());
    large.look();
    assert_eq!((large.files(), large.workspace.is_loading()), (0, false));
}

#[test]
fn a_document_that_is_opened_during_the_first_look_comes_first() {
    let mut large = Large::new();
    large.fill(300);
    let first = large.workspace.next_scan().unwrap();
    large.open("2/p00250.mg", "p250(1).\n");
    assert!(!large.workspace.scanned(first.run(|_, _| {})));
    large.look();
    assert_eq!((large.workspace.is_partial(), large.beside("2/p00250.mg").len()), (true, 100));
    large.look();
    assert_eq!(large.beside("2/p00250.mg").len(), 100);
}

#[cfg(unix)]
#[test]
fn links_that_lead_around_are_not_followed() {
    let mut large = Large::new();
    large.write("a/a.mg", "a(1).\n");
    std::os::unix::fs::symlink(large.path(""), large.path("a/up")).unwrap();
    std::os::unix::fs::symlink(large.path("a/self"), large.path("a/self")).unwrap();
    large.look();
    assert_eq!((large.files(), large.workspace.partial_scans()), (1, &[][..]));
}
