//! Tests of reading limits, of the attributes that a replacement keeps, and of failures without
//! data loss.

#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::plain;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn write_file(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn why(path: &Path, content: Content) -> String {
    plain(&read(path, content).unwrap_err())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let (_kept, folder) = folder();
    let at = |name: &str| folder.join(name);
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _socket = UnixListener::bind(at("socket")).unwrap();
    write_file(&at("file"), "text");
    for (target, link) in [
        ("pipe", "to-pipe"),
        ("file", "to-file"),
        ("nowhere", "broken"),
        ("loop", "loop"),
        ("/dev/zero", "zero"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    let reasons = ["pipe", "to-pipe", "socket", "zero", "broken", "loop", "."]
        .map(|name| why(&at(name), Content::Text));
    assert_eq!(
        reasons,
        [
            "it is a named pipe; only regular files are read",
            "it is a named pipe; only regular files are read",
            "it is a socket; only regular files are read",
            "it is a device; only regular files are read",
            "no such file or directory",
            "too many levels of symbolic links",
            "is a directory",
        ]
    );
    assert_eq!(read(&at("to-file"), Content::Text).unwrap(), b"text");
}

#[test]
fn no_more_than_the_limit_is_read() {
    let (_kept, folder) = folder();
    let path = folder.join("sparse");
    for content in Content::ALL {
        let limit = content.limit();
        std::fs::File::create(&path).unwrap().set_len(limit + 1).unwrap();
        let error = open(&path, content).unwrap_err();
        assert_eq!(TooLong::from_error(&error), Some(TooLong { len: limit + 1, limit }));
    }
    assert_eq!(why(&path, Content::Text), "it has 17 GiB; files of up to 16 MiB are read");
    // A file that grows after it was opened.
    write_file(&path, "x");
    let mut file = open(&path, Content::Patterns).unwrap();
    let limit = Content::Patterns.limit();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(limit + 1).unwrap();
    let error = file.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(TooLong::from_error(&error).is_some(), "{error}");
}

#[test]
fn what_changes_while_it_is_read_is_read_again() {
    let mut values = [None, Some(7)].into_iter();
    assert_eq!(open::retry_until_stable(|| Ok(values.next().unwrap())).unwrap(), 7);
    let mut count = 0;
    let never = open::retry_until_stable::<()>(|| {
        count += 1;
        Ok(None)
    });
    assert_eq!((plain(&never.unwrap_err()).as_str(), count), ("it changes while it is read", 3));
}

#[cfg(unix)]
#[test]
fn replacing_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (_kept, folder) = folder();
    let (file, link) = (folder.join("file"), folder.join("link"));
    write_file(&file, "old");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", &link).unwrap();
    replace(&link, b"old", b"new").unwrap();
    assert_eq!(text(&file), "new");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&folder), ["file", "link"]);
}

#[cfg(unix)]
#[test]
fn files_with_several_names_are_left_alone() {
    let (_kept, folder) = folder();
    let (one, other) = (folder.join("one"), folder.join("other"));
    write_file(&one, "old");
    std::fs::hard_link(&one, &other).unwrap();
    let why = "it has 2 hard links, and replacing it would separate them";
    assert_eq!(replaceable(&one).unwrap_err().to_string(), why);
    assert_eq!(replace(&one, b"old", b"new").unwrap_err().to_string(), why);
    assert_eq!(write(&one, b"new").unwrap_err().to_string(), why);
    assert_eq!((text(&one), text(&other)), ("old".into(), "old".into()));
    std::fs::remove_file(other).unwrap();
    replace(&one, b"old", b"new").unwrap();
    assert_eq!(names(&folder), ["one"]);
}

#[test]
fn what_somebody_saved_meanwhile_stays() {
    let (_kept, folder) = folder();
    let file = folder.join("file");
    write_file(&file, "old");
    assert!(matches!(replace(&file, b"other", b"new"), Err(ReplaceError::Changed)));
    let prepared = Replacement::prepare(&file, b"old", b"new").unwrap();
    write_file(&file, "save");
    assert!(matches!(prepared.commit(b"old"), Err(ReplaceError::Changed)));
    // The same bytes in a different file.
    let prepared = Replacement::prepare(&file, b"save", b"new").unwrap();
    write_file(&folder.join("moved"), "save");
    std::fs::rename(folder.join("moved"), &file).unwrap();
    assert!(matches!(prepared.commit(b"save"), Err(ReplaceError::Changed)));
    assert_eq!((text(&file), names(&folder)), ("save".into(), vec!["file".into()]));
}

/// Concurrent saves by one thread, and replacements of a previously read text by another thread.
/// No save may be overwritten with an older text.
#[cfg(target_os = "linux")]
#[test]
fn no_save_is_lost_in_a_race() {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    let (_kept, folder) = folder();
    let file = folder.join("file");
    write_file(&file, "0");
    let (is_over, attempts) = (AtomicBool::new(false), AtomicU32::new(0));
    let lost = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                // The test cannot detect a writer between truncation and write; an empty file
                // has no fixes.
                if let Ok(old) = read(&file, Content::Text)
                    && !old.is_empty()
                {
                    let _ = replace(&file, &old, &[&old[..], b"!"].concat());
                }
                attempts.fetch_add(1, Ordering::SeqCst);
            }
        });
        let number = |text: &str| text.trim_end_matches('!').parse::<u32>().ok();
        let lost = (1..=300).find(|save| {
            if save % 2 == 0 {
                write_file(&file, &save.to_string());
            } else {
                write_file(&folder.join("next"), &save.to_string());
                std::fs::rename(folder.join("next"), &file).unwrap();
            }
            // A replacement based on the previous text may be in progress and is rolled back.
            // Later attempts read this text.
            let begun = attempts.load(Ordering::SeqCst);
            while attempts.load(Ordering::SeqCst) < begun + 2 {
                std::thread::yield_now();
            }
            number(&text(&file)) != Some(*save)
        });
        is_over.store(true, Ordering::SeqCst);
        lost
    });
    assert_eq!(lost, None, "this save is lost");
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn an_output_is_seen_when_it_is_whole() {
    let (_kept, folder) = folder();
    let file = folder.join("file");
    write_file(&file, "old");
    let mut output = Output::create(&file).unwrap();
    output.write_all(b"half").unwrap();
    assert_eq!(text(&file), "old");
    drop(output);
    assert_eq!((text(&file), names(&folder)), ("old".into(), vec!["file".into()]));
    write(&file, b"new").unwrap();
    write(&folder.join("more"), b"first").unwrap();
    assert_eq!((text(&file), text(&folder.join("more"))), ("new".into(), "first".into()));
    assert_eq!(write(&folder, b"x").unwrap_err().to_string(), "is a directory");
    assert_eq!(names(&folder), ["file", "more"]);
}

#[cfg(unix)]
#[test]
fn devices_are_written_as_they_are() {
    use std::os::unix::fs::FileTypeExt as _;
    write(Path::new("/dev/null"), b"x").unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let full = write(Path::new("/dev/full"), b"x");
    assert_eq!(full.unwrap_err().to_string(), "no space left on device");
}

#[test]
fn the_page_about_limits_has_these_limits() {
    let page = include_str!("../../../../docs/limits.md");
    let row = |name: &str| page.lines().find(|line| line.starts_with(&format!("| {name}"))).unwrap();
    for (content, name) in [
        (Content::Text, "policy"),
        (Content::Patterns, "`.gitignore`"),
        (Content::Facts, "table of facts"),
        (Content::Transcript, "transcript, archive"),
        (Content::Transcript, "transcript after"),
    ] {
        let limit = access::size(content.limit());
        assert!(row(name).contains(&limit), "{name}: {limit}");
    }
    assert!(row("`.gitignore`").contains(&format!("{} patterns", crate::ignore_rules::MAX_PATTERNS)));
    let expansion = row("transcript after");
    let (free, times) = crate::transcripts::EXPANSION;
    assert!(expansion.contains(&access::size(free)) && expansion.contains(&format!("{times} times")));
    let member = access::size(piggyback::transcript::MAX_DOCUMENT_LEN as u64);
    assert!(row("member of an archive").contains(&member), "{member}");
}
