//! What is no regular file, or too long, wherever a file is expected: it is named, with the reason, and nothing waits for
//! it.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::support::{command, folder};

/// Something that is put where a file is expected, and what is said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    Pipe,
    LinkToPipe,
    Socket,
    Folder,
    LinkLoop,
    BrokenLink,
    LinkOut,
    Huge,
}

const THINGS: [(Thing, &[&str]); 8] = [
    (Thing::Pipe, &["named pipe"]),
    (Thing::LinkToPipe, &["named pipe"]),
    (Thing::Socket, &["a socket"]),
    (Thing::Folder, &["is a directory"]),
    (Thing::LinkLoop, &["too many levels of symbolic links"]),
    (Thing::BrokenLink, &["no such file", "leads nowhere", "no policy", "is not there"]),
    (Thing::LinkOut, &["leads out of", "outside of", "a device"]),
    (Thing::Huge, &["MiB", "GiB"]),
];

impl Thing {
    fn put(self, path: &Path) -> Option<UnixListener> {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(path);
        let pipe = |path: &Path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        match self {
            Self::Pipe => pipe(path),
            Self::LinkToPipe => {
                let target = path.with_file_name(".pipe");
                pipe(&target);
                symlink(target, path).unwrap();
            }
            Self::Socket => return Some(UnixListener::bind(path).unwrap()),
            Self::Folder => std::fs::create_dir(path).unwrap(),
            Self::LinkLoop => symlink(path.file_name().unwrap(), path).unwrap(),
            Self::BrokenLink => symlink("nowhere", path).unwrap(),
            Self::LinkOut => symlink("/dev/zero", path).unwrap(),
            Self::Huge => File::create(path).unwrap().set_len(64 << 30).unwrap(),
        }
        None
    }
}

/// The output of a program that must end. The bound is there so that a test that would wait forever fails.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = command(folder, arguments);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Where something is expected: the file, the files around it, the command, and what nothing is wrong with there.
type Place =
    (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str], &'static [Thing]);

const KERNEL: &str = "# @preview shard: coder-1 coder\n# @preview session: k.session.yaml\np(1).\n";
const CAPTURED: &str = "# @preview shard: coder-1 coder\n# @preview captured: prompt.txt\np(1).\n";

/// A folder of such a name is entered as any other.
const ENTERED: &[Thing] = &[Thing::Folder];

const PLACES: &[Place] = &[
    ("x.mg", &[("a.mg", "p(1).\n")], &["check"], ENTERED),
    ("x.mg", &[("a.mg", "p(1).\n")], &["check", "a.mg", "x.mg"], ENTERED),
    ("x.mg", &[("a.mg", "p(1).\n")], &["format", "--check"], ENTERED),
    ("x.mg", &[("a.mg", "p(1).\n")], &["query", "p(X)"], ENTERED),
    ("schemas.gl", &[("a.mg", "p(1).\n")], &["check", "a.mg"], ENTERED),
    ("mangle-ls.toml", &[("a.mg", "p(1).\n")], &["check"], &[]),
    ("mangle-ls.toml", &[("sub/a.mg", "p(1).\n")], &["check", "sub/a.mg"], &[]),
    ("sub/mangle-ls.toml", &[("sub/a.mg", "p(1).\n")], &["check"], &[]),
    (".gitignore", &[("a.mg", "p(1).\n")], &["check"], &[]),
    ("sub/.gitignore", &[("sub/a.mg", "p(1).\n")], &["check"], &[]),
    (".ignore", &[("a.mg", "p(1).\n")], &["check"], &[]),
    (
        "tools.json",
        &[("a.mg", "p(1).\n"), ("mangle-ls.toml", "[transcripts]\ntools = \"tools.json\"\n")],
        &["check"],
        &[],
    ),
    ("k.session.yaml", &[("k.kernel.mg", KERNEL)], &["check"], &[]),
    ("prompt.txt", &[("k.kernel.mg", CAPTURED)], &["check"], &[]),
    (
        "atoms/x.yaml",
        &[("a.mg", "p(1).\n"), ("mangle-ls.toml", "[prompt]\natoms = [\"atoms\"]\n")],
        &["check"],
        &[Thing::Folder, Thing::LinkOut, Thing::BrokenLink, Thing::LinkLoop],
    ),
    (
        "transcripts/t.json",
        &[("a.mg", "p(1).\n")],
        &["check"],
        &[Thing::Folder, Thing::LinkOut, Thing::BrokenLink, Thing::LinkLoop],
    ),
    ("t.json", &[("a.mg", "p(1).\n")], &["check", "--transcripts", "t.json"], ENTERED),
    ("t.eval", &[("a.mg", "p(1).\n")], &["check", "--transcripts", "t.eval"], ENTERED),
    ("t.json", &[("a.mg", "p(1).\n")], &["replay", "t.json"], ENTERED),
    ("t.json", &[("a.mg", "p(1).\n")], &["transcript", "stats", "t.json"], ENTERED),
    (".nerd/config.json", &[("a.mg", "p(1).\n")], &["check"], &[Thing::LinkOut]),
    ("facts.mg", &[("a.mg", "p(1).\n")], &["query", "--facts", "facts.mg", "p(X)", "a.mg"], &[]),
    ("facts.csv", &[("a.mg", "p(1).\n")], &["query", "--facts", "facts.csv", "p(X)", "a.mg"], &[]),
    ("base.json", &[("a.mg", "p(1).\n")], &["check", "--baseline", "base.json"], &[]),
];

#[test]
fn what_is_no_file_is_named_wherever_a_file_is_expected() {
    let mut wrong = Vec::new();
    for (name, files, arguments, apart) in PLACES {
        for (thing, reasons) in THINGS.iter().filter(|(thing, _)| !apart.contains(thing)) {
            let folder = folder(files);
            std::fs::create_dir(folder.path().join(".git")).unwrap();
            let path = folder.path().join(name);
            let _kept = thing.put(&path);
            let output = run(folder.path(), arguments);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let last = path.file_name().unwrap().to_str().unwrap();
            let is_named = said.contains(last) && reasons.iter().any(|reason| said.contains(reason));
            if !is_named || !matches!(output.status.code(), Some(0..=2)) {
                wrong.push(format!(
                    "{name} as {thing:?}, {arguments:?}: exit {:?}\n{said}",
                    output.status.code()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_descriptor_of_the_shell_is_read() {
    let folder = folder(&[("a.mg", "p(1).\n")]);
    let mut command = command(folder.path(), &["check", "/dev/stdin"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"p(1)\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("/dev/stdin:1"));
}
