//! Token scanner of a statement that records the current part, the open brackets, and the positions
//! of variables. Unexpected tokens are skipped.

use mangle_engine::program::builtins;
use mangle_syntax::syntax::{Token, TokenKind};
use mangle_syntax::text::{Symbol, TextRange};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorPart {
    /// Before the first token.
    #[default]
    Start,
    /// `Package`
    Package,
    /// `Use`
    Use,
    /// `Decl`
    Declaration,
    /// Before the arrow.
    Head,
    /// After the arrow.
    Body,
    /// After `|>`.
    Transform,
}

/// Kinds of open brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bracket {
    /// Arguments of a predicate, function or descriptor.
    Call,
    /// `[` of a list or map.
    List,
    /// `{` of a struct.
    Struct,
    /// `<` of a type.
    Type,
    /// `@[`
    Time,
    /// Bounds of a temporal operator.
    Span,
    /// `descr [`
    Descriptors,
    /// `bound [`
    Bound,
    /// `inclusion [`
    Inclusion,
    /// `[` after the name of a package.
    Attributes,
}

#[derive(Debug, Clone)]
pub struct Frame {
    pub bracket: Bracket,
    /// Name before the bracket, if any.
    pub callee: Option<Callee>,
    /// Number of commas since the bracket.
    pub commas: usize,
    /// True if a colon occurred since the last comma.
    pub colon: bool,
    /// Variables that are already arguments.
    pub variables: Vec<Symbol>,
    pub range: TextRange,
}

/// Name before a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callee {
    /// Name as written.
    pub name: Symbol,
    pub range: TextRange,
}

/// An occurrence of a variable in the statement.
#[derive(Debug, Clone, Copy)]
pub struct Occurrence {
    pub variable: Symbol,
    pub range: TextRange,
    pub part: CursorPart,
    /// True inside a negated premise.
    pub negated: bool,
    /// Predicate or function, and the zero-based argument index.
    pub argument: Option<(Callee, usize)>,
    /// Zero-based index of the premise.
    pub premise: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct BodyPredicate {
    /// Name as written.
    pub name: Symbol,
    /// Zero-based index of the premise.
    pub premise: usize,
}

/// Scanner state after a prefix of the tokens of a statement.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    pub part: CursorPart,
    /// Open brackets, innermost last.
    pub frames: Vec<Frame>,
    pub last: Option<Token>,
    pub keyword: Option<&'static str>,
    /// Predicate of the head or of the declaration.
    pub head: Option<Callee>,
    /// Flags for `temporal`, `descr`, `bound` and `inclusion`, in this order.
    pub seen: [bool; 4],
    /// Number of `bound […]` parts.
    pub bounds: usize,
    /// Descriptors with the variable of their first argument.
    pub descriptors: Vec<(Symbol, Option<Symbol>)>,
    /// True if the premise is negated.
    pub negated: bool,
    /// True if the premise has a temporal operator.
    pub temporal: bool,
    /// Variable on the left side of the comparison operator of the premise.
    pub left: Option<Symbol>,
    /// True for an operator that compares integers, such as `<`.
    pub ordering: bool,
    /// True if the last token closed the bounds of a temporal operator.
    pub behind_operator: bool,
    /// True if the transform contains `fn:group_by`.
    pub groups: bool,
    /// Index of the current premise.
    pub premise: usize,
    /// Variables of the statement.
    pub variables: Vec<Occurrence>,
    /// Predicates used in the body.
    pub asked: Vec<BodyPredicate>,
    /// Arguments of `fn:group_by`.
    pub grouping: Vec<Symbol>,
}

/// Words that are keywords at any position.
const KEYWORDS: [&str; 11] =
    ["Package", "Use", "Decl", "temporal", "descr", "bound", "inclusion", "let", "do", "now", "opt"];

/// Parts of a declaration in grammar order.
pub(crate) const DECLARATION_PARTS: [&str; 4] = ["temporal", "descr", "bound", "inclusion"];

impl Scan {
    /// Scans tokens from the start of a statement.
    pub(super) fn new(tokens: &[Token], text: &str) -> Self {
        let mut scan = Self::default();
        let mut before = None;
        for token in tokens {
            scan.token(*token, before, text);
            before = Some(*token);
        }
        scan
    }

    /// Continues with the tokens after the word. Also returns the number of arguments of the
    /// innermost bracket, if it is closed.
    pub(super) fn extend(mut self, tokens: &[Token], text: &str) -> (Self, Option<usize>) {
        let depth = self.frames.len();
        let mut arguments = None;
        let mut before = self.last;
        for token in tokens {
            let commas = self.frames.get(depth.wrapping_sub(1)).map_or(0, |frame| frame.commas);
            self.token(*token, before, text);
            if self.frames.len() < depth && arguments.is_none() {
                arguments = Some(match token.kind {
                    TokenKind::Close => commas + 1,
                    // Another part follows, so the bracket was never closed.
                    _ => 0,
                });
            }
            before = Some(*token);
        }
        (self, arguments.filter(|count| *count > 0))
    }

    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    fn token(&mut self, token: Token, before: Option<Token>, text: &str) {
        let spelled = token.text(text);
        // In damaged code, keywords may be tokenized as identifiers.
        let is_word = token.kind == TokenKind::Identifier && KEYWORDS.contains(&spelled);
        let token = if is_word { Token { kind: TokenKind::Keyword, ..token } } else { token };
        let operator_ended = std::mem::take(&mut self.behind_operator);
        match token.kind {
            TokenKind::Comment => {
                self.behind_operator = operator_ended;
                return;
            }
            TokenKind::Keyword => self.keyword(spelled),
            TokenKind::Open => self.open(token, before, text),
            TokenKind::Close => self.close(spelled),
            TokenKind::Operator => self.operator(token, before, text),
            TokenKind::Comma => self.comma(),
            TokenKind::Arrow => self.enter(CursorPart::Body),
            TokenKind::Pipe => self.enter(CursorPart::Transform),
            TokenKind::Bang if self.frames.is_empty() => self.negated = self.part == CursorPart::Body,
            TokenKind::Colon => self.frames.iter_mut().rev().take(1).for_each(|frame| frame.colon = true),
            TokenKind::Variable => self.variable(token, spelled),
            _ if self.part == CursorPart::Start => self.part = CursorPart::Head,
            _ => {}
        }
        self.last = Some(token);
    }

    fn enter(&mut self, part: CursorPart) {
        self.part = part;
        self.frames.clear();
        self.new_premise();
    }

    fn new_premise(&mut self) {
        (self.negated, self.temporal, self.left) = (false, false, None);
        self.premise += 1;
    }

    fn keyword(&mut self, word: &str) {
        self.keyword = KEYWORDS.into_iter().find(|known| *known == word);
        match word {
            "Package" => self.part = CursorPart::Package,
            "Use" => self.part = CursorPart::Use,
            "Decl" => self.part = CursorPart::Declaration,
            "do" => self.groups = true,
            "let" => self.left = None,
            _ => {}
        }
        if let Some(at) = DECLARATION_PARTS.iter().position(|part| *part == word)
            && self.part == CursorPart::Declaration
        {
            self.frames.clear();
            self.bounds += usize::from(word == "bound");
            self.seen.iter_mut().skip(at).take(1).for_each(|seen| *seen = true);
        }
    }

    fn open(&mut self, token: Token, before: Option<Token>, text: &str) {
        let bracket = match (token.text(text), before.map(|before| (before.kind, before.text(text)))) {
            ("(", _) => Bracket::Call,
            ("{", _) => Bracket::Struct,
            ("<", _) => Bracket::Type,
            (_, Some((TokenKind::At, _))) => Bracket::Time,
            (_, Some((TokenKind::Operator, "<-" | "<+" | "[-" | "[+"))) => {
                self.temporal = true;
                Bracket::Span
            }
            (_, Some((_, "descr"))) => Bracket::Descriptors,
            (_, Some((_, "bound"))) => Bracket::Bound,
            (_, Some((_, "inclusion"))) => Bracket::Inclusion,
            _ if matches!(self.part, CursorPart::Package | CursorPart::Use) => Bracket::Attributes,
            _ => Bracket::List,
        };
        let names = matches!(bracket, Bracket::Call | Bracket::Type);
        let callee = before.filter(|before| {
            names
                && before.range.end() == token.range.start()
                && matches!(before.kind, TokenKind::Identifier | TokenKind::TypeName | TokenKind::Variable)
        });
        let callee = callee.map(|name| Callee { name: Symbol::new(name.text(text)), range: name.range });
        if let (Some(callee), Bracket::Call) = (callee, bracket) {
            self.called(callee);
        }
        let (commas, colon, variables) = (0, false, Vec::new());
        self.frames.push(Frame { bracket, callee, commas, colon, variables, range: token.range });
    }

    /// Records the name before a parenthesis.
    fn called(&mut self, callee: Callee) {
        // A capitalized name before a parenthesis is not a variable.
        self.variables.retain(|occurrence| occurrence.range != callee.range);
        match (self.part, self.frames.last()) {
            (CursorPart::Start | CursorPart::Head | CursorPart::Declaration, None) if self.head.is_none() => {
                self.head = Some(callee);
            }
            (CursorPart::Declaration, Some(frame)) if frame.bracket == Bracket::Descriptors => {
                self.descriptors.push((callee.name, None));
            }
            (CursorPart::Body, None) => {
                self.asked.push(BodyPredicate { name: callee.name, premise: self.premise })
            }
            _ => {}
        }
        if self.part == CursorPart::Start {
            self.part = CursorPart::Head;
        }
    }

    fn close(&mut self, spelled: &str) {
        let fits = |frame: &Frame| match spelled {
            ")" => frame.bracket == Bracket::Call,
            "}" => frame.bracket == Bracket::Struct,
            ">" => frame.bracket == Bracket::Type,
            _ => !matches!(frame.bracket, Bracket::Call | Bracket::Struct | Bracket::Type),
        };
        if let Some(at) = self.frames.iter().rposition(fits) {
            let closed = self.frames.get(at).map(|frame| frame.bracket);
            self.behind_operator = closed == Some(Bracket::Span) && at == 0;
            self.frames.truncate(at);
        }
    }

    fn operator(&mut self, token: Token, before: Option<Token>, text: &str) {
        match token.text(text) {
            "<" if before.is_some_and(|before| {
                before.kind == TokenKind::TypeName || before.text(text).starts_with('.')
            }) =>
            {
                self.open(token, before, text);
            }
            ">" if self.frames.last().is_some_and(|frame| frame.bracket == Bracket::Type) => self.close(">"),
            _ if self.frames.is_empty() => {
                self.ordering = !matches!(token.text(text), "=" | "!=");
                let left = before.filter(|before| before.kind == TokenKind::Variable);
                self.left = left.map(|left| Symbol::new(left.text(text)));
            }
            _ => {}
        }
    }

    fn comma(&mut self) {
        match self.frames.last_mut() {
            Some(frame) => {
                frame.commas += 1;
                frame.colon = false;
            }
            None => self.new_premise(),
        }
    }

    fn variable(&mut self, token: Token, spelled: &str) {
        if self.part == CursorPart::Start {
            self.part = CursorPart::Head;
        }
        if spelled == "_" {
            return;
        }
        let variable = Symbol::new(spelled);
        let frame = self.frames.last_mut();
        let argument = frame.and_then(|frame| {
            frame.variables.push(variable);
            let callee = frame.callee.filter(|_| frame.bracket == Bracket::Call)?;
            Some((callee, frame.commas))
        });
        if let Some((callee, 0)) = argument
            && let Some((name, first)) = self.descriptors.last_mut()
            && *name == callee.name
        {
            *first = Some(variable);
        }
        if argument.is_some_and(|(callee, _)| callee.name.as_str() == "fn:group_by") {
            self.grouping.push(variable);
        }
        self.variables.push(Occurrence {
            variable,
            range: token.range,
            part: self.part,
            negated: self.negated,
            argument,
            premise: self.premise,
        });
    }
}

impl Callee {
    /// True for a type constructor in either notation.
    #[must_use]
    pub fn constructs_types(self) -> bool {
        let name = self.name.as_str();
        name.starts_with('.') || builtins::is_type_constructor(name)
    }
}

/// Returns the number of arguments in the parentheses at the start of the tokens.
pub(super) fn arguments(tokens: &[Token]) -> usize {
    let (mut depth, mut count, mut empty) = (0, 0, true);
    for token in tokens {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::Comma if depth == 1 => {
                count += 1;
                empty = true;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        empty &= token.kind == TokenKind::Open && depth == 1;
    }
    count + usize::from(!empty)
}
