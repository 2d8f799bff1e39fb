//! A file after any edits is the file parsed anew: same statements at the same places, same
//! findings, whatever was shared with the file before.

use crate::support;

use std::fs;

use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextEdit, TextRange, TextSize};
use support::Random;

/// What people type, and what breaks things.
const SNIPPETS: &[&str] = &[
    "",
    "\n",
    ".",
    ",",
    "(",
    ")",
    "\"",
    "`",
    "'",
    "[",
    "]",
    "{",
    "}",
    ":-",
    "|>",
    "!",
    "/a",
    "X",
    "p(X)",
    " ",
    "#",
    "# é🦀\n",
    "Decl ",
    "q(/a).\n",
    "\"é\nx\"",
    "let Y = fn:plus(X, 1)",
    "do fn:group_by(X)",
    "@[_]",
    "\r\n",
    "\u{feff}",
    "<-[0d, 7d] ",
    "Package a!\n",
    "b\"\\xff\"",
    "//",
    "INTENT: \"x\" -> /y\n",
    "\nTAXONOMY: a > b",
    "PROMPT: ",
    ";",
];

/// The number of edits of each sample; `MANGLE_LS_EDITS` sets another one.
const EDITS_A_FILE: usize = 60;

fn edits_a_file() -> usize {
    std::env::var("MANGLE_LS_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(EDITS_A_FILE)
}

#[test]
fn edited_equals_fresh() {
    let mut random = Random(20);
    let mut edits = 0;
    for text in samples() {
        edits += chain(text, edits_a_file(), &mut random);
    }
    assert!(edits >= 18 * edits_a_file(), "only {edits} edits");
}

#[test]
fn an_edit_shares_what_it_does_not_touch() {
    let facts: String = (0..2_000).map(|n| format!("p({n}, \"text {n}\").\n")).collect();
    let file = SourceFile::parse(facts.as_str().into());
    let at = facts.find("p(1000,").unwrap();
    let mut text = facts.clone();
    text.insert(at + 2, '9');
    let edited = file.edit(text.as_str().into(), &[insertion(at + 2, 1)]);
    let ids = |file: &SourceFile| file.items().iter().map(|item| item.statement.id).collect::<Vec<_>>();
    let shared = ids(&file).iter().zip(ids(&edited)).filter(|(a, b)| *a == b).count();
    assert!(shared > 1_800, "only {shared} of 2000 statements were shared");
    assert_eq!(edited.items().len(), 2_000);
}

/// The sample texts: the examples and the conformance cases, and files with strings over lines.
fn samples() -> Vec<String> {
    let mut texts = Vec::new();
    for folder in ["examples/guardian", "examples/incident"] {
        for entry in fs::read_dir(support::root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "mg" || end == "gl") {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    texts.sort();
    let multi: String = (0..60)
        .map(|n| format!("note({n}, \"first é\nsecond 🦀\n\").\nr(X) :- note(X, `a\nb`),\n  !q(X).\n"))
        .collect();
    texts.push(multi);
    texts
}

fn chain(mut text: String, edits: usize, random: &mut Random) -> usize {
    let mut file = SourceFile::parse(text.as_str().into());
    for _ in 0..edits {
        let count = 1 + random.below(3);
        let several: Vec<_> = (0..count).map(|_| edit(&mut text, random)).collect();
        file = file.edit(text.as_str().into(), &several);
        let fresh = SourceFile::parse(text.as_str().into());
        same(&file, &fresh, &text);
    }
    edits
}

fn same(edited: &SourceFile, fresh: &SourceFile, text: &str) {
    let [a, b] = [edited, fresh].map(|file| file.tree().unwrap().root_node().to_sexp());
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if let Some(at) =
        a.iter().zip(b).position(|(a, b)| a != b).or((a.len() != b.len()).then_some(a.len().min(b.len())))
    {
        let near = |s: &[u8]| {
            String::from_utf8_lossy(&s[at.saturating_sub(300)..(at + 200).min(s.len())]).into_owned()
        };
        panic!("trees differ\nedited: …{}\nfresh:  …{}\n{text}", near(a), near(b));
    }
    let (edited, fresh) = (describe(edited), describe(fresh));
    let differing = edited.iter().zip(&fresh).find(|(a, b)| a != b);
    assert!(differing.is_none() && edited.len() == fresh.len(), "{differing:?}");
}

/// Replaces a few characters somewhere by a snippet.
fn edit(text: &mut String, random: &mut Random) -> TextEdit {
    let start = boundary(text, random.below(text.len() + 1));
    let end = boundary(text, (start + random.below(4) * random.below(6)).min(text.len()));
    let new = SNIPPETS[random.below(SNIPPETS.len())];
    text.replace_range(start..end, new);
    TextEdit { range: TextRange::new(size(start), size(end)), new_len: size(new.len()) }
}

fn insertion(at: usize, len: usize) -> TextEdit {
    TextEdit { range: TextRange::empty(size(at)), new_len: size(len) }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap())
}

/// Everything about a file but the ids of its statements.
fn describe(file: &SourceFile) -> Vec<String> {
    let items = file.items().iter().map(|item| {
        let statement = &item.statement;
        let (kind, damaged, findings) = (&statement.kind, statement.damaged, &statement.findings);
        format!("{:?} {:?} {damaged} {kind:?} {findings:?}", item.start, statement.len)
    });
    let findings = file.findings().iter().map(|finding| format!("{finding:?}"));
    items.chain(findings).collect()
}
