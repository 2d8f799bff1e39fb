//! The parameters of a declaration: types and listed names.
//!
//! Types are from `bound […]` or, if it is missing, from type words in the parameter list. Listed
//! names are from a comment (`# Status: /open, /done`), from `arg(…)`, or from the facts of an
//! included predicate.

use super::DeclarationPlace;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Site};
use mangle_engine::types::{Base, Type};
use mangle_syntax::syntax::ast::{Atom, Declaration, Item, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::slice;

/// Markers of an incomplete list.
const OPEN: [&str; 4] = ["...", "…", "etc", "e.g"];

/// The names that are allowed for a parameter according to its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterNames {
    /// The names with slash, in the order of the declaration.
    pub names: Vec<Box<str>>,
    /// The statement with the list.
    pub place: Option<DeclarationPlace>,
}

impl ParameterNames {
    /// True if the list contains a name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| **known == *name)
    }

    /// Returns the most similar name.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let allowed = name.len().div_ceil(3);
        let near = self.names.iter().filter(|known| known.len().abs_diff(name.len()) <= allowed);
        let near = near.map(|known| (strsim::osa_distance(known, name), &**known));
        near.filter(|(distance, _)| *distance <= allowed)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, known)| known)
    }

    /// Formats all names for a message.
    #[must_use]
    pub fn list(&self) -> String {
        self.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the listed names of each parameter of a predicate.
pub(super) fn parameter_names(
    program: &Program,
    predicate: &Predicate,
    parameters: &[Option<&'static str>],
) -> Vec<Option<ParameterNames>> {
    let Some(site) = program.declarations(predicate).next() else { return vec![None; parameters.len()] };
    let declaration = site.item.statement.declaration();
    let comment = comment_above(site.file, site.item);
    let names = |parameter: &Option<&'static str>| {
        let parameter = (*parameter)?;
        let descriptor = declaration.and_then(|declaration| descriptor_text(declaration, parameter, &site));
        let names = descriptor.as_deref().and_then(list).or_else(|| commented(&comment, parameter));
        let names = names.or_else(|| included(program, &site, declaration?, parameter))?;
        Some(ParameterNames { names, place: Some(site.place()) })
    };
    parameters.iter().map(names).collect()
}

/// Returns the text in `arg(Status, "…")`.
fn descriptor_text(declaration: &Declaration, parameter: &str, site: &Site<'_>) -> Option<String> {
    let is_it = |atom: &&Atom| atom.name.as_str() == "arg" && variable(atom, 0) == Some(parameter);
    let atom = declaration.descriptors.iter().find(is_it)?;
    let text = site.file.statement_text(site.item);
    let strings = atom.args.iter().skip(1);
    strings.filter_map(|term| literal::string_value(slice(text, term.range)).map(String::from)).next()
}

fn variable(atom: &Atom, at: usize) -> Option<&'static str> {
    match atom.args.get(at)?.kind {
        TermKind::Variable(name) => Some(name.as_str()),
        _ => None,
    }
}

/// Returns the comment lines directly above a statement, in source order.
fn comment_above<'p>(file: &'p FileSummary, item: &Item) -> Vec<&'p str> {
    let before = file.text.get(..usize::from(item.start)).unwrap_or("");
    let Some(above) = before.strip_suffix('\n') else { return Vec::new() };
    let lines = above.rsplit('\n').map_while(|line| line.trim().strip_prefix('#'));
    let mut lines: Vec<_> = lines.map(str::trim).collect();
    lines.reverse();
    lines
}

/// Returns the list in the line that begins with the name of a parameter and a colon or `=`.
fn commented(comment: &[&str], parameter: &str) -> Option<Vec<Box<str>>> {
    comment.iter().find_map(|line| {
        let (word, rest) = line.split_once([':', '='])?;
        let word = word.trim_matches(|char: char| !char.is_alphanumeric() && char != '_');
        word.eq_ignore_ascii_case(parameter).then(|| list(rest)).flatten()
    })
}

/// Parses a text that begins with a list of names. A remark in parentheses or after a dash may
/// follow.
fn list(text: &str) -> Option<Vec<Box<str>>> {
    let text = text.trim().trim_start_matches("one of").trim_start_matches(':').trim();
    let end = text.find(['(', ';', '—', '#']).or_else(|| text.find(" - ")).unwrap_or(text.len());
    let (listed, remark) = text.split_at(end);
    if OPEN.iter().any(|open| listed.contains(open) || remark.contains(open)) {
        return None;
    }
    let words = listed
        .split([',', '|', ' '])
        .map(|word| word.trim_matches(['.', '"', '`', '\'', '[', ']', '{', '}']));
    let words: Vec<_> = words.filter(|word| !word.is_empty() && *word != "or" && *word != "and").collect();
    let is_name = |word: &&str| word.len() > 1 && word.starts_with('/') && !word.ends_with('/');
    (words.len() > 1 && words.iter().all(is_name)).then(|| words.into_iter().map(Box::from).collect())
}

/// Returns the names in the facts of a predicate without rules that the declaration includes for a
/// parameter.
fn included(
    program: &Program,
    site: &Site<'_>,
    declaration: &Declaration,
    parameter: &str,
) -> Option<Vec<Box<str>>> {
    declaration.inclusion.iter().find_map(|atom| {
        let column = (0..atom.args.len()).find(|at| variable(atom, *at) == Some(parameter))?;
        let key = PredicateKey { name: atom.name.symbol, arity: atom.arity() };
        let included = program.predicate(program.meaning(site.file, key))?;
        if included.signature.has_rules {
            return None;
        }
        let names: Option<Vec<Box<str>>> = program
            .clauses(included)
            .map(|fact| match fact.item.statement.clause()?.head.args.get(column)?.kind {
                TermKind::Name(name) => Some(Box::from(name.as_str())),
                _ => None,
            })
            .collect();
        names.filter(|names| !names.is_empty())
    })
}

/// Type words that are recognized if all parameters of a declaration are type words, with their
/// types.
const WORDS: [(&str, Option<Base>); 8] = [
    ("Any", None),
    ("Bool", Some(Base::Name)),
    ("Float", Some(Base::Float)),
    ("Float64", Some(Base::Float)),
    ("Int", Some(Base::Number)),
    ("Name", Some(Base::Name)),
    ("Number", Some(Base::Number)),
    ("String", Some(Base::String)),
];

/// Returns the alternatives for the facts of a declared predicate, each with one type per
/// parameter.
///
/// `text` is the text of the statement.
pub(super) fn rows(declaration: &Declaration, text: &str) -> Vec<Vec<Type>> {
    let arity = declaration.atom.args.len();
    if !declaration.bounds.is_empty() {
        let rows = declaration.bounds.iter().map(|row| row.types.iter().map(Type::read).collect::<Vec<_>>());
        return rows.filter(|row| row.len() == arity).collect();
    }
    let args = declaration.atom.args.as_slice();
    let words: Option<Vec<_>> = args.iter().map(typed_by_word).collect();
    words.or_else(|| dotted(args, text)).filter(|row| !row.is_empty()).into_iter().collect()
}

/// Returns the name and type of a parameter such as `Path.Type<string>`, which is not valid Mangle.
pub(super) fn dotted_parameter<'t>(term: &Term, text: &'t str) -> Option<(&'t str, &'t str)> {
    let (name, ty) = slice(text, term.range).split_once(".Type<")?;
    Some((name, ty.strip_suffix('>')?.trim().trim_start_matches('/')))
}

/// Returns the type of a parameter that is a type word, for example `String`.
fn typed_by_word(term: &Term) -> Option<Type> {
    match &term.kind {
        // A parameter in uppercase, for example `STRING`, is not a type word.
        TermKind::Variable(word) if WORDS.iter().any(|(known, _)| *known == word.as_str()) => {
            named(word.as_str())
        }
        _ => None,
    }
}

/// Returns the types of parameters with a type suffix. Parameters without a suffix may have any
/// type.
fn dotted(args: &[Term], text: &str) -> Option<Vec<Type>> {
    let found: Vec<_> = args.iter().map(|term| dotted_parameter(term, text)).collect();
    let ty = |found: Option<(&str, &str)>| found.and_then(|(_, word)| named(word)).unwrap_or(Type::Any);
    found.iter().any(Option::is_some).then(|| found.into_iter().map(ty).collect())
}

/// Returns the type of a type word, in any case.
fn named(word: &str) -> Option<Type> {
    let (_, base) = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word))?;
    Some(base.map_or(Type::Any, Type::Base))
}
