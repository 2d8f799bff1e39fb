//! Hover and inlay hints in an envelope: parse result, treatment of members, verbs and operations,
//! and outcomes of updates. The table of known members documents them, including their treatment by
//! the runtime. Text from the transcript is treated as untrusted.

use super::outline::{Outcome, ReplyOutline, is_key, stage_words};
use super::records::Entry;
use super::{JsonPath, MangleText, ReplyPosition, TranscriptView};
use crate::hover::Hover;
use crate::inlay_hints::{Hint, HintKind};
use crate::markup::Markup;
use mangle_settings::Profile;
use mangle_syntax::text::{TextRange, TextSize};
use piggyback::envelope::account::{Tally, UpdateFate};
use piggyback::envelope::json::JsonKind;
use piggyback::envelope::table::{ENVELOPE, Requirement, Shape, Table};
use piggyback::envelope::{CATEGORIES, OPERATIONS, Reply, VERBS, Verb};

/// Returns the hover at an offset of the file, with ranges relative to its start. Mangle text in
/// updates has separate hovers; see [`fate`].
#[must_use]
pub fn hover(opened: TranscriptView<'_>, offset: TextSize) -> Option<Hover> {
    let spot = ReplyPosition::at(opened, offset)?;
    let (at, way) = spot.way()?;
    let key = way.key.map(|key| way.json.range(key));
    let path = way.path();
    let found = match key {
        Some(range) => Some((range, member(&way, &path)?)),
        None => value(&way, &path).map(|markup| (way.json.range(way.node), markup)),
    };
    let (range, markup) = found.or_else(|| {
        let root = way.json.range(way.json.root());
        let is_brace = root.start() == spot.offset || way.around.is_empty();
        let brace = TextRange::at(root.start(), TextSize::new(1));
        is_brace.then(|| (brace, envelope(opened, &spot, at)))
    })?;
    Some(Hover { range: spot.place(range), markup })
}

/// Describes the parse result of the reply, and the role of one of its objects.
fn envelope(opened: TranscriptView<'_>, spot: &ReplyPosition<'_>, at: usize) -> Markup {
    let Reply { accepted: picked, .. } = spot.reply;
    let outlines = opened.records.outlines(spot.entry, opened.settings);
    let is_it =
        |turn: usize| spot.entry.body.turns.get(turn).is_some_and(|turn| std::ptr::eq(turn, spot.turn));
    let outline = outlines.iter().find(|outline| is_it(outline.turn));
    let markup = match picked == Some(at) {
        true => Markup::default().text("The runtime accepts this envelope."),
        false => Markup::default().text("The runtime does not accept this object."),
    };
    match outline.and_then(|outline| outline.outcome.as_ref()) {
        Some(outcome) => {
            let tally = outline.map(|outline| opened.tally(spot.entry, outline)).unwrap_or_default();
            outcome_of(outcome, tally, opened.declarations.is_some(), markup)
        }
        None => markup,
    }
}

fn outcome_of(outcome: &Outcome, tally: Tally, is_judged: bool, markup: Markup) -> Markup {
    let Some(stage) = outcome.stage else {
        return markup.text("Strict mode: the runtime rejects the reply, because it has no valid envelope.");
    };
    let mut markup = markup.text(format!(
        "Method `{}`, confidence {:.2}: {}.",
        stage.method(),
        stage.confidence(),
        super::outline::stage_words(stage)
    ));
    let Tally { kept, dropped, blocked, withdrawn } = tally;
    let judged = if is_judged { "kept" } else { "passed the filters, not checked by a policy" };
    let lost = dropped + blocked + withdrawn;
    markup = markup.text(format!("Updates: {kept} {judged}, {lost} lost."));
    if !outcome.warnings.is_empty() {
        markup = markup.text(format!("Warnings: {}.", outcome.warnings.join("; ")));
    }
    let (surface, control) = outcome.bytes;
    if surface > 0 && control > 0 {
        let tokens = |bytes: usize| bytes.div_ceil(BYTES_OF_A_TOKEN);
        let ratio = control as f64 / surface as f64;
        markup = markup.text(format!(
            "About {} tokens of surface and {} of control: {ratio:.1} to 1.",
            tokens(surface),
            tokens(control)
        ));
    }
    markup
}

/// Approximate number of bytes per token.
const BYTES_OF_A_TOKEN: usize = 4;

/// Returns the hover of a member key.
fn member(way: &JsonPath<'_, '_>, path: &[&str]) -> Option<Markup> {
    let (last, _) = path.split_last()?;
    match field_at(path) {
        Some(field) => Some(field_markup(field)),
        None if path.len() <= MAX_DEPTH && !is_free(path) => {
            let markup = Markup::default().text("The runtime ignores this member: it is not in any profile.");
            Some(markup.untrusted(super::outline::shortened(last)))
        }
        None => None,
    }
    .filter(|_| way.json.kind(way.json.root()) == JsonKind::Object)
}

/// True if the member belongs to an object with arbitrary members.
fn is_free(path: &[&str]) -> bool {
    path.contains(&"tool_args")
}

/// Returns the hover of an enumerated value.
fn value(way: &JsonPath<'_, '_>, path: &[&str]) -> Option<Markup> {
    if !way.is_in_string() {
        return None;
    }
    let value = way.json.string(way.node)?;
    value_markup(path, &value)
}

/// Describes the outcome of the update with this text, in the record at `start`. Empty for Mangle
/// text that is not an update.
#[must_use]
pub fn fate(opened: TranscriptView<'_>, start: TextSize, text: &MangleText) -> Markup {
    for entry in opened.records.touching(text.range() + start) {
        for outline in opened.records.outlines(entry, opened.settings) {
            let mut atoms = outline.envelopes.iter().flat_map(|envelope| &envelope.atoms);
            if let Some(atom) = atoms.find(|atom| std::ptr::eq(&raw const atom.text, text)) {
                return Markup::default().text(sentence(&opened.outcome(entry, outline, atom)));
            }
        }
    }
    Markup::default()
}

/// Returns the hints in a range of the file, sorted by offset.
#[must_use]
pub fn hints(opened: TranscriptView<'_>, range: TextRange) -> Vec<Hint> {
    let mut found = Vec::new();
    for entry in opened.records.touching(range) {
        for outline in opened.records.outlines(entry, opened.settings) {
            of_reply(opened, entry, outline, &mut |offset, label, full| {
                let (kind, parameter) = (HintKind::Outcome, None);
                found.push(Hint { offset: offset + entry.start, label, kind, full: Some(full), parameter });
            });
        }
    }
    found.retain(|hint| range.contains_inclusive(hint.offset));
    found.sort_by_key(|hint| hint.offset);
    found
}

fn of_reply(
    opened: TranscriptView<'_>,
    entry: &Entry,
    outline: &ReplyOutline,
    add: &mut impl FnMut(TextSize, String, String),
) {
    let Some(outcome) = &outline.outcome else { return };
    let picked = outline.envelopes.iter().find(|envelope| envelope.is_picked);
    let start = picked.map_or(outline.range.start(), |envelope| envelope.range.start());
    let (label, full) = match outcome.stage {
        None => ("refused".to_owned(), "Strict mode: the reply has no valid envelope.".to_owned()),
        Some(stage) => {
            let mut label = format!("{} {:.2}", stage.method(), stage.confidence());
            let Tally { kept, dropped, blocked, withdrawn } = opened.tally(entry, outline);
            let lost = dropped + blocked + withdrawn;
            if kept + lost > 0 {
                let word = if opened.declarations.is_some() { "kept" } else { "not judged" };
                label.push_str(&format!(" · {kept} {word}"));
            }
            if lost > 0 {
                label.push_str(&format!(", {lost} lost"));
            }
            (label, format!("The runtime's reading: {}.", stage_words(stage)))
        }
    };
    add(start, label, full);
    for atom in picked.iter().flat_map(|envelope| &envelope.atoms) {
        let fate = opened.outcome(entry, outline, atom);
        if let Some(label) = label_of(&fate) {
            add(atom.text.range().end(), label.to_owned(), sentence(&fate));
        }
    }
}

/// Returns the label after a lost update.
fn label_of(fate: &UpdateFate) -> Option<&'static str> {
    match fate {
        UpdateFate::Passed(_) | UpdateFate::Asserted { .. } | UpdateFate::NotTaken => None,
        UpdateFate::Cut => Some("lost: too many"),
        UpdateFate::Dropped(_) | UpdateFate::Blank => Some("lost: dropped"),
        UpdateFate::Blocked(_) => Some("lost: blocked"),
        UpdateFate::Withdrawn(_) => Some("lost: reply denied"),
    }
}

/// Describes the outcome of an update as a sentence.
pub(super) fn sentence(fate: &UpdateFate) -> String {
    let said = fate.to_string();
    let mut chars = said.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}

/// A known member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    /// Keys from the outermost object, without array indexes.
    path: &'static [&'static str],
    /// Purpose of the member, and its treatment by the runtime.
    text: &'static str,
}

/// Maximum depth of known members.
pub(super) const MAX_DEPTH: usize = 3;

macro_rules! fields {
    ($($($key:literal).+ => $text:literal,)*) => { &[$(Field { path: &[$($key),+], text: $text }),*] };
}

/// Known members.
#[rustfmt::skip] // One row a member.
static FIELDS: &[Field] = fields! {
    "control_packet" => "Message for the kernel. The runtime reads it. If it is missing, the runtime uses an empty packet.",
    "surface_response" => "Text for the user. The runtime rejects an envelope if it is empty or missing.",
    "piggyback_version" => "Version of the protocol. The runtime ignores it; mangle-ls checks the envelope against this version.",
    "control_packet"."intent_classification" => "The model's reading of the user's request. In strict mode, the runtime rejects an envelope without a category and a verb.",
    "control_packet"."mangle_updates" => "Atoms for the kernel. The runtime applies two filters to each atom and asserts the remaining atoms.",
    "control_packet"."memory_operations" => "Facts to remember and predicates to forget. The runtime reads a limited number of operations.",
    "control_packet"."self_correction" => "A correction of an earlier claim or action of the model. The runtime counts it and warns, and does nothing else.",
    "control_packet"."reasoning_trace" => "The model's reasoning. The runtime stores it and cuts it if it is too long.",
    "control_packet"."knowledge_requests" => "Questions to specialists. The runtime asks them in parallel, then calls the model again.",
    "control_packet"."context_feedback" => "The model's rating of its context. The runtime raises or lowers the rating of each predicate.",
    "control_packet"."tool_requests" => "Tools to run. The runtime runs a tool if it is allowed and permitted.",
    "control_packet"."abductive_hypothesis" => "A hypothesis that explains a failure. Only profile 1.1 has it in this object. The runtime ignores it.",
    "control_packet"."execution_metadata" => "Data about the run of the shard. The runtime ignores it.",
    "control_packet"."state_transitions" => "Facts before and after the change. The runtime ignores it.",
    "control_packet"."impact_analysis" => "Code that the change affects. The runtime ignores it.",
    "control_packet"."safety_gates" => "Requested and refused actions. The runtime ignores it.",
    "control_packet"."learning_signals" => "Lessons for later sessions. The runtime ignores it.",
    "control_packet"."dependencies_added" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."security_review" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."performance_profile" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."test_coverage_delta" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."git_metadata" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."collaboration_hints" => "Planned for 1.3. The runtime ignores it.",
    "control_packet"."intent_classification"."category" => "`/query`, `/mutation` or `/instruction`.",
    "control_packet"."intent_classification"."verb" => "Task of the user, a name such as `/fix`. The runtime selects the shard by it.",
    "control_packet"."intent_classification"."target" => "Object of the task, such as a file. May be empty.",
    "control_packet"."intent_classification"."constraint" => "Condition on the task. May be empty.",
    "control_packet"."intent_classification"."confidence" => "Confidence of the model in this classification, from 0 to 1.",
    "control_packet"."memory_operations"."op" => "Name of the operation.",
    "control_packet"."memory_operations"."key" => "Subject of the operation: `namespace:item`. For `forget`, the name of a predicate.",
    "control_packet"."memory_operations"."value" => "Content to remember.",
    "control_packet"."self_correction"."triggered" => "True if the model corrects itself. Default: `false`.",
    "control_packet"."self_correction"."hypothesis" => "The model's explanation of the mistake.",
    "control_packet"."tool_requests"."id" => "Identifier of the request in this packet.",
    "control_packet"."tool_requests"."tool_name" => "Name of the tool.",
    "control_packet"."tool_requests"."tool_args" => "Arguments of the tool. The runtime reads numbers as floating-point numbers.",
    "control_packet"."tool_requests"."purpose" => "Reason for the request.",
    "control_packet"."tool_requests"."required" => "True if the model cannot continue without the result.",
    "control_packet"."knowledge_requests"."specialist" => "Specialist to ask.",
    "control_packet"."knowledge_requests"."query" => "Question to the specialist.",
    "control_packet"."knowledge_requests"."purpose" => "Reason for the question.",
    "control_packet"."knowledge_requests"."priority" => "`required` or `optional`. The runtime ignores it.",
    "control_packet"."context_feedback"."overall_usefulness" => "Usefulness of the context, from 0 to 1.",
    "control_packet"."context_feedback"."helpful_facts" => "Predicates that helped. The runtime raises their rating.",
    "control_packet"."context_feedback"."noise_facts" => "Predicates that did not help. The runtime lowers their rating.",
    "control_packet"."context_feedback"."missing_context" => "Information that the context did not contain.",
};

/// Returns the member at a path.
pub(super) fn field_at(path: &[&str]) -> Option<&'static Field> {
    let is_it = |field: &&Field| {
        field.path.len() == path.len() && field.path.iter().zip(path).all(|(name, key)| is_key(key, name))
    };
    FIELDS.iter().find(is_it)
}

pub(super) fn field_text(field: &Field) -> &'static str {
    field.text
}

/// Returns the hover of a member.
fn field_markup(field: &Field) -> Markup {
    let name = field.path.last().copied().unwrap_or_default();
    Markup::default().text(format!("`{name}`")).text(field.text).text(needs(field.path))
}

/// Lists the profiles with a member, and its requirement level.
fn needs(path: &[&str]) -> String {
    let Some((last, before)) = path.split_last() else { return String::new() };
    let mut table: &'static Table = &ENVELOPE;
    for key in before {
        match table.find(key).map(|(field, _)| field.shape) {
            Some(Shape::Object(inner)) => table = inner,
            Some(Shape::List(Shape::Object(inner))) => table = *inner,
            _ => return String::new(),
        }
    }
    let Some((field, _)) = table.find(last) else { return String::new() };
    let word = |profile: &Profile| {
        let need = match field.need(*profile) {
            Requirement::Required => "required",
            Requirement::Recommended => "recommended",
            Requirement::Optional => "optional",
            Requirement::Schema => "required by the strict schema",
            Requirement::Unknown => return None,
        };
        Some(format!("{profile} {need}"))
    };
    let known: Vec<_> = Profile::ALL.iter().filter_map(word).collect();
    format!("Profiles: {}.", known.join(", "))
}

/// Lists the profiles selected by `has`.
fn profiles(has: impl Fn(Profile) -> bool) -> String {
    let known: Vec<_> =
        Profile::ALL.iter().filter(|profile| has(**profile)).map(|one| one.as_str()).collect();
    format!("Profiles: {}.", known.join(", "))
}

/// Returns the hover of an enumerated value.
fn value_markup(path: &[&str], value: &str) -> Option<Markup> {
    let (last, before) = path.split_last()?;
    let parent = before.last()?;
    if is_key(last, "verb") && is_key(parent, "intent_classification") {
        let name = value.strip_prefix('/').unwrap_or(value);
        let verb: &Verb = VERBS.iter().find(|verb| verb.name == name)?;
        let shard = verb.shard.map_or_else(|| "no shard".to_owned(), |shard| format!("shard `{shard}`"));
        let description = format!("Category `/{}`, {shard}, priority {}.", verb.category, verb.priority);
        return Some(Markup::default().text(format!("Verb `/{}`", verb.name)).text(description));
    }
    if is_key(last, "op") && is_key(parent, "memory_operations") {
        let operation = OPERATIONS.iter().find(|operation| operation.name == value)?;
        let title = format!("Memory operation `{}`: {}.", operation.name, operation.effect);
        return Some(Markup::default().text(title).text(profiles(|profile| operation.is_in(profile))));
    }
    let is_category = is_key(last, "category") && is_key(parent, "intent_classification");
    let name = value.strip_prefix('/').unwrap_or(value);
    (is_category && CATEGORIES.contains(&name)).then(|| {
        let description = match name {
            "query" => "A question. Nothing changes.",
            "mutation" => "A change to make, for example in the code.",
            _ => "An instruction for the future behavior of the agent.",
        };
        Markup::default().text(format!("Category `/{name}`")).text(description)
    })
}

/// Returns the names of all members of the object at a path.
#[cfg(test)]
fn member_names(path: &[&str]) -> Vec<&'static str> {
    let inside =
        FIELDS.iter().filter(|field| field.path.len() == path.len() + 1 && field.path.starts_with(path));
    inside.filter_map(|field| field.path.last().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_any_case() {
        assert!(field_at(&["Control_Packet", "mangle_updates"]).is_some());
        assert!(field_at(&["mangle_updates"]).is_none());
        assert!(member_names(&["control_packet"]).len() > 15);
        assert!(FIELDS.iter().all(|field| field.path.len() <= MAX_DEPTH && field.text.ends_with('.')));
    }
}
