//! Detection of rules and negations without effect, by searching for a world that shows an effect.

use std::sync::Arc;

use mangle_check::policy_test::without_statements;
use mangle_engine::program::{FileSummary, PredicateKey, Program, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, Premise};
use mangle_syntax::text::{Cancel, FileId, TextRange, slice, text_len};

use crate::goal_rules::{ComparedAtom, Direction};
use crate::program_pair::ProgramPair;
use crate::question::{Setup, difference, fires, own_program};
use crate::search::{Outcome, Question, Scope, search};
use mangle_check::policy_test::property::{Piece, PropertyError};

/// A rule or a part of a rule without effect in all searched worlds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleRule {
    /// The file of the rule.
    pub file: FileId,
    /// The range of the rule, or of the part, in the file.
    pub range: TextRange,
    /// The predicate that the rule defines.
    pub predicate: PredicateKey,
    /// The part of the rule without effect.
    pub kind: IdleKind,
    /// The maximum number of facts of the searched worlds. `None` if unlimited.
    pub facts: Option<usize>,
}

/// The kind of a rule without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdleKind {
    /// The body has no solution in any world.
    NeverFires,
    /// The result is the same if the rule is removed.
    WithoutEffect,
    /// The result is the same if this negation is removed.
    Negation(String),
}

/// The result of the search for rules without effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSurvey {
    /// The rules and negations without effect, in the order of the program.
    pub idle: Vec<IdleRule>,
    /// The number of checked rules.
    pub rules: usize,
    /// The number of undecided questions.
    pub undecided: usize,
}

/// Searches for rules and negations without effect in the files that `wanted` accepts.
///
/// `next` is called with each rule before it is checked.
pub fn survey_rules(
    setup: Setup<'_>,
    scope: Scope,
    wanted: &dyn Fn(FileId) -> bool,
    next: &mut dyn FnMut(FileId, u32),
    cancel: &Cancel,
) -> RuleSurvey {
    let program = own_program(setup);
    let mut survey = Survey { setup, scope, cancel, program: &program, found: RuleSurvey::default() };
    for file in program.files.iter().filter(|file| wanted(file.id)) {
        for (index, item) in (0u32..).zip(file.items.iter()) {
            let clause = item.statement.clause().filter(|clause| !clause.is_fact());
            if let Some(clause) = clause.filter(|_| !item.statement.damaged && !cancel.is_cancelled()) {
                next(file.id, index);
                survey.rule(&RulePlace { file, item, index, clause });
            }
        }
    }
    survey.found
}

struct Survey<'s> {
    setup: Setup<'s>,
    scope: Scope,
    cancel: &'s Cancel,
    program: &'s Program,
    found: RuleSurvey,
}

/// A rule with its location.
struct RulePlace<'p> {
    file: &'p Arc<FileSummary>,
    item: &'p Item,
    index: u32,
    clause: &'p Clause,
}

impl RulePlace<'_> {
    fn predicate(&self, program: &Program) -> PredicateKey {
        program.meaning(self.file, key_of(&self.clause.head))
    }

    /// Returns the head with a variable for each argument.
    fn atom(&self, program: &Program) -> Piece {
        let key = self.predicate(program);
        let args: Vec<String> = (0..key.arity).map(|at| format!("V{at}")).collect();
        let text = format!("{}({})", key.name, args.join(", "));
        Piece { range: TextRange::up_to(text_len(&text)), text }
    }
}

/// The result of a search for a world.
enum Found {
    World,
    /// No world exists, up to this number of facts or at all.
    Nothing(Option<usize>),
    Open,
}

impl Survey<'_> {
    fn rule(&mut self, place: &RulePlace<'_>) {
        self.found.rules += 1;
        let asked = fires(self.setup, self.program, place.file, place.item, place.clause);
        if let Found::Nothing(facts) = self.ask(asked) {
            let range = place.clause.head.range + place.item.start;
            return self.add(place, range, IdleKind::NeverFires, facts);
        }
        let gone = [place.index].into_iter().collect();
        let without = without_statements(self.program, place.file.id, &gone);
        if let Some(facts) = self.is_same(&without, place) {
            let range = place.clause.head.range + place.item.start;
            return self.add(place, range, IdleKind::WithoutEffect, facts);
        }
        for (number, premise) in place.clause.premises.iter().enumerate() {
            let Premise::Literal(literal) = premise else { continue };
            if !literal.is_negated() {
                continue;
            }
            let Some(without) = self.without_premise(place, number) else { continue };
            if let Some(facts) = self.is_same(&without, place) {
                let range = premise.range() + place.item.start;
                let text = slice(place.file.statement_text(place.item), premise.range()).to_owned();
                self.add(place, range, IdleKind::Negation(text), facts);
            }
        }
    }

    fn add(&mut self, place: &RulePlace<'_>, range: TextRange, kind: IdleKind, facts: Option<usize>) {
        let predicate = place.predicate(self.program);
        self.found.idle.push(IdleRule { file: place.file.id, range, predicate, kind, facts });
    }

    /// Compares a changed program with the program for the predicate of a rule.
    ///
    /// Returns the maximum number of facts of the compared worlds if both derive the same facts.
    fn is_same(&mut self, changed: &Program, place: &RulePlace<'_>) -> Option<Option<usize>> {
        let pair = ProgramPair::new(changed, self.program);
        let atom = ComparedAtom::read(&pair, &place.atom(self.program)).ok()?;
        let mut most = None;
        for direction in [Direction::Added, Direction::Removed] {
            match self.ask(difference(self.setup, &pair, &atom, direction, String::new())) {
                Found::World | Found::Open => return None,
                Found::Nothing(facts) => most = most.max(facts),
            }
        }
        Some(most)
    }

    fn ask(&mut self, asked: Result<Question, PropertyError>) -> Found {
        let Ok(asked) = asked else {
            self.found.undecided += 1;
            return Found::Open;
        };
        match search(&asked, self.scope, self.cancel).outcome {
            Outcome::Found { .. } => Found::World,
            Outcome::Never(_) => Found::Nothing(None),
            Outcome::NotInScope => Found::Nothing(Some(self.scope.facts)),
            Outcome::Aborts { .. } | Outcome::NoWorld | Outcome::Undecided { .. } => {
                self.found.undecided += 1;
                Found::Open
            }
        }
    }

    /// Returns the program without a premise of a rule. `None` if it is the only premise.
    fn without_premise(&self, place: &RulePlace<'_>, number: usize) -> Option<Program> {
        let premises = &place.clause.premises;
        let range = premises.get(number)?.range();
        // Remove the premise with the comma before it, or with the comma after it.
        let gone = match number.checked_sub(1).and_then(|before| premises.get(before)) {
            Some(before) => TextRange::new(before.range().end(), range.end()),
            None => TextRange::new(range.start(), premises.get(number + 1)?.range().start()),
        };
        let gone = gone + place.item.start;
        let mut text = place.file.text.to_string();
        let blank = " ".repeat(usize::from(gone.len()));
        text.replace_range(usize::from(gone.start())..usize::from(gone.end()), &blank);
        let changed = Arc::new(FileSummary::new(place.file.id, &SourceFile::parse(text.as_str().into())));
        let files = self.program.files.iter().map(|file| match file.id == place.file.id {
            true => Arc::clone(&changed),
            false => Arc::clone(file),
        });
        Some(Program::embedded(files.collect(), Arc::clone(&self.program.embedding)))
    }
}
