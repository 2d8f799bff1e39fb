//! Every query is valid for the grammar, and the colours of `test/highlight` are as its carets say.

use std::fs;
use std::path::Path;

use tree_sitter::{Language, Parser, Point, Query, QueryCursor, StreamingIterator, Tree};
use tree_sitter_mangle as mangle;

const QUERIES: [(&str, &str); 7] = [
    ("highlights", mangle::HIGHLIGHTS_QUERY),
    ("locals", mangle::LOCALS_QUERY),
    ("injections", mangle::INJECTIONS_QUERY),
    ("folds", mangle::FOLDS_QUERY),
    ("indents", mangle::INDENTS_QUERY),
    ("tags", mangle::TAGS_QUERY),
    ("textobjects", mangle::TEXTOBJECTS_QUERY),
];

fn language() -> Language {
    mangle::LANGUAGE.into()
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&language()).unwrap();
    parser.parse(text, None).unwrap()
}

/// A text in which every query finds something.
const SAMPLE: &str = include_str!("../test/highlight/all.mg");

#[test]
fn queries_are_valid_and_find_something() {
    let tree = parse(SAMPLE);
    for (name, source) in QUERIES {
        let query = Query::new(&language(), source).unwrap_or_else(|error| panic!("{name}.scm: {error}"));
        let mut cursor = QueryCursor::new();
        let mut seen = vec![false; query.pattern_count()];
        let mut matches = cursor.matches(&query, tree.root_node(), SAMPLE.as_bytes());
        while let Some(found) = matches.next() {
            seen[found.pattern_index] = true;
        }
        let unused: Vec<&str> = (0..seen.len())
            .filter(|pattern| !seen[*pattern])
            .map(|pattern| {
                &source[query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern)]
            })
            .collect();
        assert!(unused.is_empty(), "{name}.scm: these match nothing\n{}", unused.join("\n"));
    }
}

#[test]
fn queries_of_the_folder_are_all_exported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut exported = QUERIES.map(|(name, _)| name.to_owned());
    exported.sort();
    assert_eq!(files, exported);
}

/// `# <- name` points at its own column in the code line above, `#  ^ name` at the caret's.
fn assertions(text: &str) -> Vec<(Point, &str)> {
    let mut found = Vec::new();
    let mut code_row = 0;
    for (row, line) in text.lines().enumerate() {
        let column = match line.strip_prefix('#') {
            Some(rest) if rest.trim_start().starts_with("<-") => Some(0),
            Some(rest) if rest.trim_start().starts_with('^') => line.find('^'),
            _ => None,
        };
        match column {
            Some(column) => {
                // Columns of an assertion count characters; those of the tree count bytes.
                let code = text.lines().nth(code_row).unwrap_or("");
                let bytes = code.char_indices().nth(column).map_or(code.len(), |(at, _)| at);
                let name = line.trim_start_matches(['#', ' ', '<', '-', '^']).trim();
                found.push((Point::new(code_row, bytes), name));
            }
            None => code_row = row,
        }
    }
    found
}

#[test]
fn colours_are_as_pointed_at() {
    let tree = parse(SAMPLE);
    let query = Query::new(&language(), mangle::HIGHLIGHTS_QUERY).unwrap();
    let assertions = assertions(SAMPLE);
    assert!(assertions.len() > 50);
    let mut wrong = Vec::new();
    for (point, name) in assertions {
        let mut captures: Vec<&str> = Vec::new();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&query, tree.root_node(), SAMPLE.as_bytes());
        while let Some(found) = matches.next() {
            for capture in found.captures() {
                let node = capture.node;
                if node.start_position() <= point && point < node.end_position() {
                    captures.push(query.capture_names()[capture.index as usize]);
                }
            }
        }
        if captures != [name] {
            wrong.push(format!("line {} byte {}: {captures:?}, not {name}", point.row + 1, point.column));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
