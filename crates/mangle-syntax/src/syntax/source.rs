//! Parsed file: text, tree and statements, with incremental updates.
//!
//! An edit parses incrementally and lowers only the changed nodes. Statements whose nodes the new
//! tree shares with the old one are shared, including their ids.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree, TreeCursor};

use super::ast::{Item, Statement, StatementKind};
use super::recovery::{SecondReadings, is_doubtful};
use super::{SyntaxKind, kind_of, lines, lower, rules};
use crate::lint::{Finding, Fix};
use crate::text::{TextEdit, TextRange, TextSize, size, slice, text_len};

const BOM: &str = "\u{feff}";

/// Maximum number of unreadable statements of a file to list. Further ones are counted.
const MAX_UNREADABLE: usize = 1_000;

/// A parsed file. Cheap to clone. An edit yields a new file that shares the unchanged parts.
#[derive(Debug, Clone)]
pub struct SourceFile {
    text: Arc<str>,
    /// The parsed text, with blanks in place of directives.
    parsed: Arc<str>,
    items: Arc<[Item]>,
    findings: Arc<[Finding]>,
    parse: Option<Arc<Parse>>,
}

/// A tree, and the item of each top-level node.
#[derive(Debug)]
struct Parse {
    tree: Tree,
    /// [`identity`] of each item's node, valid only while the tree exists.
    nodes: Vec<usize>,
    /// The second readings of unreadable text.
    second: SecondReadings,
}

/// A text to parse.
struct Input {
    text: Arc<str>,
    parsed: Arc<str>,
    /// The lines that are blank in `parsed`.
    directives: Vec<TextRange>,
}

impl Input {
    fn new(text: Arc<str>) -> Self {
        match lines::strip(&text) {
            Some(stripped) => Self { text, parsed: stripped.text, directives: stripped.lines },
            None => Self { parsed: Arc::clone(&text), text, directives: Vec::new() },
        }
    }
}

/// The results of the walk over the top level of a tree.
struct Walk<'o> {
    text: Arc<str>,
    items: Vec<Item>,
    nodes: Vec<usize>,
    findings: Vec<Finding>,
    old: Option<PreviousItems<'o>>,
    second: SecondReadings,
    /// The end of the text that a second reading covers.
    understood: usize,
    /// The first byte that neither reading can parse, if the root is an `ERROR`.
    stray: Option<usize>,
    unreadable: UnreadableText,
}

/// The unreadable parts of a file.
struct UnreadableText {
    /// Maximum number of listed parts.
    most: usize,
    /// The number of listed parts.
    listed: usize,
    /// The number of omitted parts, and the start of the first one.
    left_out: usize,
    first_left_out: Option<TextSize>,
}

impl UnreadableText {
    fn at_most(most: usize) -> Self {
        Self { most, listed: 0, left_out: 0, first_left_out: None }
    }

    /// True if the list is full and further parts are only counted.
    fn is_full(&self) -> bool {
        self.listed >= self.most
    }

    fn leave_out(&mut self, start: TextSize) {
        self.left_out += 1;
        self.first_left_out.get_or_insert(start);
    }
}

/// The items of the file before the edit, for lookup by node.
struct PreviousItems<'o> {
    second: &'o SecondReadings,
    items: &'o [Item],
    nodes: &'o [usize],
    /// The probable item of the next node: both trees have their nodes in the same order.
    next: usize,
    /// All items by node, built when the guess first fails.
    index: Option<FxHashMap<usize, usize>>,
}

impl PreviousItems<'_> {
    fn find(&mut self, node: Node<'_>) -> Option<&Item> {
        let node = identity(node);
        if self.nodes.get(self.next) != Some(&node) {
            let nodes = self.nodes;
            let index = self.index.get_or_insert_with(|| nodes.iter().copied().zip(0..).collect());
            self.next = *index.get(&node)?;
        }
        self.next += 1;
        self.items.get(self.next - 1)
    }
}

impl SourceFile {
    /// Parses `text`.
    #[must_use]
    pub fn parse(text: Arc<str>) -> Self {
        Self::parse_listing(text, MAX_UNREADABLE)
    }

    /// Parses `text` and lists all syntax errors without a limit.
    #[must_use]
    pub fn parse_listing_all(text: Arc<str>) -> Self {
        Self::parse_listing(text, usize::MAX)
    }

    fn parse_listing(text: Arc<str>, most: usize) -> Self {
        let input = Input::new(text);
        let tree = parse(&input.parsed, None);
        Self::build(input, tree, None, most)
    }

    /// Applies `edits`, which lead (in order) from this file's text to `text`. Statements outside
    /// of the edits are shared with this file and keep their ids.
    #[must_use]
    pub fn edit(&self, text: Arc<str>, edits: &[TextEdit]) -> Self {
        let Some(old) = &self.parse else { return Self::parse(text) };
        let input = Input::new(text);
        let mut edited = old.tree.clone();
        if input.directives.is_empty() && Arc::ptr_eq(&self.text, &self.parsed) {
            edits.iter().for_each(|edit| edited.edit(&input_edit(*edit)));
        } else {
            // If a line becomes a directive or stops being one, the change is larger than the edit.
            edited.edit(&input_edit(TextEdit::between(&self.parsed, &input.parsed)));
        }
        forget_damage(&mut edited);
        let tree = parse(&input.parsed, Some(&edited));
        Self::build(
            input,
            tree,
            Some(PreviousItems {
                second: &old.second,
                items: &self.items,
                nodes: &old.nodes,
                next: 0,
                index: None,
            }),
            MAX_UNREADABLE,
        )
    }

    /// Drops the tree, for files that are not edited. Statements stay; an edit parses from scratch.
    #[must_use]
    pub fn without_tree(mut self) -> Self {
        self.parse = None;
        self
    }

    /// The text of the file. Cheap, because the text is shared.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The statements in order.
    #[must_use]
    pub fn items(&self) -> &Arc<[Item]> {
        &self.items
    }

    /// Findings about the whole file. Their ranges are relative to its start.
    #[must_use]
    pub fn findings(&self) -> &Arc<[Finding]> {
        &self.findings
    }

    /// The tree, unless it was dropped.
    #[must_use]
    pub fn tree(&self) -> Option<&Tree> {
        self.parse.as_ref().map(|parse| &parse.tree)
    }

    /// The parsed text, with blanks in place of directives.
    pub(super) fn parsed(&self) -> &Arc<str> {
        &self.parsed
    }

    fn build(input: Input, tree: Option<Tree>, old: Option<PreviousItems<'_>>, most: usize) -> Self {
        let Input { text, parsed, directives } = input;
        let Some(tree) = tree else { return Self::unparsed(text) };
        let findings = lines::directive_findings(&text, &directives);
        let second =
            old.as_ref().map_or_else(SecondReadings::default, |old| SecondReadings::after(old.second));
        let mut walk = Walk {
            text: Arc::clone(&parsed),
            items: Vec::new(),
            nodes: Vec::new(),
            findings,
            old,
            second,
            understood: 0,
            stray: None,
            unreadable: UnreadableText::at_most(most),
        };
        walk.check_bom();
        walk.top(&mut tree.walk());
        walk.check_root(tree.root_node());
        walk.check_order();
        walk.report_left_out();
        walk.findings.extend(lines::check_line_ends(&parsed, &tree));
        let Walk { items, nodes, findings, second, .. } = walk;
        let parse = Some(Arc::new(Parse { tree, nodes, second }));
        Self { text, parsed, items: items.into(), findings: findings.into(), parse }
    }

    /// The result for a text without a tree. tree-sitter returns no tree only if it is stopped.
    fn unparsed(text: Arc<str>) -> Self {
        let start = TextRange::at(TextSize::new(0), text_len(&text).min(TextSize::new(1)));
        let message = "file is too damaged to be parsed in reasonable time";
        let finding = Finding::new(&rules::SYNTAX_ERROR, start, message).note("nothing in it is checked");
        let parsed = Arc::clone(&text);
        Self { text, parsed, items: Arc::new([]), findings: Arc::new([finding]), parse: None }
    }
}

/// Parses with a limit on work, because tree-sitter's error recovery is not linear for every input.
pub(super) fn parse(text: &str, old: Option<&Tree>) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(new_parser());
    }
    // The callback runs about once per hundred operations. Valid files need at most about 30 calls
    // per kilobyte.
    let mut calls_left = 200_000 + text.len();
    let mut progress = |_: &tree_sitter::ParseState| {
        calls_left = calls_left.saturating_sub(1);
        if calls_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    PARSER.with_borrow_mut(|parser| {
        let tree = parser.parse_with_options(
            &mut |offset, _| bytes.get(offset..).unwrap_or(&[]),
            old,
            Some(options),
        );
        // After a stop, the parser would resume the old text.
        parser.reset();
        tree
    })
}

/// Parses `text` incrementally. `edits` lead from the text of `old`: sorted ranges in the old text,
/// and new lengths.
pub(super) fn reparse(
    text: &str,
    old: &Tree,
    edits: impl DoubleEndedIterator<Item = (TextRange, TextSize)>,
) -> Option<Tree> {
    let mut edited = old.clone();
    // From last to first, so that earlier positions stay valid.
    for (range, new_len) in edits.rev() {
        edited.edit(&input_edit(TextEdit { range, new_len }));
    }
    forget_damage(&mut edited);
    parse(text, Some(&edited))
}

fn new_parser() -> Parser {
    let mut parser = Parser::new();
    if let Err(error) = parser.set_language(&super::grammar()) {
        // The grammar is compiled in, and a test parses with it.
        tracing::error!(%error, "the built-in grammar does not load");
    }
    parser
}

/// Marks the statements with errors in an edited tree as changed. tree-sitter would reuse its
/// recovery, while a full parse can recover differently in the new context.
fn forget_damage(tree: &mut Tree) {
    let damaged: Vec<_> = {
        let root = tree.root_node();
        let mut cursor = root.walk();
        let nodes = root.has_error().then(|| root.children(&mut cursor)).into_iter().flatten();
        nodes.filter(Node::has_error).map(|node| node.byte_range()).collect()
    };
    for bytes in damaged {
        let point = Point::new(0, 0);
        tree.edit(&InputEdit {
            start_byte: bytes.start,
            old_end_byte: bytes.end,
            new_end_byte: bytes.end,
            start_position: point,
            old_end_position: point,
            new_end_position: point,
        });
    }
}

fn input_edit(edit: TextEdit) -> InputEdit {
    // Only bytes matter: the grammar does not use columns, and no code reads points.
    let point = Point::new(0, 0);
    let start = usize::from(edit.range.start());
    InputEdit {
        start_byte: start,
        old_end_byte: usize::from(edit.range.end()),
        new_end_byte: start + usize::from(edit.new_len),
        start_position: point,
        old_end_position: point,
        new_end_position: point,
    }
}

impl Walk<'_> {
    /// Handles an `ERROR` at the root, if tree-sitter cannot parse the file as a whole. Its
    /// children are the readable parts. The first unreadable child shows the position of the
    /// problem.
    fn check_root(&mut self, root: Node<'_>) {
        let Some(stray) = self.stray else { return };
        let start = absolute(root).start().max(size(stray));
        let rest = TextRange::new(start, text_len(&self.text));
        let line = slice(&self.text, rest).lines().next().unwrap_or("").trim_end();
        let range = TextRange::at(start, text_len(line));
        self.findings.push(lower::syntax_error(range, lower::cannot_be_parsed(line)));
    }

    /// Collects the statements below the cursor's node.
    fn top(&mut self, cursor: &mut TreeCursor<'_>) {
        let is_broken_root = cursor.depth() == 0 && cursor.node().is_error();
        if !cursor.goto_first_child() {
            if is_broken_root {
                self.stray = Some(cursor.node().start_byte());
            }
            return;
        }
        loop {
            let node = cursor.node();
            match kind_of(node) {
                _ if node.start_byte() < self.understood => {}
                SyntaxKind::Comment => {}
                SyntaxKind::ForeignComment => self.foreign_comment(node),
                kind if is_statement(kind) => self.statement(cursor, node),
                SyntaxKind::Error if holds_statements(node) => self.damage_with_statements(cursor, node),
                SyntaxKind::Error => self.statement(cursor, node),
                _ if is_broken_root && self.stray.is_none() && !self.read_again(cursor) => {
                    self.stray = Some(node.start_byte());
                }
                _ => {}
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    fn statement(&mut self, cursor: &mut TreeCursor<'_>, node: Node<'_>) {
        let start = size(node.start_byte());
        let is_full = self.unreadable.is_full();
        let kept = self.old.as_mut().and_then(|old| old.find(node)).map(|item| Arc::clone(&item.statement));
        // Findings that were omitted before can be listed now.
        let kept = kept.filter(|statement| is_full || statement.left_out.is_none());
        let mut statement = kept.unwrap_or_else(|| Arc::new(lower::statement(cursor, &self.text)));
        let is_odd = !is_full && (is_doubtful(&statement) || self.goes_on(&statement, node));
        if is_odd && self.read_again(cursor) {
            return;
        }
        let mut reported = statement.findings.iter().map(|finding| finding.rule).chain(statement.left_out);
        let unreadable = statement.damaged && reported.all(|rule| rule == &rules::SYNTAX_ERROR);
        let rubble = unreadable && self.follows_damage(start);
        if statement.damaged && is_full {
            statement = self.without_findings(statement, cursor);
        }
        match (statement.damaged && !rubble, is_full) {
            (true, true) => self.unreadable.leave_out(start),
            (true, false) => self.unreadable.listed += 1,
            _ => {}
        }
        self.items.push(Item { start, statement, follows_damage: rubble });
        self.nodes.push(identity(node));
    }

    /// An unreadable statement without its findings.
    fn without_findings(&self, statement: Arc<Statement>, cursor: &mut TreeCursor<'_>) -> Arc<Statement> {
        let Some(rule) = statement.findings.first().map(|finding| finding.rule) else { return statement };
        let own = Arc::try_unwrap(statement).unwrap_or_else(|_| lower::statement(cursor, &self.text));
        Arc::new(Statement { findings: Vec::new(), left_out: Some(rule), ..own })
    }

    /// Reports the number of syntax errors that are not listed.
    fn report_left_out(&mut self) {
        let (count, Some(start)) = (self.unreadable.left_out, self.unreadable.first_left_out) else { return };
        let rest = TextRange::new(start, text_len(&self.text));
        let line = slice(&self.text, rest).lines().next().unwrap_or("").trim_end();
        let statements = if count == 1 { "one more statement" } else { &format!("{count} more statements") };
        let message = format!("{statements} of this file cannot be parsed");
        let finding = Finding::new(&rules::SYNTAX_ERROR, TextRange::at(start, text_len(line)), message)
            .label("the first of them")
            .note(format!("only the first {} are listed", self.unreadable.most))
            .help("correct the listed ones first");
        self.findings.push(finding);
    }

    /// True if a statement without its period continues with a sign that ends statements elsewhere,
    /// for example `p(X)?` or `X % 2`. Also true if the body of a Rego function follows, for
    /// example `p(x) if {`.
    fn goes_on(&self, statement: &Statement, node: Node<'_>) -> bool {
        if !statement.findings.iter().any(|finding| finding.rule == &rules::MISSING_DOT) {
            return false;
        }
        let text = self.text.get(node.start_byte()..).unwrap_or("");
        let line = text.get(usize::from(statement.len)..).unwrap_or("").lines().next().unwrap_or("");
        let inside = text.get(..usize::from(statement.len)).unwrap_or("");
        let rest = line.trim_start();
        let is_rego = rest.starts_with(":=") || rest.trim_start_matches("if").trim_start().starts_with('{');
        rest.starts_with(['?', '%']) || is_rego || inside.contains('%')
    }

    /// Reads the node of the cursor and the text that belongs to it with foreign syntax replaced.
    /// Returns false if the result is not better.
    fn read_again(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let mut ahead = cursor.clone();
        let text = Arc::clone(&self.text);
        // Nodes are consumed as a whole.
        let reaches = |end: usize| {
            while ahead.node().start_byte() < end {
                if ahead.node().end_byte() > end {
                    return false;
                }
                if !ahead.goto_next_sibling() {
                    return true;
                }
            }
            true
        };
        let start = cursor.node().start_byte();
        let Some(understood) = self.second.read(&text, start, &|text| parse(text, None), reaches) else {
            return false;
        };
        for line in understood.fences {
            self.second.fence(line, &text, &mut self.findings);
        }
        self.nodes.extend(understood.items.iter().map(|_| 0));
        self.items.extend(understood.items);
        self.understood = understood.end;
        true
    }

    /// True if the last item has a syntax error, and only white space without a blank line
    /// separates it from `start`.
    fn follows_damage(&self, start: TextSize) -> bool {
        self.items.last().is_some_and(|last| last.statement.damaged && self.adjoin(last, start))
    }

    fn adjoin(&self, item: &Item, start: TextSize) -> bool {
        let end = (item.start + item.statement.len).min(start);
        let between = slice(&self.text, TextRange::new(end, start));
        between.trim().is_empty() && between.matches('\n').count() < 2
    }

    /// Handles an `ERROR` around whole statements: the statements are read, and the rest becomes
    /// one finding.
    fn damage_with_statements(&mut self, cursor: &mut TreeCursor<'_>, node: Node<'_>) {
        if !self.unreadable.is_full() && self.read_again(cursor) {
            return;
        }
        let text = Arc::clone(&self.text);
        let range = absolute(node);
        let line = slice(&text, range).lines().next().unwrap_or("").trim_end();
        let range = TextRange::at(range.start(), text_len(line));
        if self.unreadable.is_full() {
            self.unreadable.leave_out(range.start());
        } else {
            self.unreadable.listed += 1;
            self.findings.push(lower::syntax_error(range, lower::cannot_be_parsed(line)));
        }
        self.top(cursor);
    }

    /// Reports a foreign comment. Comments on consecutive lines share one finding.
    fn foreign_comment(&mut self, node: Node<'_>) {
        let range = absolute(node);
        let finding = lower::foreign_comment(slice(&self.text, range), range);
        let before = self.findings.last_mut().filter(|before| {
            before.rule == finding.rule
                && before.message == finding.message
                && lower::is_line_end(slice(&self.text, TextRange::new(before.range.end(), range.start())))
        });
        match before {
            Some(before) => lower::extend_foreign_comment(before, finding),
            None => self.findings.push(finding),
        }
    }

    fn check_bom(&mut self) {
        if self.text.starts_with(BOM) {
            let range = TextRange::up_to(text_len(BOM));
            let fix = Fix::safe("delete the byte order mark").replace(range, "");
            self.findings.push(rules::byte_order_mark(range).fix(fix));
        }
    }

    /// Checks the order: `Package`, then `Use`s, then other statements.
    fn check_order(&mut self) {
        let mut seen = 0;
        let mut before: Option<&Item> = None;
        let mut findings = Vec::new();
        for item in &self.items {
            // A word at the start of a line of prose is not a misplaced statement.
            let after_damage =
                before.is_some_and(|before| before.statement.damaged && self.adjoin(before, item.start));
            before = Some(item);
            let (rank, word) = match &item.statement.kind {
                StatementKind::Package(_) => (1, "Package"),
                StatementKind::Use(_) => (2, "Use"),
                StatementKind::Broken => continue,
                StatementKind::Declaration(_) | StatementKind::Clause(_) => (3, ""),
            };
            if !after_damage && (rank < seen || (rank == 1 && seen == 1)) {
                let range = TextRange::at(item.start, text_len(word));
                let (message, note) = match (rank, seen) {
                    (1, 1) => ("second `Package` in a file", "the engine accepts one `Package` per file"),
                    (1, _) => (
                        "`Package` is not the first statement",
                        "the engine accepts `Package` only at the start of a file",
                    ),
                    _ => (
                        "`Use` after a declaration or clause",
                        "the engine accepts `Use` only before declarations and clauses",
                    ),
                };
                findings.push(Finding::new(&rules::STATEMENT_ORDER, range, message).note(note));
            }
            seen = seen.max(rank);
        }
        self.findings.extend(findings);
    }
}

/// A unique id of a node that stays the same in trees that share the node. The node id is the
/// address of its slot in its parent, which changes if the parent is rebuilt. The slot of its last
/// child, the period, is in its own memory.
fn identity(node: Node<'_>) -> usize {
    let last = node.child_count().checked_sub(1);
    last.and_then(|last| node.child(last)).unwrap_or(node).id()
}

pub(super) fn holds_statements(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| is_statement(kind_of(child)))
}

pub(super) fn is_statement(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::Package
            | SyntaxKind::Use
            | SyntaxKind::Declaration
            | SyntaxKind::Clause
            | SyntaxKind::Query
    )
}

fn absolute(node: Node<'_>) -> TextRange {
    TextRange::new(size(node.start_byte()), size(node.end_byte()))
}
