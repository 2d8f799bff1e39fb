//! The check of a property and its answer, with a world and a proof. The world of an answer can become
//! a policy test case, which passes when the policy is corrected.

use std::sync::Arc;

use mangle_check::policy_test::property::{Claim, Condition, Connective, Piece, Property, PropertyError};
use mangle_engine::kernel::{CompiledProgram, Ground, Proof, ProofNode, RuleId, StopReason};
use mangle_engine::program::{FileSummary, PredicateId};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, Literal, Premise};
use mangle_syntax::text::{Cancel, FileId, Symbol, slice};
use rustc_hash::FxHashMap;

use crate::comparison::{ReadingDifference, reading_differences};
use crate::cone;
use crate::goal_rules::plain_proof;
use crate::inputs::Input;
use crate::obstacle::{Obstacle, listed};
use crate::program_pair::with_own_names;
use crate::question::{Setup, question};
use crate::search::{Outcome, Question, Scope, Searched, World, search};
use crate::values::fact_text;

/// The verdict about a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A world violates the property.
    Violated,
    /// The property claims that a world exists, and a world was found.
    Possible,
    /// No world of any size violates the property.
    Holds,
    /// No world in the scope violates the property.
    HoldsUpTo,
    /// No world of any size satisfies the property.
    Impossible,
    /// No world in the scope satisfies the property.
    ImpossibleUpTo,
    /// No world violates the property, but the evaluation of a world stops with an error.
    Aborts,
    /// No world was found, but its absence is not proved.
    NotDecided,
    /// No world violates the property, but the result depends only on the facts of the program.
    Vacuous,
    /// The property cannot be checked.
    Error,
}

impl Verdict {
    /// Returns the name of the verdict in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::Possible => "possible",
            Self::Holds => "holds",
            Self::HoldsUpTo => "holds_up_to",
            Self::Impossible => "impossible",
            Self::ImpossibleUpTo => "impossible_up_to",
            Self::Aborts => "aborts",
            Self::NotDecided => "not_decided",
            Self::Vacuous => "vacuous",
            Self::Error => "error",
        }
    }

    /// True if the author of the property expects this verdict.
    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::Holds | Self::HoldsUpTo | Self::Possible)
    }

    /// True if the property does not hold.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Violated | Self::Impossible | Self::ImpossibleUpTo | Self::Aborts)
    }
}

/// The answer to a property.
#[derive(Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// A sentence about the verdict, without a final period.
    pub message: String,
    /// The facts of the world, sorted.
    pub world: Option<Vec<String>>,
    /// True if no smaller world has the same result.
    pub is_smallest: bool,
    /// The verdict of the other reading, if a world was found.
    pub other_reading: Option<Verdict>,
    /// The different facts of the world in the other reading, if its verdict differs.
    pub differences: Vec<ReadingDifference>,
    /// The argument that no world of any size violates the property.
    pub argument: Option<String>,
    /// The operations of the rules that the tried values do not cover. Empty unless the verdict is
    /// undecided.
    pub reasons: Vec<String>,
    /// The solver that decided the question, if any.
    pub solver: Option<&'static str>,
    /// The proof of the solution, and the program with the rules of the proof.
    pub proof: Option<(Proof, Arc<CompiledProgram>)>,
    /// For a pair of programs, the original files of the other program.
    pub originals: FxHashMap<FileId, Arc<FileSummary>>,
    /// The extent of the search.
    pub covered: Covered,
    /// The error, if the property is invalid.
    pub error: Option<PropertyError>,
}

/// The extent of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Covered {
    /// The maximum number of facts of a world.
    pub facts: usize,
    /// The inputs, each with the values of its columns.
    pub values: Vec<(String, Vec<Vec<String>>)>,
    /// The number of worlds.
    pub worlds: f64,
    /// The number of assumptions that exclude worlds.
    pub assumptions: usize,
}

/// Checks a property.
#[must_use]
pub fn verify(setup: Setup<'_>, property: &Property, scope: Scope, cancel: &Cancel) -> Answer {
    let own = property.restrictions.facts.or(setup.restrictions.facts);
    let scope = Scope { facts: own.unwrap_or(scope.facts), ..scope };
    let asked = match question(setup, property) {
        Ok(asked) => asked,
        Err(error) => return Answer::of_error(error),
    };
    let asked = setup.aborts.reduce(asked, scope);
    let mut searched = search(&asked, scope, cancel);
    setup.aborts.remember(&asked, scope, &searched);
    let mut answer = Answer::from_search(property, &mut searched, scope, &asked);
    if answer.verdict == Verdict::Vacuous {
        answer.message = cone::vacuity_message(setup.program, setup.name, &asked.constants);
    }
    if matches!(answer.verdict, Verdict::Violated | Verdict::Possible) {
        let other = question(Setup { reading: setup.reading.other(), ..setup }, property).ok();
        answer.other_reading = other.map(|asked| {
            let mut searched = search(&asked, scope, cancel);
            Answer::from_search(property, &mut searched, scope, &asked).verdict
        });
        let differs = answer.other_reading.is_some_and(|other| other != answer.verdict);
        if let Some(world) = answer.world.as_ref().filter(|_| differs && answer.originals.is_empty()) {
            answer.differences = reading_differences(setup, world, cancel);
        }
    }
    answer
}

impl Answer {
    fn new(verdict: Verdict, message: String) -> Self {
        Self {
            verdict,
            message,
            world: None,
            is_smallest: false,
            other_reading: None,
            differences: Vec::new(),
            argument: None,
            reasons: Vec::new(),
            solver: None,
            proof: None,
            originals: FxHashMap::default(),
            covered: Covered::default(),
            error: None,
        }
    }

    fn of_error(error: PropertyError) -> Self {
        Self { error: Some(error.clone()), ..Self::new(Verdict::Error, error.message) }
    }

    /// Returns the answer if a world was found.
    fn found(world: &mut World, is_smallest: bool, wants_world: bool, asked: &Question) -> Self {
        let (verdict, word) = match wants_world {
            true => (Verdict::Possible, "possible with"),
            false => (Verdict::Violated, "violated by"),
        };
        let message = format!("{word} {}", counted(world.facts.len()));
        Self {
            is_smallest,
            world: Some(facts_of(world)),
            proof: Some(proof(world, asked)),
            ..Self::new(verdict, message)
        }
    }

    /// Returns the answer if the search was not complete.
    fn undecided(obstacle: &Obstacle, below: usize, wants_world: bool, facts: usize) -> Self {
        if let Obstacle::Incomplete { reasons, has_solver } = obstacle {
            let found = if wants_world { "no world found" } else { "no violation found" };
            let why = listed(reasons, *has_solver);
            let message = format!("{found} up to {}, but {why}", counted(facts));
            let reasons = reasons.iter().map(ToString::to_string).collect();
            return Self { reasons, ..Self::new(Verdict::NotDecided, message) };
        }
        let covered = match below {
            0 => String::new(),
            below => format!("; no world of fewer than {} was found", counted(below)),
        };
        Self::new(Verdict::NotDecided, format!("not decided: {obstacle}{covered}"))
    }

    fn from_search(property: &Property, searched: &mut Searched, scope: Scope, asked: &Question) -> Self {
        let covered = covered(searched, scope, asked);
        let facts = scope.facts;
        let wants_world = property.kind.is_existential();
        let is_vacuous = searched.is_constant && !wants_world && !asked.constants.is_empty();
        let mut answer = match &mut searched.outcome {
            Outcome::Found { world, is_smallest } => Self::found(world, *is_smallest, wants_world, asked),
            Outcome::Never(why) if is_vacuous => Self::new(Verdict::Vacuous, format!("vacuous: {why}")),
            Outcome::Never(why) => {
                let verdict = if wants_world { Verdict::Impossible } else { Verdict::Holds };
                let word = if wants_world { "impossible in any world" } else { "holds in every world" };
                Self { argument: Some(why.clone()), ..Self::new(verdict, format!("{word}: {why}")) }
            }
            Outcome::NotInScope => {
                let verdict = if wants_world { Verdict::ImpossibleUpTo } else { Verdict::HoldsUpTo };
                let word = if wants_world { "impossible" } else { "holds" };
                Self::new(verdict, format!("{word} up to {}", counted(facts)))
            }
            Outcome::Aborts { world, stop } => {
                let why = match &stop.reason {
                    StopReason::Failed(failure) => failure.to_string(),
                    other => other.to_string(),
                };
                let message =
                    format!("evaluation aborts in a world of {}: {why}", counted(world.facts.len()));
                Self { world: Some(facts_of(world)), ..Self::new(Verdict::Aborts, message) }
            }
            Outcome::NoWorld => Self::new(
                Verdict::Error,
                "no world is left: the assumptions contradict each other".to_owned(),
            ),
            Outcome::Undecided { obstacle, below } => Self::undecided(obstacle, *below, wants_world, facts),
        };
        answer.covered = covered;
        answer.solver = searched.solver.filter(|_| answer.verdict != Verdict::NotDecided);
        answer.originals.clone_from(&asked.originals);
        answer
    }
}

fn counted(facts: usize) -> String {
    format!("{facts} {}", if facts == 1 { "fact" } else { "facts" })
}

/// Returns the facts of a world in the syntax of the program, sorted.
fn facts_of(world: &World) -> Vec<String> {
    let (model, compiled) = (world.kernel.model(), world.kernel.compiled());
    let facts = world.facts.iter().map(|fact| fact_text(model, compiled, fact));
    let facts = facts.map(|fact| with_own_names(&fact));
    let mut facts: Vec<String> = facts.collect();
    facts.sort();
    facts.dedup();
    facts
}

fn proof(world: &mut World, asked: &Question) -> (Proof, Arc<CompiledProgram>) {
    let compiled = Arc::clone(&asked.compiled);
    (plain_proof(world.kernel.model_mut().explain(&compiled, asked.clock, asked.goal, 0)), compiled)
}

/// Returns the extent of a search, with values in the syntax of the program.
fn covered(searched: &Searched, scope: Scope, asked: &Question) -> Covered {
    let values = &searched.base.model().values;
    let name = |input: &Input| {
        let predicate = input.predicates.first().copied().unwrap_or(PredicateId(0));
        with_own_names(&format!("{}/{}", asked.compiled.name(predicate), input.columns.len()))
    };
    let shown = |column: &Vec<_>| column.iter().map(|value| values.display(*value).to_string()).collect();
    let listed = |input: &Input| (name(input), input.columns.iter().map(shown).collect());
    let facts: f64 = searched.inputs.iter().map(|input| product(&input.columns)).sum();
    Covered {
        facts: scope.facts,
        values: searched.inputs.iter().map(listed).collect(),
        worlds: worlds(facts, scope.facts),
        assumptions: asked.forbidden.len(),
    }
}

#[allow(clippy::cast_precision_loss)] // a count for people
fn product<T>(columns: &[Vec<T>]) -> f64 {
    columns.iter().map(|column| column.len() as f64).product()
}

/// Returns the number of sets of at most `most` out of `facts` facts.
#[allow(clippy::cast_precision_loss)] // a count for people
fn worlds(facts: f64, most: usize) -> f64 {
    let (mut all, mut of_size) = (1.0, 1.0);
    for size in 1..=most {
        of_size *= (facts + 1.0 - size as f64).max(0.0) / size as f64;
        all += of_size;
    }
    all
}

/// Returns a test case with the facts of a world and its expected results. `None` if no world or no
/// expectation exists.
///
/// If several facts must not hold together, the case forbids the fact of the predicate `permit`, or
/// the first derived fact.
#[must_use]
pub fn test_case(property: &Property, answer: &Answer, permit: &str) -> Option<String> {
    let (world, (proof, _)) = (answer.world.as_ref()?, answer.proof.as_ref()?);
    let Ok(Claim::Condition(condition)) = &property.claim else { return None };
    let solution = Solution::new(condition, proof)?;
    let expected = match answer.verdict {
        Verdict::Possible => solution.expected(),
        Verdict::Violated => solution.prevented(condition, permit)?,
        _ => return None,
    };
    let facts: String = world.iter().map(|fact| format!("{fact}.\n")).collect();
    (!expected.is_empty()).then(|| format!("# @test name: {}\n{facts}{}", property.name, expected.join("\n")))
}

/// The solution of a body.
struct Solution<'p> {
    proof: &'p Proof,
    goal: &'p ProofNode,
    /// The values of the variables of the body, as text.
    bindings: FxHashMap<Symbol, String>,
}

impl<'p> Solution<'p> {
    fn new(condition: &Condition, proof: &'p Proof) -> Option<Self> {
        let goal = proof.nodes.first()?;
        // The proof does not identify the body if there are several.
        let [body] = condition.bodies.as_slice() else { return None };
        let mut solution = Self { proof, goal, bindings: FxHashMap::default() };
        let (source, _) = parsed_rule(body);
        let clause = only_clause(&source)?;
        for step in &goal.steps {
            let premise = clause.premises.get(step.premise as usize);
            if let (Some(Premise::Literal(literal)), Ground::Fact(fact)) = (premise, &step.ground) {
                solution.bind(literal, &proof.nodes.get(*fact)?.fact);
            }
        }
        Some(solution)
    }

    /// Binds the variables of a premise to the arguments of the matching fact.
    fn bind(&mut self, literal: &Literal, fact: &str) {
        let text = format!("{fact}.");
        let source = SourceFile::parse(text.as_str().into());
        let Some(head) = only_clause(&source).map(|clause| &clause.head) else { return };
        for (term, value) in literal.atom.args.iter().zip(&head.args) {
            if let Some(name) = term.variable() {
                self.bindings.insert(name, slice(&text, value.range).to_owned());
            }
        }
    }

    /// Returns the derived facts that match the premises.
    fn derived(&self) -> impl Iterator<Item = &str> {
        let facts = self.goal.steps.iter().filter_map(|step| match step.ground {
            Ground::Fact(fact) => self.proof.nodes.get(fact),
            _ => None,
        });
        facts.filter(|node| node.rule != RuleId::ASSERTED).map(|node| node.fact.as_str())
    }

    /// Returns the patterns of the negations of the body.
    fn absent(&self) -> impl Iterator<Item = &str> {
        let steps = self.goal.steps.iter();
        let patterns = steps.filter_map(|step| match &step.ground {
            Ground::Absent(pattern) => Some(pattern.as_str()),
            _ => None,
        });
        patterns.filter(|pattern| pattern.contains('('))
    }

    /// Returns the expectations that hold in the world.
    fn expected(&self) -> Vec<String> {
        let expected = self.derived().map(|fact| format!("# @expect {fact}"));
        expected.chain(self.absent().map(|pattern| format!("# @forbid {pattern}"))).collect()
    }

    /// Returns expectations that would prevent the violation.
    fn prevented(&self, condition: &Condition, permit: &str) -> Option<Vec<String>> {
        if let Some((Connective::Then, alternatives)) = &condition.connective {
            return Some(vec![format!("# @expect {}", self.alternative(alternatives.first()?)?)]);
        }
        let is_permission = |fact: &&str| fact.split('(').next() == Some(permit);
        let forbidden = self.derived().find(is_permission).or_else(|| self.derived().next());
        let forbidden = forbidden.map(|fact| format!("# @forbid {fact}"));
        let expected = || self.absent().next().map(|pattern| format!("# @expect {pattern}"));
        Some(vec![forbidden.or_else(expected)?])
    }

    /// Returns the first atom of an alternative, with the values of the solution.
    fn alternative(&self, piece: &Piece) -> Option<String> {
        let (source, text) = parsed_rule(piece);
        let literal = only_clause(&source)?
            .literals()
            .find(|literal| !literal.is_negated() && !literal.atom.is_builtin())?;
        let args = literal.atom.args.iter().map(|term| match term.variable() {
            Some(name) => self.bindings.get(&name).cloned().unwrap_or_else(|| "_".to_owned()),
            None => slice(&text, term.range).to_owned(),
        });
        Some(format!("{}({})", literal.atom.name.as_str(), args.collect::<Vec<_>>().join(", ")))
    }
}

/// Parses premises as a rule. Returns its source and text.
fn parsed_rule(piece: &Piece) -> (SourceFile, String) {
    let text = format!("solution() :- {} .", piece.text);
    (SourceFile::parse(text.as_str().into()), text)
}

fn only_clause(source: &SourceFile) -> Option<&Clause> {
    let item: &Item = source.items().first()?;
    item.statement.clause().filter(|_| !item.statement.damaged)
}
