//! Checks for declarations that the agent runtime misreads, because it finds them by line with a
//! regular expression and counts commas.

use super::{Family, ProgramCheck, ProgramFindings};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Declaration, Item};
use mangle_syntax::text::TextRange;

pub(super) const FAMILY: Family = Family {
    rules: &[&DECL_REGEX_GAP],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::File(check)],
};

static DECL_REGEX_GAP: Rule = rule!("decl-regex-gap.md");

fn check(_: &Program, file: &FileSummary, out: &mut ProgramFindings) {
    if !out.is_enabled(&DECL_REGEX_GAP) {
        return;
    }
    for item in file.items.iter() {
        let Some(declaration) = item.statement.declaration() else { continue };
        let Some((range, message, why)) = gap(file, item, declaration) else { continue };
        let finding = Finding::new(&DECL_REGEX_GAP, range, message);
        let finding = finding.note(why).note("the engine reads the declaration correctly");
        out.push(file.id, item.statement.id, finding);
    }
}

const MISSED_DECLARATION: &str = "the runtime misses this declaration";

/// The range, headline and reason of a misread declaration.
fn gap(
    file: &FileSummary,
    item: &Item,
    declaration: &Declaration,
) -> Option<(TextRange, String, &'static str)> {
    let atom = &declaration.atom;
    let before = file.text.get(..usize::from(item.start)).unwrap_or("");
    if !before.is_empty() && !before.ends_with('\n') {
        let word = TextRange::up_to(atom.name.range.start());
        return Some((word, MISSED_DECLARATION.to_owned(), "it searches for `Decl` at the start of a line"));
    }
    let name = atom.name.as_str();
    // Programs with packages or engine names do not use such a runtime.
    if name.contains(|char: char| char.is_ascii_uppercase()) {
        let why = "it searches for names of small letters, digits and underscores";
        return Some((atom.name.range, MISSED_DECLARATION.to_owned(), why));
    }
    let written = file.statement_text(item).get(usize::from(atom.name.range.end())..)?;
    let inside = written.trim_start().strip_prefix('(')?.split(')').next()?.trim();
    let counted = if inside.is_empty() { 0 } else { inside.matches(',').count() + 1 };
    (counted != atom.args.len()).then(|| {
        let message =
            format!("the runtime reads `{name}` with {}", super::wording::counted(counted, "argument"));
        (atom.args_range(), message, "it counts commas up to the first `)`")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::{FileId, slice};

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let item = file.items.iter().find(|item| item.statement.declaration().is_some()).unwrap();
        let found = gap(&file, item, item.statement.declaration().unwrap());
        assert_eq!(found.map(|(range, ..)| slice(file.statement_text(item), range)), expected, "{text:?}");
    }

    #[test]
    fn what_the_pattern_sees() {
        check("Decl p().", None);
        check("p(1).\nDecl  p_2 ( A , B ) bound [.Pair</name, /name>, /any].", None);
        check(" Decl p(A).", Some("Decl "));
        check("q(1). Decl p(A).", Some("Decl "));
        check("Decl aB(A).", Some("aB"));
        check("Decl p(A, B,).", Some("(A, B,)"));
    }
}
