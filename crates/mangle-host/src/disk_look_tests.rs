//! Tests of change detection in a folder.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};

use super::disk_look::FileEvent;
use super::{DiskListing, DiskLook};
use mangle_syntax::text::Cancel;

/// A folder and the result of the previous pass.
struct Setup {
    folder: tempfile::TempDir,
    known: Vec<&'static str>,
    start: SystemTime,
    listing: Arc<DiskListing>,
}

impl Setup {
    fn new(files: &[&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let setup = Self {
            folder,
            known: files.to_vec(),
            start: SystemTime::now() + Duration::from_secs(3_600),
            listing: Arc::default(),
        };
        files.iter().for_each(|file| setup.write(file, "p(1)."));
        setup
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }

    fn look(&self, cancel: &Cancel) -> super::DiskChanges {
        let root = self.folder.path().to_path_buf();
        let look = DiskLook {
            before: Arc::clone(&self.listing),
            start: self.start,
            // Late enough that all earlier changes are settled.
            now: SystemTime::now() + Duration::from_secs(3_600),
            known: self.known.iter().map(|file| root.join(file)).collect(),
            candidates: vec![root.join(".git/info/exclude")],
            roots: vec![root],
            cancel: cancel.clone(),
        };
        look.run()
    }

    fn events(&mut self) -> String {
        let changes = self.look(&Cancel::new());
        let listing = changes.listing.unwrap();
        self.listing = Arc::new(listing);
        let shown = changes.events.iter().map(|(path, event)| {
            let path = path.strip_prefix(self.folder.path()).unwrap_or(Path::new("?"));
            let word = if *event == FileEvent::Changed { "changed" } else { "came or went" };
            format!("{} {word}\n", path.display())
        });
        shown.collect()
    }

    #[track_caller]
    fn check(&mut self, expected: &Expect) {
        expected.assert_eq(&self.events());
    }
}

#[test]
fn changes_between_looks_are_events() {
    let mut setup = Setup::new(&["a.mg", "b.mg", "sub/c.mg", "mangle-ls.toml", "data/x.jsonl"]);
    let _ = setup.events();
    setup.write("a.mg", "p(1). p(2).");
    setup.write("new.mg", "");
    setup.write("notes.rs", "");
    setup.write("other/deep/d.mg", "");
    setup.write("mangle-ls.toml", "[rules]");
    setup.write("data/x.jsonl", "{}");
    fs::remove_dir_all(setup.folder.path().join("sub")).unwrap();
    fs::remove_file(setup.folder.path().join("b.mg")).unwrap();
    setup.check(&expect![[r"
        a.mg changed
        b.mg came or went
        data/x.jsonl changed
        mangle-ls.toml changed
        new.mg came or went
        notes.rs came or went
        other/deep/d.mg came or went
        sub came or went
        sub/c.mg came or went
    "]]);
}

#[test]
fn what_changed_after_the_start_is_an_event_of_the_first_look() {
    let mut setup = Setup::new(&["a.mg", "gone.mg"]);
    setup.write("new.mg", "");
    fs::remove_file(setup.folder.path().join("gone.mg")).unwrap();
    setup.check(&expect![[r"
        gone.mg came or went
    "]]);
    let mut setup = Setup::new(&["a.mg"]);
    setup.start = SystemTime::now();
    setup.write("new.mg", "");
    setup.check(&expect![[r"
        a.mg changed
        new.mg came or went
    "]]);
}

/// A file of equal length replaces another file and keeps the same modification time, as after
/// `cp -p` and `mv`.
#[cfg(unix)]
#[test]
fn a_file_of_equal_length_and_time_is_noticed() {
    let mut setup = Setup::new(&["a.mg"]);
    let _ = setup.events();
    setup.write("a.mg.new", "q(1).");
    let time = fs::metadata(setup.folder.path().join("a.mg")).unwrap().modified().unwrap();
    fs::File::open(setup.folder.path().join("a.mg.new")).unwrap().set_modified(time).unwrap();
    fs::rename(setup.folder.path().join("a.mg.new"), setup.folder.path().join("a.mg")).unwrap();
    setup.check(&expect![[r"
        a.mg changed
    "]]);
}

#[test]
fn patterns_of_ignored_files_change_the_folders_that_are_looked_at() {
    let mut setup = Setup::new(&["a.mg", ".gitignore"]);
    setup.write(".gitignore", "/out\n");
    setup.write("out/x.mg", "");
    let _ = setup.events();
    setup.write("out/y.mg", "");
    setup.write("out/x.mg", "p(1).");
    let events = setup.events();
    assert!(!events.contains("out/"), "{events}");
    setup.write(".gitignore", "# nothing is ignored\n");
    setup.check(&expect![[r"
        .gitignore changed
        out/x.mg came or went
        out/y.mg came or went
    "]]);
    setup.write(".git/info/exclude", "/out\n");
    let events = setup.events();
    assert!(events.contains(".git/info/exclude came or went"), "{events}");
    setup.write("out/z.mg", "");
    let events = setup.events();
    assert!(!events.contains("out/z.mg"), "{events}");
}

#[test]
fn a_look_that_is_stopped_changes_nothing() {
    let setup = Setup::new(&["a.mg"]);
    let cancel = Cancel::new();
    cancel.cancel();
    let changes = setup.look(&cancel);
    assert!(changes.listing.is_none() && changes.events.is_empty());
}
