//! The grammar's budget, as ratios within one run: `cargo bench --package tree-sitter-mangle --bench grammar`.
//!
//! With `MANGLE_LS_CORPUS` on the kernel program of the public corpus, else on made text.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/sample/mod.rs"]
mod sample;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use sample::edits::Edit;
use sample::{Rng, Text};
use tree_sitter::{Node, Parser};

/// Runs of a cold parse; the fastest counts, since noise only ever adds.
const RUNS: usize = 15;
/// Keystrokes that are timed, and as many that take them back.
const KEYSTROKES: usize = 500;
/// A keystroke is timed this often; the fastest counts.
const REPEATS: usize = 3;

fn main() {
    let mut texts = sample::corpus_of_environment();
    if texts.is_empty() {
        texts = (0..12).map(|seed| sample::made(1500, seed)).collect();
    }
    let mut mangle = sample::parser();
    cold(&mut mangle, &texts);
    for (lines, budget) in [(1_203, 0.5), (20_000, 2.0)] {
        let text = lines_of(&texts, lines);
        for (what, typed) in [("letters and punctuation", "aX1_ .,:()"), ("quotes and brackets", "\"'`([{")] {
            keystrokes(&mut mangle, &text, lines, what, typed, budget);
        }
    }
}

/// Bytes a second of a first parse, beside those of tree-sitter-json on the same facts.
fn cold(mangle: &mut Parser, texts: &[Text]) {
    let mut json = Parser::new();
    json.set_language(&tree_sitter_json::LANGUAGE.into()).unwrap();
    let facts: Vec<Fact> = texts.iter().flat_map(|text| facts(mangle, text)).collect();
    let source = facts.iter().fold(String::new(), |all, fact| all + &fact.source + "\n");
    let objects = json_of(&facts, |fact| format!("{{\"p\": {}, \"args\": [{}]}}", fact.name, fact.args));
    let arrays = json_of(&facts, |fact| {
        format!("[{}{}{}]", fact.name, if fact.args.is_empty() { "" } else { ", " }, fact.args)
    });
    let program: Vec<&[u8]> = texts.iter().map(|text| &text.bytes[..]).collect();
    let whole = speed(mangle, &program);
    let alone = speed(mangle, &[source.as_bytes()]);
    let reference = speed(&mut json, &[objects.as_bytes()]).max(speed(&mut json, &[arrays.as_bytes()]));
    println!("{} facts; the faster of two JSON forms: {reference:.1} MB/s", facts.len());
    for (what, speed) in [("the program", whole), ("its facts alone", alone)] {
        println!(
            "cold, {what:<16} {speed:>6.1} MB/s {:>5.2} x tree-sitter-json (budget 0.70)",
            speed / reference
        );
    }
}

fn speed(parser: &mut Parser, texts: &[&[u8]]) -> f64 {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let run = |_| {
        let start = Instant::now();
        for text in texts {
            black_box(parser.parse(text, None).unwrap());
        }
        start.elapsed()
    };
    let best = (0..RUNS).map(run).min().unwrap();
    bytes as f64 / best.as_secs_f64() / 1e6
}

/// A fact, as it stands and as JSON.
struct Fact {
    source: String,
    name: String,
    args: String,
}

fn facts(parser: &mut Parser, text: &Text) -> Vec<Fact> {
    let tree = parser.parse(&text.bytes, None).unwrap();
    let root = tree.root_node();
    let source = |node: Node<'_>| String::from_utf8_lossy(&text.bytes[node.byte_range()]).into_owned();
    let mut cursor = root.walk();
    let clauses = root.named_children(&mut cursor).filter(|node| node.kind() == "clause");
    clauses
        .filter_map(|clause| {
            let atom = clause.named_child(0).filter(|_| clause.named_child_count() == 1)?;
            let mut cursor = atom.walk();
            let mut children = atom.named_children(&mut cursor);
            let name = quoted(&source(children.next()?));
            let args: Vec<String> = children.map(|node| json_term(node, &text.bytes)).collect();
            Some(Fact { source: source(clause), name, args: args.join(", ") })
        })
        .collect()
}

fn json_of(facts: &[Fact], form: impl Fn(&Fact) -> String) -> String {
    let rows: Vec<String> = facts.iter().map(form).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// Strings and names as strings, numbers as numbers, lists as arrays.
fn json_term(node: Node<'_>, text: &[u8]) -> String {
    let source = String::from_utf8_lossy(&text[node.byte_range()]);
    let mut cursor = node.walk();
    match node.kind() {
        "number" | "float" => source.into_owned(),
        "string" => quoted(source.get(1..source.len() - 1).unwrap_or("")),
        "list" => {
            let items: Vec<String> =
                node.named_children(&mut cursor).map(|item| json_term(item, text)).collect();
            format!("[{}]", items.join(", "))
        }
        _ => quoted(&source),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            c if c < ' ' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// The first `lines` lines of the texts, one after the other, over and over.
fn lines_of(texts: &[Text], lines: usize) -> Vec<u8> {
    let all = texts.iter().flat_map(|text| text.bytes.split_inclusive(|byte| *byte == b'\n'));
    let lines: Vec<&[u8]> = all.cycle().take(lines).collect();
    lines.concat()
}

/// The time from an edit's text to the new tree, for one typed character or one deleted one, each taken
/// back at once.
fn keystrokes(parser: &mut Parser, text: &[u8], lines: usize, what: &str, typed: &str, budget: f64) {
    let mut rng = Rng::new(lines as u64);
    let mut text = text.to_vec();
    let mut tree = parser.parse(&text, None).unwrap();
    let mut times = Vec::new();
    while times.len() < KEYSTROKES {
        let at = rng.below(text.len());
        if !text[at].is_ascii() {
            continue;
        }
        let key = *rng.pick(typed.as_bytes());
        let insert = rng.below(3) > 0;
        let edit =
            Edit { range: at..at + usize::from(!insert), text: if insert { vec![key] } else { vec![] } };
        let back = edit.apply(&mut text, &mut tree);
        let mut best = Duration::MAX;
        let mut new = None;
        for _ in 0..REPEATS {
            let start = Instant::now();
            new = parser.parse(&text, Some(&tree));
            best = best.min(start.elapsed());
        }
        times.push(best.as_secs_f64() * 1e3);
        tree = new.unwrap();
        back.apply(&mut text, &mut tree);
        tree = parser.parse(&text, Some(&tree)).unwrap();
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!(
        "keystroke at {lines:>6} lines, {what:<24} p50 {:.3} p95 {:.3} worst {:.3} ms (budget {budget} at p95)",
        at(50),
        at(95),
        at(100)
    );
}
