//! Under which keys something is stored or forgotten.

use crate::envelope::atoms;
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
        let message = "this key is not of the form `namespace:item`, such as `user:style`; only `forget` names a predicate";
        sink.push(Finding::new(&KEY_STYLE, range, message));
    }
    if op == "promote_to_long_term" && atoms::is_ephemeral(&key) {
        let message = format!(
            "the agent forgets `{key}` when it starts again: what is promoted here does not survive that"
        );
        sink.push(Finding::new(&EPHEMERAL_PROMOTED, range, message));
    }
}

fn forget(subject: &Subject<'_>, key: &str, range: TextRange, sink: &mut Sink) {
    if !may_be_predicate(key) {
        let short: String = key.chars().take(40).collect();
        let message = format!(
            "`forget` names a predicate, and none can be called `{short}`: nothing is retracted; `namespace:item` is the form of keys for stored values"
        );
        sink.push(Finding::new(&NOOP_FORGET, range, message));
        return;
    }
    let settings = &subject.context.settings.atoms;
    if atoms::is_delicate(key, settings) {
        let message = format!("this retracts every fact of `{key}`, which the safety of the agent rests on");
        sink.push(Finding::new(&BROAD_FORGET, range, message));
        return;
    }
    let used = subject.context.declarations.and_then(|all| all.named(key).find(|declared| declared.is_used));
    if let Some(used) = used {
        let message = format!("this retracts every fact of `{key}`, which rules of the policy read");
        let mut finding = Finding::new(&BROAD_FORGET, range, message);
        if let Some((file, statement, place)) = used.place {
            finding = finding.related(Span::of(file, statement, place), "the predicate");
        }
        sink.push(finding);
    }
}

/// Whether a key may be the name of a predicate, which is what a `forget` goes by.
#[must_use]
pub fn may_be_predicate(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.'))
}

/// Whether a key has a namespace and no strange letters.
pub(in crate::envelope) fn is_styled(key: &str) -> bool {
    let is_usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ':' | '/' | '-');
    let mut parts = key.split(':');
    let is_filled = parts.clone().all(|part| !part.is_empty());
    key.chars().all(is_usual) && is_filled && parts.by_ref().count() >= 2
}
