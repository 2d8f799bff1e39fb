//! Two programs in one: predicates of the other program are renamed, so that both are evaluated in
//! the same world.
//!
//! Predicates with equal statements and dependencies in both programs are detected: they need no search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use mangle_engine::program::{FileSummary, PredicateId, PredicateKey, Program, ProgramEnvironment, Site};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Item, Premise, StatementKind, TermKind};
use mangle_syntax::text::{FileId, Symbol, TextSize};
use rustc_hash::FxHashMap;

/// The prefix of the last part of a predicate name of the other program.
const OTHER_PREFIX: &str = "verify_other_";

/// A program combined with another program.
#[derive(Debug, Clone)]
pub struct ProgramPair {
    /// The combined program.
    pub program: Program,
    /// The original file for each renamed file of the other program in [`Self::program`].
    pub originals: FxHashMap<FileId, Arc<FileSummary>>,
    /// True if both programs have the same engine and the same stores.
    has_same_runtime: bool,
}

impl ProgramPair {
    /// Combines two programs.
    #[must_use]
    pub fn new(program: &Program, other: &Program) -> Self {
        let mut files: Vec<Arc<FileSummary>> = program.files.iter().cloned().collect();
        let mut originals = FxHashMap::default();
        let mut ids = FxHashMap::default();
        for (number, file) in other.files.iter().enumerate() {
            // Identifiers are ordered like paths.
            let id = FileId::from_path(Path::new(&format!("mangle-verify/other/{number:06}")));
            let renamed = SourceFile::parse(renamed(file).as_str().into());
            files.push(Arc::new(FileSummary::new(id, &renamed)));
            originals.insert(id, Arc::clone(file));
            ids.insert(file.id, id);
        }
        let embedding = together(&program.embedding, &other.embedding, &ids);
        let has_same_runtime = program.embedding.stores == other.embedding.stores
            && program.embedding.capabilities() == other.embedding.capabilities();
        Self { program: Program::embedded(files, Arc::new(embedding)), originals, has_same_runtime }
    }

    /// Returns the pair without some statements, by file and index.
    #[must_use]
    pub fn without(&self, gone: &[(FileId, u32)]) -> Self {
        let program = gone.iter().fold(self.program.clone(), |program, (file, item)| {
            mangle_check::policy_test::without_statements(&program, *file, &[*item].into_iter().collect())
        });
        Self { program, originals: self.originals.clone(), has_same_runtime: self.has_same_runtime }
    }

    /// True if a file belongs to the other program.
    #[must_use]
    pub fn is_other(&self, file: FileId) -> bool {
        self.originals.contains_key(&file)
    }

    /// Returns the original of a file.
    #[must_use]
    pub fn original(&self, file: FileId) -> Option<&Arc<FileSummary>> {
        self.originals.get(&file).or_else(|| self.program.file(file))
    }
}

/// Returns the renamed predicate of the other program.
pub(crate) fn renamed_key(key: PredicateKey) -> PredicateKey {
    PredicateKey { name: Symbol::new(&renamed_fact(key.name.as_str())), ..key }
}

/// Returns the original name of a predicate, and true if it belongs to the other program.
pub(crate) fn original_name(name: &str) -> (String, bool) {
    let (package, last) = name.rsplit_once('.').map_or(("", name), |(package, last)| (package, last));
    match last.strip_prefix(OTHER_PREFIX) {
        Some(last) if package.is_empty() => (last.to_owned(), true),
        Some(last) => (format!("{package}.{last}"), true),
        None => (name.to_owned(), false),
    }
}

/// Replaces renamed predicates in a text by their original names.
pub(crate) fn with_own_names(text: &str) -> String {
    text.replace(OTHER_PREFIX, "")
}

/// Renames the predicate of a fact to the predicate of the other program.
pub(crate) fn renamed_fact(fact: &str) -> String {
    let (name, args) = fact.split_at(fact.find('(').unwrap_or(fact.len()));
    let last = name.rfind('.').map_or(0, |dot| dot + 1);
    let (package, name) = name.split_at(last);
    format!("{package}{OTHER_PREFIX}{name}{args}")
}

/// Restores the original predicate name in a fact of the other program. `None` for a fact of the
/// program.
pub(crate) fn original_fact(fact: &str) -> Option<String> {
    let (name, args) = fact.split_at(fact.find('(').unwrap_or(fact.len()));
    let (name, is_other) = original_name(name);
    is_other.then(|| format!("{name}{args}"))
}

fn together(
    one: &ProgramEnvironment,
    other: &ProgramEnvironment,
    ids: &FxHashMap<FileId, FileId>,
) -> ProgramEnvironment {
    let moved = |own: &[FileId], others: &[FileId]| {
        let others = others.iter().filter_map(|file| ids.get(file));
        let mut all: Vec<FileId> = own.iter().chain(others).copied().collect();
        all.sort_unstable();
        all
    };
    let others = other.predicates.iter().map(|key| renamed_key(*key));
    ProgramEnvironment {
        predicates: one.predicates.iter().copied().chain(others).collect(),
        engine: one.engine,
        stores: one.stores.clone().or_else(|| other.stores.clone()),
        files_with_directives: moved(&one.files_with_directives, &other.files_with_directives),
        tests: moved(&one.tests, &other.tests),
        kernels: moved(&one.kernels, &other.kernels),
        separate_files: moved(&one.separate_files, &other.separate_files),
    }
}

/// Returns the text of a file with all predicates renamed.
fn renamed(file: &FileSummary) -> String {
    let mut places: Vec<usize> = file.items.iter().flat_map(|item| names(file, item)).collect();
    places.sort_unstable();
    places.dedup();
    let mut text = String::with_capacity(file.text.len() + places.len() * OTHER_PREFIX.len());
    let mut from = 0;
    for place in places {
        text.push_str(file.text.get(from..place).unwrap_or_default());
        text.push_str(OTHER_PREFIX);
        from = place;
    }
    text.push_str(file.text.get(from..).unwrap_or_default());
    text
}

/// Returns the offsets in the file of the last parts of the predicate names in a statement.
fn names(file: &FileSummary, item: &Item) -> Vec<usize> {
    let mut places = Vec::new();
    let mut add = |start: TextSize, name: &str| {
        let last = name.rfind('.').map_or(0, |dot| dot + 1);
        places.push(usize::from(item.start + start) + last);
    };
    let mut of_atom = |atom: &Atom| {
        if !atom.is_builtin() && !atom.is_function() && !atom.name.range.is_empty() {
            add(atom.name.range.start(), atom.name.as_str());
        }
    };
    match &item.statement.kind {
        StatementKind::Clause(clause) => {
            of_atom(&clause.head);
            for premise in &clause.premises {
                if let Premise::Literal(literal) = premise {
                    of_atom(&literal.atom);
                }
            }
        }
        StatementKind::Declaration(declaration) => {
            of_atom(&declaration.atom);
            declaration.inclusion.iter().for_each(&mut of_atom);
            let merges = declaration.descriptors.iter().filter(|atom| atom.name.as_str() == "merge");
            for name in merges.filter_map(|atom| atom.args.get(1)) {
                let text = mangle_syntax::text::slice(file.statement_text(item), name.range);
                if matches!(name.kind, TermKind::String) && text.len() > 2 {
                    add(name.range.start() + mangle_syntax::text::size(1), text.get(1..).unwrap_or_default());
                }
            }
        }
        StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
    }
    places
}

/// The argument for equal results of two programs with the same statements.
pub(crate) const SAME_RULES: &str = "the statements that it depends on are the same in both programs";

/// The sorted digests of the statements of each predicate, by its name in its own program.
type Statements = BTreeMap<(String, u16), Vec<u64>>;

impl ProgramPair {
    /// True if both programs have the same statements for a predicate and its dependencies, in any
    /// order, and the same engine and stores.
    pub(crate) fn has_same_rules(&self, key: PredicateKey) -> bool {
        self.has_same_runtime && self.statements(key) == self.statements(renamed_key(key))
    }

    fn statements(&self, key: PredicateKey) -> Statements {
        let mut all = Statements::new();
        let mut pending: Vec<PredicateId> = self.program.id(key).into_iter().collect();
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id.0) {
                continue;
            }
            let predicate = self.program.get(id);
            let clauses: Vec<Site<'_>> = self.program.clauses(predicate).collect();
            let declarations = self.program.declarations(predicate);
            let mut digests: Vec<u64> =
                clauses.iter().copied().chain(declarations).filter_map(|site| self.digest(&site)).collect();
            digests.sort_unstable();
            let (name, _) = original_name(predicate.key.name.as_str());
            all.insert((name, predicate.key.arity), digests);
            for site in &clauses {
                let literals = site.item.statement.clause().into_iter().flat_map(|clause| clause.literals());
                pending.extend(literals.filter_map(|literal| self.program.id_of(site.file, &literal.atom)));
            }
            let merging = predicate.signature.merge.as_ref().and_then(|merge| merge.predicate);
            pending.extend(merging.and_then(|name: Symbol| self.program.id(PredicateKey { name, arity: 3 })));
        }
        all
    }

    /// Returns the digest of a statement in its original program.
    fn digest(&self, site: &Site<'_>) -> Option<u64> {
        let index = site.file.item_at(site.item.start)?;
        let original = self.original(site.file.id)?;
        original.items.get(index).map(|item| item.statement.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::{original_name, renamed};
    use mangle_engine::program::FileSummary;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::FileId;

    #[test]
    fn predicates_and_nothing_else_are_renamed() {
        let text = "Decl p(X) descr [extensional(), merge([X], \"keep\")] bound [/name] inclusion [q(X)].\n\
                    # p is not renamed here\np(X) :- pkg.q(X), !q(X), :lt(X, 3), X != /p, fn:plus(X, 1) = 2.\n\
                    r(N) :- s(X) |> do fn:group_by(), let N = fn:count().\n";
        let file = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
        let expected = "Decl verify_other_p(X) descr [extensional(), merge([X], \"verify_other_keep\")] bound [/name] \
                        inclusion [verify_other_q(X)].\n# p is not renamed here\nverify_other_p(X) :- pkg.verify_other_q(X), \
                        !verify_other_q(X), :lt(X, 3), X != /p, fn:plus(X, 1) = 2.\nverify_other_r(N) :- verify_other_s(X) \
                        |> do fn:group_by(), let N = fn:count().\n";
        assert_eq!(renamed(&file), expected);
    }

    #[test]
    fn names_of_the_other_program_are_recognised() {
        assert_eq!(original_name("pkg.verify_other_q"), ("pkg.q".to_owned(), true));
        assert_eq!(original_name("verify_other_q"), ("q".to_owned(), true));
        assert_eq!(original_name("pkg.q"), ("pkg.q".to_owned(), false));
    }
}
