//! Selection ranges for expanding a selection: word, term, argument list, premise, body, statement,
//! statement with its comment, file.

use mangle_check::lines::comment_start;
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextRange, TextSize, size, slice, text_len};

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
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use mangle_syntax::text::FileId;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(marked: &str, expect: Expect) {
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
        check(
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
        check(
            "p(\"a $0b\").\n",
            expect![[r#"
            "a b"
            "\"a b\""
            "p(\"a b\")"
            "p(\"a b\")."
            "p(\"a b\").\n"
        "#]],
        );
        check(
            "p(1). # so$0me\n",
            expect![[r##"
            "# some"
            "p(1). # some\n"
        "##]],
        );
    }

    #[test]
    fn in_damage_and_nothing() {
        check(
            "p(X :- q($0, \n",
            expect![[r#"
            ","
            "q(,"
            "p(X :- q(,"
            "p(X :- q(, \n"
        "#]],
        );
        check(
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
