//! Suppression member `x_mangle_ls_ignore`: silences rules in its object.

use memchr::memmem;

use crate::registry;
use mangle_check::suppression::{UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use mangle_settings::{RuleSettings, TranscriptSettings};
use mangle_syntax::lint::{Finding, Fix, Rule};
use mangle_syntax::text::{TextRange, TextSize, shorten, size, slice};
use piggyback::envelope::edits::{member_range, with_comma};
use piggyback::envelope::json::{Json, JsonKind, Member, NodeId};
use piggyback::envelope::{Reply, TRANSITION_UNBACKED};
use piggyback::transcript::{Address, TranscriptFinding, Turn, TurnSite, map_fix_to_record};

/// Name of the member.
pub(super) const NAME: &str = "x_mangle_ls_ignore";

/// A string with rule names in such a member. All ranges are relative to the record.
#[derive(Debug)]
pub(crate) struct SuppressionMember {
    /// Range of the silenced findings.
    covers: TextRange,
    names: Vec<Name>,
    /// Range from the first name to the last, and range to delete if no name remains: the string or
    /// the member. `None` if the range cannot be edited.
    list: Option<TextRange>,
    whole: Option<TextRange>,
}

/// A rule name in the member.
#[derive(Debug)]
struct Name {
    place: TextRange,
    word: String,
    rule: Option<&'static Rule>,
}

/// True if a record may contain the member.
pub(crate) fn is_marked(record: &[u8]) -> bool {
    memmem::find(record, NAME.as_bytes()).is_some()
}

/// Returns the members of a parsed record.
pub(crate) fn of_turns(
    turns: &[Turn],
    record: &[u8],
    settings: &TranscriptSettings,
) -> Vec<SuppressionMember> {
    let mut covers = Vec::new();
    if is_marked(record) {
        for turn in turns.iter().filter(|turn| turn.is_reply()) {
            of_reply(turn, &turn.reply(record, settings), record, &mut covers);
        }
        of_record(record, &mut covers);
    }
    covers
}

/// Collects the members in the envelopes of a reply. A member at the top level of an envelope
/// covers the whole reply.
pub(crate) fn of_reply(turn: &Turn, reply: &Reply<'_>, record: &[u8], out: &mut Vec<SuppressionMember>) {
    let whole = TextRange::up_to(size(reply.raw.len()));
    let deletable = |range: TextRange| {
        let fix = map_fix_to_record(Fix::safe("").replace(range, ""), turn, record)?;
        fix.edits.first().map(|edit| edit.span.range)
    };
    let places =
        RangeMapping { place: &|range| turn.place(range), deletable: &deletable, root: turn.place(whole) };
    for object in &reply.objects {
        of_json(&object.json, out, &places);
    }
}

/// Collects the members of a JSON record.
pub(crate) fn of_record(record: &[u8], out: &mut Vec<SuppressionMember>) {
    let json = Json::parse(record);
    let mut own = Vec::new();
    let places = RangeMapping { place: &|range| range, deletable: &Some, root: json.range(json.root()) };
    of_json(&json, &mut own, &places);
    // A record that is an envelope was already processed as a reply.
    let place = |cover: &SuppressionMember| cover.names.first().map(|name| name.place);
    own.retain(|one| !out.iter().any(|other| place(other) == place(one)));
    out.append(&mut own);
}

/// Conversion of JSON ranges to ranges of the record.
struct RangeMapping<'p> {
    place: &'p dyn Fn(TextRange) -> TextRange,
    /// Converts a range to delete.
    deletable: &'p dyn Fn(TextRange) -> Option<TextRange>,
    /// Range covered by a member at the top level.
    root: TextRange,
}

fn of_json(json: &Json<'_>, out: &mut Vec<SuppressionMember>, places: &RangeMapping<'_>) {
    let mut open = vec![json.root()];
    while let Some(node) = open.pop() {
        open.extend(json.elements(node).filter(|inner| is_container(json, *inner)));
        for Member { key, value } in json.members(node) {
            if json.string(key).is_some_and(|key| key == NAME) {
                let covers = if node == json.root() { places.root } else { (places.place)(json.range(node)) };
                let member = with_comma(json, member_range(json, key, value));
                of_member(json, value, covers, member, places, out);
            } else if is_container(json, value) {
                open.push(value);
            }
        }
    }
}

fn is_container(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), JsonKind::Array | JsonKind::Object)
}

/// Parses the strings of a value: `"NAME, NAME -- reason"`, or a list of such strings.
fn of_member(
    json: &Json<'_>,
    value: NodeId,
    covers: TextRange,
    member: TextRange,
    places: &RangeMapping<'_>,
    out: &mut Vec<SuppressionMember>,
) {
    let elements: Vec<_> = json.elements(value).collect();
    let is_alone = elements.len() < 2;
    for node in [value].into_iter().chain(elements) {
        let Some((text, map)) = json.string_with_map(node) else { continue };
        let place = |range: TextRange| (places.place)(map.to_source(range));
        let words = words(&text);
        let name = |range: &TextRange| {
            let word = slice(&text, *range).to_owned();
            Name { place: place(*range), rule: registry::find(&word), word }
        };
        let Some((first, last)) = words.first().zip(words.last()) else { continue };
        let list = TextRange::new(first.start(), last.end());
        let whole = if is_alone { member } else { with_comma(json, json.range(node)) };
        let deletable = |range| (places.deletable)(range).filter(|_| json.problems.is_empty());
        let (list, whole) = (deletable(map.to_source(list)), deletable(whole));
        out.push(SuppressionMember { covers, names: words.iter().map(name).collect(), list, whole });
    }
}

/// Returns the ranges of the names in a text.
fn words(text: &str) -> Vec<TextRange> {
    let names = text.split("--").next().unwrap_or_default();
    let mut at = 0;
    let ranges = names.split(',').map(|part| {
        let start = at + part.len() - part.trim_start().len();
        at += part.len() + 1;
        TextRange::at(size(start), size(part.trim().len()))
    });
    ranges.filter(|range| !range.is_empty()).collect()
}

/// Removes silenced findings, and adds findings about the members themselves.
pub(crate) fn apply(
    covers: &[SuppressionMember],
    site: TurnSite,
    rules: &RuleSettings,
    found: &mut Vec<TranscriptFinding>,
) {
    let mut used: Vec<_> = covers.iter().map(|cover| vec![false; cover.names.len()]).collect();
    found.retain(|one| {
        let mut is_silenced = false;
        for (cover, used) in covers.iter().zip(&mut used) {
            if one.start != site.start || !touches(cover.covers, one.finding.range.start()) {
                continue;
            }
            for (name, used) in cover.names.iter().zip(used) {
                if name.rule.is_some_and(|rule| rule == one.finding.rule && rule.is_silenceable()) {
                    (is_silenced, *used) = (true, true);
                }
            }
        }
        !is_silenced
    });
    for (cover, used) in covers.iter().zip(&used) {
        let (record, start, address) = (site.record, site.start, Address::default());
        let findings = cover.unknown().chain(cover.unused(used, rules));
        found.extend(findings.map(|finding| TranscriptFinding {
            record,
            start,
            finding,
            address: address.clone(),
        }));
    }
}

impl SuppressionMember {
    /// Returns findings for unknown rule names.
    fn unknown(&self) -> impl Iterator<Item = Finding> {
        self.names.iter().filter(|name| name.rule.is_none()).map(|Name { place, word, .. }| {
            let near = registry::similar(word);
            let message = format!("unknown rule `{}`", shorten(word, 32));
            let mut finding = Finding::new(&UNKNOWN_SUPPRESSION, *place, message).label("suppresses nothing");
            finding.help = near.map(|near| format!("did you mean `{near}`?").into());
            match near.filter(|_| self.list.is_some()) {
                Some(near) => finding.fix(Fix::guess(format!("write `{near}`")).replace(*place, near)),
                None => finding,
            }
        })
    }

    /// Returns a finding for names that suppress nothing.
    fn unused(&self, used: &[bool], rules: &RuleSettings) -> Option<Finding> {
        let is_unused = |(name, used): &(&Name, &bool)| {
            // A replay also reports these rules, so a check cannot determine that a name is unused.
            let is_replayed = |rule: &Rule| {
                rule == &TRANSITION_UNBACKED || agent_replay::rules().any(|known| known == rule)
            };
            let is_sought = |rule: &Rule| !is_replayed(rule) && rules.severity(rule).is_some();
            !**used && name.rule.is_some_and(is_sought)
        };
        let all = || self.names.iter().zip(used);
        let unused: Vec<_> = all().filter(is_unused).map(|(name, _)| name).collect();
        let words: Vec<_> = unused.iter().map(|name| format!("`{}`", name.word)).collect();
        let message = format!("unused suppression of {}", words.join(", "));
        let mut finding = Finding::new(&UNUSED_SUPPRESSION, unused.first()?.place, message)
            .note("the rule reports nothing here");
        let kept: Vec<_> = all().filter(|one| !is_unused(one)).map(|(name, _)| name.word.as_str()).collect();
        // Text that needs no escapes is identical at every level of string nesting.
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ' ' | '.');
        finding.fix = match kept.as_slice() {
            [] => self.whole.map(|whole| Fix::safe("delete the suppression").replace(whole, "")),
            _ if kept.iter().all(|word| word.chars().all(is_plain)) => {
                self.list.map(|list| Fix::safe("delete it from the names").replace(list, kept.join(", ")))
            }
            _ => None,
        };
        Some(finding)
    }
}

fn touches(range: TextRange, offset: TextSize) -> bool {
    range.start() <= offset && offset <= range.end()
}
