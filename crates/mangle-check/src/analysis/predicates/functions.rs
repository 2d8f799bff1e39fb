//! Checks of function applications and built-in predicates: unknown names, wrong arity, type
//! constructors used as values, and functions that fail in facts.
//!
//! The engine only checks bodies and transforms. Errors in heads abort the evaluation, so heads are
//! checked as well.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::analysis::wording::code;
use crate::analysis::{CheckContext, Family};
use mangle_engine::kernel::{self, Values};
use mangle_engine::program::builtins::{self, BuiltinFunction};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Clause, Literal, Name, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, TextRange};

/// For example `fn:Count()`.
pub(super) static UNKNOWN_FUNCTION: Rule = rule!("unknown-function.md");

/// For example `fn:pair(X)`.
pub(super) static FUNCTION_ARITY: Rule = rule!("function-arity.md");

/// For example `.List</number>` in a clause.
pub(super) static TYPE_CONSTRUCTOR_AS_VALUE: Rule = rule!("type-constructor-as-value.md");

/// For example `{/a : 1, /a : 2}`.
pub(super) static DUPLICATE_KEY: Rule = rule!("duplicate-key.md");

/// The position of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApplicationPlace {
    /// In a clause head, which the engine's analysis does not check.
    Head,
    /// In a premise, or inside another application.
    Body,
    /// The complete right side of a `let`.
    Let,
    /// After `do`.
    Do,
}

impl ApplicationPlace {
    /// The consequence of an invalid application at this position.
    fn consequence(self) -> &'static str {
        match self {
            Self::Head => "the engine aborts when it computes this head",
            Self::Body | Self::Let | Self::Do => "the engine rejects the program",
        }
    }

    /// True if the engine rejects an invalid application at this position. The arguments of facts
    /// are computed when the program is loaded.
    fn is_rejected(self, context: &CheckContext<'_>) -> bool {
        self != Self::Head || context.item.statement.clause().is_some_and(Clause::is_fact)
    }
}

/// Checks the applications in some terms.
pub(super) fn check_terms(
    context: &CheckContext<'_>,
    terms: &[Term],
    place: ApplicationPlace,
    findings: &mut Vec<Finding>,
) {
    for term in terms {
        check_term(context, term, place, findings);
    }
}

/// Checks the applications in a term. Depth is bounded by the nesting limit of the lowering.
pub(super) fn check_term(
    context: &CheckContext<'_>,
    term: &Term,
    place: ApplicationPlace,
    findings: &mut Vec<Finding>,
) {
    let TermKind::Apply(apply) = &term.kind else { return };
    let name = apply.function.as_str();
    if apply.is_atom() {
        return;
    }
    if is_type(apply) {
        let finding = type_as_value(term, apply).note(place.consequence());
        findings.push(finding.rejected_if(place.is_rejected(context)));
        return;
    }
    match builtins::function(name) {
        Some(function) if is_known(function, place) => {
            if judges_arity(function, place) && !function.arity.accepts(apply.args.len()) {
                let finding = arity_finding(term, apply, function, place.consequence());
                findings.push(finding.rejected_if(place.is_rejected(context)));
            }
            check_keys(context, apply, findings);
        }
        _ => findings
            .push(unknown_function(apply, place).rejected_if(is_unknown_rejected(context, apply, place))),
    }
    let inner = if place == ApplicationPlace::Head { ApplicationPlace::Head } else { ApplicationPlace::Body };
    check_terms(context, &apply.args, inner, findings);
}

/// True if the engine rejects the call of a function that it cannot evaluate. Registered functions
/// pass its analysis.
fn is_unknown_rejected(context: &CheckContext<'_>, apply: &Apply, place: ApplicationPlace) -> bool {
    let is_registered = builtins::function(apply.function.as_str()).is_some_and(|known| known.registered);
    let is_fact = context.item.statement.clause().is_some_and(Clause::is_fact);
    is_fact || (!is_registered && place.is_rejected(context))
}

fn is_type(apply: &Apply) -> bool {
    matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional)
        || builtins::is_type_constructor(apply.function.as_str())
}

fn is_known(function: &BuiltinFunction, place: ApplicationPlace) -> bool {
    function.evaluable && (function.registered || (place == ApplicationPlace::Head && !function.is_reducer()))
}

fn type_as_value(term: &Term, apply: &Apply) -> Finding {
    let (range, written) = match apply.form {
        ApplyForm::DotType => (term.range, apply.function.as_str().replacen("fn:", ".", 1)),
        _ => (apply.function.range, apply.function.as_str().to_owned()),
    };
    let value = apply.function.as_str().to_ascii_lowercase();
    let finding =
        Finding::new(&TYPE_CONSTRUCTOR_AS_VALUE, range, format!("`{written}` makes a type, not a value"))
            .note("type constructors are valid in `bound […]` only");
    match builtins::function(&value) {
        Some(_) => finding.help(format!("use `{value}` to make a value")),
        None => finding,
    }
}

/// Replaces a name with the name of a built-in.
fn rename(wrong: Name, right: &'static str) -> Fix {
    let title = format!("write `{right}`");
    let evident = builtins::is_evident(wrong.as_str(), right);
    let fix = if evident { Fix::safe(title) } else { Fix::guess(title) };
    fix.replace(wrong.range, right).replacing(wrong.range)
}

fn unknown_function(apply: &Apply, place: ApplicationPlace) -> Finding {
    let name = apply.function;
    let finding = |message, note| Finding::new(&UNKNOWN_FUNCTION, name.range, message).note(note);
    let finding = match builtins::function(name.as_str()) {
        Some(function) if function.registered => finding(
            format!("function `{}` is not implemented by the engine", name.symbol),
            "the engine accepts the name and aborts when it evaluates the call",
        ),
        _ => finding(format!("unknown function `{}`", name.symbol), place.consequence()),
    };
    if let Some(meant) = builtins::similar_function(name.as_str()) {
        return finding.fix(rename(name, meant.name));
    }
    match builtins::correction(name.as_str()).map(|known| known.advice) {
        Some(advice) if !advice.is_empty() => finding.help(advice),
        _ => finding.note("all functions are built in: a program cannot define one"),
    }
}

/// True if this module checks the number of arguments. The transform rules check functions after
/// `do`, reducers in a `let`, and misplaced reducers.
fn judges_arity(function: &BuiltinFunction, place: ApplicationPlace) -> bool {
    match place {
        ApplicationPlace::Do => false,
        ApplicationPlace::Let => !function.is_reducer(),
        ApplicationPlace::Head | ApplicationPlace::Body => !function.is_reducer() || function.takes_list(),
    }
}

/// Reports an application with too few or too many arguments.
pub(in crate::analysis) fn wrong_arity(term: &Term, apply: &Apply, function: &BuiltinFunction) -> Finding {
    arity_finding(term, apply, function, ApplicationPlace::Body.consequence()).rejected_if(true)
}

fn arity_finding(term: &Term, apply: &Apply, function: &BuiltinFunction, consequence: &str) -> Finding {
    let message = format!("`{}` takes {}, found {}", function.name, function.arity, apply.args.len());
    Finding::new(&FUNCTION_ARITY, term.range, message).note(consequence)
}

/// A constant key, compared by value.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Name(Symbol),
    Number(i64),
    Float(u64),
    Text(Cow<'a, str>),
    Bytes(&'a str),
}

impl<'a> Key<'a> {
    fn from_term(context: &CheckContext<'a>, term: &Term) -> Option<Self> {
        match term.kind {
            TermKind::Name(name) => Some(Self::Name(name)),
            TermKind::Number(number) => number.map(Self::Number),
            TermKind::Float(float) => Some(Self::Float(float.to_bits())),
            TermKind::String => literal::string_value(context.slice(term.range)).map(Self::Text),
            TermKind::Bytes => Some(Self::Bytes(context.slice(term.range))),
            _ => None,
        }
    }
}

fn check_keys(context: &CheckContext<'_>, apply: &Apply, findings: &mut Vec<Finding>) {
    if !matches!(apply.function.as_str(), "fn:map" | "fn:struct") || apply.args.len() < 4 {
        return;
    }
    let mut seen = FxHashSet::default();
    for key in apply.args.iter().step_by(2) {
        if Key::from_term(context, key).is_some_and(|value| !seen.insert(value)) {
            let message = format!("duplicate key {}", code(context.slice(key.range), 40));
            let finding = Finding::new(&DUPLICATE_KEY, key.range, message);
            findings.push(finding.note("the engine keeps both entries, and a lookup finds either of them"));
        }
    }
}

/// For example `:starts_with(S, "a")`.
pub(super) static UNKNOWN_BUILTIN_PREDICATE: Rule = rule!("unknown-builtin-predicate.md");

/// For example `:lt(X)`.
pub(super) static BUILTIN_ARITY: Rule = rule!("builtin-arity.md");

/// Checks a premise if its name starts with a colon.
pub(super) fn check_builtin(literal: &Literal, findings: &mut Vec<Finding>) {
    let atom = &literal.atom;
    if !atom.is_builtin() {
        return;
    }
    let name = atom.name.as_str();
    match builtins::predicate(name) {
        None => findings.push(unknown_builtin(literal)),
        Some(known) if known.arity() != atom.args.len() => {
            let wanted = builtins::Arity::Exactly(known.arity());
            let message = format!("`{name}` takes {wanted}, found {}", atom.args.len());
            let finding = Finding::new(&BUILTIN_ARITY, atom.range, message);
            findings.push(finding.note("the engine rejects the program"));
        }
        Some(_) => {}
    }
}

fn unknown_builtin(literal: &Literal) -> Finding {
    let name = literal.atom.name;
    let message = format!("unknown built-in predicate `{}`", name.symbol);
    let finding =
        Finding::new(&UNKNOWN_BUILTIN_PREDICATE, name.range, message).note("the engine rejects the program");
    if let Some(meant) = builtins::similar_predicate(name.as_str()) {
        return finding.fix(rename(name, meant.name));
    }
    match builtins::correction(name.as_str()).map(|known| known.advice) {
        Some(advice) if !advice.is_empty() => finding.help(advice),
        _ => finding.note("names with a leading colon are reserved for built-ins"),
    }
}

/// The rules about values of facts.
pub(in crate::analysis) const FACTS: Family =
    Family { rules: &[&FACT_FUNCTION_FAILS], clause: Some(check_fact), declaration: None, program: &[] };

/// A function in a fact fails.
static FACT_FUNCTION_FAILS: Rule = rule!("fact-function-fails.md");

/// Reports functions that fail in a fact. The engine computes the arguments of facts while it loads the
/// program, and rejects the program if a function fails.
fn check_fact(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    if !clause.is_fact() {
        return;
    }
    let mut values = Values::new();
    for arg in clause.head.args.iter().filter(|arg| arg.apply().is_some() && knows_functions(arg)) {
        if let Err((range, failure)) = kernel::evaluate(arg, context.text, &mut values, None)
            && !divides_by_literal_zero(arg, range)
        {
            let message = format!("{} in a fact fails", code(context.slice(range), 40));
            let finding = Finding::new(&FACT_FUNCTION_FAILS, range, message).note(failure.to_string());
            findings.push(finding.note("the engine rejects the program"));
        }
    }
}

/// True if `division-by-zero` reports this failure.
fn divides_by_literal_zero(term: &Term, failed: TextRange) -> bool {
    let mut found = false;
    term.walk(&mut |term| {
        let zero = term.apply().and_then(crate::analysis::types::zero_divisor);
        found |= term.range == failed && zero.is_some();
    });
    found
}

/// True if all functions exist, have the right arity and are valid outside of aggregations. Other
/// rules report these errors.
fn knows_functions(term: &Term) -> bool {
    let mut known = true;
    term.walk(&mut |term| {
        if let Some(apply) = term.apply() {
            let function = builtins::function(apply.function.as_str());
            known &= function.is_some_and(|function| {
                // A reducer over a value that is not a list has its own rule, `reducer-in-body`.
                let over_list = function.takes_list() && apply.args.iter().all(|arg| arg.apply().is_some());
                // Registration of a function only matters for premises.
                function.evaluable
                    && (!function.is_reducer() || over_list)
                    && function.arity.accepts(apply.args.len())
            });
        }
    });
    known
}
