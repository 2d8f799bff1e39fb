//! Checks the built book: links lead to files and headings of it, and nothing is loaded from elsewhere. The links of the sources are
//! checked by the test `project::documentation`; this is about what mdBook and `preprocess` made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// Hosts from which pages of the web load scripts and fonts.
const NETWORKS: [&str; 6] =
    ["cdnjs.", "jsdelivr.net", "unpkg.com", "googleapis.com", "gstatic.com", "cdn.mathjax.org"];

/// Attributes of elements that a browser loads when it shows the page.
const LOADED: [&str; 4] =
    ["<script src=\"", "<link rel=\"stylesheet\" href=\"", "<img src=\"", "<iframe src=\""];

/// What is in a built book.
pub(super) struct Book {
    /// How many chapters it has.
    pub(super) pages: usize,
    /// How many words their texts have, code included.
    pub(super) words: usize,
    /// How many links to places of the book were followed.
    pub(super) links: usize,
    /// What is wrong, a line each.
    pub(super) problems: Vec<String>,
}

impl Book {
    /// Reads the book in a folder.
    pub(super) fn read(folder: &Path) -> Result<Book> {
        let mut files = BTreeMap::new();
        collect(folder, &mut files)?;
        let mut book = Book { pages: 0, words: 0, links: 0, problems: Vec::new() };
        let is_chapter = |path: &Path| !["404.html", "toc.html"].iter().any(|name| path.ends_with(name));
        let mut ids = BTreeMap::new();
        for (path, text) in files.iter().filter(|(path, _)| is_html(path)) {
            ids.insert(path.as_path(), attributes(text, " id=\"").collect::<BTreeSet<_>>());
        }
        for (path, text) in &files {
            let name = path.strip_prefix(folder).unwrap_or(path).display();
            book.problems.extend(foreign(text).map(|what| format!("{name}: loads from {what}")));
            if !is_html(path) || !is_chapter(path) {
                continue;
            }
            book.pages += 1;
            book.words += words(text);
            for link in attributes(text, "href=\"").chain(attributes(text, "src=\"")) {
                if link.contains("://") || link.starts_with("mailto:") {
                    continue;
                }
                book.links += 1;
                if let Some(problem) = problem(path, link, &ids) {
                    book.problems.push(format!("{name}: {link}: {problem}"));
                }
            }
        }
        Ok(book)
    }
}

/// The text files of the book.
fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "html" || end == "css" || end == "js") {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.insert(path, text);
        }
    }
    Ok(())
}

fn is_html(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "html")
}

/// The values of an attribute.
fn attributes<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(start).skip(1).filter_map(|rest| rest.split('"').next())
}

/// What a file would load from another host.
fn foreign(text: &str) -> impl Iterator<Item = &str> {
    let networks = NETWORKS.into_iter().filter(|network| text.contains(network));
    let loaded = LOADED.into_iter().flat_map(|start| attributes(text, start));
    networks.chain(loaded.filter(|address| address.contains("//")))
}

/// What is wrong with a link of a page, if anything.
fn problem(page: &Path, link: &str, ids: &BTreeMap<&Path, BTreeSet<&str>>) -> Option<&'static str> {
    // It is its own content.
    if link.starts_with("data:") {
        return None;
    }
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target =
        if file.is_empty() { page.to_path_buf() } else { plain(&page.with_file_name("").join(file)) };
    if !target.is_file() {
        return Some("there is no such file");
    }
    // The content of the playground.
    let is_there = fragment.is_empty()
        || fragment.starts_with("p=")
        || ids.get(target.as_path()).is_some_and(|ids| ids.contains(fragment));
    (!is_there).then_some("there is no such heading")
}

/// A path without `.` and `..`.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

/// How many words the text of a chapter has.
fn words(page: &str) -> usize {
    let text = page.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>"));
    let mut outside = String::new();
    for (at, piece) in text.map_or("", |(text, _)| text).split('<').enumerate() {
        outside.push_str(if at == 0 { piece } else { piece.split_once('>').map_or("", |(_, text)| text) });
        outside.push(' ');
    }
    outside.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_and_foreign_scripts_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let page = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        page("a.html", "<main><h1 id=\"top\">Two <i>words</i></h1><a href=\"b.html#x\">good</a></main>");
        page("b.html", "<main><h1 id=\"x\"></h1><a href=\"c.html\"></a><a href=\"a.html#gone\"></a></main>");
        page("d.js", "load('https://unpkg.com/x')");
        let book = Book::read(folder.path()).unwrap();
        assert_eq!((book.pages, book.words, book.links), (2, 3, 3));
        let wanted = [
            "b.html: c.html: there is no such file",
            "b.html: a.html#gone: there is no such heading",
            "d.js: loads from unpkg.com",
        ];
        assert_eq!(book.problems, wanted);
    }
}
