//! Ranges of the structure of a file: folding ranges (statements, comments, sections below banner
//! comments, tables of facts), and selection ranges (word, term, argument list, premise, body,
//! statement, statement with its comment, file).

use mangle_check::headings::{Rank, headings};
use mangle_check::lines::{are_neighbours, comment_start, is_alone, line_start};
use mangle_engine::program::{FileSummary, PredicateKey, key_of};
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::syntax::{SourceFile, Token, TokenKind};
use mangle_syntax::text::{TextRange, TextSize, size, slice, text_len};

/// Minimum number of consecutive facts of one predicate for a fold.
const TABLE: usize = 4;

/// A folding range. Starts and ends on different lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Hidden range, starting after the text that remains visible.
    pub range: TextRange,
    pub kind: FoldKind,
    /// Placeholder text, if the first line is not descriptive.
    pub summary: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// Consecutive comment lines.
    Comment,
    /// `Use` statements.
    Imports,
    /// A section, or a table of facts.
    Region,
    /// A statement, or the content of brackets.
    Code,
}

/// Returns the folds of a file, sorted by start. If several folds start on the same line, the
/// largest is kept.
#[must_use]
pub fn folds(source: &SourceFile, file: &FileSummary) -> Vec<Fold> {
    let text = source.text();
    let tokens = source.all_tokens();
    let mut folds = sections(text, &tokens, file);
    let banners: Vec<_> = headings(file).iter().map(|heading| heading.title).collect();
    let is_banner = |fold: &Fold| banners.iter().any(|title| fold.range.contains_range(*title));
    folds.extend(comments(text, &tokens).into_iter().filter(|fold| !is_banner(fold)));
    folds.extend(tables(file));
    folds.extend(imports(file));
    folds.extend(statements(file));
    folds.extend(brackets(&tokens));
    folds.retain(|fold| slice(text, fold.range).contains('\n'));
    folds.sort_by_key(|fold| (line_start(text, fold.range.start()), std::cmp::Reverse(fold.range.end())));
    folds.dedup_by_key(|fold| line_start(text, fold.range.start()));
    nested(folds)
}

/// Removes folds that partially overlap an earlier fold, because editors require nested folds. A
/// fold may end on the same line as its enclosing fold.
fn nested(folds: Vec<Fold>) -> Vec<Fold> {
    let mut ends: Vec<TextSize> = Vec::new();
    let mut kept: Vec<Fold> = Vec::new();
    for fold in folds {
        while ends.pop_if(|end| *end <= fold.range.start()).is_some() {}
        if ends.last().is_none_or(|end| fold.range.end() <= *end) {
            ends.push(fold.range.end());
            kept.push(fold);
        }
    }
    kept
}

fn code(range: TextRange) -> Fold {
    Fold { range, kind: FoldKind::Code, summary: None }
}

/// Returns folds of standalone comments on consecutive lines.
fn comments(text: &str, tokens: &[Token]) -> Vec<Fold> {
    let alone: Vec<_> = tokens
        .iter()
        .copied()
        .filter(|token| token.kind == TokenKind::Comment && is_alone(text, *token))
        .collect();
    let blocks = alone.chunk_by(|first, second| are_neighbours(text, *first, *second));
    let fold = |block: &[Token]| {
        let (first, last) = (block.first()?, block.last()?);
        let range = TextRange::new(first.range.end(), last.range.end());
        (block.len() > 1).then_some(Fold { range, kind: FoldKind::Comment, summary: None })
    };
    blocks.filter_map(fold).collect()
}

/// Returns folds from a banner to the next banner of the same or a higher rank, and from `# region`
/// to `# endregion`.
fn sections(text: &str, tokens: &[Token], file: &FileSummary) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut open: Vec<(Rank, TextSize)> = Vec::new();
    let mut regions = Vec::new();
    let end_of = |offset: TextSize| {
        let before = text.get(..usize::from(offset)).unwrap_or("").trim_end();
        text_len(before)
    };
    let fold = |start, end| Fold { range: TextRange::new(start, end), kind: FoldKind::Region, summary: None };
    for heading in headings(file) {
        while let Some((_, start)) = open.pop_if(|(rank, _)| *rank >= heading.rank) {
            folds.push(fold(start, end_of(heading.start).max(start)));
        }
        open.push((heading.rank, heading.end));
    }
    let last = end_of(text_len(text));
    folds.extend(open.into_iter().map(|(_, start)| fold(start, last.max(start))));
    for comment in tokens.iter().filter(|token| token.kind == TokenKind::Comment) {
        let words = comment.text(text).trim_start_matches('#').trim_start();
        if words.starts_with("region") {
            regions.push(comment.range.end());
        } else if words.starts_with("endregion")
            && let Some(start) = regions.pop()
        {
            folds.push(fold(start, comment.range.end()));
        }
    }
    folds
}

/// Returns folds of consecutive facts of one predicate.
fn tables(file: &FileSummary) -> Vec<Fold> {
    let runs =
        file.items.chunk_by(|first, second| fact_of(first).is_some() && fact_of(first) == fact_of(second));
    let fold = |run: &[Item]| {
        let (first, last, key) = (run.first()?, run.last()?, fact_of(run.first()?)?);
        let range = TextRange::new(first.start + first.statement.len, last.start + last.statement.len);
        let summary = Some(format!("{} facts of {key}", run.len()));
        (run.len() >= TABLE).then_some(Fold { range, kind: FoldKind::Region, summary })
    };
    runs.filter_map(fold).collect()
}

fn fact_of(item: &Item) -> Option<PredicateKey> {
    let clause = item.statement.clause()?;
    clause.is_fact().then(|| key_of(&clause.head))
}

fn imports(file: &FileSummary) -> Option<Fold> {
    let mut uses = file.items.iter().filter(|item| matches!(item.statement.kind, StatementKind::Use(_)));
    let (first, last) = (uses.next()?, uses.next_back()?);
    let range = TextRange::new(first.start + first.statement.len, last.start + last.statement.len);
    Some(Fold { range, kind: FoldKind::Imports, summary: None })
}

/// Returns a fold for each statement, starting at the end of its first line.
fn statements(file: &FileSummary) -> impl Iterator<Item = Fold> {
    file.items.iter().map(|item| {
        let text = file.statement_text(item);
        let first = text.find('\n').unwrap_or(text.len());
        let line = text.get(..first).unwrap_or("").trim_end();
        code(TextRange::new(item.start + text_len(line), item.start + item.statement.len))
    })
}

/// Returns folds of the content of brackets.
fn brackets(tokens: &[Token]) -> Vec<Fold> {
    let mut open = Vec::new();
    let mut folds = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Open => open.push(token.range.end()),
            TokenKind::Close => {
                let start = open.pop();
                folds.extend(start.map(|start| code(TextRange::new(start, token.range.start()))));
            }
            TokenKind::Dot => open.clear(),
            _ => {}
        }
    }
    folds
}

/// Returns the nested ranges around an offset, from the smallest range to the whole file.
#[must_use]
pub fn selections(source: &SourceFile, file: &FileSummary, offset: TextSize) -> Vec<TextRange> {
    let text = source.text();
    let offset = offset.min(text_len(text));
    let mut ranges = source.nodes_at(word_near(text, offset));
    ranges.extend(inside_quotes(text, &ranges));
    if let Some(item) = file.item_at(offset).and_then(|at| file.items.get(at)) {
        let statement = TextRange::at(item.start, item.statement.len);
        ranges.extend([statement, TextRange::new(comment_start(text, item.start), statement.end())]);
    }
    ranges.extend([TextRange::empty(offset), TextRange::up_to(text_len(text))]);
    ranges.sort_unstable_by_key(|range| range.len());
    let mut nested: Vec<TextRange> = Vec::new();
    for range in ranges {
        if nested.last().is_none_or(|last| range != *last && range.contains_range(*last)) {
            nested.push(range);
        }
    }
    // An empty selection is only useful in an empty file.
    if nested.len() > 1 && nested.first().is_some_and(|range| range.is_empty()) {
        nested.remove(0);
    }
    nested
}

/// Returns the offset, or the offset of the last character if the cursor is at the end of a word.
fn word_near(text: &str, offset: TextSize) -> TextSize {
    let (before, after) = text.split_at_checked(offset.into()).unwrap_or((text, ""));
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '/' | ':' | '"' | '\'' | '`');
    match before.chars().next_back() {
        Some(last) if is_word(last) && !after.starts_with(is_word) => offset - size(last.len_utf8()),
        _ => offset,
    }
}

/// Returns the contents of the strings and brackets among `ranges`.
fn inside_quotes(text: &str, ranges: &[TextRange]) -> Vec<TextRange> {
    let inside = |range: &TextRange| {
        let content = slice(text, *range);
        let (first, last) = (content.chars().next()?, content.chars().next_back()?);
        let pairs = [('"', '"'), ('\'', '\''), ('`', '`'), ('[', ']'), ('{', '}'), ('(', ')')];
        let is_pair = content.len() > 2 && pairs.contains(&(first, last));
        is_pair.then(|| TextRange::new(range.start() + size(1), range.end() - size(1)))
    };
    ranges.iter().filter_map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use mangle_syntax::text::FileId;
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let source = SourceFile::parse(text.into());
        let line = |offset: TextSize| slice(text, TextRange::up_to(offset)).matches('\n').count() + 1;
        let mut out = String::new();
        for Fold { range, kind, summary } in folds(&source, &FileSummary::new(FileId(0), &source)) {
            let _ = write!(out, "{}-{} {kind:?}", line(range.start()), line(range.end()));
            let _ = writeln!(out, " {}", summary.unwrap_or_default());
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn statements_comments_and_imports() {
        check(
            "Package a!\nUse b!\nUse c!\n# one\n# two\n\n# lone\nDecl p(X)\n  descr [\n    doc(\"x\")\n  ].\np(X) :- # why\n  q(X),\n  r([\n   X]).\ns(1).\n",
            expect![[r#"
                2-3 Imports 
                4-5 Comment 
                8-11 Code 
                9-11 Code 
                12-15 Code 
                14-15 Code 
            "#]],
        );
    }

    #[test]
    fn sections_and_tables() {
        check(
            "# =======\n# One\n# =======\n\np(1).\np(2).\n# c\np(3).\np(4).\n\n# -----\n# 1.1\n# -----\nq(1).\n\n# =======\n# Two\n# =======\nr(1).\n# region x\ns(1).\n# endregion\n\n",
            expect![[r#"
                2-14 Region 
                5-9 Region 4 facts of p/1
                12-14 Region 
                17-22 Region 
                20-22 Region 
            "#]],
        );
    }

    #[test]
    fn damage_and_crlf() {
        check(
            "p(X :-\r\n  q(,\r\n  [\r\nr(1).\r\n)\r\n",
            expect![[r#"
            1-4 Code 
        "#]],
        );
        check("", expect![""]);
    }

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check_selections(marked: &str, expect: Expect) {
        let offset = size(marked.find("$0").unwrap_or(0));
        let text = marked.replace("$0", "");
        let source = SourceFile::parse(text.as_str().into());
        let mut out = String::new();
        for range in selections(&source, &FileSummary::new(FileId(0), &source), offset) {
            let _ = writeln!(out, "{:?}", slice(&text, range));
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn from_a_word_to_the_file() {
        check_selections(
            "# c\nq(1).\n# why\n# so\np(X) :- q(X), !r([1, fn:plus(X$0, 2)]).\n",
            expect![[r##"
                "X"
                "fn:plus(X, 2)"
                "1, fn:plus(X, 2)"
                "[1, fn:plus(X, 2)]"
                "r([1, fn:plus(X, 2)])"
                "!r([1, fn:plus(X, 2)])"
                "q(X), !r([1, fn:plus(X, 2)])"
                "p(X) :- q(X), !r([1, fn:plus(X, 2)])."
                "# why\n# so\np(X) :- q(X), !r([1, fn:plus(X, 2)])."
                "# c\nq(1).\n# why\n# so\np(X) :- q(X), !r([1, fn:plus(X, 2)]).\n"
            "##]],
        );
    }

    #[test]
    fn inside_strings_and_comments() {
        check_selections(
            "p(\"a $0b\").\n",
            expect![[r#"
            "a b"
            "\"a b\""
            "p(\"a b\")"
            "p(\"a b\")."
            "p(\"a b\").\n"
        "#]],
        );
        check_selections(
            "p(1). # so$0me\n",
            expect![[r##"
            "# some"
            "p(1). # some\n"
        "##]],
        );
    }

    #[test]
    fn in_damage_and_nothing() {
        check_selections(
            "p(X :- q($0, \n",
            expect![[r#"
            ","
            "q(,"
            "p(X :- q(,"
            "p(X :- q(, \n"
        "#]],
        );
        check_selections(
            "",
            expect![[r#"
            ""
        "#]],
        );
    }

    #[test]
    fn each_range_holds_the_one_before() {
        let text = "Decl p(X) descr [doc(\"é\")].\r\np(X) :- q([{/a : X}], .\r\n# x\r\n";
        let source = SourceFile::parse(text.into());
        let file = FileSummary::new(FileId(0), &source);
        for offset in (0..=text.len() + 1).filter(|at| text.is_char_boundary(*at) || *at > text.len()) {
            let ranges = selections(&source, &file, size(offset));
            assert!(ranges.windows(2).all(|pair| pair[1].contains_range(pair[0]) && pair[0] != pair[1]));
            assert_eq!(ranges.last(), Some(&TextRange::up_to(text_len(text))));
        }
    }
}
