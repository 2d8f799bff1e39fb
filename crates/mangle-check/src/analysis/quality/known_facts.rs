//! Checks of rules and negations whose result is known, because the program has a fact or no predicate
//! can have one.

use rustc_hash::FxHashMap;

use super::subsumption::ClauseText;
use crate::analysis::wording::code;
use crate::analysis::{CheckContext, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Predicate, PredicateId, Program, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Literal, Term};
use mangle_syntax::syntax::digest;
use mangle_syntax::text::slice;

pub(super) static RULE_NEVER_FIRES: Rule = rule!("rule-never-fires.md");

/// Reports the rules that depend on a predicate without clauses.
pub(super) fn check_empty(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    if predicate.signature.has_rules || !context.emptiness.is_empty(id) {
        return;
    }
    let dependencies = program.dependencies();
    let mut heads: Vec<_> = program.users(predicate).collect();
    heads.sort_unstable();
    heads.dedup();
    let edges = heads.into_iter().flat_map(|head| dependencies.edges_from(head));
    for edge in edges.filter(|edge| edge.to == id && !edge.negated) {
        report_never_fires(program, edge, false, out);
    }
}

/// Reports predicates that depend only on each other. Rules that use such a predicate are not
/// reported again.
pub(super) fn check_cycle(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let (program, dependencies) = (context.program, context.program.dependencies());
    let edges = dependencies.recursive_edges(members);
    let empty = edges.filter(|edge| !edge.negated && context.emptiness.is_empty(edge.to));
    let first = empty.min_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    if let Some(edge) = first.filter(|_| is_cause(context, members)) {
        report_never_fires(program, edge, true, out);
    }
}

/// True if the predicates of a component depend only on each other.
fn is_cause(context: &ProgramContext<'_>, members: &[PredicateId]) -> bool {
    let dependencies = context.program.dependencies();
    let edges = members.iter().flat_map(|member| dependencies.edges_from(*member));
    let mut edges = edges.filter(|edge| !edge.negated);
    edges.all(|edge| members.contains(&edge.to) || !context.emptiness.is_empty(edge.to))
}

/// The reason that a predicate without rules has no facts.
const NO_CLAUSE: &str = "it has no clause, and `host_predicates` in the configuration does not name it";

/// The label of the declaration or first clause of a predicate.
fn introduced(predicate: &Predicate) -> &'static str {
    if predicate.signature.declared.is_some() { "declared here" } else { "defined here" }
}

fn report_never_fires(program: &Program, edge: &Edge, circle: bool, out: &mut ProgramFindings) {
    let Some(file) = program.files.get(edge.file as usize) else { return };
    let Some(item) = file.items.get(edge.item as usize) else { return };
    let (from, to) = (program.get(edge.from), program.get(edge.to));
    let name = to.key.name;
    let because = if !circle {
        NO_CLAUSE.to_owned()
    } else if edge.from == edge.to {
        format!("each rule of `{name}` depends on a fact of `{name}`")
    } else {
        format!("`{name}` depends on `{}`, which depends on `{name}`", from.key.name)
    };
    let message = format!("rule for `{}` never fires: `{name}` never has facts", from.key.name);
    let mut finding = Finding::new(&RULE_NEVER_FIRES, edge.range, message).note(because);
    if edge.to != edge.from
        && let Some(origin) = CheckContext::origin(to)
    {
        finding = finding.related(origin, introduced(to));
    }
    out.push(file.id, item.statement.id, finding);
}

pub(super) static NEGATION_ALWAYS_FALSE: Rule = rule!("negation-always-false.md");

pub(super) static NEGATION_ALWAYS_TRUE: Rule = rule!("negation-always-true.md");

/// Reports negations that always or never hold, according to the program.
pub(super) fn check_negations(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    let mut facts = None;
    for (site, _) in program.uses(predicate).filter(|(_, kind)| *kind == UseKind::Negated) {
        let negated = site.literal().filter(|literal| literal.is_negated() && !literal.is_temporal());
        let Some(literal) = negated else { continue };
        if context.emptiness.is_empty(id) {
            report_true(predicate, &site, literal, out);
        } else if literal.atom.args.iter().all(Term::is_constant) {
            let facts = facts.get_or_insert_with(|| Facts::new(program, predicate));
            if let Some(fact) = facts.find(site.file.statement_text(site.item), &literal.atom) {
                report_false(&site, literal, &fact, out);
            }
        }
    }
}

fn report_true(predicate: &Predicate, site: &Site<'_>, literal: &Literal, out: &mut ProgramFindings) {
    let because = if predicate.signature.has_rules { "none of its rules can fire" } else { NO_CLAUSE };
    let message = format!("negation always holds: `{}` never has facts", predicate.key.name);
    let mut finding = Finding::new(&NEGATION_ALWAYS_TRUE, literal.range, message).note(because);
    if let Some(origin) = CheckContext::origin(predicate) {
        finding = finding.related(origin, introduced(predicate));
    }
    out.push(site.file.id, site.item.statement.id, finding);
}

fn report_false(site: &Site<'_>, literal: &Literal, fact: &Site<'_>, out: &mut ProgramFindings) {
    let head = site.item.statement.clause().map_or("", |clause| clause.head.name.as_str());
    let negated = code(mangle_syntax::text::slice(site.file.statement_text(site.item), literal.range), 36);
    let message = format!("{negated} never holds: a fact contradicts it");
    let (file, statement, range) = fact.place();
    let finding = Finding::new(&NEGATION_ALWAYS_FALSE, literal.range, message)
        .related(Span::new(file, statement, range), "contradicting fact")
        .note(format!("this rule for `{head}` never fires"));
    out.push(site.file.id, site.item.statement.id, finding);
}

pub(super) static RULE_SHADOWED_BY_FACT: Rule = rule!("rule-shadowed-by-fact.md");

/// Reports rules that derive an existing fact of the program.
pub(super) fn check_shadowing(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if predicate.signature.has_rules {
        let mut facts = None;
        for site in program.rules(predicate) {
            let Some(rule) = ClauseText::from_item(site.file, site.item) else { continue };
            let head = &rule.clause.head;
            if rule.clause.interval.is_some() || !head.args.iter().all(Term::is_constant) {
                continue;
            }
            let facts = facts.get_or_insert_with(|| Facts::new(program, predicate));
            let Some(fact) = facts.find(rule.text, head) else { continue };
            let message =
                format!("rule derives the existing fact {}", code(slice(rule.text, head.range), 40));
            let (file, statement, range) = fact.place();
            let finding = Finding::new(&RULE_SHADOWED_BY_FACT, head.range, message)
                .related(Span::new(file, statement, range), "existing fact")
                .note("the fact holds unconditionally, so the body of the rule has no effect");
            out.push(site.file.id, site.item.statement.id, finding);
        }
    }
}

pub(super) static PREDICATE_UNUSED: Rule = rule!("predicate-unused.md");

/// Reports derived predicates without uses.
pub(super) fn check_unused(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let signature = &predicate.signature;
    let is_used = || program.uses(predicate).next().is_some();
    if !out.is_enabled(&PREDICATE_UNUSED) || !signature.has_rules || signature.host || is_used() {
        return;
    }
    let Some(site) = program.clauses(predicate).find(|site| !site.item.statement.damaged) else { return };
    let message = format!("no premise queries `{}`", predicate.key.name);
    let finding = Finding::new(&PREDICATE_UNUSED, site.range, message);
    let finding = finding.note("its facts matter only if the host reads them");
    out.push(site.file.id, site.item.statement.id, finding);
}

/// The facts of one predicate without an interval.
struct Facts<'p> {
    program: &'p Program,
    /// Index of the file and index of the item, by the digest of the statement.
    places: FxHashMap<u64, (u32, u32)>,
}

impl<'p> Facts<'p> {
    /// Collects the facts of `predicate` in linear time.
    fn new(program: &'p Program, predicate: &Predicate) -> Self {
        let mut places = FxHashMap::default();
        for (at, key) in &predicate.files {
            let Some(file) = program.files.get(*at as usize) else { continue };
            let facts = file.predicates.get(key).map_or(&[][..], |there| &there.facts);
            for &fact in facts {
                let statement = file.items.get(fact as usize).map(|item| &item.statement);
                if let Some(statement) = statement.filter(|statement| !statement.damaged) {
                    places.entry(statement.digest).or_insert((*at, fact));
                }
            }
        }
        Self { program, places }
    }

    /// Finds the fact that equals `atom`, an atom of a statement with the text `text`.
    fn find(&self, text: &str, atom: &Atom) -> Option<Site<'p>> {
        if self.places.is_empty() {
            return None;
        }
        let written = digest(&format!("{}.", slice(text, atom.range)));
        let &(file, item) = self.places.get(&written)?;
        let file = self.program.files.get(file as usize)?;
        let item = file.items.get(item as usize)?;
        Some(Site { file, item, range: item.statement.clause()?.head.range })
    }
}
