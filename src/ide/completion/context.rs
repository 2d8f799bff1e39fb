//! Where in a statement the cursor is: what may be written there.

use crate::ide::cursor::{Bracket, Callee, Cursor, Frame, Part, Scan};
use mangle_syntax::syntax::TokenKind;
use mangle_syntax::text::Symbol;

/// What may be written at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Where {
    /// Nothing that could be told.
    Nowhere,
    /// A statement.
    Statement,
    /// The name of a package, behind `Use`.
    Package,
    /// The atom behind `Decl`.
    Declared,
    /// A word behind a declared atom.
    DeclarationPart,
    /// An atom of `descr […]`.
    Descriptor,
    /// An atom of `inclusion […]`.
    Inclusion,
    /// A type; the column where it is that of a whole parameter.
    Type {
        /// The parameter.
        column: Option<usize>,
    },
    /// A name where a type expression has one: a label, a tag, a constant.
    TypeName,
    /// A label of a struct type, where `opt` may stand too.
    Label,
    /// A premise.
    Premise,
    /// The right side of `=`, `<` and the like; the variable on the left.
    Operand(Option<Symbol>),
    /// A term.
    Term(Hole),
    /// A bound of an interval.
    Time,
    /// `do` or `let`, behind `|>`.
    Transform,
    /// `let`, behind a comma.
    Let,
    /// `fn:group_by`, behind `do`.
    Grouping,
    /// The variable of a `let`.
    LetVariable,
    /// The value of a `let`.
    LetValue,
}

/// The place of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hole {
    /// Whose argument it is; `None` inside lists, maps and structs.
    pub(super) callee: Option<Callee>,
    /// Which argument.
    pub(super) index: usize,
    /// Whether it is a label of a struct literal.
    pub(super) label: bool,
    /// Whether it stands inside a function, a list, a map or a struct.
    pub(super) nested: bool,
}

/// What may be written at a cursor.
pub(super) fn place(cursor: &Cursor, text: &str) -> Where {
    let scan = &cursor.before;
    let typed = cursor.word.typed(text);
    // Right behind a full stop one rests.
    let rests = typed.is_empty()
        && scan.last.is_none()
        && text.get(..cursor.start.into()).is_some_and(|before| before.ends_with(['.', '!']));
    if rests || typed.starts_with(|c: char| c.is_ascii_digit()) {
        return Where::Nowhere;
    }
    let last = scan.last.map(|token| token.kind);
    let Some(frame) = scan.frame() else { return outside(scan, last) };
    let fresh = match last {
        Some(TokenKind::Open | TokenKind::Comma) => true,
        Some(TokenKind::Colon) => matches!(frame.bracket, Bracket::List | Bracket::Struct | Bracket::Type),
        // `opt`
        Some(TokenKind::Keyword) => frame.bracket == Bracket::Type,
        _ => false,
    };
    if fresh { inside(scan, frame, last) } else { Where::Nowhere }
}

/// In no bracket.
fn outside(scan: &Scan, last: Option<TokenKind>) -> Where {
    use TokenKind as T;
    match (scan.part, last) {
        (Part::Start, None) => Where::Statement,
        (Part::Use, Some(T::Keyword)) => Where::Package,
        (Part::Declaration, Some(T::Keyword)) if scan.head.is_none() => Where::Declared,
        (Part::Declaration, Some(T::Close)) => Where::DeclarationPart,
        (Part::Declaration, Some(T::Keyword)) if scan.keyword == Some("temporal") => Where::DeclarationPart,
        (Part::Body, Some(T::Arrow | T::Comma | T::Bang)) => Where::Premise,
        (Part::Body, Some(T::Close)) if scan.behind_operator => Where::Premise,
        (Part::Body, Some(T::Operator)) => Where::Operand(scan.left),
        (Part::Transform, Some(T::Pipe)) => Where::Transform,
        (Part::Transform, Some(T::Comma)) => Where::Let,
        (Part::Transform, Some(T::Keyword)) if scan.keyword == Some("do") => Where::Grouping,
        (Part::Transform, Some(T::Keyword)) => Where::LetVariable,
        (Part::Transform, Some(T::Operator)) => Where::LetValue,
        _ => Where::Nowhere,
    }
}

fn inside(scan: &Scan, frame: &Frame, last: Option<TokenKind>) -> Where {
    match frame.bracket {
        Bracket::Attributes => Where::Nowhere,
        Bracket::Time | Bracket::Span => Where::Time,
        Bracket::Descriptors => Where::Descriptor,
        Bracket::Inclusion => Where::Inclusion,
        Bracket::Bound => Where::Type { column: Some(frame.commas) },
        Bracket::Type => in_type(frame, last),
        Bracket::Call if frame.callee.is_some_and(Callee::constructs_types) => in_type(frame, last),
        Bracket::Call if scan.part == Part::Declaration && scan.frames.len() == 1 => Where::Nowhere,
        Bracket::Call => Where::Term(Hole {
            callee: frame.callee,
            index: frame.commas,
            label: false,
            nested: scan.frames.len() > 1,
        }),
        Bracket::List | Bracket::Struct => Where::Term(Hole {
            callee: None,
            index: frame.commas,
            label: frame.bracket == Bracket::Struct && !frame.colon,
            nested: true,
        }),
    }
}

/// What belongs where inside the brackets of a type constructor.
fn in_type(frame: &Frame, last: Option<TokenKind>) -> Where {
    let name = frame.callee.map_or("", |callee| callee.name.as_str());
    let name = name.strip_prefix("fn:").or_else(|| name.strip_prefix('.')).unwrap_or(name);
    let call = frame.bracket == Bracket::Call;
    match name {
        "Singleton" => Where::TypeName,
        "Struct" if call && frame.commas % 2 == 1 => Where::Type { column: None },
        "Struct" if frame.colon => Where::Type { column: None },
        "Struct" if last == Some(TokenKind::Keyword) || call => Where::TypeName,
        "Struct" => Where::Label,
        "TaggedUnion" if frame.colon => Where::Type { column: None },
        "TaggedUnion" if !call || frame.commas % 2 == 1 || frame.commas == 0 => Where::TypeName,
        _ => Where::Type { column: None },
    }
}
