//! Completions of rule names in ignore comments: `# mangle-ls: ignore NAME, NAME`.

use super::{Completion, CompletionKind, CompletionSubject, Completions, Insertion, Place};
use crate::registry;
use mangle_syntax::lint::Rule;
use mangle_syntax::text::{TextRange, size, slice, text_len};

/// Prefix of an ignore comment.
const MARK: &str = "mangle-ls:";
const VERBS: [&str; 2] = ["ignore", "ignore-file"];

/// Returns the completions in a comment. Empty if the comment is not an ignore comment.
pub(super) fn completions(place: Place<'_>, comment: TextRange) -> Completions {
    let until = TextRange::new(comment.start(), place.offset);
    let text = slice(place.text(), until);
    let said = text.trim_start_matches('#').trim_start();
    let Some(rest) = said.strip_prefix(MARK) else { return Completions::default() };
    if rest.contains("--") {
        return Completions::default();
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let letters = rest.chars().rev().take_while(|c| is_word(*c)).count();
    let (before, _) = rest.split_at(rest.len() - letters);
    let behind = place.text().get(place.offset.into()..).unwrap_or("");
    let more = behind.chars().take_while(|c| is_word(*c)).count();
    let insert = TextRange::new(place.offset - size(letters), place.offset);
    let replace =
        TextRange::new(insert.start(), if letters == 0 { place.offset } else { place.offset + size(more) });
    let mut words = before.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let items = match words.next() {
        None => VERBS.map(|verb| verb_item(verb, behind)).to_vec(),
        Some(verb) if VERBS.contains(&verb) && is_open(before, verb) => {
            let named: Vec<_> = words.collect();
            registry::rules()
                .filter(|rule| {
                    rule.is_silenceable() && !named.contains(&rule.name) && !named.contains(&rule.code)
                })
                .map(rule_item)
                .collect()
        }
        Some(_) => Vec::new(),
    };
    Completions { items, incomplete: false, insert, replace }
}

/// True if a name may start here: after the verb or after a comma.
fn is_open(before: &str, verb: &str) -> bool {
    let trimmed = before.trim_end();
    text_len(trimmed) < text_len(before) && trimmed.trim_start() == verb || trimmed.ends_with(',')
}

fn verb_item(verb: &str, behind: &str) -> Completion {
    let space = if behind.starts_with(' ') { "" } else { " " };
    let score = if verb == "ignore" { 1.0 } else { 0.5 };
    let insertion = Insertion::plain(format!("{verb}{space}"));
    Completion::new(verb, CompletionKind::Keyword, score).inserting(insertion)
}

fn rule_item(rule: &'static Rule) -> Completion {
    let mut item = Completion::new(rule.name, CompletionKind::Rule, 0.5)
        .about(CompletionSubject::Rule(rule.name.to_owned()))
        .note(rule.summary);
    item.signature = Some(format!(" {}", rule.code));
    item
}
