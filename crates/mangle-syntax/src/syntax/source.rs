//! One file: its text, its tree, its statements, and how an edit changes them.
//!
//! An edit re-parses incrementally and lowers again only what tree-sitter built anew: statements
//! whose nodes the new tree shares with the old one are shared here too, id and all.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree, TreeCursor};

use super::ast::{Item, Statement, StatementKind};
use super::kind::{SyntaxKind, kind_of};
use super::recovery::is_doubtful;
use super::reparse::SecondReadings;
use super::{directives, line_ends, lower, rules};
use crate::lint::{Finding, Fix};
use crate::text::{TextEdit, TextRange, TextSize, size, slice, text_len};

const BOM: &str = "\u{feff}";

/// How many statements of a file that cannot be read are listed. Further ones are counted.
const MOST_UNREADABLE: usize = 1_000;

/// A parsed file. Cheap to clone; an edit gives a new one that shares what did not change.
#[derive(Debug, Clone)]
pub struct SourceFile {
    text: Arc<str>,
    /// What was parsed: the text, with blanks instead of directives.
    parsed: Arc<str>,
    items: Arc<[Item]>,
    findings: Arc<[Finding]>,
    parse: Option<Arc<Parse>>,
}

/// A tree, and which of its nodes became which item.
#[derive(Debug)]
struct Parse {
    tree: Tree,
    /// [`identity`] of each item's node, which means something only while the tree lives.
    nodes: Vec<usize>,
    /// What was made of text that could not be read at first.
    second: SecondReadings,
}

/// A text that is to be parsed.
struct Input {
    text: Arc<str>,
    parsed: Arc<str>,
    /// The lines that `parsed` has blanks for.
    directives: Vec<TextRange>,
}

impl Input {
    fn new(text: Arc<str>) -> Self {
        match directives::strip(&text) {
            Some(stripped) => Self { text, parsed: stripped.text, directives: stripped.lines },
            None => Self { parsed: Arc::clone(&text), text, directives: Vec::new() },
        }
    }
}

/// What the walk over the top of a tree collects.
struct Walk<'o> {
    text: Arc<str>,
    items: Vec<Item>,
    nodes: Vec<usize>,
    findings: Vec<Finding>,
    old: Option<PreviousItems<'o>>,
    second: SecondReadings,
    /// Where text that took a second reading ends.
    understood: usize,
    /// The first byte that neither reading could make sense of, if the root is an `ERROR`.
    stray: Option<usize>,
    unreadable: UnreadableText,
}

/// What cannot be read of a file.
struct UnreadableText {
    /// How much of it is listed at most.
    most: usize,
    /// How much of it is listed.
    listed: usize,
    /// How much is not, and where the first of it starts.
    left_out: usize,
    first_left_out: Option<TextSize>,
}

impl UnreadableText {
    fn at_most(most: usize) -> Self {
        Self { most, listed: 0, left_out: 0, first_left_out: None }
    }

    /// Whether so much is listed that the rest is only counted.
    fn is_full(&self) -> bool {
        self.listed >= self.most
    }

    fn leave_out(&mut self, start: TextSize) {
        self.left_out += 1;
        self.first_left_out.get_or_insert(start);
    }
}

/// The items of the file before the edit, to be found by node.
struct PreviousItems<'o> {
    second: &'o SecondReadings,
    items: &'o [Item],
    nodes: &'o [usize],
    /// The item that the next node most likely is: both trees have their nodes in one order.
    next: usize,
    /// All of them by node, made when the guess first fails.
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
        Self::parse_listing(text, MOST_UNREADABLE)
    }

    /// Parses `text`, and lists everything that cannot be read, however much that is.
    #[must_use]
    pub fn parse_listing_all(text: Arc<str>) -> Self {
        Self::parse_listing(text, usize::MAX)
    }

    fn parse_listing(text: Arc<str>, most: usize) -> Self {
        let input = Input::new(text);
        let tree = parse(&input.parsed, None);
        Self::build(input, tree, None, most)
    }

    /// The file after `edits`, which lead (applied in order) from this file's text to `text`.
    /// Statements that the edits do not touch are shared with this file and keep their ids.
    #[must_use]
    pub fn edit(&self, text: Arc<str>, edits: &[TextEdit]) -> Self {
        let Some(old) = &self.parse else { return Self::parse(text) };
        let input = Input::new(text);
        let mut edited = old.tree.clone();
        if input.directives.is_empty() && Arc::ptr_eq(&self.text, &self.parsed) {
            edits.iter().for_each(|edit| edited.edit(&input_edit(*edit)));
        } else {
            // Where a line becomes a directive or stops being one, more changes than what was edited.
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
            MOST_UNREADABLE,
        )
    }

    /// The same file without its tree, for files that nobody edits: statements stay, an edit
    /// parses anew.
    #[must_use]
    pub fn without_tree(mut self) -> Self {
        self.parse = None;
        self
    }

    /// The whole text of the file. Cheap: the text is shared.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The statements in order.
    #[must_use]
    pub fn items(&self) -> &Arc<[Item]> {
        &self.items
    }

    /// Findings about the file as a whole; their ranges count from its start.
    #[must_use]
    pub fn findings(&self) -> &Arc<[Finding]> {
        &self.findings
    }

    /// The tree, unless it was dropped.
    #[must_use]
    pub fn tree(&self) -> Option<&Tree> {
        self.parse.as_ref().map(|parse| &parse.tree)
    }

    /// What was parsed: the text, with blanks instead of directives.
    pub(super) fn parsed(&self) -> &Arc<str> {
        &self.parsed
    }

    fn build(input: Input, tree: Option<Tree>, old: Option<PreviousItems<'_>>, most: usize) -> Self {
        let Input { text, parsed, directives } = input;
        let Some(tree) = tree else { return Self::unparsed(text) };
        let findings = directives::findings(&text, &directives);
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
        walk.findings.extend(line_ends::check(&parsed, &tree));
        let Walk { items, nodes, findings, second, .. } = walk;
        let parse = Some(Arc::new(Parse { tree, nodes, second }));
        Self { text, parsed, items: items.into(), findings: findings.into(), parse }
    }

    /// tree-sitter gives no tree only when it is told to stop.
    fn unparsed(text: Arc<str>) -> Self {
        let start = TextRange::at(TextSize::new(0), text_len(&text).min(TextSize::new(1)));
        let message = "file is too damaged to be parsed in reasonable time";
        let finding = Finding::new(&rules::SYNTAX_ERROR, start, message).note("nothing in it is checked");
        let parsed = Arc::clone(&text);
        Self { text, parsed, items: Arc::new([]), findings: Arc::new([finding]), parse: None }
    }
}

/// Parses under a limit on work: tree-sitter's error recovery is not linear on every input.
pub(super) fn parse(text: &str, old: Option<&Tree>) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(new_parser());
    }
    // The callback comes about once every hundred operations; sane files need some 30 calls a
    // kilobyte of text at most.
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
        // After a stop the parser would resume the old text.
        parser.reset();
        tree
    })
}

/// Parses `text`, to which `edits` lead from the text of `old`: ranges in the old text, sorted, and new lengths.
pub(super) fn reparse(
    text: &str,
    old: &Tree,
    edits: impl DoubleEndedIterator<Item = (TextRange, TextSize)>,
) -> Option<Tree> {
    let mut edited = old.clone();
    // From the last on, so that the others are where they were.
    for (range, new_len) in edits.rev() {
        edited.edit(&input_edit(TextEdit { range, new_len }));
    }
    forget_damage(&mut edited);
    parse(text, Some(&edited))
}

fn new_parser() -> Parser {
    let mut parser = Parser::new();
    if let Err(error) = parser.set_language(&super::grammar()) {
        // The grammar is compiled in; a test parses with it.
        tracing::error!(%error, "the built-in grammar does not load");
    }
    parser
}

/// Marks the damaged statements of an edited tree as changed. tree-sitter would use what it recovered
/// there again as it is, where a fresh parse, in other surroundings, may recover otherwise.
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
    // Only bytes count: the grammar looks at no columns and nobody asks for points.
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
    /// Where tree-sitter can make no file of the text, the root is an `ERROR`, and what it could read
    /// are its children. The first of them that makes no sense shows where the trouble starts.
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
        // What was left out before may have to be listed now.
        let kept = kept.filter(|statement| is_full || statement.left_out.is_none());
        let mut statement = kept.unwrap_or_else(|| Arc::new(lower::statement(cursor, &self.text)));
        let is_odd = !is_full && (is_doubtful(&statement) || self.goes_on(&statement, node));
        if is_odd && self.read_again(cursor) {
            return;
        }
        let mut said = statement.findings.iter().map(|finding| finding.rule).chain(statement.left_out);
        let unreadable = statement.damaged && said.all(|rule| rule == &rules::SYNTAX_ERROR);
        let rubble = unreadable && self.follows_damage(start);
        if statement.damaged && is_full {
            statement = self.without_findings(statement, cursor);
        }
        match (statement.damaged && !rubble, is_full) {
            (true, true) => self.unreadable.leave_out(start),
            (true, false) => self.unreadable.listed += 1,
            _ => {}
        }
        self.items.push(Item { start, statement, rubble });
        self.nodes.push(identity(node));
    }

    /// A statement that cannot be read, of which only that is kept.
    fn without_findings(&self, statement: Arc<Statement>, cursor: &mut TreeCursor<'_>) -> Arc<Statement> {
        let Some(rule) = statement.findings.first().map(|finding| finding.rule) else { return statement };
        let own = Arc::try_unwrap(statement).unwrap_or_else(|_| lower::statement(cursor, &self.text));
        Arc::new(Statement { findings: Vec::new(), left_out: Some(rule), ..own })
    }

    /// Says how much that cannot be read is not listed.
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

    /// Whether a statement without its full stop goes on with a sign that ends it elsewhere: `p(X)?`, `X % 2`, or with the body
    /// of a function of Rego: `p(x) if {`.
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

    /// Reads the node of the cursor, and what follows as far as it belongs to it, with the habits of other
    /// languages undone. False when that is no better.
    fn read_again(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let mut ahead = cursor.clone();
        let text = Arc::clone(&self.text);
        // Nodes are taken whole.
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

    /// Whether the last item is damaged and nothing but white space, no blank line among it, is
    /// between it and `start`.
    fn follows_damage(&self, start: TextSize) -> bool {
        self.items.last().is_some_and(|last| last.statement.damaged && self.adjoin(last, start))
    }

    fn adjoin(&self, item: &Item, start: TextSize) -> bool {
        let end = (item.start + item.statement.len).min(start);
        let between = slice(&self.text, TextRange::new(end, start));
        between.trim().is_empty() && between.matches('\n').count() < 2
    }

    /// An `ERROR` around whole statements: these are read, the rest is one finding.
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

    /// Reports a comment of another language. Comments on lines that follow each other are one finding.
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

    /// `Package` first, then `Use`s, then the rest.
    fn check_order(&mut self) {
        let mut seen = 0;
        let mut before: Option<&Item> = None;
        let mut findings = Vec::new();
        for item in &self.items {
            // A word at the start of a line of prose is no statement out of order.
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

/// What tells a node from all others of its tree and is the same in a tree that shares it. The id
/// of a node is the address of its slot in its parent, which changes when the parent is built
/// anew; the slot of its last child, the full stop, is in its own memory.
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
