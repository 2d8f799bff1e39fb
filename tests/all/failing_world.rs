//! Commands while the file system fails: each operation of each kind in turn. Nothing is lost, nothing stays behind, the
//! exit status and the message say what happened, and counts are those of the disk.
//!
//! `MANGLE_LS_FAULTS` lets every operation fail. Without it, many operations of a long command are left out.
//!
//! Debug builds of the program make an operation fail on demand (`crates/mangle-host/src/disk/access.rs`).

#![cfg(all(unix, debug_assertions))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::command as support;

/// A bound that no command comes near.
const MOST: usize = 2_000;

/// The numbers of the operations that fail in turn: the first ones, and a sample of the others.
fn failing() -> impl Iterator<Item = usize> {
    let is_all = std::env::var_os("MANGLE_LS_FAULTS").is_some();
    (1..MOST).filter(move |number| is_all || *number <= 8 || number % 5 == 0)
}

const POLICY: &str = "Decl p(X) bound [/number].\nDecl q(X) bound [/number].\np(  1 ).\n";
const SCHEMAS: &str = "Decl task_status(Task, Status) bound [/string, /name].\n";
const REPLY: &str = "{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\
    \"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[\"task_status(\\\"a\\\", /done)\"],\
    \"memory_operations\":[]},\"surface_response\":\"Fine.\"}\n";

/// A folder with everything that commands read; `more` is added.
fn fixture() -> Files {
    [
        (
            "mangle-ls.toml",
            "[prompt]\natoms = [\"atoms\"]\n[rules]\nfields = \"off\"\nstate = \"off\"\n".to_owned(),
        ),
        ("schemas.gl", SCHEMAS.to_owned()),
        ("a.mg", format!("{POLICY}q(1)\n")),
        ("b.mg", "Decl r(X) bound [/number].\nr(  1 ).\nr(2)\n".to_owned()),
        ("permit.mg", "permitted(A, T, P) :- pending_action(_, A, T, P, _).\n".to_owned()),
        (".gitignore", "ignored\n".to_owned()),
        ("ignored/c.mg", "r(3)\n".to_owned()),
        ("atoms/x.yaml", "- {id: me, category: identity, is_mandatory: true, content: x}\n".to_owned()),
        ("transcripts/t.json", REPLY.to_owned()),
        ("plain_test.mg", "# @test case: one\np(2).\n".to_owned()),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text.into_bytes()))
    .collect()
}

/// The files of a folder by name, hidden ones included.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Path) -> Files {
    fn collect(folder: &Path, root: &Path, files: &mut Files) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, root, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut files = Files::new();
    collect(folder, folder, &mut files);
    files
}

/// What a run of the program did.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    code: Option<i32>,
    said: String,
    files: Files,
}

/// A command, and the folder that it runs in anew each time.
struct Subject<'a> {
    files: Files,
    arguments: &'a [&'a str],
}

impl Subject<'_> {
    /// Runs the command, with a fault if one is given. Gives what it did, and the file that the fault was about.
    fn run(&self, fault: Option<&str>) -> (Ran, Option<PathBuf>) {
        let folder = TempDir::new().unwrap();
        // Some commands name the folder.
        let root = folder.path().canonicalize().unwrap().join("work");
        for (name, bytes) in &self.files {
            support::write(&root, name, bytes);
        }
        let aside = TempDir::new().unwrap();
        let hit = aside.path().join("hit");
        let mut command = support::command(&root, self.arguments);
        command.env("HOME", aside.path()).env("XDG_CONFIG_HOME", aside.path()).env("RAYON_NUM_THREADS", "1");
        if let Some(fault) = fault {
            command.env("MANGLE_LS_TEST_FAULT", fault).env("MANGLE_LS_TEST_FAULT_HIT", &hit);
        }
        let output = command.output().unwrap();
        let said = format!("{}{}", support::stdout(&output), String::from_utf8(output.stderr).unwrap());
        let ran = Ran { code: output.status.code(), said, files: files(&root) };
        let hit = std::fs::read_to_string(hit).ok().map(PathBuf::from);
        (ran, hit.map(|path| path.strip_prefix(&root).map_or(path.clone(), Path::to_path_buf)))
    }

    /// Lets operations of a kind fail in turn. Returns their number.
    fn fail_each(
        &self,
        operation: &str,
        how: &str,
        judge: &dyn Fn(&Ran, &Ran, &Path) -> Result<(), String>,
    ) -> usize {
        let (clean, _) = self.run(None);
        for (count, number) in failing().enumerate() {
            let fault = format!("{operation}:{number}:{how}");
            let (ran, hit) = self.run(Some(&fault));
            let Some(path) = hit else { return count };
            let whole = self.is_whole(&ran, &clean).and_then(|()| judge(&ran, &clean, &path));
            if let Err(why) = whole {
                panic!(
                    "{:?} with {fault} ({}): {why}\nexit {:?}\n{}",
                    self.arguments,
                    path.display(),
                    ran.code,
                    ran.said
                );
            }
        }
        panic!("{:?}: no end of {operation}", self.arguments);
    }

    /// Each file is what it was or what the command makes of it, and no other file is there.
    fn is_whole(&self, ran: &Ran, clean: &Ran) -> Result<(), String> {
        for (name, bytes) in &ran.files {
            let is_old = self.files.get(name) == Some(bytes);
            let is_new = clean.files.get(name) == Some(bytes);
            if !is_old && !is_new {
                let text = String::from_utf8_lossy(bytes);
                return Err(format!("{name} is neither what it was nor what it is to be: {text:?}"));
            }
        }
        let gone = self.files.keys().find(|name| !ran.files.contains_key(*name));
        gone.map_or(Ok(()), |name| Err(format!("{name} is gone")))
    }
}

/// What an operation that fails for good has to lead to.
fn is_reported(ran: &Ran, clean: &Ran, path: &Path) -> Result<(), String> {
    // What is read twice may be read the second time.
    if ran == clean {
        return Ok(());
    }
    // The folder itself has no name in the output.
    let name = path.file_name().map_or(".".into(), |name| name.to_string_lossy());
    // What takes the place of a file has a name of its own for a moment; the message names the file.
    if name.starts_with(".mangle-ls-") {
        return if ran.code == Some(2) { Ok(()) } else { Err("the exit status is not 2".into()) };
    }
    match ran.code {
        Some(0..=2) if ran.said.contains(&*name) => Ok(()),
        Some(0..=2) => Err(format!("nothing names {name}")),
        code => Err(format!("the exit status is {code:?}")),
    }
}

/// What an operation of writing that fails has to lead to.
fn is_an_error(ran: &Ran, clean: &Ran, path: &Path) -> Result<(), String> {
    is_reported(ran, clean, path)?;
    if ran != clean && ran.code != Some(2) {
        return Err("the exit status is not 2".into());
    }
    Ok(())
}

/// What an operation that has to be repeated leads to.
fn is_the_same(ran: &Ran, clean: &Ran, _: &Path) -> Result<(), String> {
    if ran == clean { Ok(()) } else { Err(format!("it is not what it is otherwise:\n{}", clean.said)) }
}

/// The number before a word in what a command says.
fn number_before(said: &str, word: &str) -> Option<usize> {
    let before = said.split(word).next().filter(|before| before.len() < said.len())?;
    before.rsplit(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
}

/// As [`is_an_error`]; and as many files as the command says were written.
fn counts_are_right(word: &'static str, old: Files) -> impl Fn(&Ran, &Ran, &Path) -> Result<(), String> {
    move |ran, clean, path| {
        is_an_error(ran, clean, path)?;
        let changed = ran.files.iter().filter(|(name, bytes)| old.get(*name) != Some(bytes)).count();
        match number_before(&ran.said, word) {
            Some(said) if said == changed => Ok(()),
            said => Err(format!("{changed} files are new, and {said:?} are said to be")),
        }
    }
}

const WRITING: [(&str, &str); 6] = [
    ("create", "ENOSPC"),
    ("create", "EACCES"),
    ("write", "ENOSPC"),
    ("protect", "EACCES"),
    ("sync", "EIO"),
    ("rename", "EIO"),
];

/// Commands that write, each with the word of its closing line behind the count. The files do not load, since `check --fix` has to
/// find something.
const WRITERS: [(&[&str], Option<&str>); 9] = [
    (&["check", "--fix"], Some(" fixed,")),
    (&["check", "--fix-transcripts"], Some(" fixed,")),
    (&["format"], Some(" file")),
    (&["check", "--write-baseline", "base.json"], None),
    (
        &[
            "transcript",
            "split",
            "transcripts/t.json",
            "--surface",
            "s.txt",
            "--control",
            "c.txt",
            "--anyway",
        ],
        None,
    ),
    (&["replay", "transcripts/t.json", "--report", "r.html", "--anyway"], None),
    (&["transcript", "stats", "transcripts/t.json", "--report", "s.html", "--anyway"], None),
    (&["grammar", "--target", "gbnf", "-o", "r.gbnf", "--anyway"], None),
    (&["generate", "man", "pages"], None),
];

#[test]
fn a_failing_write_loses_nothing_and_is_an_error() {
    for (arguments, counted) in WRITERS {
        let subject = Subject { files: fixture(), arguments };
        let mut count = 0;
        for (operation, how) in WRITING {
            count += match counted {
                Some(word) => subject.fail_each(operation, how, &counts_are_right(word, fixture())),
                None => subject.fail_each(operation, how, &is_an_error),
            };
        }
        assert!(count >= WRITING.len() - 1, "{arguments:?} failed {count} times only");
    }
}

#[test]
fn a_disk_that_stays_full_changes_nothing() {
    for (arguments, counted) in WRITERS {
        let subject = Subject { files: fixture(), arguments };
        let (ran, hit) = subject.run(Some("write:1+:ENOSPC"));
        assert!(hit.is_some() && ran.code == Some(2), "{arguments:?}: exit {:?}\n{}", ran.code, ran.said);
        assert_eq!(ran.files, subject.files, "{arguments:?}");
        if let Some(word) = counted {
            assert_eq!(number_before(&ran.said, word), Some(0), "{}", ran.said);
        }
    }
}

#[test]
fn short_and_interrupted_operations_are_repeated() {
    for (arguments, _) in WRITERS {
        let subject = Subject { files: fixture(), arguments };
        let (clean, _) = subject.run(None);
        for fault in ["write:1+:short", "read:1+:short"] {
            let (ran, hit) = subject.run(Some(fault));
            assert!(hit.is_some() || arguments.contains(&"man"), "{arguments:?} {fault}");
            assert_eq!(
                is_the_same(&ran, &clean, Path::new("")),
                Ok(()),
                "{arguments:?} {fault}\n{}",
                ran.said
            );
        }
        subject.fail_each("write", "EINTR", &is_the_same);
    }
    let subject = Subject { files: fixture(), arguments: &["check"] };
    subject.fail_each("read", "EINTR", &is_the_same);
}

/// A process that ends in the middle leaves old files or new ones, and nothing beside them.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_leaves_nothing_behind() {
    for (arguments, _) in WRITERS {
        let subject = Subject { files: fixture(), arguments };
        for operation in ["create", "write", "protect", "sync", "rename"] {
            subject.fail_each(operation, "kill", &|_, _, _| Ok(()));
        }
    }
}

/// A project that an interrupted run began is completed by the next one.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_init_is_completed_by_the_next_one() {
    let words = ["init", "project", "--ci", "github"];
    let clean = TempDir::new().unwrap();
    assert_eq!(support::run(clean.path(), &words).status.code(), Some(0));
    let clean = files(clean.path());
    let mut count = 0;
    for (operation, how) in
        [("create", "kill"), ("write", "kill"), ("sync", "kill"), ("rename", "kill"), ("rename", "EIO")]
    {
        for number in 1..MOST {
            let folder = TempDir::new().unwrap();
            let root = folder.path().canonicalize().unwrap().join("work");
            std::fs::create_dir(&root).unwrap();
            let hit = folder.path().join("hit");
            let mut killed = support::command(&root, &words);
            let fault = format!("{operation}:{number}:{how}");
            killed.env("MANGLE_LS_TEST_FAULT", &fault).env("MANGLE_LS_TEST_FAULT_HIT", &hit);
            killed.output().unwrap();
            if !hit.exists() {
                break;
            }
            count += 1;
            let again = support::run(&root, &words);
            assert_eq!(again.status.code(), Some(0), "{fault}: {}", String::from_utf8_lossy(&again.stderr));
            assert_eq!(files(&root), clean, "{fault}");
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn a_failing_read_is_reported() {
    let commands: [&[&str]; 7] = [
        &["check"],
        &["check", "a.mg", "b.mg", "transcripts/t.json"],
        &["check", "--fix"],
        &["format", "--check"],
        &["query", "p(X)"],
        &["test"],
        &["transcript", "stats", "transcripts/t.json"],
    ];
    for arguments in commands {
        let subject = Subject { files: fixture(), arguments };
        let opened = subject.fail_each("open", "EACCES", &is_reported);
        assert!(opened > 1, "{arguments:?} opened {opened} files");
        subject.fail_each("read", "EIO", &is_reported);
        subject.fail_each("list", "EACCES", &is_reported);
    }
}

#[test]
fn a_failing_read_of_what_a_command_needs_is_an_error() {
    let (clean, _) =
        Subject { files: fixture(), arguments: &["check", "--write-baseline", "base.json"] }.run(None);
    let mut files = fixture();
    files.insert("base.json".into(), clean.files["base.json"].clone());
    let subject = Subject { files, arguments: &["check", "a.mg", "--baseline", "base.json"] };
    subject.fail_each("open", "EACCES", &is_reported);
    for (folder, arguments) in [
        ("examples/prompts", &["preview", "fix-auth.kernel.mg"][..]),
        ("examples/jailbreak", &["preview", "guardian.kernel.mg"]),
        ("examples/guardian", &["test"]),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let subject = Subject { files: self::files(&root), arguments };
        subject.fail_each("open", "EACCES", &is_reported);
    }
}

/// Beyond `ulimit -f` a process is ended by a signal, unless it asks for an error instead.
#[test]
fn the_limit_for_files_is_an_error() {
    let folder = TempDir::new().unwrap();
    let long = format!("{POLICY}{}", "p(  2 ).\n".repeat(1_000));
    support::write(folder.path(), "a.mg", &long);
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -f 1 && exec \"$0\" fmt";
    let output = command
        .args(["-c", script, env!("CARGO_BIN_EXE_mangle-ls")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a.mg: it was not formatted: file too large"), "{said}");
    assert_eq!(files(folder.path()), Files::from([("a.mg".to_owned(), long.into_bytes())]));
}

/// Standard output on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    for (arguments, input) in [
        (&["check"][..], ""),
        (&["format", "-"], "p(  1 ).\n"),
        (&["transcript", "stats", "transcripts/t.json", "--anyway"], ""),
    ] {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in fixture() {
            support::write(folder.path(), &name, bytes);
        }
        let standard_input = folder.path().join("input");
        std::fs::write(&standard_input, input).unwrap();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = support::command(folder.path(), arguments);
        let output =
            command.stdin(std::fs::File::open(standard_input).unwrap()).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("standard output: no space left on device"), "{arguments:?}: {said}");
    }
}
