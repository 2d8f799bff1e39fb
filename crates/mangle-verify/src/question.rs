//! Conversion of a property to a question: rules whose facts identify the worlds in question.
//!
//! The rules are in separate files and are evaluated as written, regardless of the reading of the
//! program.
//!
//! The search for worlds that stop the evaluation with an error depends on the whole program and not on
//! a property, so all properties of a file share its result ([`AbortMemo`]).

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use mangle_check::policy_test::property::{Claim, Properties, Property, PropertyError, Restrictions};
use mangle_check::policy_test::without_cases;
use mangle_engine::kernel::plan::StepKind;
use mangle_engine::kernel::{Clock, CompiledProgram, Limits, Reading, compile_with_intended_files};
use mangle_engine::program::{FileSummary, PredicateKey, Program, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, StatementKind};
use mangle_syntax::text::{FileId, Symbol, TextRange};
use rustc_hash::FxHashMap;

use crate::cone;
use crate::goal_rules::{ComparedAtom, Direction, GOAL, Rules};
use crate::inputs::{Consumer, input, input_predicates};
use crate::program_pair::{ProgramPair, SAME_RULES};
use crate::search::{Outcome, Question, Scope, Searched};
use crate::smt::Solvers;

/// A program with the options for checking its properties.
#[derive(Clone, Copy)]
pub struct Setup<'p> {
    /// The program, including the test file if one exists.
    pub program: &'p Program,
    /// The test file.
    pub file: Option<FileId>,
    /// The restrictions for all properties.
    pub restrictions: &'p Restrictions,
    /// The reading of the program.
    pub reading: Reading,
    /// The limits for the evaluation of one world.
    pub limits: Limits,
    /// The time of evaluation.
    pub clock: Clock,
    /// The default input predicates if a property names none. If empty, they are derived from the
    /// program.
    pub inputs: &'p [PredicateKey],
    /// Returns the display name of a file.
    pub name: &'p dyn Fn(FileId) -> String,
    /// Function that returns the predicates that a consumer of replies accepts.
    pub consumer: &'p Consumer<'p>,
    /// The memo of searches for worlds that stop the evaluation.
    pub aborts: &'p AbortMemo,
    /// The solvers for questions that the embedded search cannot decide.
    pub solvers: &'p Solvers,
    /// Returns the other program of a comparison, by the path in the property. The error is a
    /// message.
    pub other: &'p dyn Fn(&str) -> Result<Program, String>,
}

/// Converts a property to a question.
///
/// # Errors
/// Returns an error if the property is invalid or unsafe, or names a predicate that does not exist.
pub fn question(setup: Setup<'_>, property: &Property) -> Result<Question, PropertyError> {
    let program = own_program(setup);
    let error = |message: String| PropertyError { range: property.header, message };
    let restrictions = [setup.restrictions, &property.restrictions];
    let mut rules = Rules::default();
    match property.claim.clone()? {
        Claim::Condition(condition) => rules.add_condition(GOAL, &condition)?,
        Claim::Rule { predicate, file, line } => {
            let rule = rule_at(setup, &program, predicate, &file, line);
            (rules.of_program, rules.package) =
                rule.ok_or_else(|| error(format!("no rule of `{predicate}` is at {file}:{line}")))?;
        }
        Claim::Comparison { atom, path, is_equivalence: both_ways } => {
            let other = (setup.other)(&path).map_err(error)?;
            let pair = ProgramPair::new(&program, &other);
            let atom = ComparedAtom::read(&pair, &atom)?;
            rules.settled = pair.has_same_rules(atom.key).then_some(SAME_RULES);
            rules.add_difference(&atom, Direction::Added);
            if both_ways {
                rules.add_difference(&atom, Direction::Removed);
            }
            let compiled = compile(setup, &pair.program, rules, restrictions);
            let compiled = compiled.map(|question| Question { originals: pair.originals, ..question });
            return compiled.map_err(|found| found.or_at(property));
        }
    }
    compile(setup, &program, rules, restrictions).map_err(|found| found.or_at(property))
}

/// Returns the question for facts that only one program derives. `facts` are added to both
/// programs.
///
/// # Errors
/// Returns an error if a restriction is invalid, or names a predicate that does not exist.
pub(crate) fn difference(
    setup: Setup<'_>,
    pair: &ProgramPair,
    atom: &ComparedAtom,
    direction: Direction,
    facts: String,
) -> Result<Question, PropertyError> {
    let mut rules = Rules { of_program: facts, ..Rules::default() };
    rules.add_difference(atom, direction);
    let none = Restrictions::default();
    let compiled = compile(setup, &pair.program, rules, [setup.restrictions, &none]);
    let compiled = compiled.map(|question| Question { looks_for_aborts: false, ..question });
    compiled.map_err(|found| found.or_in(TextRange::default()))
}

/// Returns the program without the cases of its test file.
pub(crate) fn own_program(setup: Setup<'_>) -> Program {
    setup.file.map_or_else(|| setup.program.clone(), |file| without_cases(setup.program, file))
}

/// The reason for a property without a question.
struct QuestionError {
    /// The location, if it is known.
    range: Option<TextRange>,
    message: String,
}

impl QuestionError {
    fn or_at(self, property: &Property) -> PropertyError {
        self.or_in(property.header)
    }

    fn or_in(self, range: TextRange) -> PropertyError {
        PropertyError { range: self.range.unwrap_or(range), message: self.message }
    }
}

impl From<PropertyError> for QuestionError {
    fn from(error: PropertyError) -> Self {
        Self { range: Some(error.range), message: error.message }
    }
}

impl From<String> for QuestionError {
    fn from(message: String) -> Self {
        Self { range: None, message }
    }
}

/// Builds the question of some rules about a program or a pair of programs.
fn compile(
    setup: Setup<'_>,
    program: &Program,
    mut rules: Rules,
    restrictions: [&Restrictions; 2],
) -> Result<Question, QuestionError> {
    restrictions.iter().try_for_each(|found| rules.assume(found))?;
    let inputs = input_predicates(program, setup.inputs, setup.consumer, restrictions)?;
    rules.add_declarations(program, &inputs);
    rules.check_predicates(program)?;
    let (files, texts) = (["property", "rule"], [rules.text.as_str(), rules.of_program.as_str()]);
    let ids = files.map(|name| FileId::from_path(Path::new(&format!("mangle-verify/{name}"))));
    let added = ids
        .iter()
        .zip(texts)
        .map(|(id, text)| Arc::new(FileSummary::new(*id, &SourceFile::parse(text.into()))));
    let all = program.files.iter().cloned().chain(added).collect();
    let whole = Program::embedded(all, Arc::clone(&program.embedding));
    let compiled = compile_with_intended_files(&whole, setup.reading, &[ids[0]].into_iter().collect());
    safe(&compiled, &ids)?;
    let id = |name: &str| whole.id(PredicateKey { name: Symbol::new(name), arity: 0 });
    let goal = PredicateKey { name: Symbol::new(GOAL), arity: 0 };
    let goal = whole.id(rules.package.map_or(goal, |package| goal.within(package)));
    let goal = goal.ok_or_else(|| "the property cannot be parsed".to_owned())?;
    let forbidden = rules.forbidden.iter().filter_map(|name| id(name)).collect();
    let inputs = inputs.iter().map(|key| input(&whole, *key)).collect();
    Ok(Question {
        originals: FxHashMap::default(),
        goal,
        forbidden,
        constants: cone::constant_predicates(&whole, &compiled, goal),
        compiled,
        inputs,
        settled: rules.settled,
        looks_for_aborts: true,
        has_stores: whole.embedding.stores.is_some(),
        limits: setup.limits,
        clock: setup.clock,
        solvers: setup.solvers.clone(),
    })
}

/// Returns the package and use statements of a file.
fn package_statements(file: &FileSummary) -> String {
    let is_one =
        |item: &&Item| matches!(item.statement.kind, StatementKind::Package(_) | StatementKind::Use(_));
    file.items.iter().filter(is_one).map(|item| format!("{}\n", file.statement_text(item).trim())).collect()
}

/// Returns the question for a solution of the body of a rule in `program`.
///
/// # Errors
/// Returns an error if the rule cannot be evaluated separately.
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
    let compiled = compile(setup, program, rules, [setup.restrictions, &none]);
    let compiled = compiled.map(|question| Question { looks_for_aborts: false, ..question });
    compiled.map_err(|found| error(found.message))
}

/// Returns a rule of the program with the goal as its head, and the package of the goal.
fn rule_at(
    setup: Setup<'_>,
    program: &Program,
    predicate: PredicateKey,
    path: &str,
    line: usize,
) -> Option<(String, Option<Symbol>)> {
    for file in program.files.iter().filter(|file| (setup.name)(file.id).ends_with(path)) {
        let Some(line) = line_range(&file.text, line) else { continue };
        for item in file.items.iter() {
            let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) else { continue };
            let key = key_of(&clause.head);
            let is_meant = key == predicate || program.meaning(file, key) == predicate;
            let statement = statement_range(file, item);
            if is_meant && statement.start < line.end && line.start < statement.end {
                return Some((goal_rule(file, item, clause)?, file.package));
            }
        }
    }
    None
}

/// Returns the byte range of a line, counted from 1.
fn line_range(text: &str, line: usize) -> Option<Range<usize>> {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line.checked_sub(1)?).map(str::len).sum();
    Some(before..before + lines.next()?.len())
}

/// Returns the byte range of a statement without surrounding space.
fn statement_range(file: &FileSummary, item: &Item) -> Range<usize> {
    let (start, text) = (usize::from(item.start), file.statement_text(item));
    start + text.len() - text.trim_start().len()..start + text.trim_end().len()
}

/// Returns a rule with the goal as its head, after the package statements.
fn goal_rule(file: &FileSummary, item: &Item, clause: &Clause) -> Option<String> {
    let start = clause.interval.as_ref().map_or(clause.head.range.end(), |interval| interval.range.end());
    let rest = file.statement_text(item).get(usize::from(start)..usize::from(item.statement.len))?;
    Some(format!("{}{GOAL}(){rest}\n", package_statements(file)))
}

/// Checks that the rules of a question are safe.
fn safe(compiled: &CompiledProgram, files: &[FileId]) -> Result<(), String> {
    let is_ours = |rule| compiled.rule(rule).is_some_and(|rule| files.contains(&rule.file));
    if let Some(fault) = compiled.faults.iter().find(|fault| is_ours(fault.rule)) {
        return Err(fault.failure.to_string());
    }
    let plans = compiled.plans();
    for step in plans.filter(|plan| is_ours(plan.rule)).flat_map(|plan| &plan.steps) {
        match &step.kind {
            StepKind::Fail(failure) => return Err(failure.to_string()),
            StepKind::Never => return Err("a compared variable is unbound".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the properties in a test file of a program.
#[must_use]
pub fn properties(program: &Program, file: FileId) -> Properties {
    program.file(file).map(|file| Properties::read(file)).unwrap_or_default()
}

/// The completed searches in one program that found no world.
#[derive(Debug, Default)]
pub struct AbortMemo {
    none: RefCell<Vec<AbortSearch>>,
}

/// A search for a world that stops the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AbortSearch {
    reading: Reading,
    facts: usize,
    /// The input predicates of worlds, by name and arity.
    inputs: Vec<(Symbol, usize)>,
}

impl AbortSearch {
    /// Returns the abort search of a question.
    ///
    /// Returns `None` if worlds are restricted or another program is compared, because such
    /// searches differ between questions.
    fn new(question: &Question, scope: Scope) -> Option<Self> {
        let compiled = &question.compiled;
        let inputs = question.inputs.iter().flat_map(|input| &input.predicates);
        let arity = |relation: u32| compiled.arities.get(relation as usize).copied().unwrap_or(0);
        let inputs = inputs.map(|id| (compiled.name(*id), arity(id.0))).collect();
        let is_free = question.forbidden.is_empty() && question.originals.is_empty();
        is_free.then_some(Self { reading: compiled.reading, facts: scope.facts, inputs })
    }
}

impl AbortMemo {
    /// Returns the question without the abort search, if a previous search found no world.
    pub(crate) fn reduce(&self, question: Question, scope: Scope) -> Question {
        let search = AbortSearch::new(&question, scope);
        let is_known = search.is_some_and(|search| self.none.borrow().contains(&search));
        Question { looks_for_aborts: question.looks_for_aborts && !is_known, ..question }
    }

    /// Records the result of a question.
    pub(crate) fn remember(&self, question: &Question, scope: Scope, searched: &Searched) {
        let is_none = matches!(searched.outcome, Outcome::Never(_) | Outcome::NotInScope);
        let search = AbortSearch::new(question, scope).filter(|_| is_none && question.looks_for_aborts);
        self.none.borrow_mut().extend(search);
    }
}
