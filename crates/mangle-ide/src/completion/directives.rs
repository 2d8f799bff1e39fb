//! Completions in comments: directives of policy tests and previews, and rule names in ignore
//! comments (`# mangle-ls: ignore NAME, NAME`).

use super::{
    Completion, CompletionKind, CompletionSubject, Completions, CursorPlace, Insertion, Place, cursor,
    in_code,
};
use crate::directives::DirectiveFile;
use crate::registry;
use crate::vocabulary::{self, Word};
use agent_prompt::PreviewSetting;
use mangle_check::policy_test::property::PropertyText;
use mangle_check::policy_test::{TestKey, comment_at};
use mangle_syntax::lint::Rule;
use mangle_syntax::text::{TextRange, TextSize, size, slice, text_len};

/// Prompt assembly modes accepted by `mode:`.
const MODES: [&str; 4] = ["legacy", "section", "jit", "jit(atoms=…)"];

/// Returns the completions of `paths` for `entry`, the list element of a preview setting at the
/// cursor.
#[must_use]
pub fn completions_of_paths(paths: Vec<String>, entry: TextRange, offset: TextSize) -> Completions {
    let insert = TextRange::new(entry.start().min(offset), offset);
    let item = |path| Completion::new(path, CompletionKind::String, 0.5);
    Completions { items: paths.into_iter().map(item).collect(), incomplete: false, insert, replace: entry }
}

/// Returns the completions inside a comment directive. `None` at any other place.
pub(super) fn completions(place: Place<'_>) -> Option<Completions> {
    let embedding = &place.program().embedding;
    if embedding.is_test(place.file.id) {
        in_test(place)
    } else if embedding.is_kernel(place.file.id) {
        in_preview(place)
    } else {
        None
    }
}

fn in_test(place: Place<'_>) -> Option<Completions> {
    if PropertyText::body_at(place.file, place.offset).is_some() {
        return Some(in_body(place));
    }
    let comment = comment_at(place.file, place.offset)?;
    if place.offset <= comment.key_range.end() {
        let started = |word: &Word| {
            if word.word == "test" { "test name: ".to_owned() } else { format!("{} ", word.word) }
        };
        return keys(place, comment.key_range, vocabulary::TEST_KEYS, started);
    }
    match TestKey::parse(comment.key) {
        Some(TestKey::Expect | TestKey::Forbid) => Some(atom(place)),
        Some(TestKey::Exact) => Some(exact(place, comment.value_range)),
        None if matches!(comment.key, "inputs" | "live") => Some(named(place)),
        Some(TestKey::Test) | None => Some(Completions::default()),
    }
}

/// Completes an atom without variables: predicates, names and strings.
fn atom(place: Place<'_>) -> Completions {
    let Some(inside) = DirectiveFile::new(place) else { return Completions::default() };
    let place = inside.place(place);
    let CursorPlace::Code(cursor) = cursor::analyze(place) else { return Completions::default() };
    let mut found = in_code(place, &cursor, None);
    let is_of_fact =
        |kind| matches!(kind, CompletionKind::Predicate | CompletionKind::Name | CompletionKind::String);
    found.items.retain(|item| is_of_fact(item.kind));
    found
}

/// Completes a premise of a property.
fn in_body(place: Place<'_>) -> Completions {
    let Some(inside) = DirectiveFile::new(place) else { return Completions::default() };
    let place = inside.place(place);
    match cursor::analyze(place) {
        CursorPlace::Code(cursor) => in_code(place, &cursor, None),
        _ => Completions::default(),
    }
}

/// Completes `name/arity` of each predicate, replacing the word before the cursor.
fn named(place: Place<'_>) -> Completions {
    let before = place.text().get(..place.offset.into()).unwrap_or_default();
    let len = before.len() - before.trim_end_matches(|char: char| !char.is_whitespace() && char != ',').len();
    let start = place.offset.checked_sub(size(len)).unwrap_or(place.offset);
    exact(place, TextRange::new(start, place.offset))
}

/// Completes `name/arity` of each predicate.
fn exact(place: Place<'_>, value: TextRange) -> Completions {
    let start = if value.is_empty() { place.offset } else { value.start().min(place.offset) };
    let insert = TextRange::new(start, place.offset);
    let typed = slice(place.text(), insert);
    let program = place.program();
    let known = program.predicates.iter().filter(|predicate| predicate.exists());
    let mut items: Vec<_> = known
        .map(|predicate| (predicate.key.to_string(), predicate.key))
        .filter(|(written, _)| written.contains(typed))
        .map(|(written, key)| {
            Completion::new(written, CompletionKind::Predicate, 0.5).about(CompletionSubject::Predicate(key))
        })
        .collect();
    items.sort_by(|one, other| one.label.cmp(&other.label));
    let incomplete = items.len() > super::LIMIT;
    items.truncate(super::LIMIT);
    Completions { items, incomplete, insert, replace: insert.cover(value) }
}

fn in_preview(place: Place<'_>) -> Option<Completions> {
    let setting = PreviewSetting::at(place.text(), place.offset)?;
    let is_key = !slice(place.text(), setting.range).contains(':') || place.offset <= setting.key_range.end();
    if is_key {
        // An empty key starts at the cursor.
        let range =
            if setting.key.is_empty() { TextRange::at(place.offset, size(0)) } else { setting.key_range };
        return keys(place, range, vocabulary::PREVIEW_KEYS, |word| format!("{}: ", word.word));
    }
    if setting.key != "mode" {
        return Some(Completions::default());
    }
    let range =
        if setting.value.is_empty() { TextRange::at(place.offset, size(0)) } else { setting.value_range };
    let items = MODES.iter().map(|mode| match mode.strip_suffix("…)") {
        Some(open) => Completion::new(*mode, CompletionKind::Keyword, 0.5)
            .inserting(Insertion::snippet(format!("{open}atoms)"), &[open, "atoms", ")"])),
        None => Completion::new(*mode, CompletionKind::Keyword, 0.5),
    });
    Some(Completions {
        items: items.collect(),
        insert: up_to(place, range)?,
        replace: range,
        incomplete: false,
    })
}

/// Completes the keys of a table. The text that follows a key is inserted only if the rest of the
/// line is empty.
fn keys(
    place: Place<'_>,
    range: TextRange,
    table: &'static [Word],
    started: impl Fn(&Word) -> String,
) -> Option<Completions> {
    let insert = up_to(place, range)?;
    let behind = place.text().get(range.end().into()..).unwrap_or_default();
    let goes_on = behind.lines().next().is_some_and(|rest| !rest.trim().is_empty());
    let items = table.iter().map(|word| {
        let text = if goes_on { word.word.to_owned() } else { started(word) };
        let item = Completion::new(word.word, CompletionKind::Keyword, 0.5).inserting(Insertion::plain(text));
        Completion { note: Some(word.usage.to_owned()), ..item }
    });
    Some(Completions { items: items.collect(), incomplete: false, insert, replace: range })
}

/// Returns the part of a range before the cursor.
fn up_to(place: Place<'_>, range: TextRange) -> Option<TextRange> {
    (range.start() <= place.offset).then(|| TextRange::new(range.start(), place.offset))
}

/// Prefix of an ignore comment.
const MARK: &str = "mangle-ls:";
const VERBS: [&str; 2] = ["ignore", "ignore-file"];

/// Returns the completions in a comment. Empty if the comment is not an ignore comment.
pub(super) fn rule_names(place: Place<'_>, comment: TextRange) -> Completions {
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
