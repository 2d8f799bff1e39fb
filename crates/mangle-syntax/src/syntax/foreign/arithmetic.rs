//! Infix arithmetic, converted to function applications, and functions of other languages with their
//! Mangle equivalents.

use std::ops::Range;

use super::region::Region;
use super::token::{Lexeme, LexemeKind, tokens};
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

/// Signs and words that can follow an expression. Empty for the end of the statement.
const ENDS: [&str; 23] = [
    ",", ")", "]", ".", "=", "!=", "<", "<=", ">", ">=", "|>", "", ";", "&&", "and", "=:=", "=\\=", "==",
    "\\==", "===", "<>", "=<", "!==",
];

/// Maximum depth of expressions.
const MAX_DEPTH: u32 = 40;

/// An expression in the syntax of Mangle.
struct Expression {
    text: String,
    /// The index of the token after the expression.
    end: usize,
    /// The outermost operator, if any.
    operator: Option<&'static str>,
    is_text: bool,
}

/// Converts `source`, an expression with operators, to the syntax of Mangle. `None` if it is not an
/// expression, or is incomplete.
pub(in crate::syntax) fn as_functions(source: &str) -> Option<String> {
    let tokens = tokens(source);
    let expression = Reader { tokens: &tokens, text: source, depth: 0 }.sum(0)?;
    (expression.end == tokens.len() && expression.operator.is_some()).then_some(expression.text)
}

/// The expression with an operator that starts at the token `from` of a region. Returns its Mangle
/// text and the index after its last token.
fn expression_at(region: &Region<'_>, from: usize) -> Option<(String, usize)> {
    let expression = Reader { tokens: &region.tokens, text: region.text, depth: 0 }.sum(from)?;
    expression.operator.map(|_| (expression.text, expression.end))
}

/// Matches `Y = (X + 1) mod 2` and other arithmetic that the grammar does not accept.
pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let starts = ["=", "!=", "<", "<=", ">", ">=", "(", ",", "[", ":-", ":=", "==", "=:=", "=<", "<>"];
    for from in 1..region.tokens.len() {
        if !starts.contains(&region.before(from)) {
            continue;
        }
        if let Some(hit) = unknown(region, from) {
            hits.add(hit);
        } else if let Some(hit) = half_typed(region, from) {
            hits.add(hit);
        } else if let Some(hit) = computed(region, from) {
            hits.add(hit);
        }
    }
}

/// Matches `X ** 2` and `Y += X`.
fn unknown(region: &Region<'_>, from: usize) -> Option<ForeignConstruct> {
    let (sign, next) = (region.token(from + 1)?, region.token(from + 2)?);
    if !region.token(from)?.is_operand() || !next.is_operand() {
        return None;
    }
    match sign.text {
        "**" | "^" => {
            let hit = ForeignConstruct::new(&rules::INFIX_ARITHMETIC, sign.range(), no_infix(sign.text))
                .note("there is no function for powers either")
                .help("multiply with `fn:mult(…)`");
            Some(hit.read(sign.start..next.end, ""))
        }
        "+=" | "-=" => {
            let hit = ForeignConstruct::new(&rules::INFIX_ARITHMETIC, sign.range(), no_infix(sign.text))
                .note("a variable is bound once in a clause and does not change")
                .help("bind a new variable, as in `Y2 = fn:plus(Y, X)`");
            Some(hit.read(sign.range(), "="))
        }
        _ => None,
    }
}

fn computed(region: &Region<'_>, from: usize) -> Option<ForeignConstruct> {
    let (text, end) = expression_at(region, from)?;
    if !ENDS.contains(&region.at(end)) {
        return None;
    }
    if region.kind(from) == Some(LexemeKind::Text) && region.at(from + 1) == "%" {
        let hit = ForeignConstruct::new(&rules::INFIX_ARITHMETIC, region.range(from..end), no_infix("%"))
            .note("strings are joined with `fn:string:concat(…)`")
            .help("join the parts of the text with `fn:string:concat(…)`");
        return Some(hit.read(region.range(from..end), "\"\""));
    }
    let range = region.range(from..end);
    let sign = (from..end).find_map(|at| region.token(at).filter(|token| operator(token).is_some()));
    let title = format!("write `{}`", shorten(&text));
    let hit = ForeignConstruct::new(
        &rules::INFIX_ARITHMETIC,
        range.clone(),
        no_infix(sign.map_or("", |sign| sign.text)),
    )
    .note(format!("arithmetic uses functions, as in `{}`", shorten(&text)));
    Some(hit.replace(range, text).title(title))
}

/// Matches `Y = X + .`
fn half_typed(region: &Region<'_>, from: usize) -> Option<ForeignConstruct> {
    let (operand, sign) = (region.token(from)?, region.token(from + 1)?);
    let function = operator(sign)?.0;
    let stops = matches!(region.at(from + 2), "." | ")" | "," | "]" | "");
    if !stops || !operand.is_operand() || sign.is("%") || region.before(from) == ":-" {
        return None;
    }
    let hit = ForeignConstruct::new(&rules::INFIX_ARITHMETIC, sign.range(), no_infix(sign.text))
        .label("no operand after this")
        .note(format!("arithmetic uses functions, as in `{function}({}, …)`", shorten(operand.text)));
    Some(hit.read(sign.range(), ""))
}

/// The headline about an operator between values.
pub(in crate::syntax) fn no_infix(operator: &str) -> String {
    format!("Mangle has no infix operator `{operator}`")
}

/// The function of an operator, and its precedence.
fn operator(token: &Lexeme<'_>) -> Option<(&'static str, u32)> {
    Some(match token.text {
        "||" => ("fn:string:concat", 1),
        "+" | "++" => ("fn:plus", 1),
        "-" => ("fn:minus", 1),
        "*" => ("fn:mult", 2),
        "/" | "//" | "div" => ("fn:div", 2),
        "%" | "mod" => ("fn:mod", 2),
        _ => return None,
    })
}

struct Reader<'a, 't> {
    tokens: &'a [Lexeme<'t>],
    text: &'t str,
    depth: u32,
}

impl<'t> Reader<'_, 't> {
    fn at(&self, index: usize) -> Option<&Lexeme<'t>> {
        self.tokens.get(index)
    }

    fn is(&self, index: usize, text: &str) -> bool {
        self.at(index).is_some_and(|token| token.is(text))
    }

    fn sum(&mut self, from: usize) -> Option<Expression> {
        self.chain(from, 1)
    }

    /// Parses operands of one precedence, left-associative.
    fn chain(&mut self, from: usize, strength: u32) -> Option<Expression> {
        let mut left = self.operand(from, strength)?;
        loop {
            let Some(token) = self.at(left.end).copied() else { return Some(left) };
            let (function, right) = match operator(&token) {
                Some((function, own)) if own == strength => (function, self.operand(left.end + 1, strength)?),
                // `X -1`: the sign is part of the number only for the lexer of the grammar.
                _ => return Some(left),
            };
            left = join(function, left, right);
        }
    }

    fn operand(&mut self, from: usize, strength: u32) -> Option<Expression> {
        if strength == 1 { self.chain(from, 2) } else { self.primary(from) }
    }

    fn primary(&mut self, from: usize) -> Option<Expression> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        let token = *self.at(from)?;
        if token.is("(") {
            self.depth += 1;
            let inner = self.sum(from + 1)?;
            self.depth -= 1;
            return self.is(inner.end, ")").then(|| Expression { end: inner.end + 1, ..inner });
        }
        let minus = token.is("-") && self.at(from + 1).is_some_and(|next| next.kind == LexemeKind::Number);
        let last = match token.kind {
            LexemeKind::Sign if minus => from + 1,
            LexemeKind::Sign => return None,
            LexemeKind::Word if token.text.starts_with("fn:") => self.call_end(from)?,
            LexemeKind::Word => return None,
            _ => from,
        };
        let text = self.text.get(token.start..self.at(last)?.end)?.to_owned();
        Some(Expression { text, end: last + 1, operator: None, is_text: token.kind == LexemeKind::Text })
    }

    /// The index of the last token of `fn:f(…)`.
    fn call_end(&self, from: usize) -> Option<usize> {
        let open = self.at(from + 1).filter(|token| token.is("("))?;
        let closes =
            |index: &usize| self.at(*index).is_some_and(|token| token.is(")") && token.depth == open.depth);
        (from + 2..self.tokens.len()).find(closes)
    }
}

/// Creates `function(left, right)`. Texts are concatenated instead of added, and long sums use one
/// call.
fn join(function: &'static str, left: Expression, right: Expression) -> Expression {
    let is_text = function == "fn:plus" && (left.is_text || right.is_text);
    let function = if is_text { "fn:string:concat" } else { function };
    let repeats =
        left.operator == Some(function) && matches!(function, "fn:plus" | "fn:mult" | "fn:string:concat");
    let text = if repeats && left.text.ends_with(')') {
        // The text grows in place, so a long sum is not copied for each operand.
        let mut text = left.text;
        text.pop();
        text.push_str(", ");
        text.push_str(&right.text);
        text.push(')');
        text
    } else {
        format!("{function}({}, {})", left.text, right.text)
    };
    Expression { text, end: right.end, operator: Some(function), is_text }
}

/// The expression after `is` in the syntax of Mangle, or unchanged if it has no operator.
pub(super) fn value(region: &Region<'_>, tokens: Range<usize>) -> String {
    match expression_at(region, tokens.start) {
        Some((text, end)) if end == tokens.end => text,
        _ => {
            let (word, text) = (region.at(tokens.start), region.slice(region.range(tokens.clone())));
            let function = function(word).filter(|_| region.is_atom(tokens.start));
            function.map_or_else(|| text.to_owned(), |function| text.replacen(word, function, 1))
        }
    }
}

/// The Mangle function for the name `word` of another language.
pub(super) fn function(word: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(known, _)| *known == word).map(|(_, function)| *function)
}

/// Advice for a call without an equivalent Mangle function with the same arguments.
pub(in crate::syntax) fn value_advice(word: &str) -> &'static str {
    match word.rsplit('.').next().unwrap_or(word) {
        "sprintf" | "format" | "printf" | "format_string" | "print" | "string_format" => {
            "join the parts with `fn:string:concat(…)`"
        }
        "get" => "bind the value with a premise that has the key as an argument",
        "lower" | "upper" | "toLowerCase" | "toUpperCase" | "trim" | "strip" | "split" | "substring" => {
            "add the changed text as a fact; Mangle has no such function"
        }
        _ => "use a function, which begins with `fn:`, or bind a variable with a premise",
    }
}

/// Function names of other languages.
const FUNCTIONS: &[(&str, &str)] = &[
    ("plus", "fn:plus"),
    ("add", "fn:plus"),
    ("minus", "fn:minus"),
    ("subtract", "fn:minus"),
    ("mult", "fn:mult"),
    ("multiply", "fn:mult"),
    ("div", "fn:div"),
    ("mod", "fn:mod"),
    ("sqrt", "fn:sqrt"),
    ("concat", "fn:string:concat"),
    ("string_concat", "fn:string:concat"),
    ("strcat", "fn:string:concat"),
    ("cat", "fn:string:concat"),
    ("replace", "fn:string:replace"),
    ("to_string", "fn:number:to_string"),
    ("group_by", "fn:group_by"),
    ("pair", "fn:pair"),
    ("tuple", "fn:tuple"),
    ("append", "fn:list:append"),
    ("cons", "fn:list:cons"),
    ("len", "fn:list:len"),
    ("length", "fn:list:len"),
    ("now", "fn:time:now"),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::as_functions;

    #[test]
    fn operators_become_functions() {
        let cases = [
            ("X + 1", "fn:plus(X, 1)"),
            ("X * 2 - 1", "fn:minus(fn:mult(X, 2), 1)"),
            ("(X + 1) * 2", "fn:mult(fn:plus(X, 1), 2)"),
            ("A + B + C", "fn:plus(A, B, C)"),
            ("A - B - C", "fn:minus(fn:minus(A, B), C)"),
            ("A - (B - C)", "fn:minus(A, fn:minus(B, C))"),
            ("X / 2 % 3", "fn:mod(fn:div(X, 2), 3)"),
            ("\"a\" + X + \"b\"", "fn:string:concat(\"a\", X, \"b\")"),
            ("fn:mult(X, 2) + -1", "fn:plus(fn:mult(X, 2), -1)"),
        ];
        for (source, expected) in cases {
            assert_eq!(as_functions(source).unwrap(), expected, "{source}");
        }
        for half in ["X +", "+ X", "X", "X + p(1)", "(X + 1"] {
            assert_eq!(as_functions(half), None, "{half}");
        }
    }
}
