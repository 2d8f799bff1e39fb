//! Damaged text that may mention the renamed subject.

use super::RenameRefusal;
use crate::subject::Subject;
use crate::{Analysis, directives};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{Symbol, TextRange, TextSize, slice, text_len};

/// Checks that the old name occurs neither in statements with syntax errors nor in unparsed text.
///
/// # Errors
/// The first occurrence.
pub(super) fn check(analysis: &dyn Analysis, subject: Subject, old: Symbol) -> Result<(), RenameRefusal> {
    let program = analysis.program();
    if let Subject::Variable(variable) = subject {
        let Some(file) = program.file(variable.file) else { return Ok(()) };
        let item = file.items.get(variable.item as usize).filter(|item| item.statement.damaged);
        return item.map_or(Ok(()), |item| {
            let message = "This statement has a syntax error, so the occurrences of the variable are uncertain. Fix it \
                           first.";
            Err(RenameRefusal::new(message).at(file.id, TextRange::at(item.start, TextSize::new(0))))
        });
    }
    if let Subject::Name(name) = subject {
        full_stops(program, name)?;
    }
    for file in program.files.iter() {
        let comment = directives::malformed_directives(program, file).into_iter();
        if let Some(range) =
            comment.into_iter().find(|range| directives::has_word(slice(&file.text, *range), old))
        {
            let message = format!("`{old}` is in a test comment with a syntax error. Fix it first.");
            return Err(RenameRefusal::new(message).at(file.id, range));
        }
        for region in unread(file) {
            if !slice(&file.text, region).contains(old.as_str()) {
                continue;
            }
            let place = analysis.source(file.id).and_then(|source| mention(source, region, old));
            if let Some(place) = place {
                let message = format!(
                    "`{old}` occurs in text with a syntax error, so its meaning is uncertain. Fix it first."
                );
                return Err(RenameRefusal::new(message).at(file.id, place));
            }
        }
    }
    Ok(())
}

/// Returns an error if a name includes the full stop of its clause. In `X = /a.` the name is `/a.`,
/// which is probably unintended.
fn full_stops(program: &Program, name: Symbol) -> Result<(), RenameRefusal> {
    let with_dot = Symbol::new(&format!("{name}."));
    let found = Subject::Name(with_dot).occurrences(program);
    found.first().map_or(Ok(()), |first| {
        let message = format!(
            "Here the name is `{with_dot}`: it includes the full stop. Insert a space before the full stop first."
        );
        Err(RenameRefusal::new(message).at(first.file, first.range))
    })
}

/// Returns the ranges of a file outside of intact statements: damaged statements and text between
/// statements.
fn unread(file: &FileSummary) -> Vec<TextRange> {
    let mut regions = Vec::new();
    let mut from = TextSize::new(0);
    for item in file.items.iter().filter(|item| !item.statement.damaged) {
        if item.start > from {
            regions.push(TextRange::new(from, item.start));
        }
        from = from.max(item.start + item.statement.len);
    }
    let end = text_len(&file.text);
    if end > from {
        regions.push(TextRange::new(from, end));
    }
    regions
}

/// Returns the first token of a region that equals the name, with or without package.
fn mention(source: &SourceFile, region: TextRange, name: Symbol) -> Option<TextRange> {
    let text = source.text();
    let tokens = source.tokens(region);
    if tokens.is_empty() {
        // The region is too damaged to tokenize. A region of comments would contain tokens.
        let said = slice(text, region);
        let at = said.find(name.as_str())?;
        return Some(TextRange::at(region.start() + mangle_syntax::text::size(at), text_len(name.as_str())));
    }
    let is_it = |written: &str| {
        written == name.as_str()
            || written.strip_suffix(name.as_str()).is_some_and(|before| before.ends_with('.'))
            || written.strip_prefix(name.as_str()).is_some_and(|behind| behind.starts_with('.'))
    };
    let mut tokens = tokens.into_iter().filter(|token| token.kind != TokenKind::Comment);
    tokens
        .find(|token| region.contains_range(token.range) && is_it(token.text(text)))
        .map(|token| token.range)
}
