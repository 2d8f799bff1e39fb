//! The preprocessor of mdBook: a place in the book for pages outside of `docs`, and links that lead there.
//!
//! A chapter of `SUMMARY.md` such as `../examples/habits/README.md` goes to `repository/examples/habits/README.md`. A link to a page of the
//! book leads to its chapter; one to a file that is no page of it, such as a source file, becomes plain text.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::check::plain;

/// The variable that is set where the book gets the playground.
pub(super) const WITH_PLAYGROUND: &str = "MANGLE_LS_BOOK_WITH_PLAYGROUND";

/// Where pages outside of `docs` are in the book.
const OUTSIDE: &str = "repository";

/// The arguments that mdBook gives: none, or `supports RENDERER`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// What mdBook asks
    arguments: Vec<String>,
}

/// Answers mdBook: reads `[context, book]` and writes the book.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if options.arguments.first().is_some_and(|argument| argument == "supports") {
        return Ok(ExitCode::SUCCESS); // Every renderer can have these links.
    }
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).context("cannot read the book")?;
    let (_, mut book): (Value, Value) = serde_json::from_str(&input).context("this is no book of mdBook")?;
    let items = book.get_mut("items").context("the book has no items")?;
    let mut places = BTreeMap::new();
    each_chapter(items, &mut |chapter| {
        if let Some(source) = source(chapter) {
            places.insert(source.clone(), place(&source));
        }
    });
    let pages = Pages { root: &crate::root(), places, projects: projects()? };
    each_chapter(items, &mut |chapter| pages.rewrite(chapter));
    println!("{book}");
    Ok(ExitCode::SUCCESS)
}

/// Calls `act` with each chapter.
fn each_chapter(items: &mut Value, act: &mut impl FnMut(&mut Value)) {
    for item in items.as_array_mut().into_iter().flatten() {
        if let Some(chapter) = item.get_mut("Chapter") {
            act(chapter);
            if let Some(inner) = chapter.get_mut("sub_items") {
                each_chapter(inner, act);
            }
        }
    }
}

/// The file of a chapter, from the root of the repository; a chapter without a page has none.
fn source(chapter: &Value) -> Option<PathBuf> {
    Some(plain(&Path::new("docs").join(chapter.get("source_path")?.as_str()?)))
}

/// The file of the book for a page, with the name that mdBook makes HTML of.
fn place(source: &Path) -> PathBuf {
    let place = match source.strip_prefix("docs") {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => Path::new(OUTSIDE).join(source),
    };
    if place.ends_with("README.md") { place.with_file_name("index.md") } else { place }
}

/// All pages of the book.
struct Pages<'r> {
    root: &'r Path,
    /// Where each page is in the book, by its path in the repository.
    places: BTreeMap<PathBuf, PathBuf>,
    /// The projects of the playground for rules, by name, with their codes.
    projects: Value,
}

/// Reads `playground/web/rules.json`, unless the book has no playground.
fn projects() -> Result<Value> {
    if std::env::var_os(WITH_PLAYGROUND).is_none() {
        return Ok(Value::Null);
    }
    let path = crate::root().join("playground/web/rules.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).context("playground/web/rules.json is no JSON")
}

impl Pages<'_> {
    /// Gives a chapter its place, and its links.
    fn rewrite(&self, chapter: &mut Value) {
        let Some(source) = source(chapter) else { return };
        let content = chapter.get("content").and_then(Value::as_str).unwrap_or_default();
        let content = with_links(content, |link| self.link(&source, link));
        let content = self.with_trial(&source, content);
        if let Some(chapter) = chapter.as_object_mut() {
            chapter.insert("content".into(), content.into());
            chapter.insert("path".into(), place(&source).to_string_lossy().replace('\\', "/").into());
        }
    }

    /// The page of a rule with a link below its example, which opens the example in the playground.
    fn with_trial(&self, source: &Path, content: String) -> String {
        let name =
            source.strip_prefix("docs/rules").ok().and_then(Path::file_stem).and_then(|name| name.to_str());
        let project = name
            .and_then(|name| self.projects.get(name)?.get("project"))
            .filter(|project| project.is_object());
        let Some((project, (before, after))) = project.zip(content.split_once("\n## Instead\n")) else {
            return content;
        };
        let address = format!("../playground/index.html#p={}", URL_SAFE_NO_PAD.encode(project.to_string()));
        format!("{before}\n<a href=\"{address}\">Try it</a> in the playground.\n\n## Instead\n{after}")
    }

    /// Where a link of a page leads in the book; `None` if its target has no place there.
    fn link(&self, source: &Path, link: &str) -> Option<String> {
        let (file, fragment) = link.split_at(link.find('#').unwrap_or(link.len()));
        if file.is_empty() || link.contains("://") || link.starts_with("mailto:") {
            return Some(link.to_owned());
        }
        let target = plain(&source.with_file_name("").join(file));
        let from = place(source);
        if let Some(place) = self.places.get(&target) {
            return Some(relative(&from, place) + fragment);
        }
        // mdBook copies whatever is no page, such as pictures.
        let is_copied =
            target.extension().is_some_and(|end| end != "md") && self.root.join(&target).is_file();
        let inside = target.strip_prefix("docs").ok().filter(|_| is_copied)?;
        Some(relative(&from, inside) + fragment)
    }
}

/// The way from one file of the book to another.
fn relative(from: &Path, to: &Path) -> String {
    let up = from.components().count().saturating_sub(1);
    let to = to.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    std::iter::repeat_n("..".to_owned(), up).chain(to).collect::<Vec<_>>().join("/")
}

/// A page of Markdown with other targets of its links, code aside. A link for which there is none becomes its text.
fn with_links(page: &str, target: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut fence) = (String::new(), None::<usize>);
    for line in page.split_inclusive('\n') {
        let ticks = line.trim_start().chars().take_while(|char| *char == '`').count();
        match fence {
            Some(open) if ticks >= open => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None if is_picture(line) => {
                out.push_str(&picture_with_links(line, &target));
                continue;
            }
            None => {
                out.push_str(&line_with_links(line, &target));
                continue;
            }
            Some(_) => {}
        }
        out.push_str(line);
    }
    out
}

/// Whether a line is a tag of a picture.
fn is_picture(line: &str) -> bool {
    ["<img ", "<source "].iter().any(|tag| line.trim_start().starts_with(tag))
}

/// A tag of a picture with another file.
fn picture_with_links(line: &str, target: &impl Fn(&str) -> Option<String>) -> String {
    let mut out = line.to_owned();
    for attribute in ["src=\"", "srcset=\""] {
        let Some((before, rest)) = out.split_once(attribute) else { continue };
        let Some((link, after)) = rest.split_once('"') else { continue };
        if let Some(link) = target(link) {
            out = format!("{before}{attribute}{link}\"{after}");
        }
    }
    out
}

fn line_with_links(line: &str, target: &impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut rest, mut is_code) = (String::new(), line, false);
    while let Some(at) = rest.find(['`', ']']) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        rest = here.get(1..).unwrap_or_default();
        if here.starts_with('`') {
            is_code = !is_code;
            out.push('`');
            continue;
        }
        let link = here.strip_prefix("](").filter(|_| !is_code).and_then(|rest| rest.split_once(')'));
        let Some((link, after)) = link else {
            out.push(']');
            continue;
        };
        match target(link) {
            Some(target) => out.push_str(&format!("]({target})")),
            None => remove_bracket(&mut out),
        }
        rest = after;
    }
    out + rest
}

/// Removes the bracket that opens the text at the end.
fn remove_bracket(text: &mut String) {
    let mut depth = 0_i32;
    let open = text.char_indices().rev().find(|(_, char)| {
        depth += match char {
            ']' => 1,
            '[' => -1,
            _ => 0,
        };
        depth < 0
    });
    if let Some((at, _)) = open {
        text.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(sources: &[&str]) -> Pages<'static> {
        let places = sources.iter().map(|source| (source.into(), place(Path::new(source)))).collect();
        let projects = serde_json::json!({ "bom": { "project": { "open": "a.mg" } } });
        Pages { root: Path::new(env!("CARGO_MANIFEST_DIR")), places, projects }
    }

    #[test]
    fn links_lead_to_chapters() {
        let pages = pages(&[
            "docs/README.md",
            "docs/cli.md",
            "docs/rules/bom.md",
            "examples/shift/README.md",
            "README.md",
        ]);
        let link = |source: &str, link: &str| pages.link(Path::new(source), link).unwrap_or_default();
        assert_eq!(link("docs/cli.md", "../examples/shift/README.md"), "repository/examples/shift/index.md");
        assert_eq!(link("docs/rules/bom.md", "../cli.md#json"), "../cli.md#json");
        assert_eq!(link("examples/shift/README.md", "../../docs/README.md"), "../../../index.md");
        assert_eq!(link("examples/shift/README.md", "../../README.md"), "../../../repository/index.md");
        assert_eq!(link("docs/cli.md", "../src/lib.rs"), "");
        assert_eq!(link("docs/cli.md", "https://example.org/a.md"), "https://example.org/a.md");
        assert_eq!(link("docs/cli.md", "#json"), "#json");
    }

    #[test]
    fn an_example_can_be_tried() {
        let pages = pages(&["docs/rules/bom.md"]);
        let page = "# bom\n\n## Example\n\n## Instead\n";
        let with = pages.with_trial(Path::new("docs/rules/bom.md"), page.to_owned());
        assert!(with.contains("playground/index.html#p=eyJvcGVuIjoiYS5tZyJ9\""), "{with}");
        assert_eq!(pages.with_trial(Path::new("docs/rules/other.md"), page.to_owned()), page);
    }

    #[test]
    fn only_links_of_prose_are_changed() {
        let change = |link: &str| (link != "gone").then(|| link.to_uppercase());
        let page = "a [b](c) ![d](e) `[f](g)` [h [i]](gone)\n```\n[j](k)\n```\n[l](m)\n";
        let wanted = "a [b](C) ![d](E) `[f](g)` h [i]\n```\n[j](k)\n```\n[l](M)\n";
        assert_eq!(with_links(page, change), wanted);
    }

    #[test]
    fn pictures_in_html_are_changed() {
        let change = |link: &str| Some(link.to_uppercase());
        let page = "  <source media=\"(dark)\" srcset=\"a\">\n  <img src=\"b\" alt=\"c\">\n";
        let wanted = "  <source media=\"(dark)\" srcset=\"A\">\n  <img src=\"B\" alt=\"c\">\n";
        assert_eq!(with_links(page, change), wanted);
    }
}
