//! The formatter changes layout and nothing else: tried on the examples, the programs of the language suites, the bad
//! examples of all rules, the cases of the conformance suite and the public corpora, as they are and after seeded
//! mutations. Tokens and trees are compared here in another way than the formatter does it itself.

use crate::support;

use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Formatting, Style, format};
use mangle_syntax::text::slice;
use support::Random;
use support::programs::{mangle_files, mutate, programs};
use tree_sitter::{Node, Tree};

fn formatted(text: &str, style: Style) -> (String, Formatting) {
    let formatting = format(&SourceFile::parse(text.into()), style, None);
    (formatting.apply(text), formatting)
}

/// The tokens and comments of a text, in order, each with its kind; without commas that end a body, with the white
/// space of comments told by its own test.
fn tokens(text: &str, tree: &Tree) -> Vec<(String, String)> {
    fn collect<'t>(node: Node<'t>, text: &str, all: &mut Vec<(Node<'t>, String)>) {
        if node.child_count() == 0 {
            all.push((node, text[node.byte_range()].to_owned()));
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            collect(child, text, all);
        }
    }
    let mut all = Vec::new();
    collect(tree.root_node(), text, &mut all);
    let ends_body = |at: usize| {
        let next = all[at + 1..].iter().find(|(node, _)| node.kind() != "comment");
        all[at].0.kind() == "," && next.is_some_and(|(node, _)| matches!(node.kind(), "." | "|>"))
    };
    let kept = (0..all.len()).filter(|at| !ends_body(*at));
    kept.map(|at| (all[at].0.kind().to_owned(), all[at].1.clone())).collect()
}

/// The tree without tokens and comments.
fn tree(tree: &Tree) -> String {
    let shown = tree.root_node().to_sexp().replace("(comment)", "");
    shown.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
}

/// What is found, without places, and without the white space of what is quoted, which also decides where long quotes
/// are cut. That a declaration does not begin its line is what formatting corrects.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let diagnostics = support::check_all(&[text]);
    let squeezed = |message: &str| {
        let quotes = message.split('`').map(|part| if part.contains(['…', '(']) { "…" } else { part });
        quotes.collect::<String>().split_whitespace().collect::<String>()
    };
    let others = diagnostics.iter().flatten().filter(|found| found.rule.name != "decl-regex-gap");
    let mut found: Vec<_> = others.map(|found| (found.rule.name, squeezed(&found.message))).collect();
    found.sort();
    found
}

/// A comment without what the formatter may change of it.
fn bare(comment: &str) -> String {
    let comment = comment.trim_end();
    comment.strip_prefix("# ").map_or_else(|| comment.to_owned(), |rest| format!("#{rest}"))
}

/// What is wrong with how a text is formatted.
fn wrong(text: &str, style: Style) -> Vec<String> {
    let (new, formatting) = formatted(text, style);
    let mut wrong = Vec::new();
    if formatting.edits.is_empty() {
        return wrong;
    }
    if !formatting.distrusted.is_empty() {
        wrong.push("distrusts itself".to_owned());
    }
    let again = formatted(&new, style).0;
    if again != new {
        wrong.push(format!("is not done:\n{again}"));
    }
    let [old_file, new_file] = [text, &new].map(|text| SourceFile::parse(text.into()));
    let (Some(old_tree), Some(new_tree)) = (old_file.tree(), new_file.tree()) else { return wrong };
    if tree(old_tree) != tree(new_tree) {
        wrong.push("changes the tree".to_owned());
    }
    let bare = |(kind, text): (String, String)| match kind.as_str() {
        "comment" => (kind, bare(&text)),
        _ => (kind, text),
    };
    let [old_tokens, new_tokens] = [(text, old_tree), (&new, new_tree)]
        .map(|(text, tree)| tokens(text, tree).into_iter().map(bare).collect::<Vec<_>>());
    if old_tokens != new_tokens {
        wrong.push("changes tokens or moves comments".to_owned());
    }
    let mut rest = new.as_str();
    for range in &formatting.unread {
        match rest.split_once(slice(text, *range)) {
            Some((_, behind)) => rest = behind,
            None => wrong.push(format!("touches what cannot be read: {:?}", slice(text, *range))),
        }
    }
    if found(text) != found(&new) {
        let (old, new) = (found(text), found(&new));
        let only = |a: &[(&str, String)], b: &[(&str, String)]| -> Vec<String> {
            a.iter()
                .filter(|found| !b.contains(found))
                .map(|(rule, message)| format!("{rule}: {message}"))
                .collect()
        };
        wrong.push(format!("changes findings: {:?} became {:?}", only(&old, &new), only(&new, &old)));
    }
    // tree-sitter recovers otherwise where a line end has two characters.
    let crlf = |text: &str| text.replace('\n', "\r\n");
    if formatting.unread.is_empty() && text.contains('\n') && !text.contains('\r') {
        let (new_crlf, formatting) = formatted(&crlf(text), style);
        if formatting.unread.is_empty() && new_crlf != crlf(&new) {
            wrong.push("formats CRLF otherwise".to_owned());
        }
    }
    wrong.into_iter().map(|what| format!("{what}\n--- before\n{text}\n--- after\n{new}")).collect()
}

fn report(wrong: &[(String, String)], count: usize) {
    let shown: Vec<_> = wrong.iter().take(12).map(|(name, what)| format!("{name} {what}")).collect();
    assert!(wrong.is_empty(), "{} of {count} tries:\n\n{}", wrong.len(), shown.join("\n\n"));
}

fn texts() -> Vec<(String, String)> {
    let mut all: Vec<_> = programs()
        .into_iter()
        .flat_map(|(name, texts)| texts.into_iter().map(move |text| (name.clone(), text)))
        .collect();
    let cases = support::root().join("tests/conformance/cases");
    all.extend(mangle_files(&cases));
    all
}

fn style(random: &mut Random) -> Style {
    Style { indent: [2, 4, 8][random.below(3)], width: [20, 40, 60, 100][random.below(4)] }
}

#[test]
fn programs_as_they_are() {
    let texts = texts();
    assert!(texts.len() > 600, "only {} texts were found", texts.len());
    let mut all = Vec::new();
    for (index, (name, text)) in (0..).zip(&texts) {
        for style in [Style::default(), style(&mut Random(index))] {
            all.extend(wrong(text, style).into_iter().map(|what| (name.clone(), what)));
        }
    }
    report(&all, texts.len());
}

#[test]
fn programs_after_mutations() {
    let (texts, mut all, mut count) = (texts(), Vec::new(), 0);
    for (index, (name, text)) in (0..).zip(&texts) {
        for seed in 0..3 {
            let mut random = Random(index * 1_000 + seed);
            let mut mutated = vec![text.clone()];
            for _ in 0..=random.below(4) {
                mutate(&mut mutated, &mut random);
            }
            count += 1;
            let what = wrong(&mutated[0], style(&mut random));
            all.extend(what.into_iter().map(|what| (format!("{name} seed {seed}:"), what)));
        }
    }
    report(&all, count);
}

/// Line ends, blanks and comments where an author could have put them: between any two tokens.
#[test]
fn programs_after_other_layouts() {
    const GAPS: [&str; 10] =
        [" ", "\n", "\n\n\n", "\t", "  # why\n", "\n# why\n", "\n  #why\n\n", " \n ", "\u{c}", "\n\n\n\n\n"];
    let (texts, mut all) = (texts(), Vec::new());
    for (index, (name, text)) in (0..).zip(&texts) {
        let source = SourceFile::parse(text.as_str().into());
        let mut random = Random(index);
        let mut new = String::new();
        let mut end = 0;
        let clean = source.tree().filter(|tree| !tree.root_node().has_error());
        for token in clean.map(leaves).unwrap_or_default() {
            new.push_str(&text[end..token.start]);
            if random.below(4) == 0 && end > 0 {
                new.push_str(GAPS[random.below(GAPS.len())]);
            }
            new.push_str(&text[token.clone()]);
            if text[token.clone()].starts_with('#') {
                new.push('\n');
            }
            end = token.end;
        }
        let what = wrong(&new, style(&mut random));
        all.extend(what.into_iter().map(|what| (name.clone(), what)));
    }
    report(&all, texts.len());
}

/// Whatever somebody writes: pieces of the language in any order.
#[test]
fn anything_at_all() {
    const PIECES: [&str; 52] = [
        "p",
        "q(X)",
        "r(1, 2)",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ",",
        ".",
        ":-",
        "⟸",
        "!",
        "|>",
        "do ",
        "let ",
        "fn:f(X)",
        "X",
        " = ",
        "/a",
        "/a.",
        "\"s\"",
        "'",
        "`",
        "b\"x\"",
        "# c",
        "#c\n",
        "# mangle-ls: format skip\n",
        "# mangle-ls: format off\n",
        "# mangle-ls: format on\n",
        "# mangle-ls: ignore MG215\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "    ",
        "\t",
        "\u{b}",
        "\u{c}",
        "\u{a0}",
        "é",
        "🦀",
        "Decl ",
        "bound ",
        "descr ",
        "INTENT: x -> y\n",
        "@[",
        "-1",
    ];
    let mut all = Vec::new();
    let count = 3_000;
    for seed in 0..count {
        let mut random = Random(seed);
        let pieces = 1 + random.below(40);
        let text: String = (0..pieces).map(|_| PIECES[random.below(PIECES.len())]).collect();
        let what = wrong(&text, style(&mut random));
        all.extend(what.into_iter().map(|what| (format!("seed {seed} {text:?}"), what)));
    }
    report(&all, usize::try_from(count).unwrap());
}

/// Texts that are long in one way: what costs more than their length would not come to an end here.
#[test]
fn long_texts() {
    let many = |piece: &str, count: usize| piece.repeat(count);
    let texts = [
        many("p( 1 ).", 20_000),
        many("p( 1 ).", 10_000) + "# mangle-ls: format skip\n",
        many("# mangle-ls: ignore MG215\np( 1 ).\n", 20_000),
        format!("p( {} 1).\n", many("[1,2] ,", 10_000)),
        format!("p([{}\n 1]).\n", many("1 ,\n", 10_000)),
        format!("p(X) :-\n{} q(X).\n", many("# why\n", 10_000)),
        format!("p(X) :- q(X)\n|> do fn:f(),\n{} let X = fn:f().\n", many("# why\n", 4_000)),
        format!("p(X) :- {} q(X).\n", many("q( X ), ", 10_000)),
        format!("p({}1{}).\n", many("[\n", 400), many("]", 400)),
        many("p( ", 20_000),
        many("p( 1 ). # why\n", 10_000),
        many("\n", 100_000),
    ];
    for text in texts {
        let (new, formatting) = formatted(&text, Style::default());
        assert!(formatting.distrusted.is_empty());
        assert!(formatted(&new, Style::default()).1.edits.is_empty(), "{}", &text[..40]);
    }
}

/// Where the tokens and comments of a tree are.
fn leaves(tree: &Tree) -> Vec<std::ops::Range<usize>> {
    let mut all = Vec::new();
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        if node.child_count() == 0 && node.start_byte() < node.end_byte() {
            all.push(node.byte_range());
        }
        let mut cursor = node.walk();
        nodes.extend(node.children(&mut cursor));
    }
    all.sort_by_key(|range| range.start);
    all
}

/// Sums over the files of a corpus.
#[derive(Debug, Default)]
struct Figures {
    files: usize,
    changed: usize,
    lines: usize,
    changed_lines: usize,
    bytes: usize,
    written: usize,
    comments: usize,
    moved: usize,
    idempotent: usize,
    trees: usize,
    unread: usize,
    wrong: Vec<(String, String)>,
}

impl Figures {
    fn add(&mut self, name: &str, text: &str) {
        let (new, formatting) = formatted(text, Style::default());
        let [old_file, new_file] = [text, &new].map(|text| SourceFile::parse(text.into()));
        let (old_tree, new_tree) = (old_file.tree().unwrap(), new_file.tree().unwrap());
        let old = comments(text, old_tree);
        let moved = old.iter().zip(comments(&new, new_tree)).filter(|(old, new)| *old != new).count();
        self.files += 1;
        self.changed += usize::from(new != text);
        self.lines += text.lines().count();
        self.changed_lines += changed_lines(text, &new);
        self.bytes += text.len();
        self.written += formatting.edits.iter().map(|edit| edit.text().len()).sum::<usize>();
        self.comments += old.len();
        self.moved += moved + old.len().abs_diff(comments(&new, new_tree).len());
        self.idempotent += usize::from(formatted(&new, Style::default()).0 == new);
        self.trees += usize::from(tree(old_tree) != tree(new_tree));
        self.unread += formatting.unread.len();
        self.wrong.extend(wrong(text, Style::default()).into_iter().map(|what| (name.to_owned(), what)));
    }

    fn print(&self, what: &str) {
        let Self { files, changed, lines, changed_lines, bytes, written, .. } = self;
        let Self { comments, moved, idempotent, trees, unread, .. } = self;
        eprintln!("formatting {what}: {files} files, {lines} lines, {bytes} bytes");
        eprintln!("  {idempotent} idempotent, {trees} trees changed, {moved} of {comments} comments moved");
        eprintln!(
            "  {changed} files, {changed_lines} lines changed; {written} bytes written; {unread} places unread"
        );
    }
}

/// Each comment with the tokens around it.
fn comments(text: &str, tree: &Tree) -> Vec<[String; 3]> {
    let tokens = tokens(text, tree);
    let code = |(kind, text): &(String, String)| (kind != "comment").then(|| text.clone());
    let one = |(at, (kind, comment)): (usize, &(String, String))| {
        let before = tokens[..at].iter().rev().find_map(code).unwrap_or_default();
        let behind = tokens[at..].iter().find_map(code).unwrap_or_default();
        (kind == "comment").then(|| [before, bare(comment), behind])
    };
    tokens.iter().enumerate().filter_map(one).collect()
}

/// How many lines of a text are not in the other one, in order.
fn changed_lines(old: &str, new: &str) -> usize {
    let diff = similar::TextDiff::from_lines(old, new);
    diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Delete).count()
}

/// Formatting all files of a corpus twice changes nothing more, keeps the trees and moves no comment.
#[track_caller]
fn check_corpus(what: &str, files: &[(String, String)]) {
    assert!(!files.is_empty(), "{what} has no Mangle files");
    let mut figures = Figures::default();
    for (name, text) in files {
        figures.add(name, text);
    }
    figures.print(what);
    report(&figures.wrong, files.len());
    assert_eq!((figures.idempotent, figures.trees, figures.moved), (figures.files, 0, 0));
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn the_corpus() {
    check_corpus("codeNERD", &mangle_files(&support::corpus().unwrap()));
}

#[test]
#[ignore = "needs MANGLE_LS_REFERENCE"]
fn the_files_of_the_engine() {
    check_corpus("the engine's own files", &support::reference_files());
}

/// What is found in the program of the corpus is the same when all of its files are formatted.
#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn the_findings_of_the_corpus() {
    let texts = support::corpus_texts();
    let formatted: Vec<_> = texts.iter().map(|text| formatted(text, Style::default()).0).collect();
    let found = |found: Vec<Vec<mangle_syntax::lint::Diagnostic>>| -> Vec<Vec<&'static str>> {
        found.iter().map(|file| file.iter().map(|found| found.rule.name).collect()).collect()
    };
    assert_eq!(found(support::check_all(&texts)), found(support::check_all(&formatted)));
}
