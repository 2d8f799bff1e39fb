//! What hides an envelope from the runtime's search for objects: quotes and braces in prose, depth, size, and sheer
//! number.

use crate::envelope::check::Sink;
use crate::envelope::edits;
use crate::envelope::examples::line;
use crate::envelope::json::ProblemKind;
use crate::envelope::runtime::{self, Stage, candidates};
use crate::envelope::survey::{Role, Survey};
use mangle_syntax::lint::{Finding, Fix, FixKind, Group, Rule, Severity, Span};
use mangle_syntax::text::{TextRange, size};

/// The same text fifty times.
macro_rules! fifty {
    ($text:literal) => {
        concat!(ten!($text), ten!($text), ten!($text), ten!($text), ten!($text))
    };
}

macro_rules! ten {
    ($text:literal) => {
        concat!($text, $text, $text, $text, $text, $text, $text, $text, $text, $text)
    };
}

pub(super) static STRAY_QUOTE: Rule = Rule {
    code: "PB024",
    name: "stray-quote",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "A quote in prose that hides the envelope.",
    rationale: "The runtime's search counts quotes in prose too. After an odd one it takes the braces of the envelope for text in a \
                string and finds nothing. As long as the envelope is the first thing with a brace it is found all the same, and \
                this is a hint.",
    bad: concat!("Set {x} for the 5\" bar: ", line!("ok"), "\n"),
    good: line!("ok"),
    fix: FixKind::Unsafe,
};

pub(super) static STRAY_BRACE: Rule = Rule {
    code: "PB025",
    name: "stray-brace",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "A brace that is not closed and swallows the envelope.",
    rationale: "The runtime's search takes everything behind an open brace for a part of that object. It never closes, so the \
                envelope behind it is never found.",
    bad: concat!("{ oops ", line!("ok"), "\n"),
    good: line!("ok"),
    fix: FixKind::Unsafe,
};

pub(super) static DEPTH: Rule = Rule {
    code: "PB027",
    name: "depth",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "Objects that are nested too deep.",
    rationale: "The runtime's search gives an object up at the 201st open brace and goes on with what is inside, so it may even take \
                a piece of it for an object. Its decoder gives up at 10,000 levels.",
    bad: concat!(
        "Set {x}: {\"a\": {\"b\": {\"c\": {\"d\": {}}}}} ",
        line!("ok"),
        "\n#- mangle-ls.toml\n[transcripts.caps]\nmax_depth = 3\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static TOO_LARGE: Rule = Rule {
    code: "PB028",
    name: "too-large",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "An envelope that is too large to be found in mixed text.",
    rationale: "The runtime's search drops objects beyond 5 MiB without a word. An envelope that the reply begins with has no such \
                limit.",
    bad: concat!("Set {x}: ", line!("ok"), "\n#- mangle-ls.toml\n[transcripts.caps]\nmax_candidate = 100\n"),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static CANDIDATE_FLOOD: Rule = Rule {
    code: "PB029",
    name: "candidate-flood",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "More objects in one reply than anybody writes.",
    rationale: "The runtime tries to decode each of them, the last first, without a limit. Such a reply costs time, and is how an \
                envelope gets buried.",
    bad: concat!(fifty!("{} "), line!("ok"), "\n"),
    good: line!("ok"),
    fix: FixKind::None,
};

/// More objects than this are a flood.
const FLOOD: usize = 50;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    let is_direct = matches!(survey.stage(), Some(Stage::Whole | Stage::Stream));
    for (at, object) in survey.with_role(Role::Envelope) {
        let sight = survey.sights.get(at).copied().unwrap_or_default();
        if let Some(quote) = sight.quote {
            stray_quote(survey, quote, at, sink);
        } else if let Some(brace) = sight.brace.filter(|_| !is_direct) {
            stray_brace(survey, brace, at, sink);
        }
        let limit = survey.context.settings.caps.candidate;
        if !is_direct && object.range.len() > limit {
            let message = format!(
                "this envelope has {} bytes: the runtime's search drops objects of more than {limit} without a word",
                object.range.len()
            );
            sink.push(Finding::new(&TOO_LARGE, survey.brace(object), message));
        }
    }
    depth(survey, is_direct, sink);
    if !is_direct {
        flood(survey, sink);
    }
}

fn stray_quote(survey: &Survey<'_>, quote: usize, at: usize, sink: &mut Sink) {
    let range = TextRange::at(size(quote), size(1));
    let Some(object) = survey.reply.objects.get(at) else { return };
    let (message, severity) = if survey.is_lost() {
        let message = "this quote has no other half, so the runtime's search takes the envelope behind it for text in a string and \
                       does not find it; delete the quote";
        (message, Severity::Error)
    } else {
        (
            "this quote has no other half: had the runtime to search for the envelope, it would not find it",
            Severity::Hint,
        )
    };
    let mut finding = Finding::new(&STRAY_QUOTE, range, message).severity(severity);
    finding.fix = fix("Delete the quote", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "the envelope"));
}

fn stray_brace(survey: &Survey<'_>, brace: usize, at: usize, sink: &mut Sink) {
    let Some(object) = survey.reply.objects.get(at) else { return };
    let message = "this brace is never closed, so the runtime takes the envelope behind it for a part of it and finds nothing; delete \
                   the brace";
    let range = TextRange::at(size(brace), size(1));
    let mut finding = Finding::new(&STRAY_BRACE, range, message);
    finding.fix = fix("Delete the brace", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "the envelope"));
}

/// The deletion of a byte, if the runtime finds an envelope then.
fn fix(title: &str, range: TextRange, survey: &Survey<'_>, sink: &mut Sink) -> Option<Fix> {
    let (raw, fix) = (survey.reply.raw, Fix::guess(title).replace(range, ""));
    if !sink.may_read(2 * raw.len()) {
        return None;
    }
    let new = edits::applied(raw, &fix)?;
    let reading = runtime::read(&new, &survey.context.settings.caps).ok()?;
    reading.picked.is_some().then_some(fix)
}

fn depth(survey: &Survey<'_>, is_direct: bool, sink: &mut Sink) {
    let too_deep =
        survey.reply.objects.iter().find_map(|object| {
            object.json.problems.iter().find(|problem| problem.kind == ProblemKind::TooDeep)
        });
    if let Some(problem) = too_deep {
        let message = "more than 10,000 levels of nesting: the runtime's decoder gives up here";
        sink.push(Finding::new(&DEPTH, TextRange::at(problem.range.start(), size(1)), message));
    } else if let Some(brace) = survey.too_deep.filter(|_| !is_direct) {
        let limit = survey.context.settings.caps.depth;
        let message = format!(
            "more than {limit} braces deep: the runtime's search gives the object up here, and may take a piece of it for an object"
        );
        sink.push(Finding::new(&DEPTH, TextRange::at(size(brace), size(1)), message));
    }
}

fn flood(survey: &Survey<'_>, sink: &mut Sink) {
    let found = candidates(survey.reply.raw, &survey.context.settings.caps);
    if let Some(first) = found.first().filter(|_| found.len() > FLOOD) {
        let message =
            format!("{} objects in one reply: the runtime tries each of them, the last first", found.len());
        sink.push(Finding::new(&CANDIDATE_FLOOD, TextRange::at(size(first.start), size(1)), message));
    }
}
