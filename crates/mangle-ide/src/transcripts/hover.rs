//! Hover in an envelope: parse result, treatment of members, verbs and operations, and outcomes of
//! updates. Text from the transcript is treated as untrusted.

use super::cursor::{JsonPath, ReplyPosition};
use super::hints::sentence;
use super::outline::Outcome;
use super::{MangleText, TranscriptView, fields};
use crate::hover::Hover;
use crate::markup::Markup;
use mangle_syntax::text::{TextRange, TextSize};
use piggyback::envelope::Reply;
use piggyback::envelope::account::Tally;
use piggyback::envelope::json::JsonKind;

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
    match fields::find(path) {
        Some(field) => Some(fields::markup(field)),
        None if path.len() <= fields::MAX_DEPTH && !is_free(path) => {
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
    fields::word(path, &value)
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
