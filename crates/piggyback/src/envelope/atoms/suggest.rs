//! Suggested corrections of an update, made step by step in a fixed order until no serious finding
//! is left.
//!
//! The steps are the fixes of the rules, including guesses. The suggestion is sent to the model,
//! which decides about it. If no correction is found, the suggestion is at most a signature.

use super::arguments::{TypeFit, best_row};
use super::declarations::{Declarations, DeclaredPredicate};
use super::offers::may_be_suggested;
use super::read::{ParsedFact, UpdateReading, read};
use super::update::{Stretch, stretches};
use super::{Update, UpdateContext, check, drops_update, rules};
use crate::envelope::edits::{applied, quoted};
use crate::envelope::json::Json;
use crate::envelope::plain::Argument;
use mangle_engine::types::Type;
use mangle_syntax::lint::{Anchor, Finding, Fix, Rule, Severity};
use mangle_syntax::text::{TextRange, TextSize, apply, size, slice};

/// The maximum number of steps.
const MAX_STEPS: usize = 16;

/// The predicate whose arguments are the whole intent of a user. These arguments are never guessed.
const INTENT: &str = "user_intent";

/// A suggestion for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// The corrected update.
    Update(String),
    /// The signature of the predicate. The model must choose the arguments.
    Signature(String),
}

/// The rules whose fixes are steps, in order.
///
/// The steps are: the final period, syntax errors such as a missing slash, quotes by the declared
/// type, the most similar predicate, and white space.
static STEPS: [&Rule; 5] =
    [&rules::NO_PERIOD, &rules::ATOM_SYNTAX, &rules::ARG_TYPE, &rules::UNDECLARED, &rules::PADDED_ATOM];

/// Returns the suggestion for the update `text`. `None` if it has no serious findings or no
/// correction is found.
#[must_use]
pub fn suggest(text: &str, judge: &UpdateContext<'_>) -> Option<Suggestion> {
    let mut now = text.to_owned();
    if !is_grave(&findings(&now, judge)) {
        return None;
    }
    let mut seen = vec![now.clone()];
    for _ in 0..MAX_STEPS {
        let found = findings(&now, judge);
        let Some(next) = step(&now, &found, judge).filter(|next| !seen.contains(next)) else { break };
        seen.push(next.clone());
        now = next;
    }
    let named = |text: &str| text.trim_start().split('(').next().unwrap_or_default().trim_end().to_owned();
    if !may_be_suggested(&named(&now), &named(text), judge.declarations, judge.settings) {
        return None;
    }
    let left = findings(&now, judge);
    match is_grave(&left) {
        false => Some(Suggestion::Update(now)),
        true => signature(&now, &left, judge).map(Suggestion::Signature),
    }
}

/// Returns the findings of an update, with ranges and edits in its JSON string.
fn findings(text: &str, judge: &UpdateContext<'_>) -> Vec<Finding> {
    let raw = quoted(text);
    let json = Json::parse(raw.as_bytes());
    let mut out = Vec::new();
    let updates: Vec<_> = Update::new(&json, json.root(), 0).into_iter().collect();
    check(&updates, judge, &mut out);
    out
}

/// True if a finding causes the loss of the update, or a fact that no rule can match.
fn is_grave(found: &[Finding]) -> bool {
    found.iter().any(|one| {
        one.severity.or(one.rule.severity) == Some(Severity::Error) || is_mistyped(one) || drops_update(one)
    })
}

/// True if the finding is about a final period that the protocol version does not require.
fn is_optional(finding: &Finding) -> bool {
    finding.rule == &rules::NO_PERIOD && finding.severity == Some(Severity::Hint)
}

fn is_mistyped(finding: &Finding) -> bool {
    finding.rule == &rules::ARG_TYPE && finding.severity.is_none()
}

/// Applies the first possible step to the update.
fn step(text: &str, found: &[Finding], judge: &UpdateContext<'_>) -> Option<String> {
    let of_rule = |rule: &Rule| {
        let own = found.iter().filter(|one| one.rule == rule && !is_optional(one));
        let fixes = own.filter_map(|one| one.fix.as_ref());
        fixes
            .filter(|fix| fix.edits.iter().all(|edit| edit.span.anchor == Anchor::Own))
            .find_map(|fix| after(text, fix))
    };
    let is_unreadable = found.iter().any(|one| one.rule == &rules::ATOM_SYNTAX);
    // If only brackets are missing, the period must stay at the end.
    let balanced = balanced(text).filter(|_| is_unreadable);
    balanced.or_else(|| STEPS.iter().find_map(|rule| of_rule(rule))).or_else(|| {
        let is_arity = found.iter().any(|one| one.rule == &rules::ARITY);
        arguments(text, judge.declarations?).filter(|_| is_arity)
    })
}

/// Returns an update after a fix of its JSON string.
fn after(text: &str, fix: &Fix) -> Option<String> {
    let new = applied(quoted(text).as_bytes(), fix)?;
    let json = Json::parse(&new);
    let is_string = json.is_valid_to_the_end();
    json.string(json.root()).filter(|_| is_string).map(|text| text.into_owned())
}

/// Adds missing quotes and brackets at the end, and removes unmatched closing brackets.
fn balanced(text: &str) -> Option<String> {
    let trimmed = text.trim_end();
    let body = trimmed.strip_suffix('.').unwrap_or(trimmed);
    let mut out = body.to_owned();
    if stretches(body).last().is_some_and(|(_, stretch)| *stretch == Stretch::Unclosed) {
        let bare = body.trim_end_matches(')');
        out = format!("{bare}\"{}", body.get(bare.len()..).unwrap_or(""));
    }
    let mut open: Vec<char> = Vec::new();
    let mut extra = Vec::new();
    for (range, _) in stretches(&out).iter().filter(|(_, stretch)| *stretch == Stretch::Code) {
        for (at, char) in slice(&out, *range).char_indices() {
            match char {
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                ')' | ']' | '}' if open.last() == Some(&char) => drop(open.pop()),
                ')' | ']' | '}' => extra.push(TextRange::at(range.start() + size(at), TextSize::new(1))),
                _ => {}
            }
        }
    }
    let mut new = apply(&out, extra.into_iter().map(|range| (range, "")))?;
    new.extend(open.into_iter().rev());
    new.push_str(trimmed.get(body.len()..).unwrap_or(""));
    (new != trimmed && matches!(read(&new), UpdateReading::Fact(_))).then_some(new)
}

/// Adjusts the arguments to the arity of the only predicate with this name.
///
/// Removes surplus arguments, or adds missing arguments that have only one possible value.
fn arguments(text: &str, declarations: &Declarations) -> Option<String> {
    let UpdateReading::Fact(fact) = read(text) else { return None };
    let declared = only(&fact, declarations).filter(|one| one.name != INTENT)?;
    match fact.args.len().checked_sub(declared.arity) {
        Some(_) => fewer(text, &fact, declared),
        None => more(text, &fact, declared),
    }
}

/// Returns the predicate with this name, if it is unique.
fn only<'d>(fact: &ParsedFact<'_>, declarations: &'d Declarations) -> Option<&'d DeclaredPredicate> {
    let mut named = declarations.named(&fact.predicate);
    named.next().filter(|_| named.next().is_none())
}

/// True if arguments match the types of a predicate.
fn fits(args: &[Argument], text: &str, declared: &DeclaredPredicate) -> bool {
    best_row(args, text, declared).is_none_or(|(_, worst)| worst != TypeFit::No)
}

/// Removes a run of arguments so that the rest matches. The run must be unique or at the end.
fn fewer(text: &str, fact: &ParsedFact<'_>, declared: &DeclaredPredicate) -> Option<String> {
    let (len, arity) = (fact.args.len(), declared.arity);
    let without = |from: usize| {
        let (head, tail) = (fact.args.get(..from)?, fact.args.get(from + len - arity..)?);
        let args: Vec<_> = head.iter().chain(tail).copied().collect();
        fits(&args, text, declared).then_some(args)
    };
    let mut possible = (0..=arity).filter_map(without);
    let (first, last) = (possible.next()?, possible.next_back());
    // If several runs are possible, the surplus arguments are probably at the end.
    let args = without(arity).or_else(|| last.is_none().then_some(first))?;
    let written: Vec<_> = args.iter().map(|arg| slice(text, arg.range)).collect();
    Some(replaced(text, fact, &written))
}

/// Adds values for missing arguments, if there is only one way.
fn more(text: &str, fact: &ParsedFact<'_>, declared: &DeclaredPredicate) -> Option<String> {
    let missing = declared.arity - fact.args.len();
    let with = |from: usize| {
        let values: Option<Vec<_>> = (from..from + missing).map(|at| only_value(declared, at)).collect();
        let mut written: Vec<String> =
            fact.args.iter().map(|arg| slice(text, arg.range).to_owned()).collect();
        written.splice(from..from, values?);
        let written: Vec<_> = written.iter().map(String::as_str).collect();
        let new = replaced(text, fact, &written);
        let UpdateReading::Fact(read) = read(&new) else { return None };
        fits(&read.args, &new, declared).then_some(new)
    };
    let mut possible = (0..=fact.args.len()).filter_map(with);
    possible.next().filter(|_| possible.next().is_none())
}

/// Returns the value of a parameter that has only one possible value.
fn only_value(declared: &DeclaredPredicate, at: usize) -> Option<String> {
    let listed = declared.names.get(at).and_then(Option::as_ref).map(|names| names.names.as_slice());
    match (listed, declared.bound(at)) {
        (Some([one]), _) => Some(one.to_string()),
        (_, Some(Type::Singleton(one) | Type::Literal(one))) => Some(one.as_str().to_owned()),
        _ => None,
    }
}

/// Replaces the arguments of a fact.
fn replaced(text: &str, fact: &ParsedFact<'_>, args: &[&str]) -> String {
    let range = TextRange::new(fact.name.end(), fact.range.end());
    let written = format!("({})", args.join(", "));
    apply(text, [(range, written.as_str())]).unwrap_or_else(|| text.to_owned())
}

/// Returns the signature of the predicate, if all serious findings are about its arguments.
fn signature(text: &str, left: &[Finding], judge: &UpdateContext<'_>) -> Option<String> {
    let mut grave = left.iter().filter(|one| is_grave(std::slice::from_ref(*one)));
    let is_about_arguments = |one: &Finding| one.rule == &rules::ARITY || one.rule == &rules::ARG_TYPE;
    let UpdateReading::Fact(fact) = read(text) else { return None };
    let declared = only(&fact, judge.declarations?)?;
    grave.all(is_about_arguments).then(|| declared.signature())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::envelope::atoms::declarations::tests::declarations;
    use mangle_settings::{Profile, TranscriptSettings};

    const POLICY: &str = "\
        # Status: /pending, /done\n\
        Decl task_status(Task, Status) bound [/string, /name].\n\
        Decl test_run(Kind, Name) bound [fn:Singleton(/unit), /string].\n\
        Decl retry_count(Count) bound [/number].\n\
        Decl test_state(State) bound [/name].\n\
        Decl pair(A, B) bound [/string, /string].\n\
        Decl many(A). Decl many(A, B).\n\
        Decl user_intent(ID, Category, Verb, Target, Constraint) bound [/string, /name, /name, /string, /string].\n";

    #[track_caller]
    fn check(updates: &[&str], expected: Expect) {
        let (settings, declarations) = (TranscriptSettings::default(), declarations(POLICY));
        let judge = UpdateContext {
            settings: &settings,
            declarations: Some(&declarations),
            profile: Profile::Current,
        };
        let mut out = String::new();
        for update in updates {
            let told = match suggest(update, &judge) {
                Some(Suggestion::Update(text)) => text,
                Some(Suggestion::Signature(text)) => format!("as {text}"),
                None => "-".to_owned(),
            };
            writeln!(out, "{update} -> {told}").unwrap();
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn full_stop_slash_quotes_and_balance() {
        check(
            &[
                "task_status(\"t\", /done)",
                "test_state(true)",
                "test_state(done).",
                "task_status(\"t\", \"done\")",
                "task_status(t1, done)",
                "retry_count(\"3\").",
                "task_status(\"t\", /done.",
                "task_status(\"t, /done).",
                "task_status(\"t\", /done)).",
                "task_status(\"t",
            ],
            expect![[r#"
                task_status("t", /done) -> task_status("t", /done).
                test_state(true) -> test_state(/true).
                test_state(done). -> test_state(/done).
                task_status("t", "done") -> task_status("t", /done).
                task_status(t1, done) -> task_status("t1", /done).
                retry_count("3"). -> retry_count(3).
                task_status("t", /done. -> task_status("t", /done).
                task_status("t, /done). -> as task_status(Task /string, Status /name)
                task_status("t", /done)). -> task_status("t", /done).
                task_status("t -> as task_status(Task /string, Status /name)
            "#]],
        );
    }

    #[test]
    fn predicates_and_arguments() {
        check(
            &[
                "task_statos(\"t\", /done).",
                "tusk_stotos(\"t\", /done).",
                "task_status(\"t\", /done, 3)",
                "task_status(9, \"t\", /done).",
                "task_status(\"t\").",
                "test_run(\"fast\").",
                "pair(\"a\").",
                "many(1, 2, 3).",
                "user_intent(\"id\", /query).",
            ],
            expect![[r#"
                task_statos("t", /done). -> task_status("t", /done).
                tusk_stotos("t", /done). -> -
                task_status("t", /done, 3) -> task_status("t", /done).
                task_status(9, "t", /done). -> task_status("t", /done).
                task_status("t"). -> as task_status(Task /string, Status /name)
                test_run("fast"). -> test_run(/unit, "fast").
                pair("a"). -> as pair(A /string, B /string)
                many(1, 2, 3). -> -
                user_intent("id", /query). -> as user_intent(ID /string, Category /name, Verb /name, Target /string, Constraint /string)
            "#]],
        );
    }

    #[test]
    fn what_nobody_can_mend() {
        check(
            &[
                "task_status(\"t\", /done).",
                "task_status(T, /done).",
                "permitted(/write_file, \"a\", \"{}\").",
                "task_status(\"a;b\", /done).",
                "a(X) :- b(X).",
                "",
                "((((",
            ],
            expect![[r#"
                task_status("t", /done). -> -
                task_status(T, /done). -> -
                permitted(/write_file, "a", "{}"). -> -
                task_status("a;b", /done). -> -
                a(X) :- b(X). -> -
                 -> -
                (((( -> -
            "#]],
        );
    }
}
