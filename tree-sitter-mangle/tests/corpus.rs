//! The cases of `test/corpus`, in tree-sitter's own format, without tree-sitter's command line.
//! `UPDATE_EXPECT=1` writes what the parser gives into the files; read the difference before you keep it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tree_sitter::{Node, Parser, TreeCursor};

struct Case {
    name: String,
    source: String,
    expected: String,
}

#[test]
fn trees_are_as_written() {
    let update = env::var_os("UPDATE_EXPECT").is_some();
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_mangle::LANGUAGE.into()).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files() {
        let cases = read(&fs::read_to_string(&path).unwrap());
        assert!(!cases.is_empty(), "{} holds no case", path.display());
        let mut text = String::new();
        for case in &cases {
            let tree = parser.parse(&case.source, None).unwrap();
            let mut actual = String::new();
            print(&mut tree.walk(), 0, &mut actual);
            if words(&actual) != words(&case.expected) {
                wrong.push(format!("{}: {}\n{}\n{actual}", path.display(), case.name, case.source));
            }
            write_case(&mut text, case, &actual);
            count += 1;
        }
        if update {
            fs::write(&path, text).unwrap();
        }
    }
    assert!(update || wrong.is_empty(), "{} of {count} differ\n\n{}", wrong.len(), wrong.join("\n\n"));
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// `====`, name, `====`, source, `---`, tree; over and over.
fn read(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if !is_bar(line) {
            continue;
        }
        let name = lines.next().unwrap_or("").to_owned();
        assert!(lines.next().is_some_and(is_bar), "the name {name} has no second bar");
        let mut source = Vec::new();
        while let Some(line) = lines.next_if(|line| *line != "---") {
            source.push(line);
        }
        lines.next();
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !is_bar(line)) {
            expected.push(line);
        }
        cases.push(Case { name, source: source.join("\n"), expected: expected.join("\n") });
    }
    cases
}

fn is_bar(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == b'=')
}

fn write_case(out: &mut String, case: &Case, tree: &str) {
    let bar = "=".repeat(case.name.chars().count().max(18));
    let _ = write!(out, "{bar}\n{}\n{bar}\n{}\n---\n\n{tree}\n\n", case.name, case.source);
}

/// Named nodes with their fields, one a line, as tree-sitter's command line prints them.
fn print(cursor: &mut TreeCursor<'_>, depth: usize, out: &mut String) {
    let node = cursor.node();
    if depth > 0 {
        let _ = write!(out, "\n{}", "  ".repeat(depth));
    }
    if let Some(field) = cursor.field_name() {
        let _ = write!(out, "{field}: ");
    }
    let _ = write!(out, "({}", label(node));
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.is_named() || child.is_missing() {
                print(cursor, depth + 1, out);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
    out.push(')');
}

fn label(node: Node<'_>) -> String {
    if node.is_missing() { format!("MISSING {:?}", node.kind()) } else { node.kind().to_owned() }
}

fn words(tree: &str) -> Vec<&str> {
    tree.split_whitespace().collect()
}
