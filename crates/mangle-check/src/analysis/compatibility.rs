//! Checks for programs that the selected engine or the agent runtime reads differently than the newest
//! engine.
//!
//! The table of built-ins has the day of introduction of each. This module has the days of some syntax
//! features.

use super::{CheckContext, Family, ProgramCheck, ProgramFindings};
use mangle_engine::program::{FileSummary, Program, builtins};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{ApplyForm, Atom, Clause, Declaration, Item, Premise, Term};
use mangle_syntax::text::TextRange;

pub(super) const TARGET: Family = Family {
    rules: &[&NEWER_THAN_TARGET],
    clause: Some(check_clause),
    declaration: Some(check_declaration),
    program: &[],
};

static NEWER_THAN_TARGET: Rule = rule!("newer-than-target.md");

/// Days of introduction of syntax features.
const DOT_TYPES: &str = "2025-01-21";
const LONG_ARROW: &str = "2025-03-03";
const TEMPORAL: &str = "2026-02-09";
const TAGGED_UNION: &str = "2026-03-11";

/// Reports built-ins and syntax that are newer than the engine of the program (`[kernel] engine`).
fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let mut check = Check { context, out };
    let arrow = clause.arrow.filter(|arrow| context.slice(*arrow) != ":-");
    arrow.into_iter().for_each(|arrow| check.since("arrow `⟸`", LONG_ARROW, arrow));
    check.interval(clause.interval.as_ref().map(|interval| interval.range));
    check.terms(&clause.head.args);
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => {
                check.interval(literal.interval.as_ref().map(|interval| interval.range));
                check.interval(literal.operator.as_ref().map(|operator| operator.range));
                check.atom(&literal.atom);
            }
            Premise::Comparison(comparison) => check.terms([&comparison.left, &comparison.right]),
            Premise::Broken(..) => {}
        }
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        check.terms([&statement.value]);
    }
}

fn check_declaration(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let mut check = Check { context, out };
    check.interval(declaration.temporal);
    for row in &declaration.bounds {
        check.terms(&row.types);
    }
}

/// Reports features that are newer than the engine.
struct Check<'c, 'o> {
    context: &'c CheckContext<'c>,
    out: &'o mut Vec<Finding>,
}

impl Check<'_, '_> {
    fn since(&mut self, what: &str, since: &str, range: TextRange) {
        let engine = self.context.program.embedding.engine;
        if engine.has(since) {
            return;
        }
        let came = match builtins::first_release(since) {
            Some(release) => format!("it came with {release}"),
            None => format!("it came on {since}, after the last release"),
        };
        let message = format!("{what} is newer than the engine {}", engine.name);
        let finding = Finding::new(&NEWER_THAN_TARGET, range, message).note(came);
        self.out.push(finding.note("this engine rejects the program"));
    }

    fn interval(&mut self, range: Option<TextRange>) {
        if let Some(range) = range {
            self.since("temporal syntax", TEMPORAL, range);
        }
    }

    fn atom(&mut self, atom: &Atom) {
        if let Some(builtin) = builtins::predicate(atom.name.as_str()) {
            self.since(&format!("`{}`", builtin.name), builtin.since, atom.name.range);
        }
        self.terms(&atom.args);
    }

    fn terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>) {
        for term in terms {
            term.walk(&mut |term| self.term(term));
        }
    }

    fn term(&mut self, term: &Term) {
        let Some(apply) = term.apply() else { return };
        let name = apply.function.as_str();
        if name == "fn:TaggedUnion" {
            self.since("`.TaggedUnion`", TAGGED_UNION, apply.function.range);
        } else if matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional) {
            self.since("this type syntax", DOT_TYPES, apply.function.range);
        } else if let Some(function) = builtins::function(name).filter(|_| apply.form == ApplyForm::Call) {
            self.since(&format!("`{name}`"), function.since, apply.function.range);
        }
    }
}

pub(super) const EXTRACTOR: Family = Family {
    rules: &[&DECL_REGEX_GAP],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::File(check_extraction)],
};

static DECL_REGEX_GAP: Rule = rule!("decl-regex-gap.md");

/// Reports declarations that the agent runtime misreads, because it finds them by line with a
/// regular expression and counts commas.
fn check_extraction(_: &Program, file: &FileSummary, out: &mut ProgramFindings) {
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

    use std::cell::OnceCell;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
    use mangle_engine::types::{ProgramTypes, TypeCache};
    use mangle_settings::EngineVersion;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::syntax::ast::StatementKind;
    use mangle_syntax::text::{FileId, slice};

    #[track_caller]
    fn check(engine: &str, text: &str, expect: Expect) {
        let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let embedding = ProgramEnvironment {
            engine: EngineVersion::parse(engine).unwrap(),
            ..ProgramEnvironment::default()
        };
        let program = Program::embedded(vec![Arc::clone(&file)], Arc::new(embedding));
        let mut shown = String::new();
        for item in file.items.iter() {
            let (types, inferred, text) = (
                ProgramTypes::new(&program, &mut TypeCache::default()),
                OnceCell::new(),
                file.statement_text(item),
            );
            let context = CheckContext {
                program: &program,
                types: &types,
                file: &file,
                item,
                text,
                inferred: &inferred,
            };
            let mut out = Vec::new();
            match &item.statement.kind {
                StatementKind::Clause(clause) => check_clause(&context, clause, &mut out),
                StatementKind::Declaration(declaration) => check_declaration(&context, declaration, &mut out),
                _ => {}
            }
            for finding in out {
                let note = &finding.notes[0];
                writeln!(shown, "{}: {}: {note}", context.slice(finding.range), finding.message).unwrap();
            }
        }
        expect.assert_eq(&shown);
    }

    const TEXT: &str = "Decl on(P) temporal bound [.List</name>].\nDecl v(X) bound [.TaggedUnion</kind, /walk : .Struct<>>].\n\
        on([/a])@[2024-05-01].\np(X) ⟸ q(X), X = fn:mod(7, 3).\nr(S) :- q(X), :string:contains(X, \"a\"), S = fn:plus(1, 2).\n\
        s(N) :- q(X) |> do fn:group_by(), let N = fn:avg(X).\nt(X) :- <-[0d, 7d] on(X).\n";

    #[test]
    fn engine_of_a_later_day_has_everything() {
        check("2026-06", TEXT, expect![[""]]);
        check("2026-07-01", TEXT, expect![[""]]);
    }

    #[test]
    fn built_ins_of_newer_engines_are_reported() {
        const NEW: &str = "p(X) :- q(X), :float:lt(X, 1.0).\nr(X) :- q(X), :string:matches(X, \"a\").\n\
            s(X) :- q(T), X = fn:time:weekday_civil(T, \"UTC\"), M = fn:mod(X, 2).\n";
        check(
            "2026-06",
            NEW,
            expect![[r#"
                :float:lt: `:float:lt` is newer than the engine 2026-06: it came with 0.6.0
                :string:matches: `:string:matches` is newer than the engine 2026-06: it came with 0.6.0
                fn:time:weekday_civil: `fn:time:weekday_civil` is newer than the engine 2026-06: it came with 0.6.0
            "#]],
        );
        check(
            "2026-09-19",
            NEW,
            expect![[r#"
                :string:matches: `:string:matches` is newer than the engine 2026-09-19: it came with 0.6.0
            "#]],
        );
        check("2026-09", NEW, expect![[""]]);
    }

    #[test]
    fn what_came_later() {
        check(
            "0.2.0",
            TEXT,
            expect![[r#"
                temporal: temporal syntax is newer than the engine 0.2.0: it came with 0.5.0
                .List: this type syntax is newer than the engine 0.2.0: it came with 0.3.0
                .TaggedUnion: `.TaggedUnion` is newer than the engine 0.2.0: it came with 0.6.0
                .Struct: this type syntax is newer than the engine 0.2.0: it came with 0.3.0
                @[2024-05-01]: temporal syntax is newer than the engine 0.2.0: it came with 0.5.0
                ⟸: arrow `⟸` is newer than the engine 0.2.0: it came with 0.3.0
                fn:mod: `fn:mod` is newer than the engine 0.2.0: it came with 0.6.0
                fn:avg: `fn:avg` is newer than the engine 0.2.0: it came with 0.3.0
                <-[0d, 7d]: temporal syntax is newer than the engine 0.2.0: it came with 0.5.0
            "#]],
        );
        check(
            "0.5.0",
            TEXT,
            expect![[r#"
                .TaggedUnion: `.TaggedUnion` is newer than the engine 0.5.0: it came with 0.6.0
                fn:mod: `fn:mod` is newer than the engine 0.5.0: it came with 0.6.0
            "#]],
        );
    }

    #[track_caller]
    fn check_gap(text: &str, expected: Option<&str>) {
        let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let item = file.items.iter().find(|item| item.statement.declaration().is_some()).unwrap();
        let found = gap(&file, item, item.statement.declaration().unwrap());
        assert_eq!(found.map(|(range, ..)| slice(file.statement_text(item), range)), expected, "{text:?}");
    }

    #[test]
    fn what_the_pattern_sees() {
        check_gap("Decl p().", None);
        check_gap("p(1).\nDecl  p_2 ( A , B ) bound [.Pair</name, /name>, /any].", None);
        check_gap(" Decl p(A).", Some("Decl "));
        check_gap("q(1). Decl p(A).", Some("Decl "));
        check_gap("Decl aB(A).", Some("aB"));
        check_gap("Decl p(A, B,).", Some("(A, B,)"));
    }
}
