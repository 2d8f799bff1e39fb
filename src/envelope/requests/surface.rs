//! What the surface claims while the packet still asks.

use crate::envelope::check::Sink;
use crate::envelope::examples::{asking, line};
use crate::envelope::subject::Subject;
use crate::lint::{Finding, FixKind, Group, Rule, Severity};
use crate::text::{TextRange, size};

pub(super) static EARLY_CLAIM: Rule = Rule {
    code: "PB427",
    name: "early-claim",
    group: Group::Requests,
    severity: Some(Severity::Hint),
    summary: "The surface claims a result while a tool is still to be run.",
    rationale: "The packet asks for a tool, and the surface says that it is done. The user believes it before the tool ran, or was \
                refused. `[transcripts] success_phrases` lists the words.",
    bad: concat!(
        "{\n  \"control_packet\": {\n    \"intent_classification\": {\"category\": \"/mutation\", \"verb\": \"/delete\", \"target\": \"logs\", ",
        "\"constraint\": \"none\", \"confidence\": 0.9},\n    \"mangle_updates\": [],\n    \"memory_operations\": [],\n",
        "    \"reasoning_trace\": \"They are old.\",\n    \"tool_requests\": [{\"id\": \"req_1\", \"tool_name\": \"delete_file\", ",
        "\"tool_args\": {\"path\": \"logs\"}}]\n  },\n  \"surface_response\": \"I have deleted the logs.\"\n}\n"
    ),
    good: asking!(
        "\"tool_requests\": [{\"id\": \"req_1\", \"tool_name\": \"delete_file\", \"tool_args\": {\"path\": \"logs\"}}]"
    ),
    fix: FixKind::None,
};

pub(super) static IGNORANCE: Rule = Rule {
    code: "PB434",
    name: "ignorance",
    group: Group::Requests,
    severity: Some(Severity::Information),
    summary: "The surface says that the model does not know, and it asks nobody.",
    rationale: "A packet can put a question to a specialist or ask for a tool. Giving up without either leaves the user with nothing.",
    bad: line!("I don't know how the login works."),
    good: line!("The login works with tokens."),
    fix: FixKind::None,
};

/// What a surface says that gives up.
const IGNORANT: [&str; 9] = [
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "i'm not familiar",
    "i am not familiar",
    "i have no information",
    "i don't have information",
    "i don't have enough information",
];

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let has = |name: &str| !subject.control.list(name).is_empty();
    let (asks_tools, asks_others) = (has("tool_requests"), has("knowledge_requests"));
    if asks_tools {
        let phrases = &subject.context.settings.success_phrases;
        if let Some((range, phrase)) = phrase(subject, phrases.iter().map(String::as_str)) {
            let message = format!(
                "the surface says `{phrase}` while a tool is still to be run: it may be refused, or fail"
            );
            sink.push(Finding::new(&EARLY_CLAIM, range, message));
        }
    } else if !asks_others
        && subject.control.is_there()
        && let Some((range, _)) = phrase(subject, IGNORANT.into_iter())
    {
        let message = "the model says that it does not know: it could ask a specialist (`knowledge_requests`) or a tool";
        sink.push(Finding::new(&IGNORANCE, range, message));
    }
}

/// Where the surface has one of some phrases, as whole words, in any case.
fn phrase<'p>(subject: &Subject<'_>, phrases: impl Iterator<Item = &'p str>) -> Option<(TextRange, &'p str)> {
    let entry = subject.envelope.get("surface_response")?;
    // Letters of other scripts stay as they are, so that places stay the same.
    let lower = subject.json.string(entry.value)?.to_ascii_lowercase();
    let (range, phrase) = in_text(&lower, phrases)?;
    let (_, map) = subject.json.string_with_map(entry.value)?;
    Some((map.to_source(range), phrase))
}

fn in_text<'p>(text: &str, phrases: impl Iterator<Item = &'p str>) -> Option<(TextRange, &'p str)> {
    let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let mut found: Vec<_> = phrases
        .filter_map(|phrase| {
            let wanted = phrase.to_ascii_lowercase();
            let mut places = text.match_indices(&wanted).filter(|(at, hit)| {
                let before = text.get(..*at).and_then(|before| before.chars().next_back());
                let behind = text.get(at + hit.len()..).and_then(|behind| behind.chars().next());
                !hit.is_empty() && !is_word(before) && !is_word(behind)
            });
            places.next().map(|(at, hit)| (TextRange::at(size(at), size(hit.len())), phrase))
        })
        .collect();
    found.sort_by_key(|(range, _)| range.start());
    found.into_iter().next()
}
