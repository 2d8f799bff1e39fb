//! The queries of `tree-sitter-mangle` in the words of editors that call captures otherwise. Neovim takes them as they are.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// An editor, its folder, the queries that it has of ours, and what it calls captures that it has another name for.
struct Dialect {
    folder: &'static str,
    queries: &'static [&'static str],
    names: &'static [(&'static str, &'static str)],
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        folder: "editors/helix/queries/mangle",
        queries: &["highlights", "injections", "locals", "indents", "textobjects"],
        names: &[
            ("module", "namespace"),
            ("keyword.import", "keyword.control.import"),
            ("boolean", "constant.builtin.boolean"),
            ("number", "constant.numeric"),
            ("number.float", "constant.numeric.float"),
            ("property", "variable.other.member"),
            ("function.call", "function"),
            ("function.inner", "function.inside"),
            ("function.outer", "function.around"),
            ("class.inner", "class.inside"),
            ("class.outer", "class.around"),
            ("parameter.inner", "parameter.inside"),
            ("parameter.outer", "parameter.around"),
            ("comment.inner", "comment.inside"),
            ("comment.outer", "comment.around"),
        ],
    },
    Dialect {
        folder: "editors/zed/languages/mangle",
        queries: &["highlights", "injections"],
        names: &[("module", "namespace"), ("variable.builtin", "variable.special")],
    },
];

/// The files, from the root, and their texts.
pub(crate) fn generated(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for dialect in DIALECTS {
        for name in dialect.queries {
            let source = format!("tree-sitter-mangle/queries/{name}.scm");
            let text = std::fs::read_to_string(root.join(&source)).unwrap().replace("\r\n", "\n");
            let head = format!("; Generated from {source} by `cargo xtask generate`.\n\n");
            let path = Path::new(dialect.folder).join(format!("{name}.scm"));
            files.push((path, head + &renamed(&text, dialect.names)));
        }
    }
    files
}

/// The text with other names for its captures, outside of comments.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    text.split_inclusive('\n')
        .map(|line| if line.starts_with(';') { line.to_owned() } else { renamed_in(line, names) })
        .collect()
}

fn renamed_in(line: &str, names: &[(&str, &str)]) -> String {
    let mut parts = line.split('@');
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|char: char| !char.is_ascii_alphanumeric() && !"._-".contains(char))
            .unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let other = names.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| theirs);
        new.extend(["@", other, rest]);
    }
    new
}
