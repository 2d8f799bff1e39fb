//! Lowering: converts the tree of one statement to its typed form.
//!
//! Lowering is total: every tree yields a statement. *Hard* findings mean that a part of the
//! statement is unreadable (errors and inserted tokens of tree-sitter). Only the first hard finding
//! of a statement is shown, because all further ones are guesses. *Soft* findings name a recognized
//! construct that is not Mangle; all of them are shown.

mod atom;
mod clause;
mod declaration;
mod premise;
mod term;
mod words;

pub(super) use atom::camel_case;

use tree_sitter::{Node, TreeCursor};

pub(super) use self::clause::{DOES_NOT_END, full_stop_behind};
use super::ast::{Atom, PackageName, Statement, StatementKind};
use super::{SyntaxKind, digest, kind_of, literal, rules};
use crate::lint::{Applicability, Finding, Fix};
use crate::text::{StatementId, Symbol, TextRange, TextSize, size};

/// Maximum nesting of terms. The limit keeps recursion over terms, here and in every rule, within a
/// small stack.
pub const MAX_NESTING: u32 = 500;

/// Lowers the statement at the cursor's node, which is not moved.
pub(super) fn statement(cursor: &mut TreeCursor<'_>, text: &str) -> Statement {
    let node = cursor.node();
    let mut lower = Lower::new(cursor, text, node);
    let kind = lower.statement(node);
    lower.finish(kind, node)
}

/// The state of lowering one statement.
struct Lower<'c, 't> {
    cursor: &'c mut TreeCursor<'t>,
    /// The text of the file.
    text: &'c str,
    /// The offset of the statement in `text`.
    base: usize,
    depth: u32,
    /// The number of applications around the current term.
    applications: u32,
    hard: Option<Finding>,
    soft: Vec<Finding>,
    /// The node of the statement.
    root: Node<'t>,
    /// The words of the statement, collected on demand.
    words: Option<words::Words<'c>>,
    /// Words to report at the end.
    odd: words::OddWords<'c>,
    /// True if a part has no typed form although no hard finding reports it.
    holes: bool,
}

/// Detects empty slots between the commas of a list.
#[derive(Default)]
struct Commas {
    elements: u32,
    /// The last comma that follows no element.
    stray: Option<TextRange>,
    after_element: bool,
    /// The last comma.
    last: Option<TextRange>,
    /// True for a list of premises. In other lists, an empty slot can be a lost element.
    is_body: bool,
}

impl<'c, 't> Lower<'c, 't> {
    fn new(cursor: &'c mut TreeCursor<'t>, text: &'c str, node: Node<'t>) -> Self {
        let base = node.start_byte();
        Self {
            cursor,
            text,
            base,
            depth: 0,
            applications: 0,
            hard: None,
            soft: Vec::new(),
            root: node,
            words: None,
            odd: words::OddWords::default(),
            holes: false,
        }
    }

    fn finish(mut self, kind: StatementKind, node: Node<'_>) -> Statement {
        self.report_odd_words();
        let damaged = self.hard.is_some() || self.holes;
        let findings = match self.hard {
            // A foreign comment on its own line is a separate mistake.
            Some(hard) => {
                let comments = self.soft.into_iter().filter(|finding| finding.rule == &rules::WRONG_COMMENT);
                let alone = comments.filter(|finding| starts_line(self.text, self.base, finding.range));
                let mut findings: Vec<_> = alone.chain([hard]).collect();
                findings.sort_by_key(|finding| finding.range.start());
                findings
            }
            None => self.soft,
        };
        let len = size(node.end_byte() - node.start_byte());
        let digest = digest(self.text.get(node.byte_range()).unwrap_or(""));
        Statement { id: StatementId::fresh(), len, kind, damaged, findings, left_out: None, digest }
    }

    fn statement(&mut self, node: Node<'t>) -> StatementKind {
        match kind_of(node) {
            SyntaxKind::Package => self.package(node, "Package", StatementKind::Package),
            SyntaxKind::Use => self.package(node, "Use", StatementKind::Use),
            SyntaxKind::Declaration => self.declaration(node),
            SyntaxKind::Clause => self.clause(node),
            SyntaxKind::Query => self.query(node),
            _ => self.broken(node),
        }
    }

    /// Text that is not a statement.
    fn broken(&mut self, node: Node<'t>) -> StatementKind {
        self.unreadable(node);
        StatementKind::Broken
    }

    fn package(
        &mut self,
        node: Node<'t>,
        keyword: &str,
        make: fn(PackageName) -> StatementKind,
    ) -> StatementKind {
        let mut name = None;
        let mut attributes = Vec::new();
        let mut renamed = None;
        self.children(|this, child, kind| match kind {
            SyntaxKind::Identifier | SyntaxKind::Variable => name = Some(this.package_name(child, keyword)),
            SyntaxKind::AtomList => {
                attributes = this.atom_list(child);
                renamed = this.renames(&attributes);
            }
            SyntaxKind::Dot => {
                let range = this.range(child);
                let message = format!("`{keyword}` ends with `.` instead of `!`");
                let fix = Fix::safe("replace `.` by `!`").replace(range, "!");
                let finding = Finding::new(&rules::PACKAGE_DOT, range, message);
                this.soft(finding.label("expected `!`").fix(fix));
            }
            SyntaxKind::MissingDot => {
                let at = this.after_code(child);
                let message = format!("missing `!` at the end of `{keyword}`");
                let fix = Fix::safe("insert `!`").insert(at.start(), "!");
                let finding = Finding::new(&rules::PACKAGE_DOT, this.before(at), message);
                this.soft(finding.label("expected `!` after this").fix(fix));
            }
            _ => this.other(child, kind),
        });
        if let (Some(name), Some((new, range)), "Package") = (&mut name, renamed, keyword) {
            let old = shorten(self.slice(name.range));
            let message = format!("attribute renames the package to `{}`", shorten(new.as_str()));
            let finding = Finding::new(&rules::PACKAGE_RENAMED, range, message)
                .note(format!("the engine ignores the name `{old}` after `Package`"))
                .help("write the name after `Package` and delete the attribute");
            self.soft(finding);
            name.symbol = new;
        }
        match name {
            Some(name) => make(PackageName { name, attributes }),
            None => self.broken(node),
        }
    }

    /// The last attribute `name("…")`, which the engine uses as the name of a package.
    fn renames(&self, attributes: &[Atom]) -> Option<(Symbol, TextRange)> {
        let is_name = |atom: &&Atom| self.slice(atom.name.range) == "name" && atom.args.len() == 1;
        let renaming = attributes.iter().rev().find(is_name)?;
        let text = self.slice(renaming.args.first()?.range);
        let name = literal::string_value(text)?;
        Some((Symbol::new(&name), renaming.range))
    }

    /// Visits the children of the cursor's node with the cursor on each. Comments are skipped, and
    /// tokens inserted by tree-sitter are reported.
    fn children(&mut self, mut visit: impl FnMut(&mut Self, Node<'t>, SyntaxKind)) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            let child = self.cursor.node();
            match kind_of(child) {
                SyntaxKind::Comment => {}
                SyntaxKind::ForeignComment => {
                    let finding = foreign_comment(self.source(child), self.range(child));
                    self.soft(finding);
                }
                kind if child.is_missing() => self.other(child, kind),
                kind => visit(self, child, kind),
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    /// Handles an unexpected child: a syntax error, or punctuation.
    fn other(&mut self, child: Node<'t>, kind: SyntaxKind) {
        match kind {
            SyntaxKind::Error => self.unreadable(child),
            SyntaxKind::MissingDot => self.missing_dot(child),
            SyntaxKind::MissingComma => self.missing(child, ","),
            SyntaxKind::MissingParen => self.missing(child, ")"),
            SyntaxKind::MissingBracket => self.missing(child, "]"),
            SyntaxKind::MissingBrace => self.missing(child, "}"),
            SyntaxKind::MissingAngle => self.missing(child, ">"),
            SyntaxKind::StrayParen => {
                let finding =
                    Finding::new(&rules::UNMATCHED_PARENTHESIS, self.range(child), "`)` has no matching `(`");
                self.hard(finding.note("the engine rejects the clause"));
            }
            _ if child.is_missing() => {
                let message = format!("missing `{}` after this", child.kind());
                let at = self.after_code(child);
                let range = self.before(at);
                self.hard(syntax_error(range, message));
            }
            _ => {}
        }
    }

    /// Reports a closing token or comma that tree-sitter inserted.
    fn missing(&mut self, at: Node<'t>, token: &str) {
        if self.hard.is_some() {
            return; // Only the first error is shown; a statement can have thousands.
        }
        let place = self.after_code(at);
        let range = self.before(place);
        let message = format!("missing `{token}` after `{}`", self.line_before(range.end()));
        let fix =
            |applicability| Fix::new(format!("insert `{token}`"), applicability).insert(range.end(), token);
        let is_comma = token == ",";
        // `A != /deploy.` before another premise: the period is a part of the name.
        let name_end = self.slice(TextRange::up_to(range.end())).trim_end();
        let swallows = is_comma && clause::ends_with_name_and_dot(name_end);
        let rule = if is_comma { &rules::MISSING_COMMA } else { &rules::MISSING_BRACKET };
        let label = format!("expected `{token}` after this");
        let mut finding = Finding::new(rule, range, message).label(label);
        if self.is_in_open_string(range.end()) {
        } else if swallows {
            let dot = TextRange::new(size(name_end.len() - 1), size(name_end.len()));
            finding = finding.fix(Fix::guess("replace `.` by `,`").replace(dot, ","));
        } else if !is_comma {
            // The position can be further left, and more than the bracket can be missing.
            finding = finding.fix(fix(Applicability::Unsafe));
        } else {
            finding.fix = match self.gap(range.end()) {
                Gap::Evident => Some(fix(Applicability::Safe)),
                Gap::Unclear => Some(fix(Applicability::Unsafe)),
                Gap::Words => None,
            };
        }
        self.hard(finding);
    }

    /// True if a quote before `at` is unterminated: an insertion would become a part of the string.
    fn is_in_open_string(&self, at: TextSize) -> bool {
        let mut chars = self.slice(TextRange::up_to(at)).chars();
        let mut open = None;
        while let Some(char) = chars.next() {
            match (open, char) {
                (Some(_), '\\') => drop(chars.next()),
                (Some(quote), _) if quote == char => open = None,
                (None, '"' | '\'' | '`') => open = Some(char),
                (None, '#') => drop(chars.by_ref().find(|char| *char == '\n')),
                _ => {}
            }
        }
        open.is_some()
    }

    /// Reports text that tree-sitter skipped.
    fn unreadable(&mut self, node: Node<'t>) {
        let range = self.first_line(self.range(node));
        let shown = shorten(self.slice(range));
        let message = if shown.is_empty() {
            "incomplete statement".to_owned()
        } else {
            cannot_be_parsed(shown.as_str())
        };
        self.hard(syntax_error(range, message));
    }

    /// Reads a list in brackets that can have misplaced commas. `read` reads an element.
    fn read_list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self, Node<'t>, SyntaxKind) -> T,
    ) -> (Vec<T>, Commas) {
        let (mut elements, mut commas) = (Vec::new(), Commas::default());
        self.children(|this, child, kind| match kind {
            SyntaxKind::Comma | SyntaxKind::DoubleComma => this.comma(&mut commas, child),
            SyntaxKind::Token => {}
            SyntaxKind::Error | SyntaxKind::MissingComma | SyntaxKind::MissingBracket => {
                this.other(child, kind)
            }
            _ => {
                this.element(&mut commas);
                elements.push(read(this, child, kind));
            }
        });
        self.end_of_list(&commas);
        elements.shrink_to_fit();
        (elements, commas)
    }

    fn comma(&mut self, commas: &mut Commas, at: Node<'t>) {
        commas.last = Some(self.range(at));
        let range = self.range(at);
        if kind_of(at) == SyntaxKind::DoubleComma {
            commas.stray = Some(TextRange::new(range.start() + size(1), range.end()));
            self.stray_comma(commas);
        } else if !commas.after_element {
            commas.stray = Some(range);
            if commas.elements > 0 {
                self.stray_comma(commas);
            }
        }
        commas.after_element = false;
    }

    fn element(&mut self, commas: &mut Commas) {
        if commas.elements == 0 && commas.stray.is_some() {
            self.stray_comma(commas);
        }
        commas.elements += 1;
        commas.after_element = true;
    }

    fn stray_comma(&mut self, commas: &mut Commas) {
        if let Some(range) = commas.stray.take() {
            let applicability = if commas.is_body { Applicability::Safe } else { Applicability::Unsafe };
            let fix = Fix::new("delete the comma", applicability).replace(range, "");
            let finding = Finding::new(&rules::DOUBLE_COMMA, range, NO_ELEMENT);
            self.soft(finding.note(ONE_COMMA).fix(fix));
        }
    }

    /// Reports a trailing comma in a list that does not allow one.
    fn no_trailing_comma(&mut self, commas: &Commas, list: &str) {
        if let (1.., false, Some(range)) = (commas.elements, commas.after_element, commas.last) {
            let fix = Fix::guess("delete the comma").replace(range, "");
            let finding = Finding::new(&rules::DOUBLE_COMMA, range, format!("trailing comma in {list}"));
            self.soft(finding.note("the engine expects another element after the comma").fix(fix));
        }
    }

    fn end_of_list(&mut self, commas: &Commas) {
        if let (0, Some(range)) = (commas.elements, commas.stray) {
            let fix = Fix::guess("delete the comma").replace(range, "");
            let finding = Finding::new(&rules::LONE_COMMA, range, "comma in an empty list");
            self.soft(finding.note("a comma can follow an element only").fix(fix));
        }
    }

    fn hard(&mut self, finding: Finding) {
        self.hard.get_or_insert(finding);
    }

    fn soft(&mut self, finding: Finding) {
        self.soft.push(finding);
    }

    /// The range of `node`, relative to the start of the statement.
    fn range(&self, node: Node<'_>) -> TextRange {
        self.between(node.start_byte(), node.end_byte())
    }

    fn between(&self, start: usize, end: usize) -> TextRange {
        TextRange::new(size(start - self.base), size(end - self.base))
    }

    /// The text of a node.
    fn source(&self, node: Node<'_>) -> &'c str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a range that is relative to the start of the statement.
    fn slice(&self, range: TextRange) -> &'c str {
        let start = self.base + usize::from(range.start());
        self.text.get(start..start + usize::from(range.len())).unwrap_or("")
    }

    /// The byte at `offset` of the file.
    fn byte(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(offset).copied()
    }

    /// The empty range before the zero-width node `at` (the cursor's node) and before preceding
    /// comments. Uses the cursor, because a node finds its siblings from the root of the tree,
    /// which is as deep as the nesting.
    fn after_code(&mut self, at: Node<'t>) -> TextRange {
        let mut place = at;
        let mut back = 0;
        if self.cursor.node() == at {
            while self.cursor.goto_previous_sibling() {
                back += 1;
                if !self.cursor.node().is_extra() {
                    break;
                }
                place = self.cursor.node();
            }
        }
        for _ in 0..back {
            self.cursor.goto_next_sibling();
        }
        TextRange::empty(self.range(place).start())
    }

    /// The word or character before the zero-width range `at`, skipping white space: the expected
    /// position of the missing text.
    fn before(&self, at: TextRange) -> TextRange {
        let start = self.base + usize::from(at.start());
        let text = self.text.get(self.base..start).unwrap_or("").trim_end();
        let word = text.len() - text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let last = text.chars().next_back().map_or(0, char::len_utf8);
        TextRange::new(size(text.len() - word.max(last)), size(text.len()))
    }

    /// The end of the line before `at`, for messages.
    fn line_before(&self, at: TextSize) -> String {
        let text = self.slice(TextRange::up_to(at));
        let line = text.lines().next_back().unwrap_or("").trim();
        match line.char_indices().rev().nth(30) {
            Some((start, _)) => format!("…{}", line.get(start..).unwrap_or(line)),
            None => line.to_owned(),
        }
    }

    /// The part of `range` up to its first line ending.
    fn first_line(&self, range: TextRange) -> TextRange {
        let line = self.slice(range).lines().next().unwrap_or("").trim_end();
        TextRange::at(range.start(), size(line.len()))
    }
}

/// True if nothing precedes a range on its line. `base` is the start of its statement.
fn starts_line(text: &str, base: usize, range: TextRange) -> bool {
    let before = text.get(..base + usize::from(range.start())).unwrap_or("");
    before.rsplit('\n').next().unwrap_or("").trim().is_empty()
}

/// The finding for a comment in foreign syntax.
pub(super) fn foreign_comment(text: &str, range: TextRange) -> Finding {
    let message = format!("`{}` does not start a comment", comment_sign(text));
    let fix = Fix::safe("turn it into a `#` comment").replace(range, hash_comment(text));
    Finding::new(&rules::WRONG_COMMENT, range, message).label(COMMENT_SIGN).fix(fix)
}

/// The sign at the start of a foreign comment.
pub(super) fn comment_sign(text: &str) -> &'static str {
    let signs = ["/*", "//", "--", "<!--", "%", ";"];
    signs.into_iter().find(|sign| text.starts_with(sign)).unwrap_or("#")
}

/// Converts a foreign comment to a Mangle comment, line by line, and keeps inner white space.
pub(super) fn hash_comment(text: &str) -> String {
    let sign = comment_sign(text);
    let close = match sign {
        "/*" => "*/",
        "<!--" => "-->",
        _ => "",
    };
    let body = match sign.chars().next() {
        Some(first) if close.is_empty() => text.trim_start_matches(first),
        _ => text.get(sign.len()..).unwrap_or("").trim_start_matches('*'),
    };
    let body = body
        .trim_end()
        .strip_suffix(close)
        .unwrap_or(body)
        .trim_end_matches(|c| c == '*' && !close.is_empty());
    let hash = |(at, line): (usize, &str)| {
        // The lines of a block comment are often indented, and start with a star.
        let inner = line.trim_start();
        let line = match inner.strip_prefix('*').filter(|_| sign == "/*" && at > 0) {
            Some(rest) => rest,
            None if at > 0 => inner,
            None => line,
        };
        let line = line.trim_end();
        let blank = if line.is_empty() || line.starts_with([' ', '\t']) { "" } else { " " };
        format!("#{blank}{line}")
    };
    let mut lines: Vec<_> = body.lines().enumerate().map(hash).collect();
    while lines.len() > 1 && lines.last().is_some_and(|line| line == "#") {
        lines.pop();
    }
    if lines.len() > 1 && lines.first().is_some_and(|line| line == "#") {
        lines.remove(0);
    }
    if lines.is_empty() { "#".to_owned() } else { lines.join("\n") }
}

/// Adds the comment of the next line to a finding.
pub(super) fn extend_foreign_comment(finding: &mut Finding, next: Finding) {
    finding.range = finding.range.cover(next.range);
    if let (Some(fix), Some(next)) = (&mut finding.fix, next.fix) {
        fix.title = "turn them into `#` comments".into();
        fix.edits.extend(next.edits);
    }
}

/// True if a text is one line ending, with surrounding white space.
pub(super) fn is_line_end(text: &str) -> bool {
    text.trim().is_empty() && text.matches('\n').count() == 1
}

/// The help text about comments.
pub(super) const COMMENT_SIGN: &str = "comments start with `#`";

/// The headline about a comma that follows no element.
pub(super) const NO_ELEMENT: &str = "missing element before this comma";

/// The reason that an empty slot is an error.
pub(super) const ONE_COMMA: &str = "the engine expects an element before each comma";

/// The headline for text that cannot be parsed.
pub(super) fn cannot_be_parsed(text: &str) -> String {
    format!("`{}` cannot be parsed here", shorten(text))
}

/// The finding for text that cannot be parsed.
pub(super) fn syntax_error(range: TextRange, message: String) -> Finding {
    Finding::new(&rules::SYNTAX_ERROR, range, message).note("the engine rejects the whole program")
}

/// The first line of `text`, shortened to 40 characters for messages.
pub(super) fn shorten(text: &str) -> String {
    crate::text::shorten(text.lines().next().unwrap_or_default().trim(), 40).into_owned()
}

/// The context of a missing comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// A premise ends before the position, and another one starts after it.
    Evident,
    /// Values. One can be superfluous, or one can be written as two.
    Unclear,
    /// A word that is neither a value nor a premise.
    Words,
}
