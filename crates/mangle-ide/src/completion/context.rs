//! Classification of the cursor position inside a statement, for completion.

use crate::cursor::{Bracket, Callee, Cursor, CursorPart, Frame, Scan};
use mangle_syntax::syntax::TokenKind;
use mangle_syntax::text::Symbol;

/// Syntactic categories allowed at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CompletionContext {
    /// No completion is possible.
    Nowhere,
    Statement,
    /// The name of a package, after `Use`.
    Package,
    /// The atom after `Decl`.
    Declared,
    /// A keyword after a declared atom.
    DeclarationPart,
    Descriptor,
    Inclusion,
    /// A type. `column` is set for the type of a whole parameter.
    Type {
        column: Option<usize>,
    },
    /// A name in a type expression: a label, a tag or a constant.
    TypeName,
    /// A label of a struct type, or `opt`.
    Label,
    Premise,
    /// The right side of an operator such as `=` or `<`. Contains the variable on the left side.
    Operand(Option<Symbol>),
    Term(TermSlot),
    Time,
    /// `do` or `let`, after `|>`.
    Transform,
    /// `let`, after a comma.
    Let,
    /// `fn:group_by`, after `do`.
    Grouping,
    LetVariable,
    LetValue,
}

/// Argument position of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TermSlot {
    /// `None` inside lists, maps and structs.
    pub(super) callee: Option<Callee>,
    /// Zero-based argument index.
    pub(super) index: usize,
    /// True for a label of a struct literal.
    pub(super) label: bool,
    /// True inside a function, list, map or struct.
    pub(super) nested: bool,
}

pub(super) fn classify(cursor: &Cursor, text: &str) -> CompletionContext {
    let scan = &cursor.before;
    let typed = cursor.word.typed(text);
    // No completion directly after the end of a statement.
    let rests = typed.is_empty()
        && scan.last.is_none()
        && text.get(..cursor.start.into()).is_some_and(|before| before.ends_with(['.', '!']));
    if rests || typed.starts_with(|c: char| c.is_ascii_digit()) {
        return CompletionContext::Nowhere;
    }
    let last = scan.last.map(|token| token.kind);
    let Some(frame) = scan.frame() else { return outside(scan, last) };
    let fresh = match last {
        Some(TokenKind::Open | TokenKind::Comma) => true,
        Some(TokenKind::Colon) => matches!(frame.bracket, Bracket::List | Bracket::Struct | Bracket::Type),
        // The keyword is `opt`.
        Some(TokenKind::Keyword) => frame.bracket == Bracket::Type,
        _ => false,
    };
    if fresh { inside(scan, frame, last) } else { CompletionContext::Nowhere }
}

/// Classifies a position outside of brackets.
fn outside(scan: &Scan, last: Option<TokenKind>) -> CompletionContext {
    use TokenKind as T;
    match (scan.part, last) {
        (CursorPart::Start, None) => CompletionContext::Statement,
        (CursorPart::Use, Some(T::Keyword)) => CompletionContext::Package,
        (CursorPart::Declaration, Some(T::Keyword)) if scan.head.is_none() => CompletionContext::Declared,
        (CursorPart::Declaration, Some(T::Close)) => CompletionContext::DeclarationPart,
        (CursorPart::Declaration, Some(T::Keyword)) if scan.keyword == Some("temporal") => {
            CompletionContext::DeclarationPart
        }
        (CursorPart::Body, Some(T::Arrow | T::Comma | T::Bang)) => CompletionContext::Premise,
        (CursorPart::Body, Some(T::Close)) if scan.behind_operator => CompletionContext::Premise,
        (CursorPart::Body, Some(T::Operator)) => CompletionContext::Operand(scan.left),
        (CursorPart::Transform, Some(T::Pipe)) => CompletionContext::Transform,
        (CursorPart::Transform, Some(T::Comma)) => CompletionContext::Let,
        (CursorPart::Transform, Some(T::Keyword)) if scan.keyword == Some("do") => {
            CompletionContext::Grouping
        }
        (CursorPart::Transform, Some(T::Keyword)) => CompletionContext::LetVariable,
        (CursorPart::Transform, Some(T::Operator)) => CompletionContext::LetValue,
        _ => CompletionContext::Nowhere,
    }
}

fn inside(scan: &Scan, frame: &Frame, last: Option<TokenKind>) -> CompletionContext {
    match frame.bracket {
        Bracket::Attributes => CompletionContext::Nowhere,
        Bracket::Time | Bracket::Span => CompletionContext::Time,
        Bracket::Descriptors => CompletionContext::Descriptor,
        Bracket::Inclusion => CompletionContext::Inclusion,
        Bracket::Bound => CompletionContext::Type { column: Some(frame.commas) },
        Bracket::Type => in_type(frame, last),
        Bracket::Call if frame.callee.is_some_and(Callee::constructs_types) => in_type(frame, last),
        Bracket::Call if scan.part == CursorPart::Declaration && scan.frames.len() == 1 => {
            CompletionContext::Nowhere
        }
        Bracket::Call => CompletionContext::Term(TermSlot {
            callee: frame.callee,
            index: frame.commas,
            label: false,
            nested: scan.frames.len() > 1,
        }),
        Bracket::List | Bracket::Struct => CompletionContext::Term(TermSlot {
            callee: None,
            index: frame.commas,
            label: frame.bracket == Bracket::Struct && !frame.colon,
            nested: true,
        }),
    }
}

/// Classifies a position inside the brackets of a type constructor.
fn in_type(frame: &Frame, last: Option<TokenKind>) -> CompletionContext {
    let name = frame.callee.map_or("", |callee| callee.name.as_str());
    let name = name.strip_prefix("fn:").or_else(|| name.strip_prefix('.')).unwrap_or(name);
    let call = frame.bracket == Bracket::Call;
    match name {
        "Singleton" => CompletionContext::TypeName,
        "Struct" if call && frame.commas % 2 == 1 => CompletionContext::Type { column: None },
        "Struct" if frame.colon => CompletionContext::Type { column: None },
        "Struct" if last == Some(TokenKind::Keyword) || call => CompletionContext::TypeName,
        "Struct" => CompletionContext::Label,
        "TaggedUnion" if frame.colon => CompletionContext::Type { column: None },
        "TaggedUnion" if !call || frame.commas % 2 == 1 || frame.commas == 0 => CompletionContext::TypeName,
        _ => CompletionContext::Type { column: None },
    }
}
