//! Document symbols of a Mangle file.

use super::SymbolType;
use mangle_check::headings::{Heading, Rank, headings};
use mangle_engine::program::{FileSummary, PredicateKey, key_of};
use mangle_syntax::syntax::ast::{Atom, Declaration, Item, StatementKind};
use mangle_syntax::text::{TextRange, TextSize, slice, text_len};

/// Maximum length of a name or detail, in characters.
const WIDTH: usize = 100;

/// A symbol with its nested symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// Never empty.
    pub name: String,
    /// Parameters, or the number of facts.
    pub detail: String,
    pub kind: SymbolType,
    pub range: TextRange,
    /// Range of the name, within `range`.
    pub selection: TextRange,
    /// Nested symbols, in source order.
    pub children: Vec<Self>,
}

/// Returns the outline of a file in source order: sections below banners, packages, declarations,
/// and rules by head. Consecutive facts of one predicate form one symbol.
#[must_use]
pub fn document_symbols(file: &FileSummary) -> Vec<DocumentSymbol> {
    let mut headings = headings(file).into_iter().peekable();
    let mut outline = Outline { file, open: Vec::new(), top: Vec::new(), last_facts: None };
    for item in file.items.iter() {
        while let Some(heading) = headings.next_if(|heading| heading.start < item.start) {
            outline.section(&heading);
        }
        outline.item(item);
    }
    headings.for_each(|heading| outline.section(&heading));
    outline.close(Rank::Section, text_len(&file.text));
    outline.top
}

struct Outline<'f> {
    file: &'f FileSummary,
    /// Open sections.
    open: Vec<(Rank, DocumentSymbol)>,
    top: Vec<DocumentSymbol>,
    /// Predicate and number of facts, if the last symbol is a group of facts.
    last_facts: Option<(PredicateKey, usize)>,
}

impl Outline<'_> {
    /// Returns the list that receives the next symbol.
    fn list(&mut self) -> &mut Vec<DocumentSymbol> {
        match self.open.last_mut() {
            Some((_, section)) => &mut section.children,
            None => &mut self.top,
        }
    }

    /// Closes the sections of this rank and below, before `end`.
    fn close(&mut self, rank: Rank, end: TextSize) {
        let before = slice(&self.file.text, TextRange::up_to(end)).trim_end();
        while let Some((_, mut section)) = self.open.pop_if(|(open, _)| *open >= rank) {
            section.range = section.range.cover_offset(text_len(before).max(section.range.end()));
            self.list().push(section);
        }
    }

    fn section(&mut self, heading: &Heading) {
        self.last_facts = None;
        let name = shown(slice(&self.file.text, heading.title));
        if name.is_empty() {
            return;
        }
        self.close(heading.rank, heading.start);
        let section = DocumentSymbol {
            name,
            detail: String::new(),
            kind: SymbolType::Section,
            range: heading.range,
            selection: heading.title,
            children: Vec::new(),
        };
        self.open.push((heading.rank, section));
    }

    fn item(&mut self, item: &Item) {
        let range = item.statement.range() + item.start;
        let last_facts = self.last_facts.take();
        let (kind, name, detail) = match &item.statement.kind {
            StatementKind::Package(package) => (SymbolType::Package, package.name, String::new()),
            StatementKind::Use(package) => (SymbolType::Use, package.name, String::new()),
            StatementKind::Declaration(declaration) => {
                (SymbolType::Declaration, declaration.atom.name, self.parameters(item, declaration))
            }
            StatementKind::Clause(clause) if clause.is_fact() => {
                let key = key_of(&clause.head);
                let count = last_facts.filter(|(last, _)| *last == key).map_or(1, |(_, count)| count + 1);
                self.last_facts = Some((key, count));
                if count > 1 {
                    if let Some(symbol) = self.list().last_mut() {
                        symbol.range = symbol.range.cover(range);
                        symbol.detail = format!("{count} facts");
                    }
                    return;
                }
                (SymbolType::Facts, clause.head.name, self.arguments(item, &clause.head))
            }
            StatementKind::Clause(clause) => {
                (SymbolType::Rule, clause.head.name, self.arguments(item, &clause.head))
            }
            StatementKind::Broken => return,
        };
        let symbol = DocumentSymbol {
            name: shown(name.as_str()),
            detail,
            kind,
            range: range.cover(name.range + item.start),
            selection: name.range + item.start,
            children: Vec::new(),
        };
        if !symbol.name.is_empty() {
            self.list().push(symbol);
        }
    }

    /// Returns the arguments as written, for example `(X, /a)`.
    fn arguments(&self, item: &Item, atom: &Atom) -> String {
        shown(slice(self.file.statement_text(item), atom.args_range()))
    }

    /// Returns the parameters with types, for example `(X: /name, Y)`.
    fn parameters(&self, item: &Item, declaration: &Declaration) -> String {
        let text = self.file.statement_text(item);
        let types = declaration.bounds.first().map_or(&[][..], |row| &row.types);
        let parameters = declaration.atom.args.iter().enumerate().map(|(at, term)| {
            let name = slice(text, term.range);
            types.get(at).map_or_else(|| name.to_owned(), |ty| format!("{name}: {}", slice(text, ty.range)))
        });
        shown(&format!("({})", parameters.collect::<Vec<_>>().join(", ")))
    }
}

/// Shortens a text to one line of [`WIDTH`] characters.
fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(WIDTH * 2));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // A character has at most four bytes, so the remaining text is truncated.
        if line.len() > WIDTH * 4 {
            break;
        }
    }
    if line.len() > WIDTH
        && let Some((at, _)) = line.char_indices().nth(WIDTH)
    {
        line.truncate(at);
        line.push('…');
    }
    line
}
