//! Runs the Markdown suites of `tests/language`: each fenced `mangle` block is a program, each
//! `# error: [rule]` in it a finding that must be there. `tests/language/README.md` has the rules.

use crate::support;

use std::collections::BTreeSet;
use std::fs;

use mangle_syntax::lint::Severity;
use mangle_syntax::text::LineIndex;

/// A finding as a suite states it: file of the block, line in it, severity, rule.
type Mark = (usize, u32, &'static str, String);

/// A fenced block: the line of the suite on which it starts, and its text.
struct Snippet {
    line: usize,
    text: String,
}

#[test]
fn suites() {
    let mut paths: Vec<_> = fs::read_dir(support::root().join("tests/language"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    paths.sort();
    let mut count = 0;
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for snippet in snippets(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            wrong.extend(run(&snippet).map(|differences| format!("{name}:{}\n{differences}", snippet.line)));
        }
    }
    assert!(count > 100, "only {count} snippets were found");
    assert!(wrong.is_empty(), "{} of {count} snippets:\n{}", wrong.len(), wrong.join("\n"));
}

fn snippets(suite: &str) -> Vec<Snippet> {
    let mut snippets: Vec<Snippet> = Vec::new();
    let mut inside = false;
    for (line, number) in suite.split_inclusive('\n').zip(1..) {
        match (inside, line.trim_end()) {
            (false, "```mangle") => {
                snippets.push(Snippet { line: number, text: String::new() });
                inside = true;
            }
            (true, "```") => inside = false,
            (true, _) => snippets.last_mut().unwrap().text.push_str(line),
            _ => {}
        }
    }
    snippets
}

/// The differences between what a snippet states and what is found in it.
fn run(snippet: &Snippet) -> Option<String> {
    let files = split(&snippet.text);
    let stated: BTreeSet<Mark> =
        files.iter().enumerate().flat_map(|(file, text)| marks(file, text)).collect();
    let found: BTreeSet<Mark> = found(&files);
    let missing = stated.difference(&found).map(|mark| format!("  missing {mark:?}"));
    let surplus = found
        .difference(&stated)
        .filter(|(_, _, severity, _)| matches!(*severity, "error" | "warning"))
        .map(|mark| format!("  surplus {mark:?}"));
    let differences: Vec<_> = missing.chain(surplus).collect();
    (!differences.is_empty()).then(|| differences.join("\n"))
}

fn split(text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("#- ") {
            files.push(String::new());
        } else if let Some(file) = files.last_mut() {
            file.push_str(line);
        } else {
            files.push(line.to_owned());
        }
    }
    files
}

fn marks(file: usize, text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (line, number) in text.lines().zip(0..) {
        let alone = line.trim_start().starts_with('#');
        for comment in line.split('#').skip(1) {
            let Some((severity, rule)) = mark(comment) else { continue };
            marks.push((file, number + u32::from(alone), severity, rule));
        }
    }
    marks
}

/// `error: [rule] …` in a comment.
fn mark(comment: &str) -> Option<(&'static str, String)> {
    let (severity, rest) = comment.trim().split_once(": [")?;
    let severity = match severity {
        "info" => "information",
        known => Severity::parse(known)?.as_str(),
    };
    Some((severity, rest.split_once(']')?.0.to_owned()))
}

fn found(files: &[String]) -> BTreeSet<Mark> {
    let mut found = BTreeSet::new();
    for (file, diagnostics) in support::check_all(files).into_iter().enumerate() {
        let index = LineIndex::new(&files[file]);
        for diagnostic in diagnostics {
            let line = index.line_of(diagnostic.range.start());
            found.insert((file, line, diagnostic.severity.as_str(), diagnostic.rule.name.to_owned()));
        }
    }
    found
}
