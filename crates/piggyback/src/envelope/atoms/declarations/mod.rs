//! The declarations of a program in the form that checks of updates need.
//!
//! The input is a [`Program`]. For each name and arity, the result contains parameters, types,
//! listed names, deriving rules, uses and locations. The result is built once per program, and a
//! query costs one lookup.

mod influences;
mod parameters;
#[cfg(test)]
pub(super) mod tests;

pub use influences::{PERMISSION, PermissionDependency, Roots, contradicted_prose};
pub use parameters::ParameterNames;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::envelope::runtime::{FilterProgram, FilterVerdict};
use mangle_engine::program::{DeclarationHome, Predicate, PredicateId, Program, Site};
use mangle_engine::types::Type;
use mangle_settings::ReplaySettings;
use mangle_syntax::lint::{Finding, Span};
use mangle_syntax::syntax::ast::{Atom, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, nearest, slice};

/// The predicate whose facts describe possible causes of errors.
const HYPOTHESIS: &str = "abductive_hypothesis";

/// The predicate whose facts define verbs: verb, category, shard, priority.
const VERBS: &str = "verb_def";

/// The shard name for verbs without a shard.
const NOBODY: &str = "/none";

/// The maximum edit distance to the intended name.
const MAX_EDIT_DISTANCE: usize = 2;

/// The declared predicates of a program.
#[derive(Debug, Default)]
pub struct Declarations {
    predicates: Vec<DeclaredPredicate>,
    by_name: FxHashMap<&'static str, Vec<u32>>,
    hypotheses: Vec<(Box<str>, DeclarationPlace)>,
    verbs: Vec<Verb>,
    /// The names that permissions depend on, declared or not.
    decisive: FxHashSet<&'static str>,
    home: Option<DeclarationHome>,
    /// Predicates whose strings may contain shell characters.
    prose: FxHashSet<&'static str>,
}

/// A predicate that is defined by a `Decl`, a clause or the host.
#[derive(Debug)]
pub struct DeclaredPredicate {
    /// The name of the predicate, without its arity.
    pub name: &'static str,
    /// The number of arguments.
    pub arity: usize,
    /// The `Decl` or the first clause of the predicate. `None` if only the host defines it.
    pub place: Option<DeclarationPlace>,
    /// The names of the parameters in the `Decl` or a head, if they have names.
    pub parameters: Vec<Option<&'static str>>,
    /// Alternatives for the facts, each with one type per parameter. Empty if the types are
    /// unknown.
    pub rows: Vec<Vec<Type>>,
    /// The listed names for each parameter.
    pub names: Vec<Option<ParameterNames>>,
    /// The first rule of the predicate.
    pub derived: Option<DeclarationPlace>,
    /// True if a rule uses the predicate.
    pub is_used: bool,
    /// True if the predicate is declared `external()`: the host computes its facts, and asserted
    /// facts are ignored.
    pub is_external: bool,
    /// The rule that makes a permission depend on the predicate.
    pub ground: Option<PermissionDependency>,
}

/// The result of a lookup by name and arity.
#[derive(Debug, Clone, Copy)]
pub enum PredicateLookup<'d> {
    /// The predicate with this name and arity.
    Declared(&'d DeclaredPredicate),
    /// The first predicate with this name, with another arity.
    OtherArity(&'d DeclaredPredicate),
    /// No predicate has this name.
    Unknown,
}

impl Declarations {
    /// Collects the declarations of a program with the default predicate names.
    #[must_use]
    pub fn from_program(program: &Program) -> Self {
        Self::with(program, &ReplaySettings::default())
    }

    /// Collects the declarations of a program. `settings` names the predicates that permit and
    /// deny.
    #[must_use]
    pub fn with(program: &Program, settings: &ReplaySettings) -> Self {
        let mut new = Self::default();
        let grounds = influences::PermissionDependencies::from_program(program, settings);
        // Predicate numbers depend on the edit history, but the result must not.
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
            let declared = DeclaredPredicate { ground, ..DeclaredPredicate::new(program, predicate) };
            let index = u32::try_from(new.predicates.len()).unwrap_or(u32::MAX);
            new.by_name.entry(declared.name).or_default().push(index);
            new.predicates.push(declared);
        }
        new.home = DeclarationHome::find(program, |_| true);
        new.prose = influences::prose_predicates(program);
        new
    }

    /// True if permissions depend on a predicate with this name, declared or not.
    #[must_use]
    pub fn decides(&self, name: &str) -> bool {
        self.decisive.contains(name)
    }

    /// True if the strings of a predicate may contain shell characters: it is `prose_only`, and no
    /// rule leads from it to an `exec_sink`.
    #[must_use]
    pub fn is_prose(&self, name: &str) -> bool {
        self.prose.contains(name)
    }

    /// The location for a new `Decl`. `None` if the program has no declarations.
    #[must_use]
    pub fn home(&self) -> Option<DeclarationHome> {
        self.home
    }

    /// The verbs in the facts of `verb_def`, in the order of the program.
    #[must_use]
    pub fn verbs(&self) -> &[Verb] {
        &self.verbs
    }

    /// True if the program has no predicates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// Looks up a predicate by name and arity.
    #[must_use]
    pub fn get(&self, name: &str, arity: usize) -> PredicateLookup<'_> {
        let mut named = self.named(name);
        match named.find(|declared| declared.arity == arity) {
            Some(declared) => PredicateLookup::Declared(declared),
            None => self.named(name).next().map_or(PredicateLookup::Unknown, PredicateLookup::OtherArity),
        }
    }

    /// Returns the predicates with a name, one per arity.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &DeclaredPredicate> {
        let indices = self.by_name.get(name).into_iter().flatten();
        indices.filter_map(|index| self.predicates.get(*index as usize))
    }

    /// Returns all predicates, ordered by name.
    pub fn all(&self) -> impl Iterator<Item = &DeclaredPredicate> {
        self.predicates.iter()
    }

    /// Returns the existing name that is most similar to an unknown name.
    ///
    /// If `arity` is given, a similar name with this arity is preferred.
    #[must_use]
    pub fn nearest(&self, name: &str, arity: Option<usize>) -> Option<&'static str> {
        self.nearest_of(name, arity, |_| true)
    }

    /// Returns the most similar name like [`Declarations::nearest`], among the predicates that
    /// satisfy `is_wanted`.
    #[must_use]
    pub fn nearest_of(
        &self,
        name: &str,
        arity: Option<usize>,
        is_wanted: impl Fn(&DeclaredPredicate) -> bool,
    ) -> Option<&'static str> {
        let is_near = |other: &&DeclaredPredicate| {
            other.name.len().abs_diff(name.len()) <= MAX_EDIT_DISTANCE
                && strsim::osa_distance(other.name, name) <= MAX_EDIT_DISTANCE
                && is_wanted(other)
        };
        let near: Vec<_> = self.predicates.iter().filter(is_near).collect();
        let fitting = near.iter().filter(|one| arity.is_none_or(|arity| one.arity == arity));
        let found = nearest(name, fitting.map(|one| one.name));
        let found = found.or_else(|| nearest(name, near.iter().map(|one| one.name)))?;
        self.by_name.get_key_value(found).map(|(name, _)| *name)
    }

    /// Returns the texts of `abductive_hypothesis("…")` in the bodies of rules, with their
    /// locations.
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
    fn new(program: &Program, predicate: &Predicate) -> Self {
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
            rows: declaration.map(|declaration| parameters::rows(declaration, text)).unwrap_or_default(),
            names: parameters::parameter_names(program, predicate, &parameters),
            parameters,
            derived: program.rules(predicate).next().map(|site| site.place()),
            is_used: program.uses(predicate).next().is_some(),
            is_external: predicate.signature.external,
            ground: None,
        }
    }

    /// Returns the signature of the predicate, for example `task_status(TaskID /string, Status
    /// /name)`.
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

    /// Returns the union of the types of a parameter over all alternatives.
    #[must_use]
    pub fn bound(&self, at: usize) -> Option<Type> {
        let columns: Option<Vec<Type>> = self.rows.iter().map(|row| row.get(at).cloned()).collect();
        columns.filter(|columns| !columns.is_empty()).map(Type::union)
    }

    /// Returns the position and name of a parameter for messages, for example ``2 (`Status`)``.
    #[must_use]
    pub fn parameter(&self, at: usize) -> String {
        match self.parameters.get(at).copied().flatten() {
            Some(name) => format!("{} (`{name}`)", at + 1),
            None => (at + 1).to_string(),
        }
    }
}

/// Returns the names of the variables of an atom.
fn parameters(atom: &Atom, text: &str) -> Vec<Option<&'static str>> {
    let name = |term: &Term| match &term.kind {
        TermKind::Variable(name) => Some(name.as_str()),
        TermKind::Broken => {
            parameters::dotted_parameter(term, text).map(|(name, _)| Symbol::new(name).as_str())
        }
        _ => None,
    };
    atom.args.iter().map(name).collect()
}

fn hypotheses(program: &Program, predicate: &Predicate) -> Vec<(Box<str>, DeclarationPlace)> {
    let hypothesis = |site: Site<'_>| {
        let text = site.file.statement_text(site.item);
        let arg = site.literal()?.atom.args.first().filter(|arg| matches!(arg.kind, TermKind::String))?;
        let value = literal::string_value(slice(text, arg.range))?;
        let (file, statement, _) = site.place();
        Some((Box::from(&*value), (file, statement, arg.range)))
    };
    program.uses(predicate).filter_map(|(site, _)| hypothesis(site)).collect()
}

/// Returns the verb of a `verb_def` fact. `None` for facts without a verb.
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

/// Adds a location in the program to a finding.
pub(super) fn related(finding: Finding, place: Option<DeclarationPlace>, message: &str) -> Finding {
    match place {
        Some((file, statement, range)) => finding.related(Span::new(file, statement, range), message),
        None => finding,
    }
}

/// A location in a file of the program, in the format of [`mangle_syntax::lint::Span::new`].
pub type DeclarationPlace = (FileId, StatementId, TextRange);

/// A verb of the taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verb {
    /// The name without slash.
    pub name: &'static str,
    /// The category without slash.
    pub category: &'static str,
    /// The shard that handles the verb, if any.
    pub shard: Option<&'static str>,
    /// The priority if several verbs match.
    pub priority: u32,
}
