//! The rules of a question: predicates whose facts identify the worlds in question and the excluded
//! worlds. Proofs are shown without these internal predicates.

use mangle_check::policy_test::property::{
    Condition, Connective, Piece, PropertyError, Restrictions, parsed,
};
use mangle_engine::kernel::{Ground, Proof};
use mangle_engine::program::{Predicate, PredicateKey, Program, functional_dependencies, key_of};
use mangle_syntax::syntax::ast::{Declaration, Premise, Term};
use mangle_syntax::text::{Symbol, shorten, slice};

use crate::inputs::holders;
use crate::program_pair::{ProgramPair, renamed_key, with_own_names};

/// The predicate whose facts are searched for.
pub(crate) const GOAL: &str = "verify_goal";

/// The infix in the names of predicates for solutions that satisfy the part after `unless` or
/// `then`.
const EXTENDED: &str = "_extended_";

/// The direction of a difference between two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The program derives a fact that the other program does not derive.
    Added,
    /// The other program derives a fact that the program does not derive.
    Removed,
}

/// Rules that are added to a program for a question.
#[derive(Default)]
pub(crate) struct Rules {
    /// Rules that are evaluated as written.
    pub(crate) text: String,
    /// Rules that are evaluated in the reading of the program.
    pub(crate) of_program: String,
    /// The reason that no world has a fact of the goal, if no search is needed.
    pub(crate) settled: Option<&'static str>,
    /// The package of the rules in `of_program`.
    pub(crate) package: Option<Symbol>,
    pub(crate) forbidden: Vec<String>,
    /// The parts of comments that become rules.
    pub(crate) pieces: Vec<Piece>,
}

impl Rules {
    /// Adds the assumptions about worlds.
    pub(crate) fn assume(&mut self, restrictions: &Restrictions) -> Result<(), PropertyError> {
        if let Some(first) = restrictions.errors.first() {
            return Err(first.clone());
        }
        for assumption in &restrictions.assumptions {
            let name = format!("verify_excluded_{}", self.forbidden.len());
            self.add_condition(&name, &assumption.clone()?)?;
            self.forbidden.push(name);
        }
        Ok(())
    }

    /// Adds rules for a predicate without arguments that has a fact if the condition has a
    /// solution.
    pub(crate) fn add_condition(&mut self, name: &str, condition: &Condition) -> Result<(), PropertyError> {
        for (number, body) in condition.bodies.iter().enumerate() {
            self.pieces.push(body.clone());
            let variables = variables(body)?;
            let Some((Connective::Unless | Connective::Then, others)) = &condition.connective else {
                self.text.push_str(&format!("{name}() :- {} .\n", body.text));
                continue;
            };
            let extended = format!("{name}{EXTENDED}{number}({})", variables.join(", "));
            self.text.push_str(&format!("{name}() :- {}, !{extended} .\n", body.text));
            for other in others {
                self.pieces.push(other.clone());
                self.text.push_str(&format!("{extended} :- {}, {} .\n", body.text, other.text));
            }
        }
        Ok(())
    }

    /// Adds a rule for worlds with a solution in only one of two programs.
    pub(crate) fn add_difference(&mut self, atom: &ComparedAtom, direction: Direction) {
        let own = format!("{}{}", atom.key.name, atom.args);
        let other = format!("{}{}", renamed_key(atom.key).name, atom.args);
        let (giver, rest, (gives, misses)) = match direction {
            Direction::Added => (own, other, (atom.is_here, atom.is_there)),
            Direction::Removed => (other, own, (atom.is_there, atom.is_here)),
        };
        match (gives, misses) {
            (true, true) => self.text.push_str(&format!("{GOAL}() :- {giver}, !{rest}.\n")),
            (true, false) => self.text.push_str(&format!("{GOAL}() :- {giver}.\n")),
            // A missing predicate has no facts.
            (false, _) => self.text.push_str(&format!("{GOAL}() :- {rest}, 1 = 2.\n")),
        }
    }

    /// Adds the functional dependencies in the declarations of the inputs.
    pub(crate) fn add_declarations(&mut self, program: &Program, inputs: &[PredicateKey]) {
        let predicates = inputs.iter().flat_map(|key| holders(program, *key));
        for predicate in predicates.map(|id| program.get(id)) {
            let Some((text, declaration)) = declaration_of(program, predicate) else { continue };
            for [sources, targets] in functional_dependencies(declaration) {
                self.add_dependency(predicate.key, &sources, &targets);
            }
            let atom = slice(text, declaration.atom.range);
            for included in &declaration.inclusion {
                self.forbid(&format!("{atom}, !{}", slice(text, included.range)));
            }
        }
    }

    /// Excludes two facts that have equal source columns and different target columns.
    fn add_dependency(&mut self, key: PredicateKey, sources: &[u16], targets: &[u16]) {
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
    pub(crate) fn check_predicates(&self, program: &Program) -> Result<(), PropertyError> {
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

/// An atom for the comparison of two programs.
pub(crate) struct ComparedAtom {
    pub(crate) key: PredicateKey,
    /// The arguments with parentheses.
    args: String,
    /// True if the program has the predicate.
    is_here: bool,
    /// True if the other program has the predicate.
    is_there: bool,
}

impl ComparedAtom {
    /// Parses an atom.
    ///
    /// # Errors
    /// Returns an error if the text is not an atom, or if no program has its predicate.
    pub(crate) fn read(pair: &ProgramPair, atom: &Piece) -> Result<Self, PropertyError> {
        let source = parsed(atom)?;
        let bodies = source.items().iter().filter_map(|item| Some((item.start, item.statement.clause()?)));
        let premises = bodies.flat_map(|(start, clause)| clause.premises.iter().map(move |one| (start, one)));
        let error = |message: String| PropertyError { range: atom.range, message };
        let (start, literal) = match premises.collect::<Vec<_>>().as_slice() {
            [(start, Premise::Literal(literal))] if !literal.is_negated() && !literal.atom.is_builtin() => {
                (*start, literal)
            }
            _ => return Err(error(format!("`{}` is not an atom", shorten(&atom.text, 60)))),
        };
        let key = key_of(&literal.atom);
        let exists = |key| pair.program.predicate(key).is_some_and(Predicate::exists);
        let (is_here, is_there) = (exists(key), exists(renamed_key(key)));
        if !is_here && !is_there {
            return Err(error(format!("unknown predicate `{key}`")));
        }
        let args = slice(source.text(), literal.atom.args_range() + start).to_owned();
        Ok(Self { key, args, is_here, is_there })
    }
}

/// Returns the first declaration of a predicate, and the text of its statement.
fn declaration_of<'p>(program: &'p Program, predicate: &Predicate) -> Option<(&'p str, &'p Declaration)> {
    let (file, statement, _) = predicate.signature.declared?;
    let file = program.file(file)?;
    let item = file.items.iter().find(|item| item.statement.id == statement)?;
    Some((file.statement_text(item), item.statement.declaration()?))
}

/// Returns the variables of a body outside of negations, without duplicates.
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

/// Replaces internal names in a proof: the goal becomes `solution`, and predicates of the other
/// program get their original names.
pub(crate) fn plain_proof(mut proof: Proof) -> Proof {
    for node in &mut proof.nodes {
        let goal = format!("{GOAL}()");
        // In a package, the goal is prefixed with the name of the package.
        node.fact = match node.fact.ends_with(&goal) {
            true => "solution".to_owned(),
            false => with_own_names(&node.fact),
        };
        for step in &mut node.steps {
            match &mut step.ground {
                Ground::Absent(pattern) if pattern.starts_with(&format!("{GOAL}{EXTENDED}")) => {
                    *pattern = "solution of what follows".to_owned();
                }
                Ground::Absent(text) | Ground::Dropped(text) | Ground::Holds(text) => {
                    *text = with_own_names(text);
                }
                Ground::Fact(_) | Ground::Rows { .. } => {}
            }
        }
    }
    proof
}
