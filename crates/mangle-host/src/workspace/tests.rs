//! Tests of the workspace with sequences of events.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;
use mangle_syntax::text::{Cancel, ContentChange, Encoding, LineCol};

/// A loaded workspace of a folder with files.
pub(super) struct Setup {
    folder: TempDir,
    pub(super) workspace: Workspace,
}

impl Setup {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut setup = Self { folder, workspace: Workspace::new() };
        for (path, text) in files {
            setup.write(path, text);
        }
        let root = setup.path("");
        setup.workspace.set_folders(vec![root]);
        setup.scan();
        setup
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs scans while one is due. Returns their number.
    pub(super) fn scan(&mut self) -> usize {
        let mut looks = 0;
        while let Some(scan) = self.workspace.next_scan() {
            assert!(self.workspace.next_scan().is_none(), "one look at a time");
            self.workspace.scanned(scan.run(|_, _| {}));
            looks += 1;
        }
        looks
    }

    pub(super) fn open(&mut self, path: &str, text: &str) {
        let path = self.path(path);
        let language = match path.extension().and_then(|end| end.to_str()) {
            Some("jsonl") => "jsonl",
            Some("yaml") => "yaml",
            _ => "mangle",
        };
        self.workspace.open(&path, &format!("file://{}", path.display()), language, 1, text);
    }

    pub(super) fn replace(&mut self, path: &str, text: &str) {
        let path = self.path(path);
        let whole = ContentChange { range: None, text: text.into() };
        self.workspace.change(&path, 2, &[whole], Encoding::Utf8).unwrap();
    }

    fn program(&mut self, name: &str) -> Arc<SnapshotProgram> {
        let snapshot = self.workspace.snapshot();
        snapshot.programs.iter().find(|program| program.name() == name).cloned().unwrap()
    }

    /// Checks the programs with their files and findings after a full computation.
    fn check(&mut self, expected: Expect) {
        let snapshot = self.workspace.snapshot();
        let root = self.path("");
        let shown = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let mut seen = String::new();
        for program in &snapshot.programs {
            program.diagnose(&Cancel::new());
            let files = program.files.iter().map(|file| shown(&file.path));
            let name = if program.name().starts_with('.') { "FOLDER" } else { program.name() };
            seen += &format!("{name}: {}\n", files.collect::<Vec<_>>().join(" "));
        }
        for id in snapshot.reported() {
            for diagnostic in snapshot.diagnostics(id) {
                let path = shown(&snapshot.file(id).unwrap().path);
                seen += &format!("  {path}: {}\n", diagnostic.rule.name);
            }
        }
        expected.assert_eq(&seen);
    }
}

const TWO: &str =
    "[[program]]\nname = \"one\"\ninclude = [\"one\"]\n[[program]]\nname = \"two\"\ninclude = [\"two\"]\n";

#[test]
fn what_an_edit_does_not_touch_is_kept() {
    let mut setup = Setup::new(&[
        ("mangle-ls.toml", TWO),
        ("one/a.mg", "p(1).\n"),
        ("one/b.mg", "q(1).\n"),
        ("two/c.mg", "r(1).\n"),
    ]);
    let (one, two) = (setup.program("one"), setup.program("two"));
    two.diagnose(&Cancel::new());
    setup.open("one/a.mg", "p(1).\n");
    setup.replace("one/a.mg", "p(2).\n");
    assert!(!Arc::ptr_eq(&one, &setup.program("one")));
    assert!(Arc::ptr_eq(&one.files[1], &setup.program("one").files[1]), "a file of the same program");
    assert!(Arc::ptr_eq(&two, &setup.program("two")) && setup.program("two").is_diagnosed());
    // A scan without changes does not change the snapshot.
    let before = setup.workspace.snapshot();
    setup.workspace.look_for_programs();
    assert_eq!(setup.scan(), 1);
    assert!(Arc::ptr_eq(&before, &setup.workspace.snapshot()));
}

#[test]
fn an_old_snapshot_stays_as_it_was() {
    let mut setup = Setup::new(&[("a.mg", "p(1).\n")]);
    setup.open("a.mg", "p(1).\n");
    let before = setup.workspace.snapshot();
    setup.replace("a.mg", "p(1\n");
    let after = setup.workspace.snapshot();
    let id = after.id(&setup.path("a.mg")).unwrap();
    let found = |snapshot: &Snapshot| {
        snapshot.programs.iter().for_each(|program| program.diagnose(&Cancel::new()));
        snapshot.diagnostics(id).len()
    };
    assert_eq!((found(&after), found(&before)), (1, 0));
    assert!(before.revision < after.revision);
}

#[test]
fn kernels_and_tests_are_checked_with_their_program() {
    let mut setup = Setup::new(&[
        ("mangle-ls.toml", ""),
        ("schemas.gl", "Decl p(X).\n"),
        ("a.mg", "q(X) :- p(X).\n"),
        ("sample.kernel.mg", "p(1). s(X) :- unknown(X).\n"),
        ("a_test.mg", "t(X) :- q(X).\n"),
    ]);
    setup.check(expect![[r#"
        FOLDER: a.mg schemas.gl
        FOLDER: a.mg a_test.mg schemas.gl
        FOLDER: a.mg sample.kernel.mg schemas.gl
          a_test.mg: test-without-case
          sample.kernel.mg: undefined-predicate
    "#]]);
}

#[test]
fn configurations_of_runtimes_are_checked_while_they_are_typed() {
    const PATH: &str = ".nerd/config.json";
    let mut setup = Setup::new(&[("a.mg", "p(1).\n"), (PATH, "{\"jit\": {\"enable\": true}}")]);
    setup.check(expect![[r#"
        FOLDER: a.mg
          .nerd/config.json: config-key
    "#]]);
    setup.open(PATH, "{}");
    setup.scan();
    setup.check(expect![[r#"
        FOLDER: a.mg
    "#]]);
    setup.replace(PATH, "{\"core_limits\": {\"max_facts_in_kernel\": 5}}");
    assert_eq!(setup.scan(), 1);
    setup.check(expect![[r#"
        FOLDER: a.mg
          .nerd/config.json: limit-low
    "#]]);
}

#[test]
fn settings_take_effect_while_they_are_typed() {
    let mut setup =
        Setup::new(&[("mangle-ls.toml", ""), ("schemas.gl", "Decl r(X).\n"), ("a.mg", "q(X) :- p(X).\n")]);
    setup.check(expect![[r#"
        FOLDER: a.mg schemas.gl
          a.mg: undefined-predicate
    "#]]);
    setup.open("mangle-ls.toml", "");
    setup.replace("mangle-ls.toml", "[rules]\nundefined-predicate = \"off\"\nno-rule = \"off\"\n");
    assert_eq!(setup.scan(), 1);
    setup.check(expect![[r#"
        FOLDER: a.mg schemas.gl
          mangle-ls.toml: config-unknown-rule
    "#]]);
    // Findings about a replaced text are not shown in the new text.
    setup.replace("mangle-ls.toml", "# nothing yet\n");
    setup.check(expect![[r#"
        FOLDER: a.mg schemas.gl
    "#]]);
    let path = setup.path("mangle-ls.toml");
    setup.workspace.close(&path);
    setup.scan();
    setup.check(expect![[r#"
        FOLDER: a.mg schemas.gl
          a.mg: undefined-predicate
    "#]]);
}

#[test]
fn limit_of_findings_takes_effect_while_it_is_typed() {
    let mut setup = Setup::new(&[("mangle-ls.toml", ""), ("a.mg", "p(1).\n")]);
    let limit = |setup: &mut Setup| {
        let snapshot = setup.workspace.snapshot();
        snapshot.max_findings(snapshot.id(&setup.path("a.mg")).unwrap())
    };
    let before = limit(&mut setup);
    setup.open("mangle-ls.toml", "");
    setup.replace("mangle-ls.toml", "max_findings = 3\n");
    setup.scan();
    assert_ne!(limit(&mut setup), before);
}

#[test]
fn only_what_can_matter_is_looked_at() {
    let mut setup = Setup::new(&[("sub/a.mg", "p(1).\n"), ("b.mg", "q(1).\n")]);
    let mut looks = |path: &str, event| {
        let path = setup.path(path);
        setup.workspace.file_event(&path, event);
        setup.scan()
    };
    assert_eq!(looks("README.md", FileEvent::CameOrWent), 0);
    assert_eq!(looks("other", FileEvent::CameOrWent), 0);
    assert_eq!(looks("b.mg", FileEvent::Changed), 1);
    assert_eq!(looks("new.mg", FileEvent::CameOrWent), 1);
    assert_eq!(looks(".gitignore", FileEvent::Changed), 1);
    std::fs::remove_dir_all(setup.path("sub")).unwrap();
    let sub = setup.path("sub");
    setup.workspace.file_event(&sub, FileEvent::CameOrWent);
    setup.scan();
    setup.check(expect![[r#"
        FOLDER: b.mg
    "#]]);
}

#[test]
fn a_file_that_vanishes_unseen_leaves_its_program() {
    let mut setup = Setup::new(&[("a.mg", "p(1\n"), ("b.mg", "q(1).\n")]);
    std::fs::remove_file(setup.path("a.mg")).unwrap();
    let a = setup.path("a.mg");
    setup.workspace.file_event(&a, FileEvent::Changed);
    assert_eq!(setup.scan(), 2, "the file is read, and then the program looked for");
    setup.check(expect![[r#"
        FOLDER: b.mg
    "#]]);
}

#[test]
fn documents_without_a_file_are_programs_of_their_own() {
    let mut setup = Setup::new(&[("a.mg", "p(1).\n")]);
    let path = Path::new("untitled:x");
    setup.workspace.open(path, "untitled:x", "mangle", 1, "q(1\n");
    assert_eq!(setup.scan(), 0);
    setup.check(expect![[r#"
        FOLDER: a.mg
        untitled:x: untitled:x
          untitled:x: missing-bracket
    "#]]);
    setup.workspace.close(path);
    setup.check(expect![[r#"
        FOLDER: a.mg
    "#]]);
}

#[test]
fn a_failed_look_is_not_waited_for_for_ever() {
    let mut workspace = Workspace::new();
    workspace.set_folders(vec!["/nowhere".into()]);
    let _lost = workspace.next_scan().unwrap();
    assert!(workspace.is_loading());
    workspace.scanned(ScanResult::default());
    assert!(!workspace.is_loading());
}

#[test]
fn a_document_reopened_during_a_scan_keeps_its_program() {
    for (path, language) in [("notes.md", "markdown"), ("new.mg", "mangle")] {
        let mut setup = Setup::new(&[("a.mg", "p(1).\n")]);
        let (path, uri) = (setup.path(path), format!("file://{}", setup.path(path).display()));
        let text = "```mangle\np(1).\n```\n";
        setup.workspace.open(&path, &uri, language, 1, text);
        setup.scan();
        setup.workspace.close(&path);
        setup.workspace.look_for_programs();
        let look = setup.workspace.next_scan().unwrap();
        setup.workspace.open(&path, &uri, language, 1, text);
        setup.workspace.scanned(look.run(|_, _| {}));
        setup.scan();
        let snapshot = setup.workspace.snapshot();
        let id = snapshot.id(&path).unwrap();
        let is_known = snapshot.transcript(id).is_some() || snapshot.programs_of(id).next().is_some();
        assert!(is_known, "{}", path.display());
    }
}

#[test]
fn a_transcript_closed_during_the_scan_that_finds_it_is_read() {
    let mut setup = Setup::new(&[("a.mg", "p(1).\n")]);
    setup.write("transcripts/a.jsonl", "{\"role\": \"assistant\", \"content\": \"{}\"}\n");
    let path = setup.path("transcripts/a.jsonl");
    setup.workspace.open(&path, &format!("file://{}", path.display()), "jsonl", 1, "");
    setup.workspace.look_for_programs();
    let look = setup.workspace.next_scan().unwrap();
    setup.workspace.close(&path);
    setup.workspace.scanned(look.run(|_, _| {}));
    setup.scan();
    let snapshot = setup.workspace.snapshot();
    let transcript = snapshot.transcript(snapshot.id(&path).unwrap()).unwrap();
    assert!(transcript.file.text().contains("assistant"));
}

#[test]
fn a_document_outside_of_all_programs_ends_when_closed() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let policies = "[[program]]\nname = \"one\"\ninclude = [\"one\"]\n";
    let mut setup = Setup::new(&[("mangle-ls.toml", policies), ("one/a.mg", "p(1).\n"), ("out.mg", "p(\n")]);
    for (path, language) in [
        (setup.path("out.mg"), "mangle"),
        (outside.join("out.mg"), "mangle"),
        (outside.join("transcripts/out.jsonl"), "jsonl"),
    ] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "p(\n").unwrap();
        let uri = format!("file://{}", path.display());
        let is_known = |setup: &mut Setup| {
            let snapshot = setup.workspace.snapshot();
            let id = snapshot.id(&path).unwrap();
            snapshot.transcript(id).is_some() || snapshot.programs_of(id).next().is_some()
        };
        // Closed and opened again before the next scan.
        setup.workspace.open(&path, &uri, language, 1, "p(\n");
        setup.scan();
        setup.workspace.close(&path);
        setup.workspace.open(&path, &uri, language, 1, "p(\n");
        setup.scan();
        assert!(is_known(&mut setup), "{}", path.display());
        setup.workspace.close(&path);
        setup.scan();
        assert!(!is_known(&mut setup), "{}", path.display());
    }
}

#[test]
fn a_configuration_that_changes_on_disk_during_the_scan_after_its_closing_is_read() {
    let wrong = "[rules]\n\"no-such-rule\" = \"off\"\n";
    let mut setup = Setup::new(&[("mangle-ls.toml", ""), ("a.mg", "p(1).\n")]);
    let path = setup.path("mangle-ls.toml");
    setup.open("mangle-ls.toml", "");
    setup.replace("mangle-ls.toml", "# Not saved.\n");
    setup.scan();
    setup.workspace.close(&path);
    let scan = setup.workspace.next_scan().unwrap().run(|_, _| {});
    setup.write("mangle-ls.toml", wrong);
    setup.workspace.file_event(&path, FileEvent::Changed);
    setup.workspace.scanned(scan);
    setup.scan();
    setup.check(expect![[r#"
        FOLDER: a.mg
          mangle-ls.toml: config-unknown-rule
    "#]]);
}

/// Opens a file at a path that a new configuration excludes, and closes it while that
/// configuration is read.
fn check_left_out(opened: &str, links: impl FnOnce(&Setup)) {
    let files = [("mangle-ls.toml", ""), ("late/a.mg", "p(\n"), ("policy/b.mg", "q(1).\n")];
    let mut setup = Setup::new(&files);
    links(&setup);
    setup.open(opened, "p(\n");
    setup.scan();
    setup.write("mangle-ls.toml", "[[program]]\ninclude = [\"policy\"]\n");
    let (configuration, opened) = (setup.path("mangle-ls.toml"), setup.path(opened));
    setup.workspace.file_event(&configuration, FileEvent::Changed);
    let scan = setup.workspace.next_scan().unwrap().run(|_, _| {});
    setup.workspace.close(&opened);
    setup.workspace.scanned(scan);
    setup.scan();
    setup.check(expect![[r#"
        FOLDER: policy/b.mg
    "#]]);
}

#[test]
fn a_file_that_is_closed_while_the_scan_finds_it_in_no_program_is_shown_no_more() {
    check_left_out("late/a.mg", |_| {});
}

#[cfg(unix)]
#[test]
fn a_link_that_is_closed_while_the_scan_finds_its_file_in_no_program_is_shown_no_more() {
    check_left_out("linked/a.mg", |setup| {
        std::os::unix::fs::symlink(setup.path("late"), setup.path("linked")).unwrap();
    });
}

#[test]
fn a_transcript_that_changes_during_its_first_scan_is_read_again() {
    let settings = "[transcripts]\nclosed_limit = 1000\n";
    let mut setup = Setup::new(&[("mangle-ls.toml", settings)]);
    setup.write("transcripts/a.jsonl", "");
    let path = setup.path("transcripts/a.jsonl");
    let too_long = "\n".repeat(2_000);
    setup.workspace.open(&path, &format!("file://{}", path.display()), "jsonl", 1, &too_long);
    setup.scan();
    setup.workspace.close(&path);
    let scan = setup.workspace.next_scan().unwrap().run(|_, _| {});
    setup.write("transcripts/a.jsonl", "{}\n");
    setup.workspace.file_event(&path, FileEvent::Changed);
    setup.workspace.scanned(scan);
    setup.scan();
    let snapshot = setup.workspace.snapshot();
    assert_eq!(&**snapshot.file_at(&path).unwrap().text(), "{}\n");
}

#[test]
fn configuration_findings_return_after_a_discarded_edit() {
    let wrong = "[rules]\n\"no-such-rule\" = \"off\"\n";
    let mut setup = Setup::new(&[("mangle-ls.toml", wrong), ("a.mg", "p(1).\n")]);
    let found = |setup: &mut Setup| {
        let snapshot = setup.workspace.snapshot();
        snapshot.diagnostics(snapshot.id(&setup.path("mangle-ls.toml")).unwrap()).len()
    };
    setup.open("mangle-ls.toml", wrong);
    setup.scan();
    assert_eq!(found(&mut setup), 1);
    setup.replace("mangle-ls.toml", "");
    setup.workspace.close(&setup.path("mangle-ls.toml"));
    assert_eq!(found(&mut setup), 0, "of another text");
    setup.scan();
    assert_eq!(found(&mut setup), 1);
}

impl Setup {
    /// Returns the findings in the header of a sample kernel at the newest revision.
    fn in_header(&mut self, kernel: &str) -> Vec<String> {
        let snapshot = self.workspace.snapshot();
        for program in &snapshot.programs {
            program.diagnose(&Cancel::new());
            snapshot.trace_prompts(program, &Cancel::new());
        }
        let file = snapshot.id(&self.path(kernel)).unwrap();
        let found = snapshot.diagnostics(file).into_iter().filter(|found| found.rule.name == "preview-path");
        found.map(|found| found.message.lines().next().unwrap_or_default().to_owned()).collect()
    }

    fn remove(&mut self, path: &str) {
        let path = self.path(path);
        std::fs::remove_file(&path).unwrap();
        self.workspace.file_event(&path, FileEvent::CameOrWent);
        self.scan();
    }
}

#[test]
fn policies_that_a_header_names_come_and_go() {
    let kernel = "# @preview use: policy/a.mg\np(/k).\n";
    let mut setup = Setup::new(&[("day.kernel.mg", kernel), ("policy/a.mg", "Decl p(X).\n")]);
    setup.open("day.kernel.mg", kernel);
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg"), [""; 0]);
    setup.remove("policy/a.mg");
    let missing = "`policy/a.mg` matches no policy";
    assert_eq!(setup.in_header("day.kernel.mg"), [missing]);
    setup.write("policy/a.mg", "Decl p(X).\n");
    let path = setup.path("policy/a.mg");
    setup.workspace.file_event(&path, FileEvent::CameOrWent);
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg"), [""; 0]);
}

#[test]
fn a_header_may_name_a_policy_that_is_open_and_not_saved() {
    let kernel = "# @preview use: policy/a.mg\np(/k).\n";
    let mut setup = Setup::new(&[("day.kernel.mg", kernel)]);
    setup.open("day.kernel.mg", kernel);
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg").len(), 1);
    setup.open("policy/a.mg", "Decl p(X).\n");
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg"), [""; 0]);
}

#[test]
fn findings_of_transcripts_point_at_rules_that_were_written_anew() {
    let reply = r#"{"role": "assistant", "content": "{\"control_packet\": {\"mangle_updates\": [\"p(/t).\"]}, \"surface_response\": \"\"}"}"#;
    let files = [("policy/a.mg", "p(/aaaa).\nq(1).\nq(2).\np(X) :- p(X).\n"), ("transcripts/a.jsonl", reply)];
    let mut setup = Setup::new(&files);
    let path = setup.path("transcripts/a.jsonl");
    setup.workspace.open(&path, &format!("file://{}", path.display()), "jsonl", 1, reply);
    setup.open("policy/a.mg", "p(/aaaa).\nq(1).\nq(2).\np(X) :- p(X).\n");
    setup.scan();
    let related = |setup: &mut Setup| {
        let snapshot = setup.workspace.snapshot();
        snapshot.programs.iter().for_each(|program| program.diagnose(&Cancel::new()));
        snapshot.transcripts.iter().for_each(|transcript| transcript.diagnose(&Cancel::new()));
        let found = snapshot.diagnostics(snapshot.id(&path).unwrap());
        let derived = found.into_iter().find(|found| found.rule.name == "derived-head").unwrap();
        derived.related.iter().map(|related| usize::from(related.range.start())).collect::<Vec<_>>()
    };
    assert_eq!(related(&mut setup), [22]);
    // Edits only the rule, so that the fact before it stays the same statement.
    let at = |line, col| LineCol { line, col };
    let change = ContentChange { range: Some((at(3, 8), at(3, 8))), text: "p(X), ".into() };
    setup.workspace.change(&setup.path("policy/a.mg"), 2, &[change], Encoding::Utf8).unwrap();
    assert_eq!(related(&mut setup), [22]);
}

#[test]
fn what_a_sample_shows_is_the_same_whatever_is_or_was_open() {
    let kernel = "# @preview use: policy/a.mg\np(/k).\n";
    let mut setup = Setup::new(&[("day.kernel.mg", kernel), ("other/b.jsonl", "{}")]);
    let before = setup.in_header("day.kernel.mg");
    assert_eq!(before.len(), 1);
    setup.open("day.kernel.mg", kernel);
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg"), before);
    setup.workspace.close(&setup.path("day.kernel.mg"));
    setup.scan();
    assert_eq!(setup.in_header("day.kernel.mg"), before);
}
