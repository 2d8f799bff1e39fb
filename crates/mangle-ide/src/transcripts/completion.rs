//! Completions in an envelope: missing members of its profile, and enumerated values. Mangle text
//! in updates uses the completions of Mangle files.

use super::{JsonPath, ReplyPosition, TranscriptView, hover};
use crate::completion::{Completion, CompletionKind, Completions, Insertion};
use mangle_settings::Profile;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::atoms::{Declarations, DeclaredPredicate, is_delicate};
use piggyback::envelope::json::{JsonKind, NodeId};
use piggyback::envelope::table::{ENVELOPE, MemberField, Shape, Table};
use piggyback::envelope::{CATEGORIES, VERBS, profile};

/// Completions in an envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct InEnvelope {
    /// Items with ranges relative to the start of the file.
    pub found: Completions,
    /// Number of nested JSON strings, for escaping inserted text.
    pub levels: u8,
}

/// Returns the completions at an offset of the file, under the given `declarations`.
#[must_use]
pub fn completions(
    opened: TranscriptView<'_>,
    declarations: Option<&Declarations>,
    offset: TextSize,
) -> Option<InEnvelope> {
    let spot = ReplyPosition::at(opened, offset)?;
    let (at, way) = spot.way()?;
    let object = spot.reply.objects.get(at)?;
    let profile = opened.settings.profile.unwrap_or_else(|| profile::infer(&object.json).0);
    let (items, range) = if let Some(key) = way.key {
        let table = table_of(&way, way.keys.len().saturating_sub(1))?;
        (keys(&way, table, profile, Some(key)), inner(&way, key))
    } else if way.is_in_string() {
        let mut items = words(opened, &way, profile);
        items.extend(declarations.iter().flat_map(|known| of_program(opened, &way, known)));
        (items, inner(&way, way.node))
    } else if is_between_members(&spot, &way) {
        (keys(&way, table_of(&way, way.keys.len())?, profile, None), TextRange::empty(spot.offset))
    } else {
        return None;
    };
    let whole = spot.place(range);
    // The cursor is outside of the string content.
    if !whole.contains_inclusive(offset) {
        return None;
    }
    let typed = TextRange::new(whole.start(), offset.clamp(whole.start(), whole.end()));
    let found = Completions { items, incomplete: false, insert: typed, replace: whole };
    Some(InEnvelope { found, levels: spot.turn.levels })
}

/// Returns the range of a string without its quotes.
fn inner(way: &JsonPath<'_, '_>, node: NodeId) -> TextRange {
    let range = way.json.range(node);
    let start = (range.start() + size(1)).min(range.end());
    let is_closed = way.json.raw(node).len() > 1 && way.json.raw(node).ends_with(b"\"");
    let end = if is_closed { range.end() - size(1) } else { range.end() };
    TextRange::new(start, end.max(start))
}

/// True if a key may be inserted: after the brace or a comma of the innermost object.
fn is_between_members(spot: &ReplyPosition<'_>, way: &JsonPath<'_, '_>) -> bool {
    let is_object = matches!(way.json.kind(way.node), JsonKind::Object | JsonKind::Broken);
    let before = spot.reply.raw.get(..spot.offset.into()).unwrap_or(&[]).trim_ascii_end();
    is_object && matches!(before.last(), Some(b'{' | b','))
}

/// Returns the member table of the object at the first `depth` keys of the path.
fn table_of(way: &JsonPath<'_, '_>, depth: usize) -> Option<&'static Table> {
    let mut table: &'static Table = &ENVELOPE;
    for key in way.keys.get(..depth)? {
        table = match table.find(key)?.0.shape {
            Shape::Object(inner) => inner,
            Shape::List(Shape::Object(inner)) => *inner,
            _ => return None,
        };
    }
    Some(table)
}

/// Returns the members of a profile that the object does not have. `key` is the existing key at the
/// cursor.
fn keys(
    way: &JsonPath<'_, '_>,
    table: &'static Table,
    profile: Profile,
    key: Option<NodeId>,
) -> Vec<Completion> {
    let object = match key {
        Some(_) => way.around.last().copied().unwrap_or(way.node),
        None => way.node,
    };
    let others = way.json.members(object).filter(|member| Some(member.key) != key);
    let others: Vec<_> = others.filter_map(|member| way.json.string(member.key)).collect();
    let is_there = |field: &&MemberField| others.iter().any(|key| super::outline::is_key(key, field.name));
    let fields = table.fields.iter().filter(|field| field.is_in(profile) && !is_there(field));
    let item = |(at, field): (usize, &'static MemberField)| {
        let insertion = match key {
            Some(_) => Insertion::plain(field.name),
            None => member(field),
        };
        let path: Vec<&str> = way.keys.iter().map(String::as_str).collect();
        let path = path.get(..path.len().saturating_sub(usize::from(key.is_some()))).unwrap_or(&[]);
        let path: Vec<&str> = path.iter().copied().chain([field.name]).collect();
        let item = Completion::new(field.name, CompletionKind::Keyword, -(at as f64));
        let item = item.inserting(insertion);
        match hover::field_at(&path) {
            Some(known) => item.note(hover::field_text(known)),
            None => item,
        }
    };
    fields.enumerate().map(item).collect()
}

/// Returns a member with a placeholder for its value.
fn member(field: &MemberField) -> Insertion {
    let (before, proposed, after) = match field.shape {
        Shape::Text | Shape::TextOrNull | Shape::Word(_) => ("\"", "", "\""),
        Shape::Number | Shape::Count => ("", "0", ""),
        Shape::Flag | Shape::FlagOrNull => ("", "false", ""),
        Shape::Object(_) | Shape::Map => ("{", "", "}"),
        Shape::List(_) => ("[", "", "]"),
        Shape::Free => ("", "null", ""),
    };
    let start = format!("\"{}\": {before}", field.name);
    Insertion::snippet(format!("{start}{proposed}{after}"), &[&start, proposed, after])
}

/// Returns the allowed values of a string.
fn words(opened: TranscriptView<'_>, way: &JsonPath<'_, '_>, profile: Profile) -> Vec<Completion> {
    let Some((last, before)) = way.keys.split_last() else { return Vec::new() };
    let field = table_of(way, before.len()).and_then(|table| table.find(last)).map(|(field, _)| field);
    let Some(field) = field else { return Vec::new() };
    let slash = if profile < Profile::V1_2 { "" } else { "/" };
    let plain = |at: usize, word: &str| Completion::new(word, CompletionKind::Name, -(at as f64));
    match (field.name, field.shape) {
        ("category", _) => {
            CATEGORIES.iter().enumerate().map(|(at, word)| plain(at, &format!("{slash}{word}"))).collect()
        }
        ("verb", _) => {
            let verb = |(at, verb): (usize, &piggyback::envelope::Verb)| {
                let shard = verb.shard.unwrap_or("no shard");
                plain(at, &format!("/{}", verb.name)).note(format!("{} · {shard}", verb.category))
            };
            VERBS.iter().enumerate().map(verb).collect()
        }
        ("op", _) => {
            let known = piggyback::envelope::OPERATIONS.iter().filter(|operation| operation.is_in(profile));
            known.enumerate().map(|(at, one)| plain(at, one.name).note(one.effect)).collect()
        }
        ("specialist", _) => {
            let known = opened.settings.specialists.iter().flatten();
            known.enumerate().map(|(at, name)| plain(at, name)).collect()
        }
        (_, Shape::Word(words)) => words.iter().enumerate().map(|(at, word)| plain(at, word)).collect(),
        _ => Vec::new(),
    }
}

/// Returns values from a program: its hypotheses, and predicate names.
fn of_program(
    opened: TranscriptView<'_>,
    way: &JsonPath<'_, '_>,
    declarations: &Declarations,
) -> Vec<Completion> {
    let last = way.keys.last().map_or("", String::as_str);
    let is = |name: &str| super::outline::is_key(last, name);
    if is("hypothesis") || is("abductive_hypothesis") {
        let mut texts: Vec<&str> = declarations.hypotheses().map(|(text, _)| text).collect();
        texts.sort_unstable();
        texts.dedup();
        let item = |(at, text): (usize, &str)| {
            let inserted = Insertion::plain(super::escaped(text, 1));
            Completion::new(text, CompletionKind::String, -(at as f64)).inserting(inserted)
        };
        return texts.into_iter().enumerate().map(item).collect();
    }
    let names_one = is("helpful_facts") || is("noise_facts") || is("key") && is_forgotten(way);
    if !names_one {
        return Vec::new();
    }
    // Forgetting a fact that a denial depends on would override the denial.
    let is_decisive =
        |one: &DeclaredPredicate| one.ground.is_some() || is_delicate(one.name, &opened.settings.atoms);
    let mut all: Vec<_> = declarations.all().collect();
    if is("key") {
        all.retain(|declared| !is_decisive(declared));
    }
    all.sort_by_key(|declared| declared.name);
    all.dedup_by_key(|declared| declared.name);
    let item = |declared: &DeclaredPredicate| {
        Completion::new(declared.name, CompletionKind::Predicate, 0.0).note(declared.signature())
    };
    all.into_iter().map(item).collect()
}

/// True if the string is the key of a memory operation that forgets a predicate.
fn is_forgotten(way: &JsonPath<'_, '_>) -> bool {
    let Some(object) = way.around.last() else { return false };
    let mut members = way.json.members(*object);
    members.any(|member| {
        let is_op = way.json.string(member.key).is_some_and(|key| super::outline::is_key(&key, "op"));
        is_op && way.json.string(member.value).is_some_and(|op| op == "forget")
    })
}
