//! Seeded samples for the tests, the bench and `cargo xtask damage`: texts, damage, edits.
//! Everything here is deterministic: the same seed gives the same cases on every machine.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each user takes a part of it

pub mod damage;
pub mod edits;
mod made;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tree_sitter::{Node, Parser, Tree};

/// A source text and where it comes from.
pub struct Text {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Our own texts, full of strings with several lines: three written by hand, one made.
pub fn built_in() -> Vec<Text> {
    let mut texts = written();
    texts.push(made(400, 7));
    texts
}

/// A made program; the same seed gives the same text.
pub fn made(statements: usize, seed: u64) -> Text {
    Text { name: "made.mg".to_owned(), bytes: made::program(statements, seed).into_bytes() }
}

/// The texts below `test/samples`.
pub fn written() -> Vec<Text> {
    [
        ("prompts.mg", include_str!("../../test/samples/prompts.mg")),
        ("manual.mg", include_str!("../../test/samples/manual.mg")),
        ("notices.gl", include_str!("../../test/samples/notices.gl")),
    ]
    .map(|(name, text)| Text { name: name.to_owned(), bytes: text.as_bytes().to_vec() })
    .into()
}

/// The files of a public program below `folder`: those of its kernel where the description of the
/// corpus names them, else every `.mg` and `.gl` file, in the order of their names.
pub fn corpus(folder: &Path) -> io::Result<Vec<Text>> {
    let mut paths: Vec<PathBuf> = kernel_files().map(|name| folder.join(name)).collect();
    if !paths.iter().all(|path| path.is_file()) {
        paths.clear();
        collect(folder, &mut paths)?;
    }
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            Ok(Text { name, bytes: fs::read(path)? })
        })
        .collect()
}

/// The corpus that `MANGLE_LS_CORPUS` names; says so, loudly, when it names none.
pub fn corpus_of_environment() -> Vec<Text> {
    let Some(folder) = std::env::var_os("MANGLE_LS_CORPUS") else {
        eprintln!("SKIPPED: MANGLE_LS_CORPUS names no folder, so only built-in texts are tried");
        return Vec::new();
    };
    corpus(Path::new(&folder)).unwrap()
}

/// The file names in the description of the corpus; read without a JSON library, which this package
/// has no other use for.
fn kernel_files() -> impl Iterator<Item = &'static str> {
    let json = include_str!("../../../tests/corpora/codenerd.json");
    let list = json.split("\"kernel_files_in_order\"").nth(1).unwrap_or("");
    let list = list.split(']').next().unwrap_or("");
    list.split('"').filter(|part| part.ends_with(".mg") || part.ends_with(".gl"))
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if matches!(path.extension().and_then(OsStr::to_str), Some("mg" | "gl")) {
            found.push(path);
        }
    }
    Ok(())
}

/// A parser for Mangle.
pub fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_mangle::LANGUAGE.into()).unwrap();
    parser
}

/// Calls `visit` for every node below and including `root`, a parent before its children; it says
/// whether the children are wanted too.
pub fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Does this node stand for damage?
pub fn is_damage(node: Node<'_>) -> bool {
    node.is_error()
        || node.is_missing()
        || node.kind().starts_with("missing_")
        || node.kind() == "stray_rparen"
}

/// The first place in which two trees differ, as text; nothing when they are equal.
pub fn difference(a: &Tree, b: &Tree) -> Option<String> {
    let (mut left, mut right) = (a.walk(), b.walk());
    loop {
        let (x, y) = (left.node(), right.node());
        let show = |n: Node<'_>| format!("{} {:?}", n.kind(), n.byte_range());
        let same = x.kind_id() == y.kind_id()
            && x.byte_range() == y.byte_range()
            && x.range() == y.range()
            && x.is_missing() == y.is_missing()
            && x.is_extra() == y.is_extra()
            && left.field_id() == right.field_id()
            && x.child_count() == y.child_count();
        if !same {
            return Some(format!(
                "{} ({} children) is not {} ({} children)",
                show(x),
                x.child_count(),
                show(y),
                y.child_count()
            ));
        }
        if left.goto_first_child() {
            right.goto_first_child();
            continue;
        }
        while !left.goto_next_sibling() {
            if !left.goto_parent() {
                return None;
            }
            right.goto_parent();
        }
        right.goto_next_sibling();
    }
}

/// A small random number generator (SplitMix64).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
