//! Name collisions of a rename.

use super::{RenameRefusal, renamed_key};
use crate::directives::directives;
use crate::mention::{Entity, Mention, StatementPart, Variable, each};
use crate::rename;
use crate::subject::Subject;
use mangle_engine::program::{FileSummary, PredicateKey, Program};
use mangle_engine::types::visit_types;
use mangle_syntax::syntax::ast::{Clause, Item, Premise, StatementKind, Term, TermKind};
use mangle_syntax::text::{FileId, Symbol, TextRange};

/// Checks that the new name is unused and that no name changes its type.
///
/// # Errors
/// The first collision.
pub(super) fn check(program: &Program, subject: Subject, new: Symbol) -> Result<(), RenameRefusal> {
    match subject {
        Subject::Predicate(own) => {
            let key = renamed_key(subject, own, new);
            if program.predicate(key).is_some_and(|found| found.signature.host) {
                return Err(RenameRefusal::new(format!(
                    "`{key}` already exists: the host supplies it (`host_predicates` in mangle-ls.toml)."
                )));
            }
            exists(program, Subject::Predicate(key), &format!("`{key}`"))?;
            check_other_arities(program, own)
        }
        Subject::Variable(variable) => {
            let other = Subject::Variable(Variable { symbol: new, ..variable });
            exists(program, other, &format!("A variable `{new}`"))
        }
        Subject::Name(old) => {
            exists(program, Subject::Name(new), &format!("The name `{new}`"))?;
            NamePrefixes::from_program(program).check(program, old, new)?;
            check_function_keywords(program, old)
        }
        Subject::Package(_) => exists(program, Subject::Package(new), &format!("The package `{new}`")),
        Subject::Builtin(_) | Subject::Function(_) | Subject::Wildcard | Subject::Descriptor(_) => Ok(()),
    }
}

/// Returns an error if the subject is mentioned. The location is the most descriptive mention.
fn exists(program: &Program, subject: Subject, what: &str) -> Result<(), RenameRefusal> {
    let rank = |part: StatementPart| match part {
        StatementPart::Declared | StatementPart::Package => 0,
        StatementPart::Head | StatementPart::Fact => 1,
        _ => 2,
    };
    let found = subject.occurrences(program);
    let Some(first) = found.iter().min_by_key(|found| rank(found.part)) else { return Ok(()) };
    let how = match (subject, first.part) {
        (Subject::Variable(_), _) => "already exists in this statement",
        (_, StatementPart::Declared | StatementPart::Package) => "is already declared",
        (Subject::Predicate(_), StatementPart::Head | StatementPart::Fact) => "already has clauses",
        _ => "is already in use",
    };
    let message = format!("{what} {how}. The rename would merge both.");
    Err(RenameRefusal::new(message).at(first.file, first.range))
}

/// Returns an error if the program uses the name with an arity that is neither declared nor
/// defined. Such a use is probably a mistake, and only the author knows if it refers to the renamed
/// predicate.
fn check_other_arities(program: &Program, own: PredicateKey) -> Result<(), RenameRefusal> {
    let named: Vec<_> = program.named(own.name).collect();
    let exists = named.iter().any(|predicate| predicate.exists());
    let mut lost = named.iter().filter(|predicate| !predicate.exists()).map(|predicate| predicate.key);
    let Some(key) = lost.next().filter(|_| exists) else { return Ok(()) };
    let first = Subject::Predicate(key).occurrences(program).into_iter().next();
    let message = format!(
        "`{}` is also written with {} arguments, and this predicate does not exist. Fix this first.",
        key.name, key.arity
    );
    Err(first.map_or_else(
        || RenameRefusal::new(&message),
        |at| RenameRefusal::new(&message).at(at.file, at.range),
    ))
}

/// A name prefix that defines a group of names.
struct Prefix {
    symbol: Symbol,
    /// True if the prefix matches whole path parts, as in types. False if it matches characters, as
    /// in `:match_prefix`.
    by_parts: bool,
    at: (FileId, TextRange),
}

impl Prefix {
    /// True if a name would belong to the group if the prefix were `prefix`.
    fn holds(&self, prefix: Symbol, name: Symbol) -> bool {
        let rest = name.as_str().strip_prefix(prefix.as_str());
        rest.is_some_and(|rest| if self.by_parts { rest.starts_with('/') } else { !rest.is_empty() })
    }
}

/// All prefixes of a program.
struct NamePrefixes(Vec<Prefix>);

impl NamePrefixes {
    fn from_program(program: &Program) -> Self {
        let mut prefixes = Vec::new();
        for file in program.files.iter() {
            for item in file.items.iter() {
                collect(file, item, &mut prefixes);
            }
        }
        Self(prefixes)
    }

    /// Returns an error if a name would leave its group or join another one.
    fn check(&self, program: &Program, old: Symbol, new: Symbol) -> Result<(), RenameRefusal> {
        let refuse = |name: Symbol, prefix: &Prefix, leaves: bool| {
            let what = if leaves { "would leave" } else { "would join" };
            let message = format!("`{name}` {what} the names below `{}`.", prefix.symbol);
            Err(RenameRefusal::new(message).at(prefix.at.0, prefix.at.1))
        };
        for prefix in self.0.iter().filter(|prefix| prefix.symbol != old) {
            let before = prefix.holds(prefix.symbol, old);
            if before != prefix.holds(prefix.symbol, new) {
                return refuse(if before { old } else { new }, prefix, before);
            }
        }
        for prefix in self.0.iter().filter(|prefix| prefix.symbol == old) {
            let mut moved = None;
            each_value(program, |name| {
                let before = prefix.holds(old, name);
                if name != old && before != prefix.holds(new, name) {
                    moved.get_or_insert((name, before));
                }
            });
            if let Some((name, leaves)) = moved {
                return refuse(name, prefix, leaves);
            }
        }
        Ok(())
    }
}

fn each_value(program: &Program, mut visit: impl FnMut(Symbol)) {
    let mut visit = |mention: Mention| {
        if let Entity::Name(name) = mention.entity {
            visit(name);
        }
    };
    for file in program.files.iter() {
        file.items.iter().for_each(|item| each(item, &mut visit));
        directives(program, file).iter().for_each(|comment| comment.mentions(&mut visit));
    }
}

fn collect(file: &FileSummary, item: &Item, prefixes: &mut Vec<Prefix>) {
    let mut add = |term: &Term, by_parts| {
        if let TermKind::Name(symbol) = term.kind
            && rename::reserved_meaning(symbol).is_none()
        {
            prefixes.push(Prefix { symbol, by_parts, at: (file.id, term.range + item.start) });
        }
    };
    match &item.statement.kind {
        StatementKind::Declaration(declaration) => {
            let types = declaration.bounds.iter().flat_map(|row| &row.types);
            types.for_each(|ty| visit_types(ty, &mut |part| add(part, true)));
            let reflects = declaration.descriptors.iter().filter(|atom| atom.name.as_str() == "reflects");
            reflects.flat_map(|atom| &atom.args).for_each(|term| add(term, false));
        }
        StatementKind::Clause(clause) => {
            let matches = clause.literals().filter(|literal| literal.atom.name.as_str() == ":match_prefix");
            matches.filter_map(|literal| literal.atom.args.get(1)).for_each(|term| add(term, false));
        }
        _ => {}
    }
}

/// Returns an error if a name has a meaning for a function, for example in
/// `fn:time:trunc(T, /day)`.
fn check_function_keywords(program: &Program, name: Symbol) -> Result<(), RenameRefusal> {
    for file in program.files.iter() {
        for item in file.items.iter() {
            let Some(clause) = item.statement.clause() else { continue };
            let mut found = None;
            each_term(clause, &mut |term| {
                let Some(apply) =
                    term.apply().filter(|apply| apply.function.as_str().starts_with("fn:time:"))
                else {
                    return;
                };
                let is_it = |arg: &&Term| matches!(arg.kind, TermKind::Name(it) if it == name);
                if let Some(arg) = apply.args.iter().find(is_it) {
                    found.get_or_insert((arg.range, apply.function));
                }
            });
            if let Some((range, function)) = found {
                let message =
                    format!("`{name}` has a meaning for `{}` and cannot be renamed.", function.as_str());
                return Err(RenameRefusal::new(message).at(file.id, range + item.start));
            }
        }
    }
    Ok(())
}

fn each_term<'a>(clause: &'a Clause, visit: &mut impl FnMut(&'a Term)) {
    clause.head.args.iter().for_each(|term| term.walk(visit));
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => literal.atom.args.iter().for_each(|term| term.walk(visit)),
            Premise::Comparison(comparison) => {
                [&comparison.left, &comparison.right].into_iter().for_each(|term| term.walk(visit));
            }
            Premise::Broken(_, terms) => terms.iter().for_each(|term| term.walk(visit)),
        }
    }
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    statements.for_each(|statement| statement.value.walk(visit));
}
