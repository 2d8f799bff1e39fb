//! How readable the pages are: counts that may only fall.

use std::path::PathBuf;

use regex::Regex;

use super::documentation::{guides, prose, root};

/// The most words of a sentence that is easy to read, and of a cell of a table.
const SENTENCE: usize = 25;
const CELL: usize = 20;
/// The most columns of a line of Markdown outside of tables and code.
const COLUMNS: usize = 100;

/// The counts of a kind of pages.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    long_sentences: usize,
    long_cells: usize,
    long_lines: usize,
    /// Clauses with `what` in the place of a noun: "what is denied", not "denied requests".
    what_clauses: usize,
    /// Lines and cells that describe a thing with a question: "How many replies there are".
    questions: usize,
}

fn counts(pages: &[PathBuf]) -> Counts {
    let ends = Regex::new(r"[.!?:]\s+|\n\n+|\n *(?:- |\d+\. )|\|").unwrap();
    let breaks = Regex::new(r"([^\n])\n([^\n|#*\-])").unwrap();
    let what = Regex::new(
        r"\b[Ww]hat (?:(?:a|an|the|no|each|one|it|they|we) )?(?:[\w`.*-]+ ){0,2}?(?:is|are|was|has|have|does|do|can|may|must|will|becomes?|shows?|gives?|means?|needs?|comes?|makes?)\b",
    )
    .unwrap();
    let question = Regex::new(r"(?m)(?:^|\| ) *(?:What|Who|Which|Whether|How|Where)\b[^?|\n]{8,}").unwrap();
    let mut counts = Counts::default();
    for page in pages {
        let text = prose(page);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        counts.long_lines +=
            lines.iter().filter(|line| line.chars().count() > COLUMNS && !line.starts_with('|')).count();
        let cells = lines.iter().filter(|line| line.starts_with('|'));
        let cells = cells.flat_map(|line| line.trim_matches('|').split(" | "));
        counts.long_cells += cells.filter(|cell| cell.split_whitespace().count() > CELL).count();
        // Twice, because two line breaks can share a character.
        let joined = breaks.replace_all(&text, "$1 $2");
        let joined = breaks.replace_all(&joined, "$1 $2");
        counts.long_sentences +=
            ends.split(&joined).filter(|sentence| sentence.split_whitespace().count() > SENTENCE).count();
        counts.what_clauses += what.find_iter(&joined).count();
        counts.questions += question.find_iter(&text).count();
    }
    counts
}

fn check(name: &str, pages: &[PathBuf], most: &Counts) {
    let found = counts(pages);
    assert_eq!(
        &found, most,
        "{name}: counts may only fall; write plainer, or lower the numbers of this test"
    );
}

#[test]
fn guides_are_plain() {
    // The table of contents has no sentences.
    let pages: Vec<_> = guides().into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    let most = Counts { long_sentences: 1, long_cells: 0, long_lines: 0, what_clauses: 9, questions: 0 };
    check("guides", &pages, &most);
}

#[test]
fn pages_for_contributors_are_plain() {
    let pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    check("pages for contributors", &pages, &Counts::default());
}
