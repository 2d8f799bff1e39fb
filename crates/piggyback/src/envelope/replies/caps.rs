//! What the runtime cuts off an envelope that it accepts.

use crate::envelope::check::Sink;
use crate::envelope::examples::{asking, line, packet};
use crate::envelope::json::NodeId;
use crate::envelope::runtime;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::text::{TextRange, size};

pub(super) static SURFACE_CAP: Rule = Rule {
    code: "PB030",
    name: "surface-cap",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "A surface that is longer than the runtime shows.",
    rationale: "The runtime cuts the surface after 50,000 bytes, even inside a character, and puts `[TRUNCATED]` behind it.",
    bad: concat!(
        line!("I am looking at the login now."),
        "\n#- mangle-ls.toml\n[transcripts.caps]\nmax_surface_length = 10\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static UPDATES_CAP: Rule = Rule {
    code: "PB031",
    name: "updates-cap",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "More updates than the runtime takes.",
    rationale: "The runtime keeps the first 2,000 updates, blank ones counted, before it looks at what they say. The kernel never \
                hears of the rest.",
    bad: concat!(
        packet!(
            "\"mangle_updates\": [\"test_state(/red).\", \"test_state(/green).\"]",
            "\"memory_operations\": []"
        ),
        "#- mangle-ls.toml\n[transcripts.caps]\nmax_updates = 1\n"
    ),
    good: packet!(
        "\"mangle_updates\": [\"observation(\\\"t1\\\", \\\"green\\\").\"]",
        "\"memory_operations\": []"
    ),
    fix: FixKind::None,
};

pub(super) static ATOMS_DROPPED: Rule = Rule {
    code: "PB032",
    name: "atoms-dropped",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "Some updates are dropped by the runtime's first filter.",
    rationale: "The runtime drops blank updates, those of more than 1,000 bytes, those without a parenthesis, and those with one of \
                the four shell characters. This is the sum for one envelope; each update has a finding of its own.",
    bad: packet!("\"mangle_updates\": [\"\"]", "\"memory_operations\": []"),
    good: packet!("\"mangle_updates\": []", "\"memory_operations\": []"),
    fix: FixKind::None,
};

pub(super) static TRACE_CAP: Rule = Rule {
    code: "PB033",
    name: "trace-cap",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "A reasoning trace that is longer than the runtime keeps.",
    rationale: "The runtime cuts the trace after 50,000 bytes, even inside a character, and puts `[TRUNCATED]` behind it.",
    bad: concat!(
        packet!(
            "\"mangle_updates\": []",
            "\"memory_operations\": []",
            "\"reasoning_trace\": \"The token is old.\""
        ),
        "#- mangle-ls.toml\n[transcripts.caps]\nmax_reasoning_trace = 10\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static MEMORY_CAP: Rule = Rule {
    code: "PB034",
    name: "memory-cap",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "More memory operations than the runtime takes.",
    rationale: "The runtime keeps the first 500 memory operations; what the rest should store or forget is lost.",
    bad: concat!(
        packet!(
            "\"mangle_updates\": []",
            "\"memory_operations\": [{\"op\": \"note\", \"key\": \"a:b\", \"value\": \"c\"}, {\"op\": \"note\", \"key\": \"a:d\", \"value\": \"e\"}]"
        ),
        "#- mangle-ls.toml\n[transcripts.caps]\nmax_memory_operations = 1\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static TOOLS_CAP: Rule = Rule {
    code: "PB035",
    name: "tools-cap",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "More tool requests than the runtime takes.",
    rationale: "The runtime keeps the first 20 tool requests; the rest is never run, and nobody is told.",
    bad: concat!(
        asking!(
            "\"tool_requests\": [{\"id\": \"req_1\", \"tool_name\": \"read_file\", \"tool_args\": {\"path\": \"a.go\"}}]"
        ),
        "#- mangle-ls.toml\n[transcripts.caps]\nmax_tool_requests = 0\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static KNOWLEDGE_CAP: Rule = Rule {
    code: "PB036",
    name: "knowledge-cap",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "More knowledge requests than the runtime takes.",
    rationale: "The runtime keeps the first 20 knowledge requests; the rest is never asked.",
    bad: concat!(
        asking!("\"knowledge_requests\": [{\"specialist\": \"researcher\", \"query\": \"How?\"}]"),
        "#- mangle-ls.toml\n[transcripts.caps]\nmax_knowledge_requests = 0\n"
    ),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let (caps, control) = (&subject.context.settings.caps, &subject.control);
    if caps.surface > 0 {
        text(&SURFACE_CAP, &subject.envelope, "surface_response", "the surface", caps.surface, sink);
    }
    text(&TRACE_CAP, control, "reasoning_trace", "the reasoning trace", caps.trace, sink);
    tail(&UPDATES_CAP, control, "mangle_updates", "updates", caps.updates, sink);
    tail(&MEMORY_CAP, control, "memory_operations", "memory operations", caps.memory, sink);
    tail(&TOOLS_CAP, control, "tool_requests", "tool requests", caps.tools, sink);
    tail(&KNOWLEDGE_CAP, control, "knowledge_requests", "knowledge requests", caps.knowledge, sink);
    dropped(subject, sink);
}

fn text(rule: &'static Rule, view: &View<'_>, name: &str, what: &str, cap: usize, sink: &mut Sink) {
    let Some(entry) = view.get(name) else { return };
    // A string is never longer than what it is written as.
    if usize::from(view.json.range(entry.value).len()) <= cap {
        return;
    }
    let Some((value, map)) = view.json.string_with_map(entry.value).filter(|(value, _)| value.len() > cap)
    else {
        return;
    };
    let inside = if value.is_char_boundary(cap) { "" } else { ", inside a character" };
    let message = format!(
        "{what} has {} bytes: the runtime cuts it at {cap} bytes{inside}; the rest is lost",
        value.len()
    );
    let range = map.to_source(TextRange::new(size(cap), size(value.len())));
    sink.push(Finding::new(rule, range, message));
}

fn tail(rule: &'static Rule, view: &View<'_>, name: &str, what: &str, cap: usize, sink: &mut Sink) {
    let elements = view.list(name);
    let lost: &[NodeId] = elements.get(cap..).unwrap_or(&[]);
    if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
        let range = view.json.range(*first).cover(view.json.range(*last));
        let message = format!(
            "{} of {} {what} are lost: the runtime keeps the first {cap}, and says nothing of the rest",
            lost.len(),
            elements.len()
        );
        sink.push(Finding::new(rule, range, message));
    }
}

fn dropped(subject: &Subject<'_>, sink: &mut Sink) {
    let (caps, json) = (&subject.context.settings.caps, subject.json);
    let updates = subject.control.list("mangle_updates");
    let kept = updates.iter().take(caps.updates);
    // A full stop that is missing has a finding of its own, which says that the update is lost.
    let is_dropped = |update: &str| runtime::reason_in(update, caps, false).is_some();
    // Where the runtime took the envelope, it was decoded.
    let decoded = if subject.is_picked { subject.reply.reading.as_ref().ok() } else { None };
    let decoded =
        decoded.and_then(|reading| reading.picked.as_ref()).map(|picked| picked.packet.updates.as_slice());
    let count = match decoded {
        Some(updates) => updates.iter().filter(|update| is_dropped(update)).count(),
        None => kept.filter(|node| json.string(**node).is_some_and(|update| is_dropped(&update))).count(),
    };
    let of = updates.len();
    if let Some(range) = subject.control.key_range("mangle_updates").filter(|_| count > 0) {
        let message = format!("the runtime drops {count} of these {of} updates before the kernel sees them");
        sink.push(Finding::new(&ATOMS_DROPPED, range, message));
    }
}
