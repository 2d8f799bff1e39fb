//! Values of the wrong type, as far as literals and declared bounds tell: `MG601`, `MG602`.
//!
//! The engine has no types when it runs: an operation that gets a value it cannot take stops the
//! whole evaluation. Full type checking is a matter of `types`; here is what needs none of it.

#[cfg(test)]
mod tests;

use super::columns::{self, Kind, Known, Source};
use super::{Context, Family};
use crate::lint::{Finding, Fix, FixKind, Group, Rule, Severity};
use crate::program::builtins;
use crate::syntax::ast::{Apply, Clause, Operator, Premise, Term, TermKind};
use crate::text::TextRange;

/// The family.
pub(super) const FAMILY: Family = Family {
    rules: &[&COMPARE_NON_NUMBER, &DIVISION_BY_ZERO],
    clause: Some(check_clause),
    declaration: None,
    program: None,
};

/// `X > 1.5`
///
/// A warning even where literal and declaration agree: bounds are often wrong in programs that run,
/// because the engine does not look at them, and a comparison that is never reached aborts nothing.
static COMPARE_NON_NUMBER: Rule = Rule {
    code: "MG601",
    name: "compare-non-number",
    group: Group::Types,
    severity: Some(Severity::Warning),
    summary: "`<`, `<=`, `>` or `>=` on something that is no integer.",
    rationale: "These compare integers only. When a float, a string, an instant or a duration gets \
        there, the engine stops the whole evaluation. Instants and durations have comparisons of \
        their own, such as `:time:lt`; floats and strings have none, so store scaled integers.",
    bad: "Decl seen(Id, At) bound [/name, /time].\nDecl closed(At) bound [/time].\n\
        late(Id) :- seen(Id, At), closed(End), At > End.\n",
    good: "Decl seen(Id, At) bound [/name, /time].\nDecl closed(At) bound [/time].\n\
        late(Id) :- seen(Id, At), closed(End), :time:gt(At, End).\n",
    fix: FixKind::Unsafe,
};

/// `fn:div(X, 0)`
static DIVISION_BY_ZERO: Rule = Rule {
    code: "MG602",
    name: "division-by-zero",
    group: Group::Types,
    severity: Some(Severity::Error),
    summary: "A division by a literal zero.",
    rationale: "The engine stops the whole evaluation when it gets there; in a fact it rejects the \
        program.",
    bad: "fare(120).\nshare(X) :- fare(F), X = fn:div(F, 0).\n",
    good: "fare(120).\nshare(X) :- fare(F), X = fn:div(F, 2).\n",
    fix: FixKind::None,
};

fn check_clause(context: &Context<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    check_divisions(&clause.head.args, findings);
    for premise in &clause.premises {
        match premise {
            Premise::Comparison(comparison) => {
                let sides = [&comparison.left, &comparison.right];
                if comparison.operator.is_ordering() {
                    let place = Place { range: comparison.range, shown: comparison.operator_range };
                    findings.extend(compare(context, clause, comparison.operator, sides, place));
                }
                sides.into_iter().for_each(|side| check_division(side, findings));
            }
            Premise::Literal(literal) => {
                if let Some(operator) = ordering(literal.atom.name.as_str())
                    && let [left, right] = literal.atom.args.as_slice()
                {
                    let place = Place { range: literal.atom.range, shown: literal.atom.name.range };
                    findings.extend(compare(context, clause, operator, [left, right], place));
                }
                check_divisions(&literal.atom.args, findings);
            }
            Premise::Broken(..) => {}
        }
    }
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    statements.for_each(|statement| check_division(&statement.value, findings));
}

/// Where a comparison stands, and what of it to underline.
struct Place {
    range: TextRange,
    shown: TextRange,
}

/// The operator that a built-in is the long form of.
fn ordering(name: &str) -> Option<Operator> {
    match name {
        ":lt" => Some(Operator::Less),
        ":le" => Some(Operator::LessEqual),
        ":gt" => Some(Operator::Greater),
        ":ge" => Some(Operator::GreaterEqual),
        _ => None,
    }
}

fn compare(
    context: &Context<'_>,
    clause: &Clause,
    operator: Operator,
    sides: [&Term; 2],
    place: Place,
) -> Option<Finding> {
    let known = sides.map(|side| columns::of_term(context, clause, side));
    let wrong = |known: &Option<Known>| known.is_some_and(|known| known.kind != Kind::Number);
    // A literal shows the mistake better than a declaration far away.
    let is_literal = |at: &usize| sides.get(*at).is_some_and(|side| side.variable().is_none());
    let at = (0..2).filter(|&at| known.get(at).is_some_and(wrong)).min_by_key(|at| !is_literal(at))?;
    let (side, culprit) = (sides.get(at)?, known.get(at).copied().flatten()?);
    let shown = context.slice(place.shown);
    let what = describe(context.slice(side.range), culprit);
    let message = format!(
        "`{shown}` compares integers only, but {what}: the engine stops the whole evaluation when it gets here."
    );
    let mut finding = Finding::new(&COMPARE_NON_NUMBER, place.shown, message);
    if let Source::Declared(span) | Source::Fact(span) = culprit.source {
        finding = finding.related(span, "it gets its values from here");
    }
    let kinds = known.map(|known| known.map(|known| known.kind));
    match replacement(context, operator, sides, kinds) {
        Some(premise) => {
            let title = format!("Write `{premise}`");
            Some(finding.fix(Fix::guess(title).replace(place.range, premise)))
        }
        None => Some(finding),
    }
}

fn describe(text: &str, known: Known) -> String {
    let noun = known.kind.noun();
    match known.source {
        Source::Term(range) if usize::from(range.len()) == text.len() => format!("`{text}` is {noun}"),
        Source::Term(_) => format!("`{text}` is {noun} here"),
        Source::Declared(_) => format!("`{text}` is declared as {noun}"),
        Source::Fact(_) => format!("`{text}` is {noun} in the first fact"),
    }
}

/// The comparison of instants or durations that is meant, when nothing speaks against it.
fn replacement(
    context: &Context<'_>,
    operator: Operator,
    sides: [&Term; 2],
    kinds: [Option<Kind>; 2],
) -> Option<String> {
    let family = match kinds {
        [Some(Kind::Time), None | Some(Kind::Time)] | [None, Some(Kind::Time)] => "time",
        [Some(Kind::Duration), None | Some(Kind::Duration)] | [None, Some(Kind::Duration)] => "duration",
        _ => return None,
    };
    let name = match operator {
        Operator::Less => "lt",
        Operator::LessEqual => "le",
        Operator::Greater => "gt",
        Operator::GreaterEqual => "ge",
        Operator::Equal | Operator::NotEqual => return None,
    };
    let [left, right] = sides.map(|side| context.slice(side.range));
    Some(format!(":{family}:{name}({left}, {right})"))
}

fn check_divisions(terms: &[Term], findings: &mut Vec<Finding>) {
    terms.iter().for_each(|term| check_division(term, findings));
}

fn check_division(term: &Term, findings: &mut Vec<Finding>) {
    let TermKind::Apply(apply) = &term.kind else { return };
    if let Some(zero) = zero_divisor(apply) {
        let name = apply.function.symbol;
        let message = format!("`{name}` divides by zero here: the engine stops the whole evaluation.");
        findings.push(Finding::new(&DIVISION_BY_ZERO, zero.range, message));
    }
    check_divisions(&apply.args, findings);
}

/// The literal zero by which an application certainly divides.
pub(super) fn zero_divisor(apply: &Apply) -> Option<&Term> {
    let name = apply.function.as_str();
    let divisor = match (name, apply.args.as_slice()) {
        // One argument N is 1/N.
        ("fn:div" | "fn:float:div", [only]) => only,
        // An integer quotient that has reached 0 ends the division before the later divisors.
        ("fn:div", [_, first, ..]) => first,
        ("fn:mod", [_, divisor]) => divisor,
        ("fn:float:div", [_, divisors @ ..]) => divisors.iter().find(|divisor| is_zero(divisor))?,
        _ => return None,
    };
    let takes_float = builtins::function(name)?.result == "/float64";
    let fits = takes_float || !matches!(divisor.kind, TermKind::Float(_));
    (fits && is_zero(divisor)).then_some(divisor)
}

fn is_zero(term: &Term) -> bool {
    match term.kind {
        TermKind::Number(number) => number == Some(0),
        TermKind::Float(float) => float == 0.0,
        _ => false,
    }
}
