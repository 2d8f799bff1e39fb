//! The queries fit the grammar, and colours are where `test/highlight` says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

#[test]
fn every_query_fits_the_grammar() -> Result<()> {
    let language = Language::from(tree_sitter_mangle::LANGUAGE);
    let queries = [
        tree_sitter_mangle::HIGHLIGHTS_QUERY,
        tree_sitter_mangle::LOCALS_QUERY,
        tree_sitter_mangle::INJECTIONS_QUERY,
        tree_sitter_mangle::FOLDS_QUERY,
        tree_sitter_mangle::INDENTS_QUERY,
        tree_sitter_mangle::TAGS_QUERY,
        tree_sitter_mangle::TEXTOBJECTS_QUERY,
    ];
    for query in queries {
        let query = Query::new(&language, query)?;
        ensure!(query.pattern_count() > 0, "an empty query");
    }
    Ok(())
}

#[test]
fn highlights_are_where_the_carets_stand() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/highlight");
    let mut checked = 0;
    for entry in fs::read_dir(folder)? {
        checked += check_file(&fs::read_to_string(entry?.path())?)?;
    }
    ensure!(checked > 20, "only {checked} assertions");
    Ok(())
}

/// Checks the assertions of a file and counts them.
fn check_file(text: &str) -> Result<usize> {
    let language = Language::from(tree_sitter_mangle::LANGUAGE);
    let query = Query::new(&language, tree_sitter_mangle::HIGHLIGHTS_QUERY)?;
    let mut parser = Parser::new();
    parser.set_language(&language)?;
    let tree = parser.parse(text, None).context("no tree")?;
    let mut checked = 0;
    let mut code_line = 0;
    for (line, number) in text.lines().zip(0..) {
        let Some((column, wanted)) = assertion(line) else {
            if !line.starts_with('#') {
                code_line = number;
            }
            continue;
        };
        let found = capture_at(&query, tree.root_node(), text, code_line, column);
        ensure!(found == Some(wanted), "line {}: {wanted} wanted, {found:?} found", number + 1);
        checked += 1;
    }
    Ok(checked)
}

/// `#   ^ name` and `# <- name`: the column and the name.
fn assertion(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix('#')?;
    if let Some(name) = rest.trim_start().strip_prefix("<-") {
        return Some((0, name.trim()));
    }
    let (before, name) = rest.split_once('^')?;
    before.trim().is_empty().then(|| (before.len() + 1, name.trim()))
}

/// The capture of the last pattern that matches the smallest node at this place.
fn capture_at<'q>(
    query: &'q Query,
    root: tree_sitter::Node<'_>,
    text: &str,
    line: usize,
    column: usize,
) -> Option<&'q str> {
    let point = tree_sitter::Point::new(line, column);
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(query, root, text.as_bytes());
    let mut best: Option<(usize, usize, &str)> = None;
    while let Some((matched, index)) = captures.next() {
        let Some(capture) = matched.captures().get(*index) else { continue };
        let node = capture.node;
        if node.start_position() <= point && point < node.end_position() {
            let key = (usize::MAX - node.byte_range().len(), matched.pattern_index);
            let name = query.capture_names()[capture.index as usize];
            if best.is_none_or(|(size, pattern, _)| (size, pattern) <= key) {
                best = Some((key.0, key.1, name));
            }
        }
    }
    best.map(|(_, _, name)| name)
}
