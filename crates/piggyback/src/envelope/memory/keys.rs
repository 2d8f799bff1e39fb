//! Rules for the keys of memory operations.

use crate::envelope::atoms;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) static KEY_STYLE: Rule = rule!("key-style.md");

pub(super) static BROAD_FORGET: Rule = rule!("broad-forget.md");

pub(super) static NOOP_FORGET: Rule = rule!("noop-forget.md");

pub(super) static EPHEMERAL_PROMOTED: Rule = rule!("ephemeral-promoted.md");

pub(super) fn check(subject: &Subject<'_>, operation: &View<'_>, sink: &mut Sink) {
    let (Some(op), Some(key), Some(range)) =
        (operation.text("op"), operation.text("key"), operation.value_range("key"))
    else {
        return;
    };
    if key.trim().is_empty() {
        return;
    }
    if op == "forget" {
        forget(subject, &key, range, sink);
    } else if !is_styled(&key) {
        let message = format!("key `{}` is not of the form `namespace:item`", shortened(&key));
        let finding = Finding::new(&KEY_STYLE, range, message)
            .note("only the key of a `forget` is the name of a predicate")
            .help("add a namespace, as in `user:style`");
        sink.push(finding);
    }
    if op == "promote_to_long_term" && atoms::is_ephemeral(&key) {
        let message = format!("promoted `{}` does not survive a restart", shortened(&key));
        let finding = Finding::new(&EPHEMERAL_PROMOTED, range, message);
        sink.push(finding.note("the runtime deletes the facts of this predicate at every start"));
    }
}

fn forget(subject: &Subject<'_>, key: &str, range: TextRange, sink: &mut Sink) {
    if !may_be_predicate(key) {
        let message = format!("`forget` has no effect: `{}` is not a predicate", shortened(key));
        let finding = Finding::new(&NOOP_FORGET, range, message)
            .note("`forget` retracts the facts of a predicate, and no predicate can have this name")
            .note("a key such as `namespace:item` is for stored values");
        sink.push(finding);
        return;
    }
    let settings = &subject.context.settings.atoms;
    if atoms::is_delicate(key, settings) {
        let message = format!("`forget` retracts every fact of `{}`", shortened(key));
        let finding = Finding::new(&BROAD_FORGET, range, message);
        sink.push(finding.note("the safety of the agent depends on this predicate"));
        return;
    }
    let used = subject.context.declarations.and_then(|all| all.named(key).find(|declared| declared.is_used));
    if let Some(used) = used {
        let message = format!("`forget` retracts every fact of `{}`", shortened(key));
        let mut finding =
            Finding::new(&BROAD_FORGET, range, message).note("rules of the policy read this predicate");
        if let Some((file, statement, place)) = used.place {
            finding = finding.related(Span::new(file, statement, place), "predicate in the policy");
        }
        sink.push(finding);
    }
}

/// True if a key may be the name of a predicate, which `forget` requires.
#[must_use]
pub fn may_be_predicate(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.'))
}

/// True if a key has a namespace and only common characters.
pub(in crate::envelope) fn is_styled(key: &str) -> bool {
    let is_usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ':' | '/' | '-');
    let mut parts = key.split(':');
    let is_filled = parts.clone().all(|part| !part.is_empty());
    key.chars().all(is_usual) && is_filled && parts.by_ref().count() >= 2
}
