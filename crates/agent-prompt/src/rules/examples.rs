//! Rules about examples and descriptions of envelopes in a prompt.

use super::patterns::PATTERNS;
use super::{PromptFinding, Subject, elision, within};
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt, PromptPart};
use crate::sections::{LineRole, SectionKind};
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::lint::{Finding, Rule, Severity, rule};
use mangle_syntax::text::TextRange;
use piggyback::envelope;
use piggyback::envelope::table::CONTROL;
use piggyback::envelope::{OPERATIONS, Reply, ReplyContext, json};

pub(super) static EXAMPLE_INVALID: Rule = rule!("example-invalid.md");

pub(super) static VERSION_SKEW: Rule = rule!("version-skew.md");

/// The key that identifies examples of envelopes.
const PACKET: &str = "control_packet";

/// The code of the rule about field types.
const FIELD_TYPE: &str = "PB014";

/// The maximum number of reported findings per example.
const MAX_REPORTED: usize = 3;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let profile = subject.transcripts.profile.unwrap_or(Profile::Current);
    for shown in subject.shown.iter().filter(|shown| shown.request.part == PromptPart::System) {
        for (origin, text) in texts(shown) {
            if !text.contains(PACKET) {
                continue;
            }
            let Some(OriginPlace::File(file, range)) = subject.common.place(shown, origin) else { continue };
            let mut report = |finding| found.push(PromptFinding { file, finding });
            if let Some(wrong) =
                examples(&text).find_map(|example| wrong(&example, subject.transcripts, profile))
            {
                let finding = Finding::new(&EXAMPLE_INVALID, range, "example of an envelope is invalid");
                report(finding.note(wrong).note(format!("{}, a model copies the example", within(shown))));
            }
            let foreign = foreign(&text, profile);
            if !foreign.is_empty() {
                let names: Vec<_> = foreign.iter().map(|name| format!("`{name}`")).collect();
                let message = match &names[..] {
                    [one] => format!("{one} is not in protocol version `{profile}`"),
                    _ => format!("{} words are not in protocol version `{profile}`", names.len()),
                };
                let finding = Finding::new(&VERSION_SKEW, range, message);
                let finding = match names.len() {
                    1 => finding,
                    _ => finding.note(format!("they are {}", names.join(", "))),
                };
                report(
                    finding.note(format!("{}, the runtime ignores what a model writes there", within(shown))),
                );
            }
        }
    }
}

/// The texts of facts and atoms in a prompt, with consecutive lines of one origin joined.
fn texts(shown: &PreviewedPrompt) -> Vec<(&LineOrigin, String)> {
    let mut texts: Vec<(&LineOrigin, String)> = Vec::new();
    for section in shown.prompt.sections.iter().filter(|section| section.kind != SectionKind::Suffix) {
        let mut is_same_section = false;
        for line in section.lines.iter().filter(|line| line.role == LineRole::Text) {
            let is_same = |of: &LineOrigin| match (of, &line.origin) {
                (LineOrigin::Fact(one), LineOrigin::Fact(other)) => one == other,
                (LineOrigin::Atom { id: one, .. }, LineOrigin::Atom { id: other, .. }) => one == other,
                _ => false,
            };
            match texts.last_mut().filter(|(of, _)| is_same_section && is_same(of)) {
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(line.value());
                }
                None => texts.push((&line.origin, line.value().to_owned())),
            }
            is_same_section = true;
        }
    }
    texts.retain(|(origin, _)| matches!(origin, LineOrigin::Fact(_) | LineOrigin::Atom { .. }));
    texts
}

/// The top-level JSON objects of a text that contain a packet.
fn examples(text: &str) -> impl Iterator<Item = String> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = text.get(at..)?.find('{').map(|found| at + found) {
            let rest = text.get(start..)?;
            at = start + 1;
            let Some(whole) = balanced(rest) else { continue };
            let example = elision::quoted(whole);
            if json::whole(example.as_bytes()).is_err() {
                continue;
            }
            at = start + whole.len();
            if example.contains("\"control_packet\"") && !is_sketch(&example) {
                return Some(example);
            }
        }
        None
    })
}

/// True if an envelope is empty or omits members.
fn is_sketch(example: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|patterns| patterns.empty_packet.is_match(example))
        || elision::leaves_members_out(example)
}

/// The text from an opening brace to the matching closing brace.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' if !is_text => depth += 1,
            b'}' if !is_text => {
                depth -= 1;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The problems of an example.
fn wrong(example: &str, settings: &TranscriptSettings, profile: Profile) -> Option<String> {
    let elided = elision::values(example);
    let check = |example: &str| {
        let reply = Reply::new(example.as_bytes(), &settings.limits_for(Some(profile), None));
        let context =
            ReplyContext { profile: Some(profile), is_documentation: true, ..ReplyContext::new(settings) };
        envelope::check(&reply, &context)
    };
    let mut all = check(example);
    // A quoted elision is a text. If the runtime expects another type there, decoding fails and all
    // text is shown.
    let unfit: Vec<_> = elided.iter().copied().filter(|value| is_unfit(&all, *value)).collect();
    if !unfit.is_empty() {
        all = check(&elision::without(example, &unfit));
    }
    // Elided values are not checked.
    let is_shown = |finding: &&Finding| {
        finding.range.is_empty() || !elided.iter().any(|value| value.contains_range(finding.range))
    };
    let is_grave = |finding: &&Finding| {
        finding.severity.or(finding.rule.severity).is_some_and(|severity| severity >= Severity::Warning)
    };
    let mut said: Vec<String> = all
        .iter()
        .filter(is_shown)
        .filter(is_grave)
        .map(|finding| format!("{} ({})", finding.message.trim_end_matches('.'), finding.rule.code))
        .collect();
    let more = said.len().saturating_sub(MAX_REPORTED);
    said.truncate(MAX_REPORTED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!said.is_empty()).then(|| format!("{}{more}", said.join("; ")))
}

/// True if a value has the wrong type for its place.
fn is_unfit(all: &[Finding], value: TextRange) -> bool {
    all.iter().any(|finding| finding.rule.code == FIELD_TYPE && value.contains_range(finding.range))
}

/// The members and operations in a text that a protocol version lacks.
fn foreign(text: &str, profile: Profile) -> Vec<&'static str> {
    let is_sign = |sign: char| sign.is_alphanumeric() || sign == '_';
    let words = |name: &str| text.split(|sign| !is_sign(sign)).any(|word| word == name);
    let fields = CONTROL.fields.iter().filter(|field| !field.is_in(profile)).map(|field| field.name);
    let mut found: Vec<&'static str> = fields.filter(|name| words(name)).collect();
    // Names of operations are also English words, so only quoted names are reported.
    let quoted =
        |name: &str| ['"', '`', '\''].iter().any(|quote| text.contains(&format!("{quote}{name}{quote}")));
    let operations = OPERATIONS.iter().filter(|operation| !operation.is_in(profile));
    found.extend(operations.map(|operation| operation.name).filter(|name| quoted(name)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_whole_objects() {
        let found = |text| examples(text).collect::<Vec<_>>();
        assert_eq!(
            found("x {y} {\"control_packet\": {\"a\": \"}\"}} z"),
            ["{\"control_packet\": {\"a\": \"}\"}}"]
        );
        assert_eq!(found("{\"control_packet\": {}}, {\"control_packet\": {...}}, {\"a\": 1}, {"), [""; 0]);
    }

    #[test]
    fn elision_of_one_value_leaves_the_others_to_be_checked() {
        let settings = TranscriptSettings::default();
        let said = |packet: &str, rest: &str| {
            let example =
                format!("{{\"control_packet\": {packet}, \"surface_response\": \"Working...\"{rest}}}");
            let all: Vec<_> = examples(&example).collect();
            all.first().and_then(|example| wrong(example, &settings, Profile::Current))
        };
        let packet = |category: &str, update: &str, trace: &str| {
            format!(
                "{{\"intent_classification\": {{\"category\": \"{category}\", \"verb\": \"/fix\", \"target\": \"a\", \
                 \"constraint\": \"none\", \"confidence\": 0.9}}, \"mangle_updates\": [\"{update}\"], \
                 \"memory_operations\": [], \"reasoning_trace\": \"{trace}\"}}"
            )
        };
        // A text can contain an ellipsis. A value that is only an ellipsis is not checked.
        assert_eq!(said(&packet("/mutation", "done(/a).", "First..."), ""), None);
        assert_eq!(said(&packet("/mutation", "...", "…"), ""), None);
        let content = ", \"artifacts\": [{\"content\": \"...\"}]";
        assert!(
            said(&packet("/mutation", "done(/a)", "..."), content).is_some_and(|said| said.contains("PB2"))
        );
        assert!(said(&packet("question", "...", "x"), content).is_some());
        // If members are elided, no member counts as missing.
        assert_eq!(said("{\"mangle_updates\": [\"done(/a)\"], \"...\": \"...\"}", ""), None);
    }

    /// The codes of the findings about the first example of a text.
    fn codes(text: &str) -> String {
        let settings = TranscriptSettings::default();
        let wrong = examples(text).find_map(|example| wrong(&example, &settings, Profile::Current));
        let codes = wrong.iter().flat_map(|said| said.split('(')).filter_map(|part| part.split_once(')'));
        codes.map(|(code, _)| code).filter(|code| code.starts_with("PB")).collect::<Vec<_>>().join(" ")
    }

    /// An envelope with a category, a confidence, more members of the packet and more top-level
    /// members.
    fn envelope(category: &str, confidence: &str, packet: &str, more: &str) -> String {
        format!(
            "{{\"control_packet\": {{\"intent_classification\": {{\"category\": \"{category}\", \"verb\": \"/fix\", \
             \"target\": \"a\", \"constraint\": \"none\", \"confidence\": {confidence}}}, \"mangle_updates\": []{packet}}}, \
             \"surface_response\": \"Working.\"{more}}}"
        )
    }

    #[test]
    fn bare_elision_leaves_the_rest_of_an_example_to_be_checked() {
        for more in [
            "",
            ", \"phases\": [...]",
            ", \"phases\": {...}",
            ", \"phases\": ...",
            ", ...",
            ", \"a\": [1, …]",
        ] {
            let wrong = envelope("/question", "9", ", \"memory_operations\": []", more);
            assert_eq!(
                codes(&wrong),
                codes(&envelope("/question", "9", ", \"memory_operations\": []", "")),
                "{more}"
            );
            assert_ne!(codes(&wrong), "");
            let right = envelope("/mutation", "0.9", ", \"memory_operations\": []", more);
            assert_eq!(codes(&right), "", "{more}");
        }
    }

    #[test]
    fn elided_values_fit_fields_of_all_types() {
        for packet in [
            ", \"self_correction\": \"...\", \"memory_operations\": []",
            ", \"memory_operations\": [\"...\"]",
            ", \"memory_operations\": [...]",
            ", \"memory_operations\": ...",
            ", \"memory_operations\": [], \"self_correction\": {...}",
            ", \"memory_operations\": [{\"op\": \"note\", ...}]",
        ] {
            assert_eq!(codes(&envelope("/mutation", "0.9", packet, "")), "", "{packet}");
            assert_ne!(codes(&envelope("/question", "0.9", packet, "")), "", "{packet}");
        }
        for confidence in ["\"...\"", "...", "\"…\""] {
            assert_eq!(
                codes(&envelope("/mutation", confidence, ", \"memory_operations\": []", "")),
                "",
                "{confidence}"
            );
            assert_ne!(
                codes(&envelope("/question", confidence, ", \"memory_operations\": []", "")),
                "",
                "{confidence}"
            );
        }
    }

    #[test]
    fn what_a_version_does_not_have() {
        let text =
            "control_packet with safety_gates, tool_requests and `archive`; archive it, tool_requests2";
        assert_eq!(foreign(text, Profile::Current), ["safety_gates", "archive"]);
        assert_eq!(foreign(text, Profile::V1_1), ["tool_requests", "safety_gates"]);
    }
}
