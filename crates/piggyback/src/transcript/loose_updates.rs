//! Checks of updates without an envelope, from logs and tracers.

use super::placement;
use super::turn::Turn;
use crate::envelope::ReplyContext;
use crate::envelope::atoms::{self, Update, UpdateContext};
use crate::envelope::json::Json;
use mangle_settings::Profile;
use mangle_syntax::lint::{Anchor, Finding, Span};
use mangle_syntax::text::{SegmentMap, TextRange};

/// Checks an update with the rules for updates in envelopes. Ranges are relative to its record.
pub(super) fn check(turn: &Turn, record: &[u8], context: &ReplyContext<'_>) -> Vec<Finding> {
    // Invalid UTF-8 has its own finding.
    let Ok(text) = std::str::from_utf8(turn.text(record)) else { return Vec::new() };
    // Rules about updates expect a JSON string.
    let literal = crate::envelope::edits::quoted(text);
    let json = Json::parse(literal.as_bytes());
    let (Some(update), Some((_, map))) =
        (Update::new(&json, json.root(), 0), json.string_with_map(json.root()))
    else {
        return Vec::new();
    };
    let ReplyContext { settings, declarations, .. } = *context;
    let own = turn.details.as_ref().and_then(|details| details.profile);
    let profile = context.profile.or(own).or(settings.profile).unwrap_or(Profile::Current);
    let mut findings = Vec::new();
    atoms::check(&[update], &UpdateContext { settings, declarations, profile }, &mut findings);
    let inward = findings.into_iter().filter_map(|finding| unquoted(finding, &map));
    inward.map(|finding| placement::finding(finding, turn, record)).collect()
}

/// Converts a finding about a string literal to a finding about its value.
fn unquoted(mut finding: Finding, map: &SegmentMap) -> Option<Finding> {
    finding.range = inward(finding.range, map)?;
    for related in &mut finding.related {
        if related.span.anchor == Anchor::Own {
            related.span = Span::here(inward(related.span.range, map)?);
        }
    }
    finding.fix = finding.fix.and_then(|mut fix| {
        for edit in &mut fix.edits {
            edit.span = Span::here(inward(edit.span.range, map)?);
            edit.text = serde_json::from_str(&format!("\"{}\"", edit.text)).ok()?;
        }
        Some(fix)
    });
    Some(finding)
}

/// Converts a range of a literal to a range of its value. The quotes are not part of the value.
fn inward(range: TextRange, map: &SegmentMap) -> Option<TextRange> {
    let all = map.to_source(TextRange::up_to(u32::MAX.into()));
    let inner = range.intersect(all).unwrap_or(TextRange::empty(range.start().clamp(all.start(), all.end())));
    let (start, end) = (map.to_derived(inner.start())?, map.to_derived(inner.end())?);
    Some(TextRange::new(start, end.max(start)))
}
