//! Rules that depend on the state of the kernel: transitions (`PB153`), learning (`PB312`),
//! recovery (`PB405`), limits (`PB713`, `PB714`).

use rustc_hash::FxHashSet;

use super::Scene;
use super::verdicts::quoted;
use crate::constitution::{find, text};
use crate::turn::Turn;
use mangle_engine::kernel::{Datum, Kernel, Relation, RuleId, StopReason};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::text::Symbol;
use piggyback::envelope::TRANSITION_UNBACKED;
use piggyback::envelope::runtime::ReadUpdate;

pub(super) const RULES: &[&Rule] = &[&WEAK_SIGNAL, &ACTION_UNDERIVABLE, &FACTS_OVER, &DERIVED_OVER];

/// The number of rejections that establish a preference.
const REJECTIONS: i64 = 3;

static WEAK_SIGNAL: Rule = rule!("weak-signal.md");

static ACTION_UNDERIVABLE: Rule = rule!("action-underivable.md");

static FACTS_OVER: Rule = rule!("facts-over.md");

static DERIVED_OVER: Rule = rule!("derived-over.md");

pub(super) fn before(scene: &mut Scene<'_>, kernel: &Kernel) {
    transitions(scene, kernel);
    signals(scene, kernel);
}

/// Reports transitions with a `from` that contradicts the kernel. Subjects without facts are
/// ignored.
fn transitions(scene: &mut Scene<'_>, kernel: &Kernel) {
    let Some(control) = scene.control() else { return };
    for transition in control.objects("state_transitions") {
        let (Some(from), Some(range)) = (transition.text("from"), transition.value_range("from")) else {
            continue;
        };
        if let Some(held) = contradicted(scene, kernel, &from) {
            let finding =
                Finding::new(&TRANSITION_UNBACKED, range, "kernel holds another state before this turn")
                    .note(format!("its fact is {}", quoted(&held)));
            scene.push(finding);
        }
    }
}

/// The fact about the same subject that holds instead of an atom.
fn contradicted(scene: &Scene<'_>, kernel: &Kernel, atom: &str) -> Option<String> {
    let read = ReadUpdate::new(atom, scene.options.transcript.caps.runtime);
    let fact = read.fact()?;
    let arity = u16::try_from(fact.args.len()).ok().filter(|arity| *arity > 1)?;
    let program = &scene.constitution.program;
    let predicate = program.id(PredicateKey { name: Symbol::new(&fact.predicate), arity })?;
    let model = kernel.model();
    let shown =
        |tuple: &[mangle_engine::kernel::ValueId]| model.fact(&scene.constitution.compiled, predicate, tuple);
    let wanted = fact.engine_text();
    let subject = wanted.split_once(',').map_or(wanted.as_str(), |(subject, _)| subject);
    let facts = model.relation(predicate).into_iter().flat_map(Relation::tuples).map(shown);
    let mut first = None;
    for held in facts.filter(|held| held.strip_prefix(subject).is_some_and(|rest| rest.starts_with(','))) {
        if held == wanted {
            return None;
        }
        first.get_or_insert(held);
    }
    first
}

/// Reports promoted preferences with too few rejections.
fn signals(scene: &mut Scene<'_>, kernel: &Kernel) {
    let Some(control) = scene.control() else { return };
    for operation in control.objects("memory_operations") {
        let (Some("promote_to_long_term"), Some(key)) =
            (operation.text("op").as_deref(), operation.text("key"))
        else {
            continue;
        };
        let known = rejections(scene, kernel, &key);
        if known < REJECTIONS {
            let message = format!("{} promoted after {known} of {REJECTIONS} rejections", quoted(&key));
            let finding = Finding::new(&WEAK_SIGNAL, operation.range(), message);
            scene.push(finding.note("fewer rejections do not show a lasting preference"));
        }
    }
}

/// The number of rejections for a key: the maximum count in facts that contain a text of the key.
fn rejections(scene: &Scene<'_>, kernel: &Kernel, key: &str) -> i64 {
    let model = kernel.model();
    let relations =
        scene.constitution.roles.rejections.iter().filter_map(|predicate| model.relation(*predicate));
    let mut most = 0;
    for tuple in relations.flat_map(Relation::tuples) {
        let mut texts = tuple.iter().filter_map(|value| text(model, *value));
        let is_about = texts.any(|text| {
            let text = text.trim_start_matches('/');
            !text.is_empty() && key.contains(text)
        });
        let numbers = tuple.iter().filter_map(|value| match model.values.get(*value) {
            Datum::Number(number) => Some(*number),
            _ => None,
        });
        // The first number is the count; later numbers are times.
        most = most.max(numbers.take(1).next().filter(|_| is_about).unwrap_or(0));
    }
    most
}

pub(super) fn check(scene: &mut Scene<'_>, report: &Turn, kernel: &Kernel) {
    let Some(correction) = &report.correction else { return };
    let Some(control) = scene.control() else { return };
    let object = control.object("self_correction");
    let (Some(action), Some(range)) = (object.text("recovery_action"), object.value_range("recovery_action"))
    else {
        return;
    };
    let name = format!("/{}", action.trim().trim_start_matches('/'));
    if name.len() == 1 || scene.constitution.roles.action.is_none() {
        return;
    }
    let is_derived = correction.actions.iter().any(|(fact, _)| fact.contains(&format!("({name})")));
    let holds =
        scene.constitution.roles.action.and_then(|role| find(kernel.model(), role, &[&name])).is_some();
    if !is_derived && !holds {
        let derived: Vec<_> = correction.actions.iter().map(|(fact, _)| format!("`{fact}`")).collect();
        let derived = match derived.is_empty() {
            true => "no action".to_owned(),
            false => derived.join(", "),
        };
        let message = format!("policy does not derive recovery action {}", quoted(&name));
        let finding = Finding::new(&ACTION_UNDERIVABLE, range, message);
        scene.push(finding.note(format!("from this hypothesis it derives {derived}, and only that is run")));
    }
}

pub(super) fn counts(scene: &mut Scene<'_>, kernel: &Kernel, told: &mut FxHashSet<String>) {
    let (given, derived) = kernel.counts();
    let limits = scene.options.runtime;
    if given as u64 > limits.facts && told.insert("facts".to_owned()) {
        let last = scene.control().and_then(|control| {
            let node = control.list("mangle_updates").last().copied()?;
            Some(control.json.range(node))
        });
        let message = format!("kernel would hold {given} facts, over its limit of {}", limits.facts);
        let finding = Finding::new(&FACTS_OVER, last.unwrap_or_else(|| scene.brace()), message);
        scene.push(
            finding.note("the runtime ignores facts beyond `max_facts_in_kernel`; only its log reports that"),
        );
    }
    let stop = kernel.model().stopped.as_ref();
    let stop = stop.filter(|stop| {
        !matches!(stop.reason, StopReason::Failed(_) | StopReason::Unordered(_) | StopReason::Cancelled)
    });
    let is_over = derived as u64 > limits.derived;
    if (is_over || stop.is_some()) && told.insert("derived".to_owned()) {
        let largest = largest(scene, kernel);
        let rule = stop.and_then(|stop| stop.rule).or(largest.as_ref().and_then(|(rule, _)| *rule));
        let message = match stop {
            Some(_) => "evaluation reaches a limit".to_owned(),
            None => format!("{derived} derived facts exceed the limit of {}", limits.derived),
        };
        let finding = Finding::new(&DERIVED_OVER, scene.brace(), message).note(match stop {
            Some(stop) => format!("it ends early: {}", stop.reason),
            None => "the runtime ends the evaluation at `max_derived_facts_limit`".to_owned(),
        });
        let finding = match largest {
            Some((_, name)) => finding.note(format!("most derived facts are of `{name}`")),
            None => finding,
        };
        scene.push(with_rule(scene, finding, rule));
    }
}

/// The predicate with the most facts, and the rule that derived its last fact.
fn largest(scene: &Scene<'_>, kernel: &Kernel) -> Option<(Option<RuleId>, Symbol)> {
    let compiled = &scene.constitution.compiled;
    let model = kernel.model();
    let len = |predicate: &PredicateId| model.relation(*predicate).map_or(0, Relation::len);
    let largest = (0..compiled.predicates()).map(PredicateId).max_by_key(len)?;
    let last = u32::try_from(len(&largest)).ok()?.checked_sub(1)?;
    let rule = model.derivation(largest, last).map(|reason| reason.rule);
    Some((rule, compiled.name(largest)))
}

fn with_rule(scene: &Scene<'_>, finding: Finding, rule: Option<RuleId>) -> Finding {
    let Some(rule) = rule.and_then(|rule| scene.constitution.compiled.rule(rule)) else { return finding };
    let item = scene.constitution.program.file(rule.file).and_then(|file| file.items.get(rule.item as usize));
    let head = item.and_then(|item| Some(item.statement.clause()?.head.range));
    match head {
        Some(range) => finding.related(Span::new(rule.file, rule.statement, range), "this rule derives them"),
        None => finding,
    }
}
