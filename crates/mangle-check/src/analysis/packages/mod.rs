//! Rules about `Package` and `Use` (`MG35x`): unknown packages, missing imports, and private
//! predicates.

use rustc_hash::FxHashSet;

use super::wording::fix_or_help;
use super::wording::statement_removal;
use super::{CheckContext, Family, ProgramCheck, ProgramFindings};
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
    program: &[ProgramCheck::File(check_file)],
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

/// Reports a temporal premise on a predicate of the same package, which the engine does not find.
fn unqualified(context: &CheckContext<'_>, literal: &Literal) -> Option<Finding> {
    let package = context.file.package?;
    let name = literal.atom.name;
    let predicate = context.predicate(&literal.atom)?;
    // The engine looks up the name as written.
    if predicate.key.name == name.symbol {
        return None;
    }
    let full = predicate.key.name.as_str();
    let message = format!("temporal premise requires the full name `{full}`");
    let note = format!(
        "the engine queries `{}` of the root package instead of `{package}`, so the premise never holds",
        name.symbol
    );
    let fix = Fix::safe(format!("write `{full}`")).replace(name.range, full).replacing(name.range);
    Some(Finding::new(&TEMPORAL_IN_PACKAGE, name.range, message).note(note).fix(fix))
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
    let message = format!("`{}` is private to {}", predicate.key.name, shown(owner));
    let finding = Finding::new(&PRIVATE_ACCESS, literal.atom.name.range, message)
        .note(format!("this rule belongs to {}: the engine rejects the program", shown(asking)))
        .rejected_if(!literal.is_temporal());
    Some(match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "declared private here"),
        None => finding,
    })
}

fn check_file(program: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    for item in file.items.iter().take(file.used_packages.len() + 1) {
        if let StatementKind::Package(package) = &item.statement.kind {
            lowercase(program, file, item, package.name, out);
        }
    }
    uses(program, file, out);
    missing_uses(program, file, out);
}

fn lowercase(program: &Program, file: &FileSummary, item: &Item, name: Name, out: &mut ProgramFindings) {
    let lower = name.as_str().to_lowercase();
    if item.statement.damaged || lower == name.as_str() {
        return;
    }
    let message = format!("package name `{}` is not lower-case", name.symbol);
    let finding = Finding::new(&PACKAGE_NOT_LOWERCASE, name.range, message);
    let finding = finding.note("the engine rejects the file");
    // Other files can refer to the package and would need the same change.
    let is_named = |other: &FileSummary| {
        other.package == Some(name.symbol) || other.used_packages.iter().any(|(used, _)| *used == name.symbol)
    };
    let is_alone = !program.files.iter().any(|other| other.id != file.id && is_named(other));
    let title = format!("write `{lower}`");
    let help = format!("write `{lower}` in all files that name the package");
    let fix = is_alone.then(|| Fix::guess(title).replace(name.range, lower));
    out.push(file.id, item.statement.id, fix_or_help(finding, fix, &help));
}

/// Checks the `Use` statements of a file.
fn uses(program: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    let mut seen = FxHashSet::default();
    for &(package, index) in &file.used_packages {
        let Some(item) = file.items.get(index as usize).filter(|item| !item.statement.damaged) else {
            continue;
        };
        let StatementKind::Use(used) = &item.statement.kind else { continue };
        let range = used.name.range;
        // The meaning of a broken statement depends on the statements before it.
        let is_broken = |next: &Item| next.statement.damaged || next.follows_damage;
        let is_sound = !file.items.get(index as usize + 1).is_some_and(is_broken);
        let removed = |finding: Finding| match is_sound {
            true => {
                let fix = Fix::safe("remove this line").replace(statement_removal(file, item), "");
                finding.fix(fix.replacing(item.statement.range()))
            }
            false => finding,
        };
        let finding = if file.package == Some(package) {
            let finding = Finding::new(&USE_SELF, range, format!("package `{package}` uses itself"));
            removed(finding.note("the engine rejects such a `Use`"))
        } else if !seen.insert(package) {
            let finding = Finding::new(&USE_UNUSED, range, format!("duplicate `Use` of package `{package}`"));
            removed(finding.note("an earlier `Use` of the package suffices"))
        } else if !is_known(program, package) {
            unknown(program, package, range)
        } else if !is_asked_for(program, file.package, package) {
            let finding = Finding::new(&USE_UNUSED, range, format!("unused package `{package}`"));
            removed(finding.note("no premise here queries a predicate of the package"))
        } else {
            continue;
        };
        out.push(file.id, item.statement.id, finding);
    }
}

fn unknown(program: &Program, package: Symbol, range: TextRange) -> Finding {
    let finding = Finding::new(&USE_UNKNOWN, range, format!("unknown package `{package}`"))
        .note("the engine silently accepts this `Use`");
    let mut packages: Vec<_> = program.files.iter().filter_map(|file| file.package).collect();
    packages.sort_unstable();
    match nearest(package.as_str(), packages.iter().map(|package| package.as_str())) {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(range, meant)),
        None => finding,
    }
}

/// True if a file belongs to the package, or the root package defines dotted names with its prefix.
fn is_known(program: &Program, package: Symbol) -> bool {
    let defines = |predicate: &Predicate| predicate.exists() && predicate.key.package() == package.as_str();
    program.has_package(package) || program.predicates.iter().any(defines)
}

/// True if a premise in a file of the package `from` names a predicate of `package`.
fn is_asked_for(program: &Program, from: Option<Symbol>, package: Symbol) -> bool {
    let mut files = program.files.iter().filter(|file| file.package == from);
    files.any(|file| {
        let mut used = file.predicates.iter().filter(|(_, there)| !there.uses.is_empty());
        used.any(|(key, _)| key.package() == package.as_str())
    })
}

/// Reports each package that a file uses without a `Use` statement, once, at the first premise.
fn missing_uses(program: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    let mut dotted: Vec<(u32, TextRange, PredicateKey)> = Vec::new();
    for (key, there) in file.predicates.iter() {
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

/// The finding at a `name` from a package without a `Use` statement. `exists` is true if the
/// package has the predicate.
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
        let message = format!("unknown package `{package}` without a `Use`");
        let finding = Finding::new(&USE_MISSING, prefix, message).note("the engine rejects the program");
        return if NAMESPACES.contains(&package.as_str()) {
            finding.help("built-in functions of Mangle begin with `fn:`, built-in premises with `:`")
        } else {
            finding
        };
    }
    let message = format!("missing `Use` of package `{package}`");
    let (offset, text) = use_line(file, package);
    let span = Span { anchor: Anchor::File, range: TextRange::empty(offset) };
    let applicability = if exists { Applicability::Safe } else { Applicability::Unsafe };
    let fix = Fix::new(format!("insert `Use {package}!`"), applicability).edit(span, text);
    let finding = Finding::new(&USE_MISSING, prefix, message).note("the engine rejects the program");
    // With syntax errors at the start of the file, the position of the new line is unknown.
    let is_readable = file.findings.iter().all(|finding| finding.rule.group != Group::Syntax)
        && file.items.first().is_none_or(|item| !item.statement.damaged);
    fix_or_help(
        finding,
        is_readable.then_some(fix),
        &format!("add `Use {package}!` at the start of the file"),
    )
}

/// Namespaces of built-ins in Rego and Python.
const NAMESPACES: [&str; 16] = [
    "array", "base64", "crypto", "datetime", "glob", "http", "io", "json", "math", "net", "object", "os",
    "re", "regex", "strings", "time",
];

/// The position and text of a new `Use` line: after the last `Use`, after `Package`, or before the
/// first statement.
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
