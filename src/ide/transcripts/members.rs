//! The member `x_mangle_ls_ignore`: which rules it silences in the object that it stands in.

use memchr::memmem;

use crate::config::RuleSettings;
use crate::envelope::Reply;
use crate::envelope::json::{Json, Kind, Member, NodeId};
use crate::ide::registry;
use crate::ide::suppression::{UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use crate::lint::{Finding, Rule};
use crate::text::{TextRange, TextSize, size};
use crate::transcript::{Address, Found, Record, Turn};

/// The name of the member.
const NAME: &str = "x_mangle_ls_ignore";

/// A name of a rule in such a member, as it stands in the record.
#[derive(Debug)]
pub(super) struct Cover {
    /// What is silenced.
    covers: TextRange,
    /// The value of the member.
    place: TextRange,
    word: String,
    rule: Option<&'static Rule>,
}

/// Whether a record may have such a member.
pub(super) fn is_marked(record: &[u8]) -> bool {
    memmem::find(record, NAME.as_bytes()).is_some()
}

/// The members in the envelopes of a reply. At the top of an envelope one covers the whole reply.
pub(super) fn of_reply(turn: &Turn, reply: &Reply<'_>, out: &mut Vec<Cover>) {
    let whole = TextRange::up_to(size(reply.raw.len()));
    for object in &reply.objects {
        of_json(&object.json, out, &|range, is_root| turn.place(if is_root { whole } else { range }));
    }
}

/// The members of the record itself, where it is JSON.
pub(super) fn of_record(record: &Record<'_>, out: &mut Vec<Cover>) {
    let json = Json::parse(record.bytes);
    let known = out.len();
    of_json(&json, out, &|range, _| range);
    // An envelope that is its record was seen as a reply.
    let (known, new) = out.split_at(known);
    let is_new: Vec<_> = new.iter().map(|one| !known.iter().any(|other| other.place == one.place)).collect();
    let (mut at, known) = (0, known.len());
    out.retain(|_| {
        at += 1;
        at <= known || is_new.get(at - 1 - known).copied().unwrap_or(true)
    });
}

fn of_json(json: &Json<'_>, out: &mut Vec<Cover>, place: &dyn Fn(TextRange, bool) -> TextRange) {
    let mut open = vec![json.root()];
    while let Some(node) = open.pop() {
        open.extend(json.elements(node).filter(|inner| is_container(json, *inner)));
        for Member { key, value } in json.members(node) {
            if json.string(key).is_some_and(|key| key == NAME) {
                let covers = place(json.range(node), node == json.root());
                let at = place(json.range(value), false);
                for word in words(json, value) {
                    let rule = registry::find(&word);
                    out.push(Cover { covers, place: at, word, rule });
                }
            } else if is_container(json, value) {
                open.push(value);
            }
        }
    }
}

fn is_container(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), Kind::Array | Kind::Object)
}

/// The names in a value: `"NAME, NAME -- reason"`, or a list of such.
fn words(json: &Json<'_>, value: NodeId) -> Vec<String> {
    let texts = json.string(value).into_iter().chain(json.elements(value).filter_map(|one| json.string(one)));
    let names = texts.flat_map(|text| {
        let names = text.split("--").next().unwrap_or_default();
        names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Takes away what is silenced, and adds what is wrong with the members.
pub(super) fn apply(covers: &[Cover], record: &Record<'_>, rules: &RuleSettings, found: &mut Vec<Found>) {
    let mut used = vec![false; covers.len()];
    found.retain(|one| {
        let mut is_silenced = false;
        for (cover, used) in covers.iter().zip(&mut used) {
            let covered = one.start == record.start && touches(cover.covers, one.finding.range.start());
            if covered && cover.rule.is_some_and(|rule| rule == one.finding.rule && rule.is_silenceable()) {
                (is_silenced, *used) = (true, true);
            }
        }
        !is_silenced
    });
    let about = |(cover, used): (&Cover, bool)| {
        let Cover { word, place, rule, .. } = cover;
        let (rule, message) = match rule {
            None => {
                let near =
                    registry::similar(word).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                let message = format!("No rule is called `{word}`, so this name silences nothing.{near}");
                (&UNKNOWN_SUPPRESSION, message)
            }
            Some(rule) if !used && rules.severity(rule).is_some() => {
                (&UNUSED_SUPPRESSION, format!("`{word}` finds nothing here, so there is nothing to silence."))
            }
            Some(_) => return None,
        };
        let finding = Finding::new(rule, *place, message);
        let (record, start, address) = (record.number, record.start, Address::default());
        Some(Found { record, start, finding, address })
    };
    found.extend(covers.iter().zip(used).filter_map(about));
}

fn touches(range: TextRange, offset: TextSize) -> bool {
    range.start() <= offset && offset <= range.end()
}
