//! A property as a question: rules whose facts are the worlds that it is about.
//!
//! The rules stand in files of their own, which are read as they are written, whatever the reading of the program is.

use std::path::Path;
use std::sync::Arc;

use mangle_check::policy_test::property::{
    Claim, Condition, Connective, Piece, Properties, Property, PropertyError, Restrictions,
};
use mangle_check::policy_test::without_cases;
use mangle_engine::kernel::plan::StepKind;
use mangle_engine::kernel::{Clock, Compiled, Limits, Reading, compile_as};
use mangle_engine::program::{
    FileSummary, Predicate, PredicateKey, Program, functional_dependencies, key_of,
};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Declaration, Item, Premise, StatementKind, Term};
use mangle_syntax::text::{FileId, Symbol, TextRange, shorten, slice};

use crate::abort_memo::AbortMemo;
use crate::inputs::{holders, input, input_predicates};
use crate::joined::{Joined, in_other};
use crate::search::Question;

/// The predicate whose facts are searched for.
const GOAL: &str = "verify_goal";

/// A program and how its properties are checked.
#[derive(Clone, Copy)]
pub struct Setup<'p> {
    /// The program, with the test file if there is one.
    pub program: &'p Program,
    /// The test file.
    pub file: Option<FileId>,
    /// What restricts all properties.
    pub restrictions: &'p Restrictions,
    /// The reading of the program.
    pub reading: Reading,
    /// How far the evaluation of one world may go.
    pub limits: Limits,
    /// The time of evaluation.
    pub clock: Clock,
    /// What a world may hold facts of, where no property says otherwise; empty for the usual predicates.
    pub inputs: &'p [PredicateKey],
    /// What a file is called.
    pub name: &'p (dyn Fn(FileId) -> String + Sync),
    /// The predicates of a program whose facts a consumer of replies takes, by its name; else why there are none.
    pub consumer: &'p (dyn Fn(&Program, &str) -> Result<Vec<PredicateKey>, String> + Sync),
    /// Searches for worlds that stop the evaluation, so that no such search is made twice.
    pub aborts: &'p AbortMemo,
    /// The other program of a comparison, by the path in the property; else why there is none.
    pub other: &'p (dyn Fn(&str) -> Result<Program, String> + Sync),
}

/// Which of two programs gives what the other one does not give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The program gives more than the other one.
    Added,
    /// The other program gives more.
    Removed,
}

/// Rules that are added to a program for a question.
#[derive(Default)]
struct Rules {
    /// Rules that are read as they are written.
    text: String,
    /// Rules that are read as the program is.
    of_program: String,
    /// The package that these belong to.
    package: Option<Symbol>,
    forbidden: Vec<String>,
    /// The parts of comments that the rules are made of.
    pieces: Vec<Piece>,
}

/// The question of a property.
///
/// # Errors
/// When the property cannot be read, names a predicate that does not exist, or is not safe.
pub fn question(setup: Setup<'_>, property: &Property) -> Result<Question, PropertyError> {
    let program = own_program(setup);
    let error = |message: String| PropertyError { range: property.header, message };
    let restrictions = [setup.restrictions, &property.restrictions];
    let mut rules = Rules::default();
    match property.claim.clone()? {
        Claim::Condition(condition) => rules.condition(GOAL, &condition)?,
        Claim::Rule { predicate, file, line } => {
            let rule = rule_at(setup, &program, predicate, (&file, line));
            (rules.of_program, rules.package) =
                rule.ok_or_else(|| error(format!("no rule of `{predicate}` is at {file}:{line}")))?;
        }
        Claim::Comparison { atom, path, both_ways } => {
            let other = (setup.other)(&path).map_err(error)?;
            let joined = Joined::new(&program, &other);
            let ways =
                if both_ways { &[Direction::Added, Direction::Removed][..] } else { &[Direction::Added] };
            for way in ways {
                rules.difference(&joined, &atom, *way)?;
            }
            return asked(setup, &joined.program, rules, restrictions).map_err(|found| found.or_at(property));
        }
    }
    asked(setup, &program, rules, restrictions).map_err(|found| found.or_at(property))
}

/// The question where a program gives what another one does not give.
///
/// # Errors
/// When the atom cannot be read, or one of the programs does not have its predicate.
pub(crate) fn difference(
    setup: Setup<'_>,
    joined: &Joined,
    atom: &Piece,
    direction: Direction,
    known: &str,
) -> Result<Question, PropertyError> {
    let mut rules = Rules::default();
    rules.difference(joined, atom, direction)?;
    rules.of_program = known.to_owned();
    let none = Restrictions::default();
    let asked = asked(setup, &joined.program, rules, [setup.restrictions, &none]);
    let asked = asked.map(|asked| Question { looks_for_aborts: false, ..asked });
    asked.map_err(|found| PropertyError { range: found.range.unwrap_or(atom.range), message: found.message })
}

/// The program, without the cases of its test file.
pub(crate) fn own_program(setup: Setup<'_>) -> Program {
    setup.file.map_or_else(|| setup.program.clone(), |file| without_cases(setup.program, file))
}

/// Why there is no question.
struct NoQuestion {
    /// Where, if it is known.
    range: Option<TextRange>,
    message: String,
}

impl NoQuestion {
    fn or_at(self, property: &Property) -> PropertyError {
        PropertyError { range: self.range.unwrap_or(property.header), message: self.message }
    }
}

impl From<PropertyError> for NoQuestion {
    fn from(error: PropertyError) -> Self {
        Self { range: Some(error.range), message: error.message }
    }
}

impl From<String> for NoQuestion {
    fn from(message: String) -> Self {
        Self { range: None, message }
    }
}

/// The question of some rules about a program, or about two programs that are joined.
fn asked(
    setup: Setup<'_>,
    program: &Program,
    mut rules: Rules,
    restrictions: [&Restrictions; 2],
) -> Result<Question, NoQuestion> {
    restrictions.iter().try_for_each(|found| rules.assume(found))?;
    let inputs = input_predicates(program, setup.inputs, setup.consumer, restrictions)?;
    rules.declared(program, &inputs);
    rules.known(program)?;
    let (files, texts) = (["property", "rule"], [rules.text.as_str(), rules.of_program.as_str()]);
    let ids = files.map(|name| FileId::of(Path::new(&format!("mangle-verify/{name}"))));
    let added = ids
        .iter()
        .zip(texts)
        .map(|(id, text)| Arc::new(FileSummary::new(*id, &SourceFile::parse(text.into()))));
    let all = program.files.iter().cloned().chain(added).collect();
    let whole = Program::embedded(all, Arc::clone(&program.embedding));
    let compiled = compile_as(&whole, setup.reading, &[ids[0]].into_iter().collect());
    safe(&compiled, &ids)?;
    let id = |name: &str| whole.id(PredicateKey { name: Symbol::new(name), arity: 0 });
    let goal = PredicateKey { name: Symbol::new(GOAL), arity: 0 };
    let goal = whole.id(rules.package.map_or(goal, |package| goal.within(package)));
    let goal = goal.ok_or_else(|| "the property cannot be parsed".to_owned())?;
    let forbidden = rules.forbidden.iter().filter_map(|name| id(name)).collect();
    let inputs = inputs.iter().map(|key| input(&whole, *key)).collect();
    let (limits, clock) = (setup.limits, setup.clock);
    let looks_for_aborts = true;
    Ok(Question { compiled, goal, forbidden, inputs, looks_for_aborts, limits, clock })
}

impl Rules {
    /// Adds what is assumed of worlds.
    fn assume(&mut self, restrictions: &Restrictions) -> Result<(), PropertyError> {
        if let Some(first) = restrictions.errors.first() {
            return Err(first.clone());
        }
        for assumption in &restrictions.assumptions {
            let name = format!("verify_excluded_{}", self.forbidden.len());
            self.condition(&name, &assumption.clone()?)?;
            self.forbidden.push(name);
        }
        Ok(())
    }

    /// Adds rules for a predicate without arguments that has a fact where the condition has a solution.
    fn condition(&mut self, name: &str, condition: &Condition) -> Result<(), PropertyError> {
        for (number, body) in condition.bodies.iter().enumerate() {
            self.pieces.push(body.clone());
            let variables = variables(body)?;
            let Some((Connective::Unless | Connective::Then, others)) = &condition.connective else {
                self.text.push_str(&format!("{name}() :- {} .\n", body.text));
                continue;
            };
            let extended = format!("{name}_extended_{number}({})", variables.join(", "));
            self.text.push_str(&format!("{name}() :- {}, !{extended} .\n", body.text));
            for other in others {
                self.pieces.push(other.clone());
                self.text.push_str(&format!("{extended} :- {}, {} .\n", body.text, other.text));
            }
        }
        Ok(())
    }

    /// Adds rules for worlds in which one of two programs has a solution that the other one does not have.
    fn difference(
        &mut self,
        joined: &Joined,
        atom: &Piece,
        direction: Direction,
    ) -> Result<(), PropertyError> {
        let source = parsed(atom)?;
        let bodies = source.items().iter().filter_map(|item| item.statement.clause());
        let premises: Vec<&Premise> = bodies.flat_map(|clause| &clause.premises).collect();
        let error = |message: String| PropertyError { range: atom.range, message };
        let literal = match premises.as_slice() {
            [Premise::Literal(literal)] if !literal.is_negated() && !literal.atom.is_builtin() => literal,
            _ => return Err(error(format!("`{}` is not an atom", shorten(&atom.text, 60)))),
        };
        let key = key_of(&literal.atom);
        let exists = |key| joined.program.predicate(key).is_some_and(Predicate::exists);
        let (here, there) = (exists(key), exists(in_other(key)));
        if !here && !there {
            return Err(error(format!("unknown predicate `{key}`")));
        }
        let args = slice(source.text(), literal.atom.args_range() + source.items()[0].start);
        let own = format!("{}{args}", key.name);
        let other = format!("{}{args}", in_other(key).name);
        let (giver, rest, (gives, misses)) = match direction {
            Direction::Added => (own, other, (here, there)),
            Direction::Removed => (other, own, (there, here)),
        };
        match (gives, misses) {
            (true, true) => self.text.push_str(&format!("{GOAL}() :- {giver}, !{rest}.\n")),
            (true, false) => self.text.push_str(&format!("{GOAL}() :- {giver}.\n")),
            // What does not exist gives nothing.
            (false, _) => self.text.push_str(&format!("{GOAL}() :- {rest}, 1 = 2.\n")),
        }
        Ok(())
    }

    /// Adds what the declarations of the inputs promise of their facts.
    fn declared(&mut self, program: &Program, inputs: &[PredicateKey]) {
        let predicates = inputs.iter().flat_map(|key| holders(program, *key));
        for predicate in predicates.map(|id| program.get(id)) {
            let Some((text, declaration)) = declaration_of(program, predicate) else { continue };
            for [sources, targets] in functional_dependencies(declaration) {
                self.depend(predicate.key, &sources, &targets);
            }
            let atom = slice(text, declaration.atom.range);
            for included in &declaration.inclusion {
                self.forbid(&format!("{atom}, !{}", slice(text, included.range)));
            }
        }
    }

    /// Forbids two facts that agree in some columns and not in others that those determine.
    fn depend(&mut self, key: PredicateKey, sources: &[u16], targets: &[u16]) {
        let args = |mark: &str| {
            let column =
                |at: u16| if sources.contains(&at) { format!("V{at}") } else { format!("{mark}{at}") };
            (0..key.arity).map(column).collect::<Vec<_>>().join(", ")
        };
        let (one, other, name) = (args("A"), args("B"), key.name);
        for target in targets.iter().filter(|target| !sources.contains(target)) {
            self.forbid(&format!("{name}({one}), {name}({other}), A{target} != B{target}"));
        }
    }

    fn forbid(&mut self, body: &str) {
        let name = format!("verify_excluded_{}", self.forbidden.len());
        self.text.push_str(&format!("{name}() :- {body} .\n"));
        self.forbidden.push(name);
    }

    /// Checks that each predicate of the property exists in the program.
    fn known(&self, program: &Program) -> Result<(), PropertyError> {
        for piece in &self.pieces {
            let source = parsed(piece)?;
            let clauses = source.items().iter().filter_map(|item| item.statement.clause());
            for premise in clauses.flat_map(|clause| &clause.premises) {
                let Premise::Literal(literal) = premise else { continue };
                let key = key_of(&literal.atom);
                let is_known =
                    literal.atom.is_builtin() || program.predicate(key).is_some_and(Predicate::exists);
                if !is_known {
                    return Err(PropertyError {
                        range: piece.range,
                        message: format!("unknown predicate `{key}`"),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The first declaration of a predicate, and the text of its statement.
fn declaration_of<'p>(program: &'p Program, predicate: &Predicate) -> Option<(&'p str, &'p Declaration)> {
    let (file, statement, _) = predicate.signature.declared?;
    let file = program.file(file)?;
    let item = file.items.iter().find(|item| item.statement.id == statement)?;
    Some((file.statement_text(item), item.statement.declaration()?))
}

/// A part of a condition as the body of a rule.
fn parsed(piece: &Piece) -> Result<SourceFile, PropertyError> {
    let source = SourceFile::parse(format!("verify_part() :- {} .\n", piece.text).as_str().into());
    let is_rule = matches!(&source.items()[..], [item] if !item.statement.damaged
        && item.statement.clause().is_some_and(|clause| clause.transforms.is_empty()));
    if is_rule {
        return Ok(source);
    }
    let message = format!("`{}` is not a list of premises", shorten(&piece.text, 60));
    Err(PropertyError { range: piece.range, message })
}

/// The variables of a body that are outside of negations, each once.
fn variables(body: &Piece) -> Result<Vec<String>, PropertyError> {
    let source = parsed(body)?;
    let mut names: Vec<String> = Vec::new();
    let mut add = |term: &Term| {
        term.variables(&mut |name: Symbol, _| {
            if !names.iter().any(|known| known == name.as_str()) {
                names.push(name.as_str().to_owned());
            }
        });
    };
    for premise in
        source.items().iter().filter_map(|item| item.statement.clause()).flat_map(|clause| &clause.premises)
    {
        match premise {
            Premise::Literal(literal) if !literal.is_negated() => literal.atom.args.iter().for_each(&mut add),
            Premise::Comparison(comparison) => {
                [&comparison.left, &comparison.right].into_iter().for_each(&mut add)
            }
            _ => {}
        }
    }
    Ok(names)
}

/// The statements of a file that say which package it belongs to and which it uses.
fn package_statements(file: &FileSummary) -> String {
    let is_one =
        |item: &&Item| matches!(item.statement.kind, StatementKind::Package(_) | StatementKind::Use(_));
    file.items.iter().filter(is_one).map(|item| format!("{}\n", file.statement_text(item).trim())).collect()
}

/// The question whether the body of a rule of `program` has a solution.
///
/// # Errors
/// When the rule cannot be read by itself.
pub(crate) fn fires(
    setup: Setup<'_>,
    program: &Program,
    file: &FileSummary,
    item: &Item,
    clause: &Clause,
) -> Result<Question, PropertyError> {
    let range = clause.head.range + item.start;
    let error = |message: String| PropertyError { range, message };
    let text = goal_rule(file, item, clause).ok_or_else(|| error("the rule cannot be read".to_owned()))?;
    let rules = Rules { of_program: text, package: file.package, ..Rules::default() };
    let none = Restrictions::default();
    let asked = asked(setup, program, rules, [setup.restrictions, &none]);
    let asked = asked.map(|asked| Question { looks_for_aborts: false, ..asked });
    asked.map_err(|found| error(found.message))
}

/// A rule of the program with the goal as its head, and the package that the goal belongs to then.
fn rule_at(
    setup: Setup<'_>,
    program: &Program,
    predicate: PredicateKey,
    place: (&str, usize),
) -> Option<(String, Option<Symbol>)> {
    for file in program.files.iter().filter(|file| (setup.name)(file.id).ends_with(place.0)) {
        for item in file.items.iter() {
            let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) else { continue };
            let key = key_of(&clause.head);
            let is_meant = key == predicate || program.meaning(file, key) == predicate;
            if is_meant && lines_of(file, item)?.contains(&place.1) {
                return Some((goal_rule(file, item, clause)?, file.package));
            }
        }
    }
    None
}

/// The lines of a statement, counted from 1.
fn lines_of(file: &FileSummary, item: &Item) -> Option<std::ops::RangeInclusive<usize>> {
    let before = file.text.get(..usize::from(item.start))?;
    let text = file.statement_text(item);
    let lead = text.len() - text.trim_start().len();
    let first = before.matches('\n').count() + text.get(..lead)?.matches('\n').count() + 1;
    Some(first..=first + text.trim().matches('\n').count())
}

/// The text of a rule with the goal as its head, behind what says which package it belongs to.
fn goal_rule(file: &FileSummary, item: &Item, clause: &Clause) -> Option<String> {
    let start = clause.interval.as_ref().map_or(clause.head.range.end(), |interval| interval.range.end());
    let rest = file.statement_text(item).get(usize::from(start)..usize::from(item.statement.len))?;
    Some(format!("{}{GOAL}(){rest}\n", package_statements(file)))
}

/// Checks that the rules of a question bind what they use.
fn safe(compiled: &Compiled, files: &[FileId]) -> Result<(), String> {
    let is_ours = |rule| compiled.rule(rule).is_some_and(|rule| files.contains(&rule.file));
    if let Some(fault) = compiled.faults.iter().find(|fault| is_ours(fault.rule)) {
        return Err(fault.failure.to_string());
    }
    let plans = compiled.strata.iter().flat_map(|stratum| &stratum.plans);
    for step in plans.filter(|plan| is_ours(plan.rule)).flat_map(|plan| &plan.steps) {
        match &step.kind {
            StepKind::Fail(failure) => return Err(failure.to_string()),
            StepKind::Never => return Err("a compared variable is unbound".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// The properties of a test file of a program.
#[must_use]
pub fn properties(program: &Program, file: FileId) -> Properties {
    program.file(file).map(|file| Properties::read(file)).unwrap_or_default()
}
