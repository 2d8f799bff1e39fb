//! What a program says of the predicates that updates may assert, in the form in which updates are held against it.
//!
//! Takes a [`Program`]; gives for each name the arities that it has, and for each of those the parameters, their
//! types, the names that the author lists for them, whether rules derive it, whether rules ask for it, and where all
//! this stands. Made once a program; asking costs one look-up.

mod bounds;
mod names;
mod prose;
#[cfg(test)]
pub(super) mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

pub use names::ParameterNames;
pub use prose::contradicted_prose;

use super::declaration_place::DeclarationPlace;
use super::grounds::{Ground, Grounds};
use crate::envelope::Verb;
use crate::envelope::runtime::{FilterProgram, FilterVerdict};
use mangle_engine::program::{DeclarationHome, Predicate, PredicateId, Program, Site};
use mangle_engine::types::Type;
use mangle_settings::ReplaySettings;
use mangle_syntax::syntax::ast::{Atom, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, nearest, slice};

/// The predicate of policies whose texts say what may have gone wrong.
const HYPOTHESIS: &str = "abductive_hypothesis";

/// The predicate whose facts say which verbs there are: verb, category, shard, priority.
const VERBS: &str = "verb_def";

/// The shard that stands for none.
const NOBODY: &str = "/none";

/// How far a name may be from the one that was meant.
const NEAR: usize = 2;

/// What a program says of predicates.
#[derive(Debug, Default)]
pub struct Declarations {
    predicates: Vec<DeclaredPredicate>,
    by_name: FxHashMap<&'static str, Vec<u32>>,
    hypotheses: Vec<(Box<str>, DeclarationPlace)>,
    verbs: Vec<Verb>,
    /// The names on which permissions depend, declared or not.
    decisive: FxHashSet<&'static str>,
    home: Option<DeclarationHome>,
    /// Predicates whose strings may have any characters.
    prose: FxHashSet<&'static str>,
}

/// A predicate that a `Decl`, a clause or the host makes exist.
#[derive(Debug)]
pub struct DeclaredPredicate {
    /// The predicate's name, without its arity.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// Its `Decl`, else its first clause; `None` where only the host knows it.
    pub place: Option<DeclarationPlace>,
    /// The names of its parameters, as far as a `Decl` or a head has them.
    pub parameters: Vec<Option<&'static str>>,
    /// What its facts look like: alternatives, each with one type a parameter. None where nothing is known.
    pub rows: Vec<Vec<Type>>,
    /// The names that its author lists for a parameter.
    pub names: Vec<Option<ParameterNames>>,
    /// Its first rule.
    pub derived: Option<DeclarationPlace>,
    /// Whether some rule asks for it.
    pub is_used: bool,
    /// Whether it is declared `external()`: the host computes its facts, and none that is asserted counts.
    pub is_external: bool,
    /// The rule by which a permission depends on it, where one does.
    pub ground: Option<Ground>,
}

/// What is known of a name with so many arguments.
#[derive(Debug, Clone, Copy)]
pub enum PredicateLookup<'d> {
    /// There is a predicate of this name and arity.
    Declared(&'d DeclaredPredicate),
    /// There is one of this name, the first is given, but none of this arity.
    OtherArity(&'d DeclaredPredicate),
    /// There is none of this name.
    Unknown,
}

impl Declarations {
    /// Reads what a program says whose predicates have their usual names.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        Self::with(program, &ReplaySettings::default())
    }

    /// Reads what a program says; `settings` tell what permits and denies in it.
    #[must_use]
    pub fn with(program: &Program, settings: &ReplaySettings) -> Self {
        let mut new = Self::default();
        let grounds = Grounds::of(program, settings);
        // The numbers of predicates depend on what was edited before; what is found does not.
        let mut predicates: Vec<_> = (0u32..).map(PredicateId).zip(&program.predicates).collect();
        predicates.sort_unstable_by_key(|(_, predicate)| predicate.key);
        for (id, predicate) in predicates {
            if predicate.key.name.as_str() == HYPOTHESIS {
                new.hypotheses.extend(hypotheses(program, predicate));
            }
            if predicate.key.name.as_str() == VERBS && predicate.key.arity == 4 {
                new.verbs.extend(program.clauses(predicate).filter_map(|site| verb(&site)));
            }
            let ground = grounds.get(program, id);
            if ground.is_some() {
                new.decisive.insert(predicate.key.name.as_str());
            }
            if !predicate.exists() {
                continue;
            }
            let declared = DeclaredPredicate { ground, ..DeclaredPredicate::of(program, predicate) };
            let index = u32::try_from(new.predicates.len()).unwrap_or(u32::MAX);
            new.by_name.entry(declared.name).or_default().push(index);
            new.predicates.push(declared);
        }
        new.home = DeclarationHome::find(program, |_| true);
        new.prose = prose::of(program);
        new
    }

    /// Whether permissions depend on a predicate of this name, declared or not.
    #[must_use]
    pub fn decides(&self, name: &str) -> bool {
        self.decisive.contains(name)
    }

    /// True if the strings of a predicate may have any characters: it is `prose_only`, and no rule leads from it to an
    /// `exec_sink`.
    #[must_use]
    pub fn is_prose(&self, name: &str) -> bool {
        self.prose.contains(name)
    }

    /// Where a new `Decl` belongs; `None` where the program has none yet.
    #[must_use]
    pub fn home(&self) -> Option<DeclarationHome> {
        self.home
    }

    /// The verbs that the facts of `verb_def` name, in the order of the program.
    #[must_use]
    pub fn verbs(&self) -> &[Verb] {
        &self.verbs
    }

    /// Whether there is nothing that an update could be held against.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// What is known of a predicate.
    #[must_use]
    pub fn get(&self, name: &str, arity: usize) -> PredicateLookup<'_> {
        let mut named = self.named(name);
        match named.find(|declared| declared.arity == arity) {
            Some(declared) => PredicateLookup::Declared(declared),
            None => self.named(name).next().map_or(PredicateLookup::Unknown, PredicateLookup::OtherArity),
        }
    }

    /// The predicates of a name, one an arity.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &DeclaredPredicate> {
        let indices = self.by_name.get(name).into_iter().flatten();
        indices.filter_map(|index| self.predicates.get(*index as usize))
    }

    /// All predicates, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = &DeclaredPredicate> {
        self.predicates.iter()
    }

    /// The name that was probably meant by one that does not exist; one with the right number of arguments if such
    /// a number is given and such a one is near.
    #[must_use]
    pub fn nearest(&self, name: &str, arity: Option<usize>) -> Option<&'static str> {
        self.nearest_of(name, arity, |_| true)
    }

    /// [`Declarations::nearest`] among the predicates that `is_wanted` takes.
    #[must_use]
    pub fn nearest_of(
        &self,
        name: &str,
        arity: Option<usize>,
        is_wanted: impl Fn(&DeclaredPredicate) -> bool,
    ) -> Option<&'static str> {
        let is_near = |other: &&DeclaredPredicate| {
            other.name.len().abs_diff(name.len()) <= NEAR
                && strsim::osa_distance(other.name, name) <= NEAR
                && is_wanted(other)
        };
        let near: Vec<_> = self.predicates.iter().filter(is_near).collect();
        let fitting = near.iter().filter(|one| arity.is_none_or(|arity| one.arity == arity));
        let found = nearest(name, fitting.map(|one| one.name));
        let found = found.or_else(|| nearest(name, near.iter().map(|one| one.name)))?;
        self.by_name.get_key_value(found).map(|(name, _)| *name)
    }

    /// The texts of `abductive_hypothesis("…")` in the bodies of rules, and where they stand.
    pub fn hypotheses(&self) -> impl Iterator<Item = (&str, DeclarationPlace)> {
        self.hypotheses.iter().map(|(text, place)| (&**text, *place))
    }
}

impl FilterProgram for Declarations {
    fn declaration(&self, predicate: &str, arity: usize) -> FilterVerdict {
        match self.get(predicate, arity) {
            PredicateLookup::Declared(_) => FilterVerdict::Accepted,
            PredicateLookup::OtherArity(_) => FilterVerdict::Arity,
            PredicateLookup::Unknown => FilterVerdict::Undeclared,
        }
    }

    fn arity(&self, predicate: &str) -> Option<usize> {
        let mut named = self.named(predicate);
        let first = named.next()?;
        named.next().is_none().then_some(first.arity)
    }

    fn is_prose(&self, predicate: &str) -> bool {
        self.is_prose(predicate)
    }
}

impl DeclaredPredicate {
    fn of(program: &Program, predicate: &Predicate) -> Self {
        let site = program.declarations(predicate).next();
        let declaration = site.and_then(|site| site.item.statement.declaration());
        let text = site.map_or("", |site| site.file.statement_text(site.item));
        let head = || program.first_clause(predicate).map(|clause| &clause.head);
        let arity = usize::from(predicate.key.arity);
        let atom = declaration.map(|declaration| &declaration.atom).or_else(head);
        let parameters = atom.map_or_else(|| vec![None; arity], |atom| parameters(atom, text));
        Self {
            name: predicate.key.name.as_str(),
            arity,
            place: predicate.signature.origin(),
            rows: declaration.map(|declaration| bounds::rows(declaration, text)).unwrap_or_default(),
            names: names::of(program, predicate, &parameters),
            parameters,
            derived: program.rules(predicate).next().map(|site| site.place()),
            is_used: program.uses(predicate).next().is_some(),
            is_external: predicate.signature.external,
            ground: None,
        }
    }

    /// How the predicate is written: `task_status(TaskID /string, Status /name)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let parameter = |at: usize| {
            let name = self.parameters.get(at).copied().flatten();
            let ty = self.bound(at).filter(|bound| !bound.is_any()).map(|bound| bound.to_string());
            match (name, ty) {
                (Some(name), Some(ty)) => format!("{name} {ty}"),
                (Some(one), None) => one.to_owned(),
                (None, Some(one)) => one,
                (None, None) => "_".to_owned(),
            }
        };
        let parameters: Vec<_> = (0..self.arity).map(parameter).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// What a parameter may be, over all alternatives.
    #[must_use]
    pub fn bound(&self, at: usize) -> Option<Type> {
        let columns: Option<Vec<Type>> = self.rows.iter().map(|row| row.get(at).cloned()).collect();
        columns.filter(|columns| !columns.is_empty()).map(Type::union)
    }

    /// What a parameter is called in a message: `2 (Status)`.
    #[must_use]
    pub fn parameter(&self, at: usize) -> String {
        match self.parameters.get(at).copied().flatten() {
            Some(name) => format!("{} (`{name}`)", at + 1),
            None => (at + 1).to_string(),
        }
    }
}

/// The names of the variables of an atom.
fn parameters(atom: &Atom, text: &str) -> Vec<Option<&'static str>> {
    let name = |term: &Term| match &term.kind {
        TermKind::Variable(name) => Some(name.as_str()),
        TermKind::Broken => bounds::dotted_parameter(term, text).map(|(name, _)| Symbol::new(name).as_str()),
        _ => None,
    };
    atom.args.iter().map(name).collect()
}

fn hypotheses(program: &Program, predicate: &Predicate) -> Vec<(Box<str>, DeclarationPlace)> {
    let said = |site: Site<'_>| {
        let text = site.file.statement_text(site.item);
        let arg = site.literal()?.atom.args.first().filter(|arg| matches!(arg.kind, TermKind::String))?;
        let value = literal::string_value(slice(text, arg.range))?;
        let (file, statement, _) = site.place();
        Some((Box::from(&*value), (file, statement, arg.range)))
    };
    program.uses(predicate).filter_map(|(site, _)| said(site)).collect()
}

/// What a fact of `verb_def` says; `None` for one that names no verb.
fn verb(site: &Site<'_>) -> Option<Verb> {
    let clause = site.item.statement.clause().filter(|clause| clause.is_fact())?;
    let [name, category, shard, priority] = clause.head.args.as_slice() else { return None };
    let word = |term: &Term| match &term.kind {
        TermKind::Name(name) => Some(name.as_str()),
        _ => None,
    };
    let bare = |term: &Term| word(term).map(|name| name.trim_start_matches('/'));
    let priority = match priority.kind {
        TermKind::Number(Some(number)) => u32::try_from(number).unwrap_or_default(),
        _ => 0,
    };
    let shard = word(shard).filter(|shard| *shard != NOBODY).map(|shard| shard.trim_start_matches('/'));
    Some(Verb { name: bare(name)?, category: bare(category)?, shard, priority })
}
