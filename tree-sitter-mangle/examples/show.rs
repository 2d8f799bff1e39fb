//! Prints the tree of the files that are named, or of standard input: a tool for work on the grammar.

use std::io::Read;

#[allow(clippy::print_stdout, clippy::unwrap_used)]
fn main() {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_mangle::LANGUAGE.into()).unwrap();
    let mut text = Vec::new();
    match std::env::args().nth(1) {
        Some(path) => text = std::fs::read(path).unwrap(),
        None => {
            std::io::stdin().read_to_end(&mut text).unwrap();
        }
    }
    let tree = parser.parse(&text, None).unwrap();
    show(tree.root_node(), &text, None, 0);
}

#[allow(clippy::print_stdout)]
fn show(node: tree_sitter::Node<'_>, text: &[u8], field: Option<&str>, depth: usize) {
    if !node.is_named() && !node.is_error() && !node.is_missing() {
        return;
    }
    let mut line = "  ".repeat(depth);
    if let Some(field) = field {
        line += &format!("{field}: ");
    }
    line += &format!("{} {}..{}", node.kind(), node.start_byte(), node.end_byte());
    if node.is_missing() {
        line += " MISSING";
    }
    if node.named_child_count() == 0 {
        line += &format!(" {:?}", String::from_utf8_lossy(&text[node.byte_range()]));
    }
    println!("{line}");
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            show(cursor.node(), text, cursor.field_name(), depth + 1);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
