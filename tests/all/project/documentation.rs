//! The pages of the repository lead to files that are there, and to headings that these have.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The root folder of the repository.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The guides: what is written for users, by hand. The pages of rules are generated.
pub(super) fn guides() -> Vec<PathBuf> {
    let is_readme = |path: &PathBuf| path.ends_with("README.md");
    let is_rule = |path: &PathBuf| path.starts_with(root().join("docs/rules"));
    let mut guides = vec![root().join("README.md")];
    guides.extend(pages(&root().join("docs")).into_iter().filter(|path| !is_rule(path)));
    for folder in ["examples", "editors"] {
        guides.extend(pages(&root().join(folder)).into_iter().filter(is_readme));
    }
    guides.sort();
    assert!(guides.len() > 30, "only {} guides were found", guides.len());
    guides
}

/// Folders in which nothing of ours lies.
const OTHERS: [&str; 3] = ["target", "node_modules", "dist"];

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !OTHERS.contains(&name.as_str()) {
            pages.extend(self::pages(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
    pages
}

/// A page without code, in which brackets are no links and signs no headings.
pub(super) fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let fences = Regex::new(r"(?ms)^ *```.*?^ *```").unwrap();
    fences.replace_all(&text, "").into_owned()
}

/// The fragments by which the headings of a page are reached.
fn headings(path: &Path) -> Vec<String> {
    let is_kept = |char: &char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_');
    let headings = prose(path);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    headings.map(|heading| heading.chars().filter(is_kept).collect::<String>().replace(' ', "-")).collect()
}

/// What is wrong with a link of a page, if anything.
fn problem(page: &Path, link: &str) -> Option<&'static str> {
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_path_buf() } else { page.parent().unwrap().join(file) };
    if !target.exists() {
        return Some("there is no such file");
    }
    let is_there = fragment.is_empty() || headings(&target).iter().any(|heading| heading == fragment);
    (!is_there).then_some("there is no such heading")
}

#[test]
fn every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let code = Regex::new(r"`[^`\n]*`").unwrap();
    let (mut looked_at, mut problems) = (0, Vec::new());
    for page in pages(root()) {
        for found in link.captures_iter(&code.replace_all(&prose(&page), "")) {
            let link = &found[1];
            if link.contains("://") || link.starts_with("command:") {
                continue;
            }
            looked_at += 1;
            let said = problem(&page, link).map(|why| format!("{}: {link}: {why}", page.display()));
            problems.extend(said);
        }
    }
    assert!(looked_at > 100, "only {looked_at} links");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_page_is_a_chapter_of_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let folder = root().join("docs");
    let pages = pages(&folder).into_iter().map(|page| page.strip_prefix(&folder).unwrap().to_path_buf());
    let missing: Vec<_> = pages
        .filter(|page| page != Path::new("SUMMARY.md"))
        .filter(|page| !summary.contains(&format!("({})", page.to_string_lossy().replace('\\', "/"))))
        .collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}

/// The cells of the table rows of a page; `\|` is a bar inside a cell.
fn rows(page: &str) -> Vec<Vec<String>> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.map(|row| row.split(" | ").map(|cell| cell.replace("\\|", "|")).collect());
    rows.collect()
}

#[test]
fn clauses_for_authors_of_other_languages_parse() {
    let page = fs::read_to_string(root().join("docs/coming-from.md")).unwrap();
    let clause = Regex::new(r"`([^`]+\.)`").unwrap();
    let mut count = 0;
    for row in rows(&page) {
        for found in clause.captures_iter(row.last().unwrap()) {
            let file = mangle_syntax::syntax::SourceFile::parse(found[1].into());
            assert!(file.findings().is_empty(), "{}: {:?}", &found[1], file.findings());
            assert!(!file.items().is_empty(), "{}", &found[1]);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} clauses were found");
}
