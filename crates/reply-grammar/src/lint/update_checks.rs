//! Comparison of the updates of a file with the declarations, in both directions.

use mangle_syntax::lint::{Finding, Rule, Severity};
use piggyback::envelope::atoms::{self, Update, UpdateContext};
use piggyback::envelope::json::Json;
use piggyback::envelope::plain;

use super::FileContext;
use super::file_grammar::{FileGrammar, UpdateGrammar};
use super::rules::{GRAMMAR_GAP, SCHEMA_PATTERN};
use crate::expr::escaped;

/// The rules that reject an update because of the declarations or the consumer.
static DECISIVE: [&Rule; 9] = [
    &atoms::rules::ARITY,
    &atoms::rules::UNDECLARED,
    &atoms::rules::ARG_TYPE,
    &atoms::rules::NOT_ALLOWED,
    &atoms::rules::PROTECTED_HEAD,
    &atoms::rules::PROMPT_SHAPING,
    &atoms::rules::ATOM_SYNTAX,
    &atoms::rules::NO_PERIOD,
    &atoms::rules::METACHAR,
];

/// Reports updates that the file allows and the policy rejects, and vice versa.
pub(super) fn check(grammar: &FileGrammar, context: &FileContext<'_>, out: &mut Vec<Finding>) {
    let Some(updates) = &grammar.updates else { return };
    out.extend(contradiction(updates, context).or_else(|| gap(updates, context)));
}

/// The first update that the file allows and the runtime or the policy rejects.
fn contradiction(updates: &UpdateGrammar, context: &FileContext<'_>) -> Option<Finding> {
    let (update, why) = updates.examples().into_iter().find_map(|update| {
        let why = against(&update, context)?;
        Some((update, why))
    })?;
    let message = format!("file allows {}, which is rejected", named(&update));
    let finding = Finding::new(&SCHEMA_PATTERN, updates.place, message);
    Some(finding.label("in the updates of this file").note(why.message))
}

/// The finding that prevents an update from becoming a fact of the policy.
fn against(update: &str, context: &FileContext<'_>) -> Option<Finding> {
    let literal = format!("\"{}\"", escaped(update));
    let json = Json::parse(literal.as_bytes());
    let judge = UpdateContext {
        settings: context.transcripts,
        declarations: Some(context.declarations),
        profile: context.set.profile,
    };
    let mut found = Vec::new();
    atoms::check(&[Update::new(&json, json.root(), 0)?], &judge, &mut found);
    let is_decisive = |finding: &Finding| {
        let severity = finding.severity.or(finding.rule.severity);
        severity.is_some_and(|severity| severity >= Severity::Warning)
            && DECISIVE.iter().any(|rule| rule.code == finding.rule.code)
    };
    found.into_iter().find(is_decisive)
}

/// The first predicate with a plain update that the file rejects.
fn gap(updates: &UpdateGrammar, context: &FileContext<'_>) -> Option<Finding> {
    let wanted = context.set.update.as_ref()?.examples(&|rule| rule.is_terminal);
    let update =
        wanted.into_iter().find(|update| against(update, context).is_none() && !updates.accepts(update))?;
    let message = format!("file rejects the valid update {}", named(&update));
    let finding = Finding::new(&GRAMMAR_GAP, updates.place, message);
    Some(finding.label("in the updates of this file").note(format!("`{update}` cannot be generated")))
}

/// The predicate of an update for a message.
fn named(update: &str) -> String {
    match plain::read(update) {
        Some(fact) => format!("`{}/{}`", fact.predicate, fact.args.len()),
        None => "a text that is no fact".to_owned(),
    }
}
