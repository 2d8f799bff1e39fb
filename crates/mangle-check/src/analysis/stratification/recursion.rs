//! Checks of recursion that the engine evaluates incompletely or without end.

use rustc_hash::FxHashSet;

use crate::analysis::ProgramFindings;
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{FileSummary, PredicateId, Program, Site};
use mangle_settings::versions::SameRoundJoins;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Item, Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static RECURSION_MISSES_FACTS: Rule = rule!("recursion-misses-facts.md");

/// Maximum number of reported rules per component.
const PER_COMPONENT: usize = 20;

/// Reports rules with several positive premises on their own component.
pub(super) fn check_missed_facts(program: &Program, members: &[PredicateId], out: &mut ProgramFindings) {
    let capabilities = program.embedding.capabilities();
    if capabilities.same_round_joins == SameRoundJoins::Complete {
        return;
    }
    let stored =
        members.iter().map(|member| program.get(*member)).filter(|predicate| !predicate.signature.deferred);
    let rules = stored.flat_map(|predicate| program.rules(predicate));
    let mut recursive = Vec::new();
    for site in rules {
        let premises = recursive_premises(program, members, &site);
        if !premises.is_empty() {
            recursive.push((site, premises));
        }
    }
    let is_only_rule = recursive.len() == 1;
    let mut reported = 0;
    for (site, premises) in recursive {
        let [first, second, ..] = premises.as_slice() else { continue };
        let Some(clause) = site.item.statement.clause() else { continue };
        if clause.aggregates() || (is_only_rule && is_closure(clause)) || reported == PER_COMPONENT {
            continue;
        }
        reported += 1;
        let headline = format!("recursion of `{}` can miss facts", clause.head.name.as_str());
        let finding = Finding::new(&RECURSION_MISSES_FACTS, second.range, headline)
            .label("second recursive premise")
            .related(Span::here(first.range), "first recursive premise")
            .note("the engine never combines two facts that it derived in the same round")
            .help("split the rule, so that each rule has one recursive premise");
        out.push(site.file.id, site.item.statement.id, finding);
    }
}

/// The premises of a rule on predicates of its component.
fn recursive_premises<'p>(program: &Program, members: &[PredicateId], site: &Site<'p>) -> Vec<&'p Literal> {
    let statement = &site.item.statement;
    let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { return Vec::new() };
    let is_recursive = |literal: &&Literal| {
        let asked = program.id_of(site.file, &literal.atom);
        !literal.is_negated() && !literal.is_temporal() && asked.is_some_and(|id| members.contains(&id))
    };
    clause.literals().filter(is_recursive).collect()
}

/// True for `p(X, Z) :- p(X, Y), p(Y, Z)`. If all steps are known after the first round, a longer
/// path also consists of a shorter path and a single step.
fn is_closure(clause: &Clause) -> bool {
    let literals: Vec<&Literal> = clause.literals().collect();
    let ([one, other], 2) = (literals.as_slice(), clause.premises.len()) else { return false };
    let variables = |args: &[Term]| args.iter().map(Term::variable).collect::<Option<Vec<_>>>();
    let all = [&clause.head.args, &one.atom.args, &other.atom.args].map(|args| variables(args));
    let [Some(head), Some(one_args), Some(other_args)] = all else { return false };
    let same_name = one.atom.name.as_str() == clause.head.name.as_str()
        && other.atom.name.as_str() == clause.head.name.as_str();
    let is_chain = |one: &[_], other: &[_]| match (head.as_slice(), one, other) {
        ([from, to], [start, middle], [again, end]) => {
            from == start && middle == again && end == to && from != middle && middle != to && from != to
        }
        _ => false,
    };
    same_name && (is_chain(&one_args, &other_args) || is_chain(&other_args, &one_args))
}

pub(super) static UNBOUNDED_RECURSION: Rule = rule!("unbounded-recursion.md");

/// The functions that can generate values without limit. Other functions take values apart, measure
/// or round them.
const BUILDERS: [&str; 18] = [
    "fn:plus",
    "fn:minus",
    "fn:mult",
    "fn:float:plus",
    "fn:float:mult",
    "fn:string:concat",
    "fn:list",
    "fn:list:cons",
    "fn:list:append",
    "fn:pair",
    "fn:tuple",
    "fn:map",
    "fn:struct",
    "fn:some",
    "fn:time:add",
    "fn:time:sub",
    "fn:duration:add",
    "fn:duration:mult",
];

/// Reports rules of a component with unbounded recursion.
pub(super) fn check_unbounded(program: &Program, members: &[PredicateId], out: &mut ProgramFindings) {
    let edges = program.dependencies().recursive_edges(members);
    let mut edges: Vec<&Edge> = edges.filter(|edge| !edge.is_negative()).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    for edges in edges.chunk_by(|a, b| (a.file, a.item) == (b.file, b.item)) {
        let Some(edge) = edges.first() else { continue };
        let signature = &program.get(edge.from).signature;
        // A call with arguments can terminate even if the predicate alone does not.
        if signature.deferred || signature.external {
            continue;
        }
        let Some(file) = program.files.get(edge.file as usize) else { continue };
        let Some(item) = file.items.get(edge.item as usize) else { continue };
        if let Some(clause) = item.statement.clause()
            && let Some((range, function)) = endless(clause, edges)
        {
            report_unbounded(program, file, item, edge, range, function, out);
        }
    }
}

fn report_unbounded(
    program: &Program,
    file: &FileSummary,
    item: &Item,
    edge: &Edge,
    range: TextRange,
    function: Symbol,
    out: &mut ProgramFindings,
) {
    let result = match function.as_str() {
        "fn:list" | "fn:map" | "fn:struct" => "a larger value".to_owned(),
        name => format!("a new value (`{name}`)"),
    };
    let name = program.get(edge.from).key.name;
    let finding = Finding::new(&UNBOUNDED_RECURSION, range, format!("recursion of `{name}` never ends"))
        .label("a new value in each round")
        .note(format!("each round makes {result} from an earlier one, and no comparison bounds it"))
        .note("the engine derives facts until it reaches the limit")
        .help("compare the value with a limit");
    let step = mangle_syntax::lint::Span::here(edge.range);
    out.push(file.id, item.statement.id, finding.related(step, "made from this value"));
}

/// The application that builds a new value of the head from a recursive value. `None` if the body
/// limits it.
fn endless(clause: &Clause, recursive: &[&Edge]) -> Option<(TextRange, Symbol)> {
    let is_recursive = |literal: &Literal| recursive.iter().any(|edge| edge.range == literal.atom.name.range);
    let mut flow = Flow::default();
    for literal in clause.literals().filter(|literal| is_recursive(literal)) {
        flow.add_all(&literal.atom.args);
    }
    // Premises can occur in any order, so a value can pass through as many premises as exist.
    for _ in &clause.premises {
        clause.premises.iter().for_each(|premise| flow.pass(premise));
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        if let Some(variable) = statement.variable.as_ref().and_then(Term::variable) {
            flow.assign(variable, &statement.value);
        }
    }
    let bounded = clause.premises.iter().any(|premise| match premise {
        Premise::Literal(literal) => !is_recursive(literal) && flow.is_bounded_by(literal),
        Premise::Comparison(comparison) => flow.is_compared(comparison),
        Premise::Broken(..) => true,
    });
    if bounded {
        return None;
    }
    clause.head.args.iter().find_map(|arg| flow.made_in(arg))
}

/// Variables with recursive values, and variables with new values that are built from recursive
/// values.
#[derive(Default)]
struct Flow {
    recursive: FxHashSet<Symbol>,
    /// The variable and the application that builds its value.
    made: Vec<(Symbol, (TextRange, Symbol))>,
}

impl Flow {
    fn add_all(&mut self, terms: &[Term]) {
        for term in terms {
            term.variables(&mut |variable, _| {
                self.recursive.insert(variable);
            });
        }
    }

    fn has_recursive(&self, term: &Term) -> bool {
        let mut found = false;
        term.variables(&mut |variable, _| found |= self.recursive.contains(&variable));
        found
    }

    fn made(&self, variable: Symbol) -> Option<(TextRange, Symbol)> {
        self.made.iter().find(|(made, _)| *made == variable).map(|(_, by)| *by)
    }

    fn pass(&mut self, premise: &Premise) {
        let Premise::Comparison(Comparison { operator: Operator::Equal, left, right, .. }) = premise else {
            return;
        };
        for (target, value) in [(left, right), (right, left)] {
            if let Some(variable) = target.variable() {
                self.assign(variable, value);
            }
        }
    }

    fn assign(&mut self, variable: Symbol, value: &Term) {
        if self.made(variable).is_some() {
            return;
        }
        if let Some(by) = self.made_in(value) {
            self.made.push((variable, by));
        } else if value.variable().is_some_and(|from| self.recursive.contains(&from)) {
            self.recursive.insert(variable);
        }
    }

    /// The application in a term that builds a new value from a recursive value.
    fn made_in(&self, term: &Term) -> Option<(TextRange, Symbol)> {
        if let Some(variable) = term.variable() {
            return self.made(variable);
        }
        let apply = term.apply()?;
        if !BUILDERS.contains(&apply.function.as_str()) {
            return None;
        }
        let inner = apply.args.iter().find_map(|arg| self.made_in(arg));
        inner.or_else(|| self.has_recursive(term).then_some((term.range, apply.function.symbol)))
    }

    fn concerns(&self, term: &Term) -> bool {
        let mut found = false;
        term.variables(&mut |variable, _| {
            found |= self.recursive.contains(&variable) || self.made(variable).is_some();
        });
        found
    }

    /// True if the comparison has such a value. Any comparison can stop the recursion.
    fn is_compared(&self, comparison: &Comparison) -> bool {
        comparison.operator != Operator::Equal
            && (self.concerns(&comparison.left) || self.concerns(&comparison.right))
    }

    /// True for a premise that only holds for existing values, and for built-ins that test a value
    /// or take it apart.
    fn is_bounded_by(&self, literal: &Literal) -> bool {
        let mut args = literal.atom.args.iter();
        if literal.atom.is_builtin() {
            return args.any(|arg| self.concerns(arg));
        }
        !literal.is_negated() && args.any(|arg| arg.variable().is_some_and(|arg| self.made(arg).is_some()))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::testing::CheckedFixture;

    #[track_caller]
    fn check_missed_facts(fixture: &str, expected: &Expect) {
        expected.assert_eq(&CheckedFixture::new(fixture).render());
    }

    #[test]
    fn two_recursive_premises_are_reported() {
        check_missed_facts(
            r"
step(/a, /b).
near(X, Y) :- step(X, Y).
far(X, Z) :- near(X, Y), near(Y, Z).
near(X, X) :- far(X, Y), far(Y, X).
",
            &expect![[r#"
                4:26-36 warning recursion-misses-facts: recursion of `far` can miss facts
                  label: second recursive premise
                  4:14-24 first recursive premise
                  note: the engine never combines two facts that it derived in the same round
                  help: split the rule, so that each rule has one recursive premise
                5:26-35 warning recursion-misses-facts: recursion of `near` can miss facts
                  label: second recursive premise
                  5:15-24 first recursive premise
                  note: the engine never combines two facts that it derived in the same round
                  help: split the rule, so that each rule has one recursive premise
            "#]],
        );
    }

    #[test]
    fn closure_is_complete() {
        check_missed_facts(
            r"
step(/a, /b).
path(X, Y) :- step(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
",
            &expect![[r#""#]],
        );
    }
}
