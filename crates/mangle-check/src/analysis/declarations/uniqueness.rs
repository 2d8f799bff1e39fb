//! Checks for one `Decl` per predicate and one arity per name.

use crate::analysis::ProgramFindings;
use crate::analysis::edits::statement_removal;
use crate::analysis::wording::{counted, fix_or_help};
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};

pub(super) static DUPLICATE_DECL: Rule = rule!("duplicate-decl.md");

pub(super) static DECL_OVERLOAD: Rule = rule!("decl-overload.md");

pub(super) static DECL_UNUSED: Rule = rule!("decl-unused.md");

/// Reports duplicate, unused and overloaded declarations.
pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
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
