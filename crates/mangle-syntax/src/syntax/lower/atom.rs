//! Lowering of atoms, names, literals and variables, with checks for literals that the grammar
//! accepts too generously.

use tree_sitter::Node;

use super::{Commas, Lower, shorten};
use crate::lint::{Finding, Fix};
use crate::syntax::ast::{Atom, Name, TermKind};
use crate::syntax::literal::{self, Piece};
use crate::syntax::{SyntaxKind, kind_of, rules, time};
use crate::text::{Symbol, TextRange, TextSize};

/// Reserved words of the engine, which cannot name a predicate.
const RESERVED: [&str; 8] = ["temporal", "descr", "inclusion", "now", "opt", "bound", "let", "do"];

impl<'t> Lower<'_, 't> {
    /// Lowers an atom, with or without parentheses. The cursor must be on it.
    pub(super) fn atom(&mut self, node: Node<'t>) -> Atom {
        let range = self.range(node);
        let bare = Self::is_bare(node);
        let mut name = None;
        let mut args = Vec::new();
        let mut commas = Commas::default();
        self.children(|this, child, kind| match kind {
            SyntaxKind::Identifier | SyntaxKind::Variable if name.is_none() => {
                name = Some(this.predicate_name(child, kind));
            }
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Token => {}
            SyntaxKind::Negation | SyntaxKind::Comparison => this.premise_as_argument(child),
            SyntaxKind::Error
            | SyntaxKind::MissingParen
            | SyntaxKind::MissingComma
            | SyntaxKind::StrayParen => {
                this.other(child, kind);
            }
            _ => {
                this.element(&mut commas);
                let term = this.term(child);
                args.push(term);
            }
        });
        self.end_of_list(&commas);
        let name = name.unwrap_or_else(|| Name {
            symbol: Symbol::of_language(""),
            range: TextRange::empty(range.start()),
        });
        if bare {
            self.missing_parens(name);
        }
        args.shrink_to_fit();
        Atom { name, args, range }
    }

    /// Reports a negation or comparison among arguments, which indicates a missing `)` of the atom.
    fn premise_as_argument(&mut self, node: Node<'t>) {
        let at = self.before(TextRange::empty(self.range(node).start()));
        let message = "missing `)`: a premise cannot be an argument";
        self.hard(Finding::new(&rules::MISSING_BRACKET, at, message).label("expected `)` after this"));
    }

    fn predicate_name(&mut self, node: Node<'t>, kind: SyntaxKind) -> Name {
        let name = self.name(node);
        if kind == SyntaxKind::Variable {
            self.uppercase_predicate(name);
        } else if RESERVED.contains(&self.slice(name.range)) {
            let word = self.slice(name.range);
            self.soft(reserved(word, "predicate", name.range));
        }
        name
    }

    fn uppercase_predicate(&mut self, name: Name) {
        let word = self.slice(name.range);
        let mut lower: String = word.trim_start_matches('_').to_owned();
        if word.len() > 1 && !word.contains(|c: char| c.is_ascii_lowercase()) {
            lower.make_ascii_lowercase();
        } else if let Some(first) = lower.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        let mut finding = not_lower_case(word, "predicate", name.range);
        if self.applications == 0 && lower.starts_with(|c: char| c.is_ascii_lowercase()) {
            finding = finding.fix(Fix::guess(format!("rename to `{lower}`")).replace(name.range, lower));
        }
        self.soft(finding);
    }

    /// Lowers the name after `Package` or `Use`. Capital letters in a package have a separate rule.
    /// The name in a `Use` can have them, except at the start.
    pub(super) fn package_name(&mut self, node: Node<'t>, keyword: &str) -> Name {
        let name = self.name(node);
        let word = self.source(node);
        if RESERVED.contains(&word) || matches!(word, "Package" | "Use" | "Decl") {
            self.soft(reserved(word, "package", name.range));
        } else if word.starts_with('_')
            || (keyword == "Use" && word.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            self.soft(not_lower_case(word, "package", name.range));
        }
        name
    }

    pub(super) fn name(&self, node: Node<'t>) -> Name {
        Name { symbol: Symbol::new(self.source(node)), range: self.range(node) }
    }

    /// [`Atom::is_function`] based on the text, because the word can be unknown.
    pub(super) fn is_function(&self, atom: &Atom) -> bool {
        self.slice(atom.name.range).starts_with("fn:")
    }

    /// Reports `fn:f(…)` in the position of an atom. `role` describes the position.
    pub(super) fn check_not_function(&mut self, atom: &Atom, role: &str) {
        if self.is_function(atom) {
            let name = self.slice(atom.name.range);
            let message = format!("function `{}` cannot {role}", shorten(name));
            let finding = Finding::new(&rules::FUNCTION_AS_ATOM, atom.name.range, message);
            self.soft(finding.label("not a predicate").note("the engine accepts only a predicate there"));
            self.holes = true;
        }
    }

    /// Reports `fn:string:contains(X, "a")` as a condition.
    pub(super) fn function_as_premise(&mut self, atom: &Atom) {
        self.holes = true;
        let function = self.slice(atom.name.range);
        let twin = match function {
            "fn:string:contains" | "fn:string_contains" => Some(":string:contains"),
            "fn:string:starts_with" | "fn:string_starts_with" => Some(":string:starts_with"),
            "fn:string:ends_with" | "fn:string_ends_with" => Some(":string:ends_with"),
            "fn:list:member" => Some(":list:member"),
            "fn:match_prefix" => Some(":match_prefix"),
            _ => None,
        };
        let message = format!("function `{}` is used as a premise", shorten(function));
        let mut finding = Finding::new(&rules::FUNCTION_AS_PREMISE, atom.name.range, message)
            .note("a function returns a value, which is neither true nor false")
            .help("bind its result to a variable with `=`");
        if let Some(twin) = twin {
            let fix = Fix::safe(format!("write `{twin}`")).replace(atom.name.range, twin);
            finding = finding.fix(fix.replacing(atom.name.range));
        } else if function == "fn:list:contains" {
            let fix = Fix::safe("wrap it in `:filter(…)`")
                .insert(atom.range.start(), ":filter(")
                .insert(atom.range.end(), ")")
                .replacing(atom.range);
            finding = finding.fix(fix);
        }
        self.soft(finding);
    }

    /// Lowers an atom list, `[a(…), b(…)]`. The cursor must be on it.
    pub(super) fn atom_list(&mut self, node: Node<'t>) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let mut commas = Commas::default();
        self.check_glued_bracket(node);
        self.children(|this, child, kind| match kind {
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Atom | SyntaxKind::BareAtom => {
                this.element(&mut commas);
                let atom = this.atom(child);
                this.check_not_function(&atom, "be an entry of this list");
                atoms.push(atom);
            }
            SyntaxKind::Token => {}
            SyntaxKind::String | SyntaxKind::Constant | SyntaxKind::Number => {
                this.element(&mut commas);
                this.value_in_atom_list(child);
            }
            _ => this.other(child, kind),
        });
        self.end_of_list(&commas);
        atoms.shrink_to_fit();
        atoms
    }

    /// Reports `descr ["text"]`.
    fn value_in_atom_list(&mut self, node: Node<'t>) {
        let range = self.range(node);
        let found = match kind_of(node) {
            SyntaxKind::String => "string",
            SyntaxKind::Number => "number",
            _ => "name",
        };
        let message = format!("expected an atom, found a {found}");
        let mut finding = Finding::new(&rules::NOT_AN_ATOM, range, message)
            .note("descriptors and constraints are atoms, such as `doc(\"…\")`");
        if literal::string_content(self.source(node)).is_some() {
            let fix = Fix::safe("wrap it in `doc(…)`").insert(range.start(), "doc(").insert(range.end(), ")");
            finding = finding.fix(fix);
        }
        self.soft(finding);
        self.holes = true;
    }
}

/// The finding for a keyword used as the name of a `kind` of object.
pub(super) fn reserved(word: &str, kind: &str, range: TextRange) -> Finding {
    let message = format!("`{word}` is a reserved word and cannot name a {kind}");
    Finding::new(&rules::RESERVED_WORD, range, message)
        .note("the engine reads it as a keyword and rejects the statement")
        .help("choose another name")
}

/// The finding for the name of a `kind` of object that does not start with a lower-case letter.
fn not_lower_case(word: &str, kind: &str, range: TextRange) -> Finding {
    let shown = shorten(word);
    if word.starts_with('_') {
        let message = format!("{kind} `{shown}` starts with an underscore");
        return Finding::new(&rules::UPPERCASE_PREDICATE, range, message)
            .note(format!("the name of a {kind} starts with a lower-case letter"));
    }
    Finding::new(&rules::UPPERCASE_PREDICATE, range, format!("{kind} `{shown}` starts with a capital letter"))
        .note("the engine reads a capitalized word as a variable")
}

impl<'t> Lower<'_, 't> {
    pub(super) fn variable(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let word = self.source(node);
        if word == "_" {
            return TermKind::Wildcard;
        }
        if word.contains('_') {
            self.odd.underscored.push((word, range));
        } else if matches!(word, "Package" | "Use" | "Decl") {
            self.soft(reserved(word, "variable", range));
        } else if let Some(meant) = self.capital_constant(word) {
            return self.foreign_constant(word, meant, range);
        }
        TermKind::Variable(Symbol::new(word))
    }

    pub(super) fn number(&mut self, node: Node<'t>) -> TermKind {
        let value = self.source(node).parse().ok();
        if value.is_none() {
            let finding =
                Finding::new(&rules::NUMBER_RANGE, self.range(node), "number does not fit in 64 bits");
            self.soft(finding.note("numbers range from -9223372036854775808 to 9223372036854775807"));
        }
        TermKind::Number(value)
    }

    pub(super) fn float(&mut self, node: Node<'t>) -> TermKind {
        let range = self.range(node);
        let written = self.source(node);
        let value = written.parse::<f64>().unwrap_or(f64::INFINITY);
        if !written.contains('.') {
            let spelt = written.replacen(['e', 'E'], ".0e", 1);
            let fix = Fix::safe(format!("write `{spelt}`")).replace(range, spelt.as_str());
            let message = format!("`{}` has an exponent but no fraction", super::shorten(written));
            let finding = Finding::new(&rules::EXPONENT_NEEDS_FRACTION, range, message);
            self.soft(finding.note("the engine reads a number followed by a word").fix(fix));
        } else if value.is_infinite() {
            let finding = Finding::new(&rules::NUMBER_RANGE, range, "float does not fit in 64 bits");
            self.soft(finding.note("the engine rejects it"));
        }
        TermKind::Float(value)
    }

    pub(super) fn string(&mut self, node: Node<'t>, bytes: bool) -> TermKind {
        let kind = if bytes { TermKind::Bytes } else { TermKind::String };
        if self.is_unterminated(node) {
            return kind;
        }
        let source = self.source(node);
        if source.contains('\\') {
            self.check_escapes(node, source, bytes);
        }
        kind
    }

    /// True if a string is unterminated. Multi-line strings have children, and the last child can
    /// stand for a missing quote.
    fn is_unterminated(&mut self, node: Node<'t>) -> bool {
        let last = node.child_count().checked_sub(1);
        let Some(last) = last.and_then(|last| node.child(last)) else { return false };
        if kind_of(last) != SyntaxKind::MissingQuote {
            return false;
        }
        let opening = self.opening_quote(node);
        let line = self.first_line(self.range(node));
        // Characters that usually close the clause were not meant to be in the string.
        let content = self.slice(line).trim_end_matches([')', ']', '}', '.', ',', ' ']);
        let end = line.start() + super::size(content.len());
        let backslashes = content.len() - content.trim_end_matches('\\').len();
        let mut finding = Finding::new(&rules::UNTERMINATED_STRING, opening, "string is never closed")
            .note("the engine reads everything up to the next such quote as text");
        // A quote after a backslash would also be text.
        if backslashes.is_multiple_of(2) {
            let quote = self.slice(opening).chars().next_back().unwrap_or('"');
            finding = finding.fix(Fix::guess("close the string on its first line").insert(end, quote));
        }
        self.hard(finding);
        true
    }

    fn opening_quote(&self, node: Node<'t>) -> TextRange {
        let prefix = if self.source(node).starts_with('b') { 2 } else { 1 };
        TextRange::at(self.range(node).start(), TextSize::new(prefix))
    }

    fn check_escapes(&mut self, node: Node<'t>, source: &str, bytes: bool) {
        let prefix = usize::from(bytes);
        let Some(content) = source.get(prefix..).and_then(literal::string_content) else { return };
        let start = self.range(node).start() + super::size(prefix + 1);
        for (at, piece) in literal::pieces(content, bytes) {
            if let Piece::Bad(escape) = piece {
                let range = TextRange::at(start + super::size(at), super::size(escape.len()));
                self.bad_escape(range, escape, content.get(at..).unwrap_or(""));
            }
        }
    }

    fn bad_escape(&mut self, range: TextRange, escape: &str, rest: &str) {
        let (message, note) = match escape {
            "\\x" => (
                "malformed escape `\\x`".to_owned(),
                "`\\x` requires two lower-case hex digits, below `80` in a string",
            ),
            "\\u" => (
                "malformed escape `\\u`".to_owned(),
                "`\\u{…}` requires four to six lower-case hex digits of a character",
            ),
            "\\\r" => (
                "backslash before a CRLF line end".to_owned(),
                "the engine accepts a backslash at the end of a line only before LF",
            ),
            _ => (format!("unknown escape `{escape}`"), "a backslash itself is written `\\\\`"),
        };
        let mut finding = Finding::new(&rules::BAD_ESCAPE, range, message).note(note);
        let lower: String = rest.chars().take(12).collect::<String>().to_lowercase();
        let digits = literal::pieces(&lower, false).next();
        if let (Some((_, Piece::Char(_))), true) = (digits, matches!(escape, "\\x" | "\\u")) {
            let len = if escape == "\\x" { 4 } else { lower.find('}').map_or(2, |at| at + 1) };
            let whole = TextRange::at(range.start(), super::size(len));
            let spelt = lower.get(..len).unwrap_or(&lower);
            finding = finding.fix(Fix::safe("write the digits in lower case").replace(whole, spelt));
        } else if !matches!(escape, "\\x" | "\\u" | "\\\r") {
            finding = finding.fix(Fix::guess("double the backslash").insert(range.start(), "\\"));
        }
        self.soft(finding);
    }

    /// Reports `X = 7d`, `p(2024-01-15)`.
    pub(super) fn time_literal_as_term(&mut self, node: Node<'t>) -> TermKind {
        let range = self.range(node);
        let written = self.source(node);
        let (noun, call) = if kind_of(node) == SyntaxKind::Duration {
            ("duration", format!("fn:duration:parse(\"{}\")", time::go_duration(written)))
        } else {
            ("time", format!("fn:time:parse_rfc3339(\"{}\")", time::rfc3339(written)))
        };
        let fix = Fix::safe(format!("write `{call}`")).replace(range, call);
        let message = format!("{noun} `{}` is outside of an interval", super::shorten(written));
        let finding = Finding::new(&rules::TEMPORAL_LITERAL_AS_TERM, range, message);
        self.soft(finding.note("the engine reads such a literal only inside of `@[…]`").fix(fix));
        TermKind::Broken
    }

    pub(super) fn timestamp(&mut self, node: Node<'t>) -> Option<i64> {
        let value = time::parse_timestamp(self.source(node));
        self.check_time(node, value, "date or time", "does not exist")
    }

    pub(super) fn duration(&mut self, node: Node<'t>) -> Option<i64> {
        let value = time::parse_duration(self.source(node));
        self.check_time(node, value, "duration", "exceeds 64 bits of nanoseconds")
    }

    fn check_time(&mut self, node: Node<'t>, value: Option<i64>, noun: &str, why: &str) -> Option<i64> {
        if value.is_none() {
            let message = format!("{noun} `{}` {why}", super::shorten(self.source(node)));
            let finding = Finding::new(&rules::TIME_RANGE, self.range(node), message);
            self.soft(finding.note("the engine rejects it"));
        }
        value
    }
}

/// Converts `my_var`, `_tmp`, `My_Var` to variables: `MyVar`, `Tmp`, `MyVar`.
pub(in crate::syntax) fn camel_case(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let mut name = String::with_capacity(word.len());
    for part in parts {
        let (first, rest) = part.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name } else { format!("V{name}") }
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn variables_in_camel_case() {
        let names = ["my_var", "_tmp", "My_Var", "x", "_", "a:b.c", "_1"].map(camel_case);
        assert_eq!(names, ["MyVar", "Tmp", "MyVar", "X", "V", "ABC", "V1"]);
    }
}
