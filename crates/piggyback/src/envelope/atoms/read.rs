//! Parsing of an update: as a plain fact, or with the grammar.

use std::borrow::Cow;

use crate::envelope::plain::{self, Argument, ArgumentKind};
use crate::envelope::runtime::{is_variable, parsed_text, stops_the_engine};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{ApplyForm, Atom, Clause, Term, TermKind};
use mangle_syntax::syntax::{SourceFile, rules};
use mangle_syntax::text::{TextRange, TextSize, size, slice, without_new_words};

use smallvec::SmallVec;

/// A fact with its ranges in the text of the update.
#[derive(Debug)]
pub(super) struct ParsedFact<'t> {
    pub predicate: Cow<'t, str>,
    pub name: TextRange,
    pub args: SmallVec<[Argument; 6]>,
    /// The range of predicate and arguments.
    pub range: TextRange,
    /// The other parts of the update. `None` for a plain fact.
    pub rest: Option<Box<UpdateRemainder>>,
}

/// The parts of an update other than predicate and plain arguments.
#[derive(Debug, Default)]
pub(super) struct UpdateRemainder {
    /// `@[…]`
    pub interval: Option<TextRange>,
    /// The arrow of a rule.
    pub arrow: Option<TextRange>,
    /// All variables, including wildcards.
    pub variables: Vec<TextRange>,
    /// The outermost function applications `fn:…(…)`.
    pub functions: Vec<TextRange>,
    /// The other statements, with true for facts.
    pub others: Vec<(TextRange, bool)>,
}

#[derive(Debug)]
pub(super) enum UpdateReading<'t> {
    /// A clause, possibly followed by more statements.
    Fact(ParsedFact<'t>),
    /// The update begins with `Decl`, `Package` or `Use`, or has only such statements.
    Statement(TextRange),
    /// Findings of the grammar. Ranges and edits are relative to the start of the update's text.
    Unreadable(Vec<Finding>),
}

/// Parses the text of an update.
pub(super) fn read(text: &str) -> UpdateReading<'_> {
    match plain::read(text) {
        Some(plain) => UpdateReading::Fact(ParsedFact {
            predicate: Cow::Borrowed(plain.predicate),
            name: plain.name,
            args: plain.args,
            range: plain.range,
            rest: None,
        }),
        None => parse(text),
    }
}

/// Parses the text of an update with the grammar, in the same form as the runtime: trimmed, with
/// exactly one final period.
fn parse(text: &str) -> UpdateReading<'_> {
    let trimmed = text.trim();
    let lead = size(text.len() - text.trim_start().len());
    let frame = Frame { lead, end: lead + size(trimmed.len()) };
    // As in the runtime emulation, NUL in a string is text. New words are not interned because a
    // log has an unlimited number of them.
    let text = parsed_text(trimmed).replace('\0', "\u{1}");
    let source = without_new_words(|| SourceFile::parse(text.into()));
    let findings = unreadable(&source, frame);
    if !findings.is_empty() {
        return UpdateReading::Unreadable(findings);
    }
    let whole = TextRange::new(frame.lead, frame.end);
    let items = source.items();
    if items.is_empty() {
        let message = "update contains no fact";
        return UpdateReading::Unreadable(vec![Finding::new(&rules::SYNTAX_ERROR, whole, message)]);
    }
    let first = items.split_first();
    let Some((start, clause, behind)) =
        first.and_then(|(item, behind)| Some((item.start, item.statement.clause()?, behind)))
    else {
        return UpdateReading::Statement(whole);
    };
    let others = behind.iter().map(|item| {
        let is_fact = item.statement.clause().is_some_and(Clause::is_fact);
        (frame.place(item.start, item.statement.range()), is_fact)
    });
    let others = others.collect();
    UpdateReading::Fact(fact(clause, source.text(), start, frame, others))
}

/// The position of the parsed text in the text of the update.
#[derive(Clone, Copy)]
struct Frame {
    lead: TextSize,
    end: TextSize,
}

impl Frame {
    /// Maps a range of a statement that starts at `start` of the parsed text. An added period has
    /// an empty range.
    fn place(self, start: TextSize, range: TextRange) -> TextRange {
        let from = (range.start() + start + self.lead).min(self.end);
        TextRange::new(from, (range.end() + start + self.lead).min(self.end))
    }
}

fn fact<'t>(
    clause: &Clause,
    text: &str,
    start: TextSize,
    frame: Frame,
    others: Vec<(TextRange, bool)>,
) -> ParsedFact<'t> {
    let Atom { name, args, range } = &clause.head;
    let mut rest = UpdateRemainder {
        interval: clause.interval.as_ref().map(|interval| frame.place(start, interval.range)),
        arrow: clause.arrow.map(|arrow| frame.place(start, arrow)),
        others,
        ..UpdateRemainder::default()
    };
    let args = args.iter().map(|term| {
        inside(term, &mut rest, &|range| slice(text, range + start), &|range| frame.place(start, range));
        Argument { kind: kind(term, slice(text, term.range + start)), range: frame.place(start, term.range) }
    });
    let args = args.collect();
    ParsedFact {
        predicate: Cow::Owned(slice(text, name.range + start).to_owned()),
        name: frame.place(start, name.range),
        args,
        range: frame.place(start, *range),
        rest: Some(Box::new(rest)),
    }
}

fn kind(term: &Term, literal: &str) -> ArgumentKind {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Wildcard => ArgumentKind::Variable,
        TermKind::Broken if is_variable(literal) => ArgumentKind::Variable,
        TermKind::Name(_) => ArgumentKind::Name,
        TermKind::Number(number) => ArgumentKind::Number(number.unwrap_or_default()),
        TermKind::Float(_) => ArgumentKind::Float,
        TermKind::String if literal.contains(['\\', '\r']) => ArgumentKind::Escaped,
        TermKind::String => ArgumentKind::String,
        TermKind::Bytes => ArgumentKind::Bytes,
        TermKind::Apply(apply) if apply.form == ApplyForm::Call => ArgumentKind::Function,
        TermKind::Apply(_) | TermKind::Broken => ArgumentKind::Compound,
    }
}

/// Collects the variables and functions in a term. The nesting limit of the lowering bounds the
/// recursion depth.
fn inside<'s>(
    term: &Term,
    rest: &mut UpdateRemainder,
    text: &impl Fn(TextRange) -> &'s str,
    place: &impl Fn(TextRange) -> TextRange,
) {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Wildcard => rest.variables.push(place(term.range)),
        TermKind::Broken if is_variable(text(term.range)) => rest.variables.push(place(term.range)),
        TermKind::Apply(apply) if apply.form == ApplyForm::Call => rest.functions.push(place(term.range)),
        TermKind::Apply(apply) => apply.args.iter().for_each(|arg| inside(arg, rest, text, place)),
        _ => {}
    }
}

/// Returns the findings that stop the engine's parser, with ranges in the update's text.
fn unreadable(source: &SourceFile, frame: Frame) -> Vec<Finding> {
    let of_file = source.findings().iter().map(|finding| (TextSize::new(0), finding));
    let statements = source.items().iter().filter(|item| !item.follows_damage);
    let of_statements =
        statements.flat_map(|item| item.statement.findings.iter().map(|finding| (item.start, finding)));
    let found = of_file
        .chain(of_statements)
        .filter(|(start, finding)| stops_the_engine(finding, slice(source.text(), finding.range + *start)));
    let mut found: Vec<_> = found.map(|(start, finding)| placed(finding, start, frame)).collect();
    found.sort_by_key(|finding| finding.range.start());
    found
}

fn placed(finding: &Finding, start: TextSize, frame: Frame) -> Finding {
    let mut finding = finding.clone();
    finding.range = frame.place(start, finding.range);
    finding.related.clear();
    for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
        edit.span.range = frame.place(start, edit.span.range);
    }
    finding
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::envelope::runtime::ReadUpdate;
    use mangle_syntax::text::Symbol;

    /// Generates updates with new words that only the grammar can parse, and invalid updates.
    fn strange() -> impl Strategy<Value = String> {
        let word = "[a-z][a-zA-Z0-9_]{7,9}";
        let term = prop_oneof![
            word.prop_map(|word| format!("/{word}")),
            word.prop_map(|word| format!("X{word}")),
            word.prop_map(|word| format!("fn:{word}(Y{word}, [/{word}, {{/{word}: X}}, [/a : fn:b()]])")),
            word.prop_map(|word| format!(".T{word}<{word}, X>")),
            word.prop_map(|word| format!("{word}(1)")),
            word.prop_map(|word| format!("opt {word}")),
            word,
        ];
        let head = prop_oneof![
            5 => word.prop_map(|word| word),
            1 => word.prop_map(|word| format!("P{word}")),
            1 => word.prop_map(|word| format!("fn:{word}")),
            1 => word.prop_map(|word| format!("a:{word}.b")),
        ];
        let end = prop::sample::select(vec![
            ").",
            ")",
            "",
            ") :- b(X).",
            "). c(1).",
            ")@[now].",
            ") <- not x_y(), z.",
        ]);
        (head, prop::collection::vec(term, 0..3), end)
            .prop_map(|(head, terms, end)| format!("{head}({}{end}", terms.join(", ")))
    }

    proptest! {
        #[test]
        fn words_that_nobody_knows_are_read_as_those_that_are_known(text in strange()) {
            let both = || format!("{:?} {:?}", parse(&text), ReadUpdate::new(&text, mangle_settings::Runtime::default()));
            let strange = both();
            // All words are interned from here on.
            let _ = SourceFile::parse(text.as_str().into());
            prop_assert_eq!(strange, both());
        }
    }

    #[test]
    fn words_of_updates_are_not_kept() {
        let text = "stranger_p(StrangerX, /stranger_n, fn:stranger_f(1)).";
        assert!(matches!(read(text), UpdateReading::Fact(_)));
        assert!(ReadUpdate::new(text, mangle_settings::Runtime::default()).fact().is_some());
        let words = ["stranger_p", "StrangerX", "/stranger_n", "fn:stranger_f"];
        assert!(words.iter().all(|word| !Symbol::is_known(word)));
    }
}
