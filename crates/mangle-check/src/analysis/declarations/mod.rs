//! Rules about `Decl`s (`MG1xx`): one declaration per predicate, with valid parameters,
//! documentation, bounds, modes and descriptors.
//!
//! Most checks need only the declaration. Checks of duplicates, of overloads, and of claims about
//! rules and other predicates need the program.

mod bounds;
mod descriptors;
mod documentation;
mod parameters;

use super::wording::{counted, fix_or_help, statement_removal};
use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::{Predicate, PredicateId, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration};
use mangle_syntax::text::TextRange;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &DUPLICATE_DECL,
        &DECL_OVERLOAD,
        &parameters::DECL_PARAM_REPEATED,
        &documentation::DOC_REPEATED,
        &documentation::DOC_EMPTY,
        &documentation::DOC_NOT_STRING,
        &documentation::ARG_UNKNOWN,
        &documentation::ARG_TOO_SHORT,
        &documentation::ARG_NOT_STRING,
        &documentation::ARG_INCOMPLETE,
        &parameters::EXTERNAL_MODE_COUNT,
        &bounds::BOUND_COUNT,
        &bounds::BOUND_MALFORMED,
        &bounds::BOUND_PREDICATE_STRING,
        &bounds::BOUND_NOT_TYPE,
        &bounds::SUSPICIOUS_TYPE_NAME,
        &parameters::MODE_INVALID,
        &parameters::MODE_INPUT_BOTTOM_UP,
        &descriptors::DESCR_UNKNOWN,
        &descriptors::DESCR_INTERNAL,
        &descriptors::FUNDEP_UNKNOWN_VAR,
        &descriptors::MERGE_BAD_TARGET,
        &descriptors::EXTENSIONAL_HAS_RULES,
        &documentation::ARG_REPEATED,
        &bounds::BOUND_UNCHECKED,
        &DECL_UNUSED,
        &descriptors::REFLECTS_MALFORMED,
        &descriptors::FUNDEP_WITHOUT_MERGE,
    ],
    clause: Some(check_clause),
    declaration: Some(check_declaration),
    program: &[ProgramCheck::Predicate(check_predicate)],
};

fn check_declaration(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    parameters::check(declaration, out);
    documentation::check(context, declaration, out);
    parameters::check_modes(context, declaration, out);
    bounds::check(context, declaration, out);
    descriptors::check(context, declaration, out);
}

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    descriptors::check_clause(context, clause, out);
}

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    check_uniqueness(program, predicate, out);
    parameters::check_predicate(program, predicate, out);
    descriptors::check_predicate(program, predicate, out);
}

/// The descriptors with this name.
fn descriptors<'a>(declaration: &'a Declaration, name: &'a str) -> impl Iterator<Item = &'a Atom> {
    declaration.descriptors.iter().filter(move |atom| atom.name.as_str() == name)
}

/// The range to delete for the descriptor at `index`, including its comma. `None` if the range
/// contains a comment.
fn removal(context: &CheckContext<'_>, declaration: &Declaration, index: usize) -> Option<TextRange> {
    let atoms = &declaration.descriptors;
    let atom = atoms.get(index)?;
    let before = index.checked_sub(1).and_then(|index| atoms.get(index));
    let (gap, whole) = match (before.map(|before| before.range.end()), atoms.get(index + 1)) {
        (Some(before), _) => {
            (TextRange::new(before, atom.range.start()), TextRange::new(before, atom.range.end()))
        }
        (None, Some(after)) => {
            let after = after.range.start();
            (TextRange::new(atom.range.end(), after), TextRange::new(atom.range.start(), after))
        }
        (None, None) => return Some(atom.range),
    };
    (!context.slice(gap).contains('#')).then_some(whole)
}

/// True if the source code has `synthetic()`, which disables some checks of the engine.
fn is_synthetic(declaration: &Declaration) -> bool {
    descriptors(declaration, "synthetic").next().is_some()
}

static DUPLICATE_DECL: Rule = rule!("duplicate-decl.md");

static DECL_OVERLOAD: Rule = rule!("decl-overload.md");

static DECL_UNUSED: Rule = rule!("decl-unused.md");

/// Reports duplicate, unused and overloaded declarations.
fn check_uniqueness(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if predicate.signature.declared.is_none() {
        return;
    }
    if declaration_count(program, predicate) > 1 {
        duplicates(program, predicate, out);
    }
    let is_known = || predicate.signature.defined.is_some() || program.uses(predicate).next().is_some();
    if out.is_enabled(&DECL_UNUSED) && !is_known() {
        unused(program, predicate, out);
    }
    if program.named(predicate.key.name).nth(1).is_some() {
        overload(program, predicate, out);
    }
}

fn declaration_count(program: &Program, predicate: &Predicate) -> usize {
    let in_files = predicate.files.iter().filter_map(|(file, key)| {
        let file = program.files.get(*file as usize)?;
        file.predicates.get(key).map(|there| there.declarations.len())
    });
    in_files.sum()
}

fn duplicates(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let mut readable = program.declarations(predicate).filter(|site| !site.item.statement.damaged);
    let Some(first) = readable.next() else { return };
    for site in readable {
        let message = format!("duplicate declaration of `{}`", predicate.key);
        let (file, statement, range) = first.place();
        let finding = Finding::new(&DUPLICATE_DECL, site.range, message)
            .related(Span::new(file, statement, range), "first declared here")
            .note("the engine rejects a program with two declarations of one predicate");
        let fix = (text_of(&site) == text_of(&first)).then(|| {
            let fix = Fix::safe("remove this identical declaration");
            let fix = fix.replace(statement_removal(site.file, site.item), "");
            fix.replacing(site.item.statement.range())
        });
        let finding = fix_or_help(finding, fix, "merge the two declarations");
        out.push(site.file.id, site.item.statement.id, finding);
    }
}

fn unused(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let message = format!("`{}` is declared but neither defined nor queried", predicate.key);
    if let Some(site) = program.declarations(predicate).find(|site| !site.item.statement.damaged) {
        let finding = Finding::new(&DECL_UNUSED, site.range, message);
        let finding = finding.note("it matters only if the host adds or reads its facts");
        out.push(site.file.id, site.item.statement.id, finding);
    }
}

/// The text of the declaration without spaces.
fn text_of(site: &Site<'_>) -> String {
    let text = site.file.statement_text(site.item);
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

fn overload(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let Some(here) = program.declarations(predicate).next() else { return };
    let position = |site: &Site<'_>| (site.file.id, site.item.start);
    let others = program.named(predicate.key.name).filter(|other| other.key != predicate.key);
    let declared = others.filter_map(|other| Some((other, program.declarations(other).next()?)));
    let Some((other, first)) = declared.min_by_key(|(_, site)| position(site)) else { return };
    if position(&first) > position(&here) || here.item.statement.damaged {
        return;
    }
    let message = format!(
        "`{}` is also declared with {}",
        predicate.key.name,
        counted(usize::from(other.key.arity), "argument"),
    );
    let (file, statement, range) = first.place();
    let finding = Finding::new(&DECL_OVERLOAD, here.range, message)
        .related(Span::new(file, statement, range), "other declaration")
        .note("the two are independent predicates");
    out.push(here.file.id, here.item.statement.id, finding);
}

#[cfg(test)]
mod tests;
