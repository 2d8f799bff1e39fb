//! Rules about `Package` and `Use`: which packages there are, which are in sight, and what they
//! keep to themselves (`MG35x`).

use rustc_hash::FxHashSet;

use super::edits::statement_removal;
use super::{CheckContext, Family, ProgramFindings};
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, UseKind};
use mangle_syntax::lint::{Anchor, Applicability, Finding, Fix, Group, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Item, Literal, Name, Statement, StatementKind};
use mangle_syntax::text::{Symbol, TextRange, TextSize, nearest, size};

static PACKAGE_NOT_LOWERCASE: Rule = rule!("package-not-lowercase.md");

static USE_SELF: Rule = rule!("use-self.md");

static USE_MISSING: Rule = rule!("use-missing.md");

static USE_UNKNOWN: Rule = rule!("use-unknown.md");

static USE_UNUSED: Rule = rule!("use-unused.md");

static PRIVATE_ACCESS: Rule = rule!("private-access.md");

static TEMPORAL_IN_PACKAGE: Rule = rule!("temporal-in-package.md");

/// The rules about packages.
pub(super) const FAMILY: Family = Family {
    rules: &[
        &PACKAGE_NOT_LOWERCASE,
        &USE_SELF,
        &USE_MISSING,
        &USE_UNKNOWN,
        &USE_UNUSED,
        &PRIVATE_ACCESS,
        &TEMPORAL_IN_PACKAGE,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: Some(check_program),
};

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    for literal in clause.literals() {
        if literal.is_temporal() {
            out.extend(unqualified(context, literal));
        } else {
            out.extend(private(context, clause, literal));
        }
    }
}

/// A temporal premise that means a predicate of its own package, which the engine does not see.
fn unqualified(context: &CheckContext<'_>, literal: &Literal) -> Option<Finding> {
    let package = context.file.package?;
    let name = literal.atom.name;
    let predicate = context.predicate(&literal.atom)?;
    // The name as written is what the engine asks for.
    if predicate.key.name == name.symbol {
        return None;
    }
    let message = format!(
        "The engine forgets that a temporal premise stands in the package `{package}` and asks for `{name}` of \
         the root package, which never holds. Write the full name, `{full}`.",
        name = name.symbol,
        full = predicate.key.name,
    );
    let full = predicate.key.name.as_str();
    let fix = Fix::safe(format!("Write `{full}`")).replace(name.range, full).replacing(name.range);
    Some(Finding::new(&TEMPORAL_IN_PACKAGE, name.range, message).fix(fix))
}

fn private(context: &CheckContext<'_>, clause: &Clause, literal: &Literal) -> Option<Finding> {
    let predicate = context.predicate(&literal.atom).filter(|predicate| predicate.signature.private)?;
    let owner = predicate.key.package();
    let asking = context.predicate(&clause.head)?.key.package();
    if owner == asking {
        return None;
    }
    let shown = |package: &str| match package {
        "" => "the root package".to_owned(),
        _ => format!("the package `{package}`"),
    };
    let message = format!(
        "`{}` is private to {}, and this rule belongs to {}. The engine rejects it.",
        predicate.key.name,
        shown(owner),
        shown(asking)
    );
    let finding = Finding::new(&PRIVATE_ACCESS, literal.atom.name.range, message);
    Some(match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "declared private here"),
        None => finding,
    })
}

fn check_program(program: &Program, out: &mut ProgramFindings) {
    for file in &program.files {
        for item in file.items.iter().take(file.used_packages.len() + 1) {
            if let StatementKind::Package(package) = &item.statement.kind {
                lowercase(program, file, item, package.name, out);
            }
        }
        uses(program, file, out);
        missing_uses(program, file, out);
    }
}

fn lowercase(program: &Program, file: &FileSummary, item: &Item, name: Name, out: &mut ProgramFindings) {
    let lower = name.as_str().to_lowercase();
    if item.statement.damaged || lower == name.as_str() {
        return;
    }
    let message = format!("Package names are lower-case. The engine rejects `{}`.", name.symbol);
    let mut finding = Finding::new(&PACKAGE_NOT_LOWERCASE, name.range, message);
    // Other files may speak of the package, and would have to follow.
    let is_named = |other: &FileSummary| {
        other.package == Some(name.symbol) || other.used_packages.iter().any(|(used, _)| *used == name.symbol)
    };
    if !program.files.iter().any(|other| other.id != file.id && is_named(other)) {
        finding = finding.fix(Fix::guess(format!("Write `{lower}`")).replace(name.range, lower));
    }
    out.push(file.id, item.statement.id, finding);
}

/// Judges the `Use` statements of a file.
fn uses(program: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    let mut seen = FxHashSet::default();
    for &(package, index) in &file.used_packages {
        let Some(item) = file.items.get(index as usize).filter(|item| !item.statement.damaged) else {
            continue;
        };
        let StatementKind::Use(used) = &item.statement.kind else { continue };
        let range = used.name.range;
        // How what is broken is read depends on what stands before it.
        let is_broken = |next: &Item| next.statement.damaged || next.rubble;
        let is_sound = !file.items.get(index as usize + 1).is_some_and(is_broken);
        let removed = |finding: Finding| match is_sound {
            true => {
                let fix = Fix::safe("Remove this line").replace(statement_removal(file, item), "");
                finding.fix(fix.replacing(item.statement.range()))
            }
            false => finding,
        };
        let finding = if file.package == Some(package) {
            let message = format!("`{package}` is this package itself. The engine rejects such a `Use`.");
            removed(Finding::new(&USE_SELF, range, message))
        } else if !seen.insert(package) {
            removed(Finding::new(&USE_UNUSED, range, format!("`{package}` is used above already.")))
        } else if !is_known(program, package) {
            unknown(program, package, range)
        } else if !is_asked_for(program, file.package, package) {
            let message = format!("Nothing here asks for a predicate of `{package}`.");
            removed(Finding::new(&USE_UNUSED, range, message))
        } else {
            continue;
        };
        out.push(file.id, item.statement.id, finding);
    }
}

fn unknown(program: &Program, package: Symbol, range: TextRange) -> Finding {
    let message = format!("The program has no package `{package}`. The engine takes this without a word.");
    let finding = Finding::new(&USE_UNKNOWN, range, message);
    let mut packages: Vec<_> = program.files.iter().filter_map(|file| file.package).collect();
    packages.sort_unstable();
    match nearest(package.as_str(), packages.iter().map(|package| package.as_str())) {
        Some(meant) => finding.fix(Fix::guess(format!("Use `{meant}`")).replace(range, meant)),
        None => finding,
    }
}

/// Whether a file belongs to the package, or the root defines names with its dots.
fn is_known(program: &Program, package: Symbol) -> bool {
    let defines = |predicate: &Predicate| predicate.exists() && predicate.key.package() == package.as_str();
    program.has_package(package) || program.predicates.iter().any(defines)
}

/// Whether a premise in some file of the package `from` names a predicate of `package`.
fn is_asked_for(program: &Program, from: Option<Symbol>, package: Symbol) -> bool {
    let mut files = program.files.iter().filter(|file| file.package == from);
    files.any(|file| {
        let mut used = file.predicates.iter().filter(|(_, there)| !there.uses.is_empty());
        used.any(|(key, _)| key.package() == package.as_str())
    })
}

/// Reports each package that a file asks for without using it, once, at the first premise.
fn missing_uses(program: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    let mut dotted: Vec<(u32, TextRange, PredicateKey)> = Vec::new();
    for (key, there) in &file.predicates {
        if !key.package().is_empty() {
            let plain = there.uses.iter().filter(|used| used.kind != UseKind::Temporal);
            dotted.extend(plain.map(|used| (used.item, used.range, *key)));
        }
    }
    dotted.sort_by_key(|&(item, range, _)| (item, range.start()));
    let mut reported = FxHashSet::default();
    for (index, range, key) in dotted {
        let Some(item) = file.items.get(index as usize).filter(|item| !item.statement.damaged) else {
            continue;
        };
        let Some(package) = program.missing_use(file, key) else { continue };
        if reported.insert(package) {
            let exists = program.predicate(key).is_some_and(Predicate::exists);
            out.push(file.id, item.statement.id, missing_use(program, file, package, range, exists));
        }
    }
}

/// The finding at a `name` of a package that its file does not use; `exists` says whether the package has such a predicate.
fn missing_use(
    program: &Program,
    file: &FileSummary,
    package: Symbol,
    name: TextRange,
    exists: bool,
) -> Finding {
    let length = size(package.as_str().len());
    let prefix = TextRange::at(name.start(), length.min(name.len()));
    if !is_known(program, package) {
        let message = format!(
            "The program has no package `{package}`, and no `Use` names it. The engine rejects the program."
        );
        return Finding::new(&USE_MISSING, prefix, message);
    }
    let message = format!(
        "The package `{package}` is not in sight here. Without `Use {package}!` the engine rejects the program."
    );
    let (offset, text) = use_line(file, package);
    let span = Span { anchor: Anchor::File, range: TextRange::empty(offset) };
    let applicability = if exists { Applicability::Safe } else { Applicability::Unsafe };
    let fix = Fix::new(format!("Insert `Use {package}!`"), applicability).edit(span, text);
    let finding = Finding::new(&USE_MISSING, prefix, message);
    // Where the start of the file cannot be read, nobody knows where the line belongs.
    let is_readable = file.findings.iter().all(|finding| finding.rule.group != Group::Syntax)
        && file.items.first().is_none_or(|item| !item.statement.damaged);
    if is_readable { finding.fix(fix) } else { finding }
}

/// Where a `Use` line belongs: behind the last one, else behind `Package`, else before the first
/// statement.
fn use_line(file: &FileSummary, package: Symbol) -> (TextSize, String) {
    let is_header =
        |statement: &Statement| matches!(statement.kind, StatementKind::Package(_) | StatementKind::Use(_));
    match file.items.iter().take_while(|item| is_header(&item.statement)).last() {
        Some(last) => (last.start + last.statement.len, format!("\nUse {package}!")),
        None => {
            let first = file.items.first().map_or(TextSize::new(0), |item| item.start);
            (first, format!("Use {package}!\n\n"))
        }
    }
}

#[cfg(test)]
mod tests;
