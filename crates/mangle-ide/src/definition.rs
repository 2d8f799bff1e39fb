//! Go to definition, declaration, implementation and type definition.

#[cfg(test)]
mod tests;

use super::Place;
use super::mention::{Entity, StatementPart, Variable, each};
use super::subject::Subject;
use mangle_check::describe::comment_range_above;
use mangle_engine::program::binding::{Binder, BindingPlace, BindingSource, Bindings};
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::program::{FileSummary, Predicate, Program, Site};
use mangle_engine::types::{Base, visit_types};
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Premise, StatementKind, Term, TermKind};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, size, slice};

/// Result of a navigation request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Range of the word at the cursor.
    pub origin: TextRange,
    /// Targets, best first.
    pub targets: Vec<DefinitionTarget>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionTarget {
    pub file: FileId,
    /// Range of the enclosing statement.
    pub whole: TextRange,
    pub name: TextRange,
}

impl DefinitionTarget {
    fn new(file: &FileSummary, item: &Item, name: TextRange) -> Self {
        Self { file: file.id, whole: item.statement.range() + item.start, name }
    }

    fn from_site(site: &Site<'_>) -> Self {
        Self::new(site.file, site.item, site.range + site.item.start)
    }
}

/// Go to definition. A predicate leads to its `Decl`s, or to its clauses if it has none or the
/// cursor is on a `Decl`. A variable leads to the place that binds it, and a package to its
/// `Package` statements.
#[must_use]
pub fn definition(place: Place<'_>) -> Option<Definition> {
    resolve_targets(place, |subject, program| match subject {
        Subject::Predicate(key) => {
            let predicate = program.predicate(key)?;
            let declared = program
                .declarations(predicate)
                .map(|site| DefinitionTarget::from_site(&site))
                .collect::<Vec<_>>();
            let here = declared.iter().any(|target| is_at(place, target));
            let clauses = if here || declared.is_empty() {
                first_of_fact_runs(program.clauses(predicate)).collect()
            } else {
                Vec::new()
            };
            Some(if clauses.is_empty() { declared } else { clauses })
        }
        Subject::Variable(variable) => of_variable(program, variable),
        Subject::Package(package) => Some(packages(program, package)),
        _ => None,
    })
}

/// Go to declaration: the `Decl`s of a predicate, and otherwise the definition.
#[must_use]
pub fn declaration(place: Place<'_>) -> Option<Definition> {
    match Subject::at(place)?.0 {
        Subject::Predicate(_) => resolve_targets(place, |subject, program| {
            let declared = program.declarations(predicate(program, subject)?);
            Some(declared.map(|site| DefinitionTarget::from_site(&site)).collect())
        }),
        _ => definition(place),
    }
}

/// Go to implementation: the rules of a predicate, or its facts if it has no rules.
#[must_use]
pub fn implementation(place: Place<'_>) -> Option<Definition> {
    resolve_targets(place, |subject, program| {
        let predicate = predicate(program, subject)?;
        let rules: Vec<_> = program.rules(predicate).map(|site| DefinitionTarget::from_site(&site)).collect();
        Some(if rules.is_empty() { first_of_fact_runs(program.clauses(predicate)).collect() } else { rules })
    })
}

/// Returns the subject at a place with the targets from `lead`. `None` if there are no targets.
fn resolve_targets<'a>(
    place: Place<'a>,
    lead: impl FnOnce(Subject, &'a Program) -> Option<Vec<DefinitionTarget>>,
) -> Option<Definition> {
    let (subject, origin) = Subject::at(place)?;
    let targets = lead(subject, place.program()).filter(|targets| !targets.is_empty())?;
    Some(Definition { origin, targets })
}

fn predicate(program: &Program, subject: Subject) -> Option<&Predicate> {
    match subject {
        Subject::Predicate(key) => program.predicate(key),
        _ => None,
    }
}

fn is_at(place: Place<'_>, target: &DefinitionTarget) -> bool {
    target.file == place.file.id && target.name.contains_inclusive(place.offset)
}

/// Returns all rules, and the first fact of each run of consecutive facts, to keep the result
/// short.
fn first_of_fact_runs<'p>(clauses: impl Iterator<Item = Site<'p>>) -> impl Iterator<Item = DefinitionTarget> {
    let mut last: Option<(FileId, usize)> = None;
    clauses.filter_map(move |site| {
        let index = site.file.item_at(site.item.start)?;
        let is_fact = site.item.statement.clause().is_some_and(|clause| clause.is_fact());
        let goes_on = is_fact && last.is_some_and(|last| last == (site.file.id, index));
        last = is_fact.then_some((site.file.id, index + 1));
        (!goes_on).then(|| DefinitionTarget::from_site(&site))
    })
}

fn of_variable(program: &Program, variable: Variable) -> Option<Vec<DefinitionTarget>> {
    let file = program.file(variable.file)?;
    let item = file.items.get(variable.item as usize)?;
    let name = origin_of_variable(program, variable)?;
    Some(vec![DefinitionTarget::new(file, item, name)])
}

fn packages(program: &Program, package: Symbol) -> Vec<DefinitionTarget> {
    let statements = program.files.iter().flat_map(|file| file.items.iter().map(move |item| (file, item)));
    let named = statements.filter_map(|(file, item)| match &item.statement.kind {
        StatementKind::Package(name) if name.name.symbol == package => {
            Some(DefinitionTarget::new(file, item, name.name.range + item.start))
        }
        _ => None,
    });
    named.collect()
}

/// Returns the declared type of a variable or argument in `bound […]`. For a name, returns its
/// place in the declared type or in the comment above the declaration. Otherwise returns the
/// declared types narrower than a base type.
#[must_use]
pub fn type_definition(place: Place<'_>) -> Option<Definition> {
    let item = place.item()?;
    let argument = argument_at(item, place.offset);
    let subject = Subject::at(place);
    let origin = subject.map(|(_, range)| range).or_else(|| Some(argument?.2.range + item.start))?;
    let program = place.program();
    let of = |argument: Option<(&Atom, usize, &Term)>| {
        let (atom, at, _) = argument?;
        Some(types_of(program, place.file, atom, at)).filter(|types| !types.is_empty())
    };
    let targets = match subject {
        Some((Subject::Variable(variable), _)) if !variable.of_types => of(argument)
            .or_else(|| of(argument_at(item, origin_of_variable(program, variable)?.start())))
            .or_else(|| of_elsewhere(program, place.file, item, variable)),
        Some((Subject::Name(name), _)) => {
            let (atom, at, _) = argument?;
            listed(program, place.file, atom, at, name).or_else(|| {
                let narrow = |target: &DefinitionTarget| !is_base(program, target);
                Some(of(argument)?.into_iter().filter(narrow).collect())
            })
        }
        Some((Subject::Predicate(_), _)) => None,
        _ => of(argument),
    };
    let targets = targets.filter(|targets| !targets.is_empty())?;
    Some(Definition { origin, targets })
}

/// Returns the atom and the argument at an offset of the file.
fn argument_at(item: &Item, offset: TextSize) -> Option<(&Atom, usize, &Term)> {
    let offset = offset.checked_sub(item.start)?;
    atoms(item).find_map(|atom| {
        let mut args = atom.args.iter().enumerate();
        let (at, term) = args.find(|(_, term)| term.range.contains_inclusive(offset))?;
        // Terms inside an expression do not have the type of the argument.
        let plain = !matches!(term.kind, TermKind::Apply(_));
        plain.then_some((atom, at, term))
    })
}

/// Returns the atoms of a statement whose arguments can be declared.
fn atoms(item: &Item) -> impl Iterator<Item = &Atom> {
    let statement = &item.statement;
    let declared = statement
        .declaration()
        .into_iter()
        .flat_map(|declaration| std::iter::once(&declaration.atom).chain(&declaration.inclusion));
    let in_clause = statement.clause().into_iter().flat_map(|clause| {
        let premises = clause.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(&literal.atom),
            Premise::Comparison(_) | Premise::Broken(..) => None,
        });
        std::iter::once(&clause.head).chain(premises)
    });
    declared.chain(in_clause)
}

/// Returns the declared types of an argument.
fn types_of(program: &Program, file: &FileSummary, atom: &Atom, at: usize) -> Vec<DefinitionTarget> {
    let sites =
        program.predicate_of(file, atom).into_iter().flat_map(|predicate| program.declarations(predicate));
    let typed = sites.flat_map(|site| {
        let rows = site.item.statement.declaration().map_or(&[][..], |declaration| &declaration.bounds);
        let types = rows.iter().filter_map(move |row| row.types.get(at));
        types.map(move |ty| target(&site, ty.range))
    });
    typed.collect()
}

fn target(site: &Site<'_>, range: TextRange) -> DefinitionTarget {
    DefinitionTarget::new(site.file, site.item, range + site.item.start)
}

/// Returns the declared type of a variable from another premise, or from the head.
fn of_elsewhere(
    program: &Program,
    file: &FileSummary,
    item: &Item,
    variable: Variable,
) -> Option<Vec<DefinitionTarget>> {
    let StatementKind::Clause(clause) = &item.statement.kind else { return None };
    let asserted = clause.literals().filter(|literal| !literal.is_negated()).map(|literal| &literal.atom);
    let mut atoms = asserted.chain(std::iter::once(&clause.head));
    atoms.find_map(|atom| {
        let at = atom.args.iter().position(|term| term.variable() == Some(variable.symbol))?;
        Some(types_of(program, file, atom, at)).filter(|types| !types.is_empty())
    })
}

/// True for a base type such as `/name` or `/string`, and for `/any`.
fn is_base(program: &Program, target: &DefinitionTarget) -> bool {
    let text = program.file(target.file).map_or("", |file| slice(&file.text, target.name));
    Base::named(text).is_some() || text == "/any"
}

/// Returns the places that list a name as a value of an argument: the type itself
/// (`.Singleton</name>`, `/prefix`), or the comment above the declaration.
fn listed(
    program: &Program,
    file: &FileSummary,
    atom: &Atom,
    at: usize,
    name: Symbol,
) -> Option<Vec<DefinitionTarget>> {
    let predicate = program.predicate_of(file, atom)?;
    let sites: Vec<_> = program.declarations(predicate).collect();
    let in_types = sites.iter().filter_map(|site| {
        let declaration = site.item.statement.declaration()?;
        let types = declaration.bounds.iter().filter_map(|row| row.types.get(at));
        types.into_iter().find_map(|ty| place_in_type(ty, name)).map(|range| target(site, range))
    });
    let in_types: Vec<_> = in_types.collect();
    if !in_types.is_empty() {
        return Some(in_types);
    }
    let in_comments = sites.iter().filter_map(|site| {
        let declaration = site.item.statement.declaration()?;
        let parameter = declaration.atom.args.get(at).and_then(Term::variable);
        let comment = comment_range_above(site.file, site.item)?;
        let range = place_in_comment(&site.file.text, comment, parameter, name)?;
        Some(DefinitionTarget { file: site.file.id, whole: range, name: range })
    });
    Some(in_comments.collect()).filter(|places: &Vec<_>| !places.is_empty())
}

/// Returns the place of a constant, or of a prefix of it, in a type.
fn place_in_type(ty: &Term, name: Symbol) -> Option<TextRange> {
    let mut found = None;
    visit_types(ty, &mut |part| {
        let constants = match &part.kind {
            TermKind::Apply(apply) if apply.function.as_str() == "fn:Singleton" => apply.args.first(),
            TermKind::Name(_) => Some(part),
            _ => None,
        };
        let Some(Term { range, kind: TermKind::Name(symbol) }) = constants else { return };
        let is_prefix = name.as_str().strip_prefix(symbol.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if *symbol == name || is_prefix {
            found.get_or_insert(*range);
        }
    });
    found
}

/// Returns the place of a name in a comment. Prefers lines that start with the parameter, for
/// example `# Status: /open, /done`.
fn place_in_comment(
    text: &str,
    comment: TextRange,
    parameter: Option<Symbol>,
    name: Symbol,
) -> Option<TextRange> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "._~%-/".contains(char);
    let said = slice(text, comment);
    let found = said.match_indices(name.as_str()).filter(|(at, found)| {
        let before = said.get(..*at).unwrap_or("").chars().next_back();
        let behind = said.get(at + found.len()..).unwrap_or("");
        // A full stop ends a sentence, unless the name continues after it.
        let goes_on = behind.trim_start_matches('.').starts_with(is_part);
        !before.is_some_and(is_part) && !goes_on
    });
    let mut places: Vec<usize> = found.map(|(at, _)| at).collect();
    places.sort_by_key(|at| {
        let line = said.get(..*at).unwrap_or("").rsplit('\n').next().unwrap_or("");
        let words = line.trim_start_matches(['#', ' ', '\t', '-', '*']);
        !parameter.is_some_and(|parameter| words.starts_with(parameter.as_str()))
    });
    places.first().map(|at| TextRange::at(comment.start() + size(*at), size(name.as_str().len())))
}

/// Returns the range that binds a variable, or the first occurrence of an unbound variable.
///
/// In a clause, the range is the argument, interval or equation that binds the variable in
/// evaluation order, or its `let`. In a declaration, the range is the parameter.
#[must_use]
pub fn origin_of_variable(program: &Program, variable: Variable) -> Option<TextRange> {
    let file = program.file(variable.file)?;
    let item = file.items.get(variable.item as usize)?;
    let places = occurrences(item, variable);
    let bound = match &item.statement.kind {
        StatementKind::Clause(clause) => {
            let within = |part| first(&places, part);
            in_body(program, file, clause, variable)
                .and_then(|(exact, around)| exact.or(around).and_then(within))
                .or_else(|| in_transform(clause, variable))
        }
        _ => None,
    };
    bound.map(|range| range + item.start).or_else(|| places.first().map(|range| *range + item.start))
}

/// Returns the occurrences of a variable, relative to the start of the statement, in order of its
/// parts.
fn occurrences(item: &Item, variable: Variable) -> Vec<TextRange> {
    let mut places = Vec::new();
    each(item, &mut |mention| {
        let of_types = mention.part == StatementPart::Bound;
        if mention.entity == Entity::Variable(variable.symbol) && of_types == variable.of_types {
            places.push(mention.range - item.start);
        }
    });
    places
}

fn first(places: &[TextRange], part: TextRange) -> Option<TextRange> {
    places.iter().copied().find(|place| part.contains_range(*place))
}

/// Returns the range that binds the variable in the head or body: the exact range if known, and an
/// enclosing range.
fn in_body(
    program: &Program,
    file: &FileSummary,
    clause: &Clause,
    variable: Variable,
) -> Option<(Option<TextRange>, Option<TextRange>)> {
    let lookup = |atom: &_| Some(&program.predicate_of(file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let bindings = Bindings::new(
        clause,
        &signatures,
        &Rewriting::new(clause, &signatures, program.embedding.capabilities()),
    );
    let known = bindings.get(variable.symbol)?;
    let Binder { place, how } = known.value.or(known.bound)?;
    let alone = |terms: &[Term]| {
        let term = terms.iter().find(|term| term.variable() == Some(variable.symbol));
        term.map(|term| term.range)
    };
    let BindingPlace::Premise(index) = place else {
        return Some((alone(&clause.head.args), Some(clause.head.range)));
    };
    let premise = clause.premises.get(index as usize)?;
    let exact = match premise {
        Premise::Literal(literal) if how == BindingSource::Interval => {
            literal.interval.as_ref().map(|interval| interval.range)
        }
        Premise::Literal(literal) => alone(&literal.atom.args),
        Premise::Comparison(comparison) => [&comparison.left, &comparison.right]
            .into_iter()
            .find(|side| side.variable() == Some(variable.symbol))
            .map(|side| side.range),
        Premise::Broken(..) => None,
    };
    Some((exact, Some(premise.range())))
}

/// Returns the `let` that computes the variable.
fn in_transform(clause: &Clause, variable: Variable) -> Option<TextRange> {
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let mut variables = statements.filter_map(|statement| statement.variable.as_ref());
    variables.find(|term| term.variable() == Some(variable.symbol)).map(|term| term.range)
}
