//! `mode(…)` and `external()`: which arguments need a value before a predicate is asked.

use rustc_hash::FxHashSet;

use super::{Context, ProgramFindings, descriptors};
use crate::analysis::wording::counted;
use crate::lint::{Finding, Fix, FixKind, Group, Rule, Severity, Span};
use crate::program::{Mode, Predicate, Program, Site};
use crate::syntax::ast::{Atom, Clause, Declaration, Operator, Premise, Term, TermKind};
use crate::syntax::literal;
use crate::text::{Symbol, TextRange};

pub(super) static EXTERNAL_MODE_COUNT: Rule = Rule {
    code: "MG111",
    name: "external-mode-count",
    group: Group::Declarations,
    severity: Some(Severity::Error),
    summary: "An external predicate does not have exactly one mode",
    rationale: "The host answers calls of an external predicate, so the engine must know which arguments it \
                hands over. It rejects a declaration without a mode and one with several.",
    bad: "Decl distance(From, To, Km) descr [external()].\n",
    good: "Decl distance(From, To, Km) descr [external(), mode(\"+\", \"+\", \"-\")].\n",
    fix: FixKind::None,
};

pub(super) static MODE_INVALID: Rule = Rule {
    code: "MG117",
    name: "mode-invalid",
    group: Group::Declarations,
    severity: Some(Severity::Error),
    summary: "A `mode` that does not say \"+\", \"-\" or \"?\" once for each argument",
    rationale: "If one argument of `mode` is something else, the engine ignores the whole mode without a \
                word. If arguments are missing, the columns that they stand for give no values to variables; \
                if there are too many, the analysis crashes as soon as the predicate is used.",
    bad: "Decl distance(From, To, Km) descr [mode(\"in\", \"+\", \"-\")].\n",
    good: "Decl distance(From, To, Km) descr [mode(\"+\", \"+\", \"-\")].\n",
    fix: FixKind::Unsafe,
};

pub(super) static MODE_INPUT_BOTTOM_UP: Rule = Rule {
    code: "MG118",
    name: "mode-input-bottom-up",
    group: Group::Declarations,
    severity: Some(Severity::Warning),
    summary: "A rule relies on a \"+\" argument that nobody fills in",
    rationale: "\"+\" makes the analysis believe that the caller gives the argument a value. But rules run \
                from facts upwards, without a caller, and the evaluation aborts when it meets the variable. \
                Only `deferred()` and `external()` predicates are called.",
    bad: "Decl heavy(Weight) descr [mode(\"+\")].\nheavy(Weight) :- Weight > 40.\n",
    good: "Decl heavy(Weight) descr [mode(\"+\"), deferred()].\nheavy(Weight) :- Weight > 40.\n",
    fix: FixKind::Unsafe,
};

/// Reports what is wrong with the modes of a declaration.
pub(super) fn check(context: &Context<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let before = out.len();
    for mode in descriptors(declaration, "mode") {
        check_mode(context, declaration, mode, out);
    }
    if out.len() == before
        && let Some(external) = descriptors(declaration, "external").next()
    {
        out.extend(check_external(declaration, external));
    }
}

fn check_mode(context: &Context<'_>, declaration: &Declaration, mode: &Atom, out: &mut Vec<Finding>) {
    let before = out.len();
    for arg in &mode.args {
        if Mode::read(arg, context.text).is_some() || matches!(arg.kind, TermKind::Broken) {
            continue;
        }
        let message = "A mode is \"+\" (has a value before), \"-\" (gets one) or \"?\" (either). With anything \
                       else the engine ignores the whole `mode`, without a word.";
        let finding = Finding::new(&MODE_INVALID, arg.range, message);
        let fix = meant(context, arg)
            .map(|meant| Fix::guess(format!("Write \"{meant}\"")).replace(arg.range, format!("\"{meant}\"")));
        out.push(Finding { fix, ..finding });
    }
    let (wanted, found) = (declaration.atom.args.len(), mode.args.len());
    if wanted == found || out.len() > before {
        return;
    }
    let consequence = match found {
        0 => "The engine ignores an empty one.",
        _ if found < wanted => "The columns without a mode then give no values to variables.",
        _ => "The engine's analysis crashes as soon as the predicate is used.",
    };
    let message = format!(
        "`{}` has {}, but this mode is for {}. {consequence}",
        declaration.atom.name.as_str(),
        counted(wanted, "argument"),
        if found == 0 { "none".to_owned() } else { found.to_string() },
    );
    let finding = Finding::new(&MODE_INVALID, mode.range, message);
    out.push(finding.related(Span::here(declaration.atom.range), "the arguments"));
}

/// What somebody means who writes a mode in words.
fn meant(context: &Context<'_>, arg: &Term) -> Option<&'static str> {
    let word = literal::string_value(context.slice(arg.range))?;
    match word.trim().to_ascii_lowercase().as_str() {
        "+" | "in" | "i" | "input" | "bound" | "b" => Some("+"),
        "-" | "out" | "o" | "output" | "free" | "f" => Some("-"),
        "?" | "any" | "inout" | "either" => Some("?"),
        _ => None,
    }
}

fn check_external(declaration: &Declaration, external: &Atom) -> Option<Finding> {
    let modes: Vec<_> = descriptors(declaration, "mode").filter(|mode| !mode.args.is_empty()).collect();
    let message = match modes.as_slice() {
        [_] => return None,
        [] if declaration.atom.args.is_empty() => {
            "An external predicate needs a mode, and a predicate without arguments cannot have one. The engine \
             rejects this declaration."
        }
        [] => {
            "An external predicate needs a mode, which says which arguments the host is given: \
             `mode(\"+\", \"-\")`. The engine rejects this declaration."
        }
        _ => "An external predicate has exactly one mode. The engine rejects this declaration.",
    };
    let finding = Finding::new(&EXTERNAL_MODE_COUNT, external.range, message);
    Some(
        modes
            .iter()
            .skip(1)
            .fold(finding, |finding, mode| finding.related(Span::here(mode.range), "another mode")),
    )
}

/// Reports input modes that the rules of a predicate rely on although nobody calls them.
pub(super) fn check_program(program: &Program, out: &mut ProgramFindings) {
    for predicate in &program.predicates {
        let signature = &predicate.signature;
        let called = signature.deferred || signature.external;
        if called || signature.defined.is_none() || !signature.modes.contains(&Mode::Input) {
            continue;
        }
        let relying = program.clauses(predicate).find_map(|site| Some((site, relied_on(predicate, &site)?)));
        if let Some((site, variable)) = relying {
            report_relying(program, predicate, &site, variable, out);
        }
    }
}

fn report_relying(
    program: &Program,
    predicate: &Predicate,
    site: &Site<'_>,
    variable: TextRange,
    out: &mut ProgramFindings,
) {
    let Some(place) = program.declarations(predicate).next() else { return };
    let Some(declaration) = place.item.statement.declaration() else { return };
    let text = place.file.statement_text(place.item);
    let asks = |arg: &Term| Mode::read(arg, text) == Some(Mode::Input);
    let Some(mode) = descriptors(declaration, "mode").find(|mode| mode.args.iter().any(asks)) else { return };
    let message = format!(
        "A rule of `{}` takes an argument marked \"+\" for given, but rules run without a caller who could give \
         it: the evaluation aborts there. Mark the predicate `deferred()`, or let the body give the value.",
        predicate.key.name
    );
    let fix = Fix::guess("Add `deferred()`").insert(mode.range.end(), ", deferred()");
    let finding = Finding::new(&MODE_INPUT_BOTTOM_UP, mode.range, message)
        .related(Span::of(site.file.id, site.item.statement.id, variable), "nothing gives this a value")
        .fix(fix);
    out.push(place.file.id, place.item.statement.id, finding);
}

/// A head variable in an input position that the body does not bind.
fn relied_on(predicate: &Predicate, site: &Site<'_>) -> Option<TextRange> {
    if site.item.statement.damaged {
        return None;
    }
    let clause = site.item.statement.clause()?;
    let mut bound = FxHashSet::default();
    for premise in &clause.premises {
        collect_bound(premise, &mut bound);
    }
    collect_lets(clause, &mut bound);
    let inputs = clause.head.args.iter().zip(&predicate.signature.modes);
    let mut unbound = inputs.filter(|(arg, mode)| {
        **mode == Mode::Input && arg.variable().is_some_and(|variable| !bound.contains(&variable))
    });
    unbound.next().map(|(arg, _)| arg.range)
}

/// Variables that a premise may give a value to. In doubt it may: this is about the cases in which
/// nothing could.
fn collect_bound(premise: &Premise, bound: &mut FxHashSet<Symbol>) {
    let terms: Vec<&Term> = match premise {
        Premise::Literal(literal) if !literal.is_negated() => literal.atom.args.iter().collect(),
        Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
            vec![&comparison.left, &comparison.right]
        }
        _ => Vec::new(),
    };
    for term in terms {
        term.variables(&mut |variable, _| {
            bound.insert(variable);
        });
    }
}

fn collect_lets(clause: &Clause, bound: &mut FxHashSet<Symbol>) {
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    bound.extend(statements.filter_map(|statement| statement.variable.as_ref()?.variable()));
}
