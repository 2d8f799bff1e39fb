//! Property test: no safe fix of a damaged program derives a fact that no reading of the program
//! derives.
//!
//! The test damages generated programs and applies all safe fixes. It compares the derived facts
//! with the facts of the program with each subset of the damage.
//!
//! `MANGLE_LS_DAMAGED` sets the number of programs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use crate::Registry;
use crate::diagnostics::{FindingCache, diagnostics};
use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Applicability, FileEdit, Group};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, apply};

/// The number of programs in an ordinary run.
const PROGRAMS: u64 = 1_500;
/// Maximum number of fix passes.
const MAX_PASSES: usize = 30;
/// Minimum number of programs, of a hundred, that must have a safe fix. With fewer, the test is
/// meaningless.
const MIN_FIXED: usize = 8;

/// A pseudorandom number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap()
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// Generates a program with facts and some rules that permit and deny.
fn program_text(random: &mut Random) -> String {
    let mut text = String::from("# Requests and what is known of them.\n");
    for id in 1..=4 {
        let action = random.pick(&["/read", "/deploy", "/list"]);
        let path = random.pick(&["src/a", "src/b", "etc/c"]);
        writeln!(text, "request(/r{id}, {action}, \"{path}\", {}).", random.below(20)).unwrap();
        if random.one_in(2) {
            writeln!(text, "owner(/r{id}, {}).", random.pick(&["/ann", "/bob"])).unwrap();
        }
        if random.one_in(2) {
            writeln!(text, "score(/r{id}, {}).", random.below(6)).unwrap();
        }
        if random.one_in(3) {
            writeln!(text, "blocked(/r{id}).").unwrap();
        }
    }
    text.push_str("danger(/deploy).\ntrusted(/ann).\nopen().\nlink(/ann, /bob).\nsizes([1, 2]).\n");
    if random.one_in(3) {
        text.push_str("halted().\n");
    }
    if random.one_in(3) {
        text.push_str("owner(/r9, /eve). score(/r9, 1). blocked(/r9).\nhalted() :- score(/r9, 5).\n");
    }
    for number in 0..2 + random.below(3) {
        text.push('\n');
        if random.one_in(3) {
            let comment = ["Permits what nobody stops.", "Only for r, see allow(X).", "- a\n#   - b"];
            writeln!(text, "# {}", comment[random.below(3)]).unwrap();
        }
        text.push_str(&rule(number, random));
    }
    text
}

fn rule(number: usize, random: &mut Random) -> String {
    let others = [
        "!danger(A)",
        "N < 10",
        "N >= 5",
        "A != /deploy",
        "A = /read",
        ":string:starts_with(P, \"src/\")",
        "owner(R, U)",
        "owner(R, U), trusted(U)",
        "owner(R, U), U != /bob",
        "!blocked(R)",
        "!halted()",
        "open()",
        "M = fn:plus(N, 1), M < 10",
        "M = fn:mult(fn:plus(N, 2), 3), M > 20",
        "score(R, S), S >= 3",
        "score(R, S), S != N",
        "!goal0(R)",
        "owner(R, U), link(V, U), trusted(V)",
        "sizes(L), :list:member(N, L)",
        "P != \"etc/c\"",
    ];
    let mut premises = vec!["request(R, A, P, N)".to_owned()];
    for _ in 0..1 + random.below(4) {
        let other = random.pick(&others);
        let is_own = number == 0 && other.contains("goal0");
        if !is_own && !premises.iter().any(|known| known == other) {
            premises.push(other.to_owned());
        }
    }
    if random.one_in(10) {
        premises = vec!["blocked(/r1)".to_owned(), "!halted()".to_owned()];
    }
    let bound = premises[0].starts_with("request");
    let end = if bound && random.one_in(6) { " |> do fn:group_by(A), let C = fn:count()" } else { "" };
    let head = match (bound, end.is_empty()) {
        (true, true) => random.pick(&["(R)", "(R)", "(R, A)", "(R, N)"]),
        (true, false) => "(A, C)",
        (false, _) => "(/r1)",
    };
    let (open, comma) = match random.below(3) {
        0 => (" ", ", "),
        _ => ("\n    ", ",\n    "),
    };
    let body = premises.join(comma);
    let stop = if body.ends_with("/deploy") || body.ends_with("/read") || body.ends_with("/bob") {
        " ."
    } else {
        "."
    };
    let stop = if end.is_empty() { stop } else { "." };
    let note = if random.one_in(6) { "  # see issue 7" } else { "" };
    format!("goal{number}{head} :-{open}{body}{end}{stop}{note}\n")
}

/// The tokens of an undamaged program, without comments.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '/');
        let len = match c {
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '"' => rest[1..].find('"').unwrap() + 2,
            ':' if rest.starts_with(":-") => 2,
            '|' => 2,
            '!' | '<' | '>' if rest[1..].starts_with('=') => 2,
            _ if word(c) => rest.find(|c: char| !word(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        if !c.is_whitespace() {
            tokens.push(at..at + len);
        }
        at += len;
    }
    tokens
}

/// A replacement of some bytes of the program.
type Damage = (Range<usize>, String);

/// Generates one damage, whose edits belong together.
fn damage(text: &str, random: &mut Random) -> Vec<Damage> {
    let tokens = tokens(text);
    // Most damage is in rules.
    let first = tokens.iter().position(|token| text[token.clone()].starts_with("goal")).unwrap();
    let from = if random.one_in(4) { 0 } else { first };
    let at = from + random.below(tokens.len() - from);
    let token = tokens[at].clone();
    let written = &text[token.clone()];
    let line_start = text[..token.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[token.end..].find('\n').map_or(text.len(), |end| token.end + end);
    let indent = line_start + text[line_start..].len() - text[line_start..].trim_start().len();
    let statement_start = text[..token.start].rfind("\n\n").map_or(0, |at| at + 2);
    let statement_end = text[token.start..].find("\n\n").map_or(text.len(), |end| token.start + end);
    let each_line = |sign: &str| {
        let lines = text[statement_start..statement_end].split_inclusive('\n');
        let mut at = statement_start;
        let mut all = Vec::new();
        for line in lines {
            all.push((at..at, sign.to_owned()));
            at += line.len();
        }
        all
    };
    match random.below(26) {
        0..=2 => vec![(token, String::new())],
        3 => vec![(token.clone(), format!("{written}{written}"))],
        4 => vec![(token.clone(), format!("{written} {written}"))],
        5..=6 => match tokens.get(at + 1) {
            Some(next) => {
                let between = &text[token.end..next.start];
                let swapped = format!("{}{between}{written}", &text[next.clone()]);
                vec![(token.start..next.end, swapped)]
            }
            None => Vec::new(),
        },
        7 => vec![(line_start..(line_end + 1).min(text.len()), String::new())],
        8 => {
            let sign = random
                .pick(&["- ", "* ", "+ ", "> ", "1. ", "2) ", "• ", "% ", "! ", "-", "+", "~ ", "| ", "– "]);
            vec![(indent..indent, sign.to_owned())]
        }
        9 => {
            let sign = random.pick(&["- ", "+", "-", "> ", "% ", "// ", "-- ", "| "]);
            vec![(line_start..line_start, sign.to_owned())]
        }
        10 => each_line(random.pick(&["- ", "* ", "+ ", "> ", "+", "-", "% ", "    "])),
        11..=12 => {
            let comma = text[token.start..].find(',').map(|at| token.start + at);
            let forms =
                [".", ". ", ",.", "., ", ";", "", " ", ",,", ", ,", " and", " &&", "\n.", ".\n", " . "];
            comma.map_or_else(Vec::new, |at| vec![(at..at + 1, random.pick(&forms).to_owned())])
        }
        13 => vec![(
            token.end..token.end,
            random.pick(&[".", ". ", " .", ",", ", ", ")", "(", "!", " %", " -", "\n"]).to_owned(),
        )],
        14..=15 => {
            let note = random.pick(&[
                " # danger(A),\n",
                " # note\n",
                " % note here\n",
                " % ",
                " // note\n",
                " /* note */ ",
                " -- note here\n",
                " % !danger(A),\n",
                " # !danger(A)\n",
                "\n",
                " % 2 ",
                " ; note here\n",
                " <!-- note -->",
                " //",
            ]);
            vec![(token.end..token.end, note.to_owned())]
        }
        16 => {
            let at = text[token.start..].find('!').map(|at| token.start + at);
            let forms = [
                "not ",
                "\\+ ",
                "~",
                "-",
                "- ",
                "! ",
                "!\n",
                "!# note\n    ",
                "not\n",
                "¬",
                "!!",
                "!(",
                "",
                "not not ",
            ];
            at.map_or_else(Vec::new, |at| vec![(at..at + 1, random.pick(&forms).to_owned())])
        }
        17 => {
            let forms = [
                (
                    " :-",
                    &[" <-", " <=", " if", " =", " :–", "", " : -", " ->", " :=", ".", " :- if", ":-:-"][..],
                ),
                (" != ", &[" <> ", " ≠ ", " ! = ", " =! ", " != != ", " not = "]),
                (" = ", &[" == ", " := ", " is ", " ", " = = "]),
                (" < ", &[" ＜ ", " <", " < -", " "]),
                (" >= ", &[" => ", " ≥ ", " > = "]),
                ("\"", &["“", "'", "", "\"\"", "”"]),
                ("(", &["（", "((", "", "[", "( ", "(,"]),
                (")", &["）", "))", "", "]", ",)", " )"]),
                (" ", &["\u{a0}", "\u{2003}", "", "\u{200b}"]),
                (
                    "fn:plus(N, 1)",
                    &[
                        "N + 1",
                        "plus(N, 1)",
                        "fn:plus(, 1)",
                        "fn:plus(N,)",
                        "N + ",
                        "+ 1",
                        "(N + 1",
                        "N 1",
                        "N+1",
                    ],
                ),
                ("fn:plus(", &["fn:plus(,", "plus(", "("]),
                ("[1, 2]", &["[1, 2", "[1 | 2]", "[1,, 2]", "[, 2]", "1, 2]"]),
                ("open()", &["open", "open(", "(open)", "not open", "true"]),
                (" |> ", &[" ", ", ", " | > ", " |> |> ", ", |> "]),
                ("do ", &["", "do do ", "let "]),
            ];
            let (from, to) = forms[random.below(forms.len())];
            let places: Vec<_> =
                text.match_indices(from).map(|(at, _)| at).filter(|at| *at >= tokens[first].start).collect();
            if places.is_empty() {
                return Vec::new();
            }
            let at = places[random.below(places.len())];
            vec![(at..at + from.len(), random.pick(to).to_owned())]
        }
        18 => vec![(token.start..token.end, format!("{written},"))],
        19 => vec![(token.end..line_end, ".".to_owned())],
        20 => vec![(line_end..(line_end + 1).min(text.len()), " ".to_owned())],
        21 => vec![(indent..indent, "    ".to_owned())],
        22 => vec![(line_start..indent, String::new())],
        23 => {
            let end = random.pick(&[".", ",", ";", "", " %", "!", "..", ".,"]);
            let last = text[..line_end].trim_end();
            let sign = last.chars().next_back().filter(|c| matches!(c, '.' | ',')).map_or(0, char::len_utf8);
            vec![(last.len() - sign..last.len(), end.to_owned())]
        }
        24 => vec![(
            token.start..token.start,
            random.pick(&["(", "!", "not ", "- ", "if ", "[", ", ", "; ", "or ", "and "]).to_owned(),
        )],
        _ => {
            let end = at + 1 + random.below(4);
            let end = tokens.get(end).map_or(text.len(), |token| token.start);
            vec![(token.start..end, String::new())]
        }
    }
}

/// Applies some of the damages to the text.
fn damaged(text: &str, damages: &[&Vec<Damage>]) -> String {
    let mut edits: Vec<&Damage> = damages.iter().copied().flatten().collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::new();
    let mut at = 0;
    for (range, new) in edits {
        if range.start >= at {
            out.push_str(&text[at..range.start]);
            out.push_str(new);
            at = range.end;
        }
    }
    out + &text[at..]
}

fn parsed(text: &str) -> Program {
    let source = SourceFile::parse(text.into()).without_tree();
    Program::new(vec![Arc::new(FileSummary::new(FileId(0), &source))])
}

/// All facts of the readable statements of a program.
fn derived(text: &str) -> Option<BTreeSet<String>> {
    let compiled = compile(&parsed(text), Reading::Intended);
    let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
    model.stopped.is_none().then(|| model.dump(&compiled).into_iter().collect())
}

/// The text after all safe fixes, and the rules of these fixes.
fn fixed(text: &str, settings: &RuleSettings) -> (String, Vec<(Group, String)>) {
    let mut text = text.to_owned();
    let mut applied = Vec::new();
    for _ in 0..MAX_PASSES {
        let found = diagnostics(&parsed(&text), settings, &FindingCache::new(Registry::of_programs()));
        let mut edits: Vec<&FileEdit> = Vec::new();
        for one in found.iter().flat_map(|(_, found)| found) {
            let Some(fix) = one.fix.as_ref().filter(|fix| fix.applicability == Applicability::Safe) else {
                continue;
            };
            let meets =
                |edit: &FileEdit| edits.iter().any(|other| other.range.intersect(edit.range).is_some());
            if !fix.edits.iter().any(meets) {
                edits.extend(&fix.edits);
                applied.push((one.rule.group, format!("{}: {}", one.rule.name, fix.title)));
            }
        }
        if edits.is_empty() {
            return (text, applied);
        }
        edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
        text = apply(&text, edits.iter().map(|edit| (edit.range, edit.text.as_str()))).unwrap();
    }
    (text, applied)
}

#[derive(Default)]
struct Tally {
    fixed: usize,
    wrong: Vec<String>,
}

fn judge(seed: u64, tally: &mut Tally) {
    let mut random = Random(seed);
    let text = program_text(&mut random);
    let count = 1 + usize::from(random.one_in(2)) + usize::from(random.one_in(6));
    let damages: Vec<_> = (0..count).map(|_| damage(&text, &mut random)).collect();
    let written = damaged(&text, &damages.iter().collect::<Vec<_>>());
    let settings = RuleSettings::default();
    let (after, applied) = fixed(&written, &settings);
    if applied.is_empty() {
        return;
    }
    tally.fixed += usize::from(applied.iter().any(|(group, _)| *group == Group::Syntax));
    let Some(got) = derived(&after) else { return };
    let mut readings = BTreeSet::new();
    for part in 0..1usize << count {
        let some: Vec<_> =
            damages.iter().enumerate().filter(|(at, _)| part >> at & 1 == 1).map(|(_, one)| one).collect();
        readings.extend(derived(&damaged(&text, &some)).unwrap_or_default());
    }
    if let Some(news) = got.difference(&readings).next() {
        tally.wrong.push(format!(
            "--- seed {seed} derives {news}\n{applied:#?}\n{}",
            changed_lines(&text, &written, &after)
        ));
    }
}

/// The lines that differ, for failure messages.
fn changed_lines(text: &str, written: &str, after: &str) -> String {
    let mut out = String::new();
    for (name, one, other) in [
        ("meant", text, written),
        ("written", written, text),
        ("written", written, after),
        ("fixed", after, written),
    ] {
        let lines: Vec<_> = other.lines().collect();
        for line in one.lines().filter(|line| !lines.contains(line)) {
            writeln!(out, "{name}: {line}").unwrap();
        }
    }
    out
}

#[test]
fn no_safe_fix_of_a_damaged_program_derives_something_new() {
    let count =
        std::env::var("MANGLE_LS_DAMAGED").ok().and_then(|count| count.parse().ok()).unwrap_or(PROGRAMS);
    let next = std::sync::atomic::AtomicU64::new(0);
    let tallies = std::sync::Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let mut tally = Tally::default();
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= count {
                        break;
                    }
                    judge(seed, &mut tally);
                }
                let mut all = tallies.lock().unwrap();
                all.fixed += tally.fixed;
                all.wrong.extend(tally.wrong);
            });
        }
    });
    let Tally { fixed, mut wrong } = tallies.into_inner().unwrap();
    wrong.sort();
    eprintln!("{count} programs, {fixed} with safe fixes, {} derive something new", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} of {fixed} programs derive something new\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        fixed * 100 >= MIN_FIXED * usize::try_from(count).unwrap(),
        "only {fixed} of {count} programs have a safe fix"
    );
}
