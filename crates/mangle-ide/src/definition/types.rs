//! Go to type definition.

use super::{Definition, DefinitionTarget, origin_of_variable};
use crate::Place;
use crate::subject::Subject;
use crate::variable::Variable;
use mangle_check::describe::comment_range_above;
use mangle_engine::program::{FileSummary, Program, Site};
use mangle_engine::types::{Base, visit_types};
use mangle_syntax::syntax::ast::{Atom, Item, Premise, StatementKind, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, TextSize, size, slice};

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
