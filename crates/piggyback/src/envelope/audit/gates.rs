//! Rules for the `safety_gates` and `learning_signals` of audit objects.

use crate::envelope::Sink;
use crate::envelope::edits::insert_member;
use crate::envelope::json::JsonKind;
use crate::envelope::pointer::shortened;
use crate::envelope::requests::{is_command, is_dangerous};
use crate::envelope::survey::Subject;
use crate::envelope::table::Requirement;
use crate::envelope::view::View;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};

pub(super) static GATE_MISMATCH: Rule = rule!("gate-mismatch.md");

pub(super) static LEARNING_MISMATCH: Rule = rule!("learning-mismatch.md");

pub(super) static GATES_ABSENT: Rule = rule!("gates-absent.md");

/// A `safety_gates` object without values.
const EMPTY: &str = "{\"requires_user_approval\": false, \"chesterton_fence_warning\": null, \
                     \"dangerous_action_blocked\": null, \"constitutional_override\": null}";

/// Tools that the reference constitution classifies as dangerous.
const DANGEROUS_TOOLS: [&str; 5] =
    ["delete_file", "git_push", "git_force", "run_arbitrary_command", "system_modify"];

/// True if the safety gates exist and all values are `null`.
pub(super) fn are_empty(subject: &Subject<'_>) -> bool {
    let gates = subject.control.object("safety_gates");
    gates.exists() && gates.entries.iter().all(|entry| subject.json.kind(entry.value) == JsonKind::Null)
}

/// Returns the reason that the action of a packet requires safety gates with values.
pub(super) fn danger(subject: &Subject<'_>) -> Option<String> {
    let control = &subject.control;
    if control.object("impact_analysis").text("estimated_scope").is_some_and(|scope| scope == "critical") {
        return Some("the scope is `critical`".to_owned());
    }
    let verb = control.object("intent_classification").text("verb");
    if verb.is_some_and(|verb| verb.trim_start_matches('/') == "delete") {
        return Some("the verb is `/delete`".to_owned());
    }
    control.objects("tool_requests").find_map(|request| {
        let tool = request.text("tool_name").unwrap_or_default();
        let name = tool.trim_start_matches('/');
        let args = request.get("tool_args").map(|entry| entry.value);
        let mut members = args.into_iter().flat_map(|args| subject.json.members(args));
        let runs_danger = members.any(|member| {
            subject.json.string(member.key).is_some_and(|key| is_command(&key))
                && subject.json.string(member.value).is_some_and(|command| is_dangerous(&command))
        });
        (DANGEROUS_TOOLS.contains(&name) || runs_danger)
            .then(|| format!("the request for `{}` is dangerous", shortened(name)))
    })
}

/// Returns the reason for required safety gates in versions that only recommend them.
pub(super) fn needed(subject: &Subject<'_>) -> Option<String> {
    let field = subject.control.table.field("safety_gates");
    let is_recommended = field.is_some_and(|field| field.need(subject.profile) == Requirement::Recommended);
    danger(subject).filter(|_| is_recommended)
}

/// Reports empty safety gates for an action that requires them.
fn empty(subject: &Subject<'_>, sink: &mut Sink) {
    let field = subject.control.table.field("safety_gates");
    let is_known = field.is_some_and(|field| field.is_in(subject.profile));
    if !is_known || !subject.is_whole() || !are_empty(subject) {
        return;
    }
    let (Some(why), Some(range)) = (danger(subject), subject.control.value_range("safety_gates")) else {
        return;
    };
    let finding = Finding::new(&GATES_ABSENT, range, "`safety_gates` is empty for a dangerous action");
    sink.push(finding.note(why));
}

pub(super) fn absent(subject: &Subject<'_>, sink: &mut Sink) {
    let control = &subject.control;
    empty(subject, sink);
    let is_whole = subject.is_whole() && control.exists();
    if !is_whole || control.has("safety_gates") || control.misspelled_key("safety_gates").is_some() {
        return;
    }
    let (message, note) = match needed(subject) {
        _ if subject.profile == Profile::V1_2 => (
            "control packet has no `safety_gates`",
            "an audit cannot tell whether anything dangerous was requested or blocked".to_owned(),
        ),
        Some(why) => ("dangerous action has no `safety_gates`", why),
        None => return,
    };
    let mut finding = Finding::new(&GATES_ABSENT, subject.control_range(), message).note(note);
    // Empty gates do not justify a dangerous action.
    if subject.profile != Profile::V1_2 {
        sink.push(finding);
        return;
    }
    let fix = Fix::safe("insert empty safety gates");
    finding.fix = match control.value_range("safety_gates") {
        Some(null) => Some(fix.replace(null, EMPTY)),
        None => insert_member(control, "safety_gates", EMPTY, false).map(|(at, text)| fix.replace(at, text)),
    };
    sink.push(finding);
}

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    gate(subject, sink);
    learning(subject, sink);
}

fn gate(subject: &Subject<'_>, sink: &mut Sink) {
    let execution = subject.control.object("execution_metadata");
    let gates = subject.control.object("safety_gates");
    let (Some(blocked), true) =
        (execution.flag("blocked_by_constitution"), gates.exists() && subject.is_whole())
    else {
        return;
    };
    let says = |name: &str| gates.text(name).is_some_and(|text| !text.trim().is_empty());
    let (names_one, overridden) = (says("dangerous_action_blocked"), says("constitutional_override"));
    let other = match (blocked, names_one) {
        (true, false) if !overridden => "no action is named",
        (false, true) if !overridden => "an action is named",
        _ => return,
    };
    let range = gates.key_range("dangerous_action_blocked").or(subject.control.key_range("safety_gates"));
    let message = format!("`blocked_by_constitution` is {blocked}, but {other}");
    let finding = Finding::new(&GATE_MISMATCH, range.unwrap_or_else(|| gates.brace()), message);
    sink.push(finding.note("`dangerous_action_blocked` names the action that was blocked"));
}

fn learning(subject: &Subject<'_>, sink: &mut Sink) {
    let signals = subject.control.object("learning_signals");
    if !signals.exists() {
        return;
    }
    let has_reason = signals.text("rejection_reason").is_some_and(|reason| !reason.trim().is_empty());
    let accepted = signals.flag("user_accepted");
    if let Some(range) =
        signals.value_range("rejection_reason").filter(|_| has_reason && accepted != Some(false))
    {
        let finding = Finding::new(&LEARNING_MISMATCH, range, "rejection reason without a rejection");
        sink.push(finding.note("`user_accepted` is not `false`"));
    }
    if let Some(range) = signals.value_range("user_accepted")
        && accepted == Some(false)
        && !has_reason
        && signals.misspelled_key("rejection_reason").is_none()
        && subject.is_whole()
    {
        let finding = Finding::new(&LEARNING_MISMATCH, range, "rejection has no reason");
        sink.push(finding.note("`rejection_reason` is empty").severity(Severity::Hint));
    }
    promotion(&signals, accepted, sink);
}

/// Reports a pattern that is marked for learning although it failed or was rejected.
fn promotion(signals: &View<'_>, accepted: Option<bool>, sink: &mut Sink) {
    let name = "should_promote_to_learned";
    let Some(range) = signals.value_range(name).filter(|_| signals.flag(name) == Some(true)) else { return };
    if signals.flag("success") == Some(false) {
        let finding = Finding::new(&LEARNING_MISMATCH, range, "failed pattern is marked for learning");
        sink.push(finding.note("`success` is `false`"));
    } else if accepted == Some(false) {
        let finding = Finding::new(&LEARNING_MISMATCH, range, "rejected pattern is marked for learning");
        sink.push(finding.note("`user_accepted` is `false`").severity(Severity::Hint));
    }
}
