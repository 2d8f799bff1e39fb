//! Outline of a file ([`document_symbols`]) and workspace symbol search ([`workspace_symbols`]).

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use mangle_check::headings::{Heading, Rank, headings};
use mangle_engine::program::{FileSummary, PredicateKey, Program, Site, key_of};
use mangle_syntax::syntax::ast::{Atom, Declaration, Item, StatementKind};
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, slice, text_len};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolType {
    /// A section below a banner comment.
    Section,
    /// `Package …!`
    Package,
    /// `Use …!`
    Use,
    /// A `Decl`.
    Declaration,
    Rule,
    /// One fact, or consecutive facts of one predicate.
    Facts,
    /// A turn of a transcript.
    Turn,
    Envelope,
    /// A member of an envelope.
    Member,
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    pub name: Symbol,
    pub kind: SymbolType,
    pub file: FileId,
    /// Range of the name in the file.
    pub range: TextRange,
    pub package: Option<Symbol>,
}

/// Match quality; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    Exact,
    Prefix,
    /// The query is a prefix of a word in the name, for example `denied` in `permission_denied`.
    Word,
    /// The query consists of prefixes of words, for example `perden` or `pd`.
    Words,
    /// The query is a substring.
    Inside,
    /// The query is a subsequence.
    Scattered,
}

/// Returns declarations, first clauses (one per file and predicate) and packages whose name matches
/// `query`. The result has at most `limit` entries, best first; at equal quality, declarations come
/// first. A query such as `name/2` requires two arguments.
#[must_use]
pub fn workspace_symbols(programs: &[&Program], query: &str, limit: usize) -> Vec<WorkspaceSymbol> {
    let query = SymbolQuery::new(query);
    let mut found: Vec<(_, WorkspaceSymbol)> = Vec::new();
    let mut seen = FxHashSet::default();
    for program in programs {
        each(program, &query, &mut |symbol, rank| {
            if seen.insert((symbol.file, symbol.range)) {
                found.push((rank, symbol));
            }
        });
    }
    found.sort_by(|(rank, symbol), (other_rank, other)| {
        let key = |symbol: &WorkspaceSymbol| (symbol.name.as_str().len(), symbol.name.as_str());
        let place = |symbol: &WorkspaceSymbol| (symbol.file, symbol.range.start());
        (rank, symbol.kind, key(symbol), place(symbol)).cmp(&(
            other_rank,
            other.kind,
            key(other),
            place(other),
        ))
    });
    found.truncate(limit);
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

type MatchRank = (MatchQuality, bool, usize);

fn each(program: &Program, query: &SymbolQuery, visit: &mut impl FnMut(WorkspaceSymbol, MatchRank)) {
    for predicate in program.predicates.iter() {
        let PredicateKey { name, arity } = predicate.key;
        if query.arity.is_some_and(|wanted| wanted != arity) {
            continue;
        }
        let Some(rank) = query.rank(name.as_str()) else { continue };
        let mut add = |site: &Site<'_>, kind| {
            let (file, package) = (site.file.id, site.file.package);
            visit(WorkspaceSymbol { name, kind, file, range: site.range + site.item.start, package }, rank);
        };
        program.declarations(predicate).for_each(|site| add(&site, SymbolType::Declaration));
        for (file, key) in &predicate.files {
            let Some(file) = program.files.get(*file as usize) else { continue };
            let Some((site, kind)) = first_clause(file, *key) else { continue };
            add(&site, kind);
        }
    }
    let packages = program.files.iter().filter(|_| query.arity.is_none());
    for (file, item) in packages.filter_map(|file| Some((file, file.items.first()?))) {
        if let StatementKind::Package(package) = &item.statement.kind
            && let Some(rank) = query.rank(package.name.as_str())
        {
            let (name, range) = (package.name.symbol, package.name.range + item.start);
            visit(
                WorkspaceSymbol { name, kind: SymbolType::Package, file: file.id, range, package: None },
                rank,
            );
        }
    }
}

/// Returns the first rule of a predicate in a file, otherwise its first fact.
fn first_clause(file: &FileSummary, key: PredicateKey) -> Option<(Site<'_>, SymbolType)> {
    let there = file.predicates.get(&key)?;
    let rule = there.rules.first().map(|at| (at, SymbolType::Rule));
    let (at, kind) = rule.or_else(|| there.facts.first().map(|at| (at, SymbolType::Facts)))?;
    let item: &Item = file.items.get(*at as usize)?;
    let range = item.statement.clause()?.head.name.range;
    Some((Site { file, item, range }, kind))
}

struct SymbolQuery {
    text: String,
    lower: String,
    arity: Option<u16>,
}

impl SymbolQuery {
    fn new(query: &str) -> Self {
        let (name, arity) = match query.rsplit_once('/') {
            Some((name, digits)) => match digits.parse() {
                Ok(arity) => (name, Some(arity)),
                Err(_) => (query, None),
            },
            None => (query, None),
        };
        let text: String = name.split_whitespace().collect();
        Self { lower: text.to_ascii_lowercase(), text, arity }
    }

    /// Returns the match quality of a name, with or without its package.
    fn rank(&self, name: &str) -> Option<MatchRank> {
        let local = name.rsplit_once('.').and_then(|(_, local)| self.rank_of_word(local));
        local.into_iter().chain(self.rank_of_word(name)).min()
    }

    /// Returns the quality, a flag for different case, and the distance of the matched letters.
    fn rank_of_word(&self, name: &str) -> Option<MatchRank> {
        let lower = name.to_ascii_lowercase();
        let inside = lower.find(&self.lower);
        let fit = match inside {
            Some(0) if lower.len() == self.lower.len() => MatchQuality::Exact,
            Some(0) => MatchQuality::Prefix,
            _ if words(&lower).any(|word| word.starts_with(&self.lower)) => MatchQuality::Word,
            _ if fits_words(&self.lower, &lower) => MatchQuality::Words,
            Some(_) => MatchQuality::Inside,
            None => MatchQuality::Scattered,
        };
        let spread = spread(&self.lower, &lower)?;
        Some((fit, !name.contains(&self.text), spread))
    }
}

/// Returns the suffixes of the name that start at a word.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let starts = name.char_indices().scan(false, |in_word, (at, char)| {
        let is_word = char.is_ascii_alphanumeric();
        let begins = is_word && !*in_word;
        *in_word = is_word;
        Some(begins.then_some(at))
    });
    starts.flatten().filter_map(|at| name.get(at..))
}

/// True if the query consists of prefixes of words, in order.
fn fits_words(query: &str, name: &str) -> bool {
    let query = query.as_bytes();
    // Prefix lengths of the query that can be built from the words so far.
    let mut made = vec![false; query.len() + 1];
    made[0] = true;
    for word in words(name) {
        let word: Vec<u8> = word.bytes().take_while(u8::is_ascii_alphanumeric).collect();
        for from in (0..query.len()).rev().filter(|from| made[*from]).collect::<Vec<_>>() {
            let same = query[from..].iter().zip(&word).take_while(|(a, b)| a == b).count();
            (1..=same).for_each(|len| made[from + len] = true);
        }
    }
    made.last() == Some(&true)
}

/// Returns the number of unmatched characters between the first and the last match. `None` if the
/// query is not a subsequence.
fn spread(query: &str, name: &str) -> Option<usize> {
    let mut places = name.char_indices();
    let mut ends: Option<(usize, usize)> = None;
    for wanted in query.chars() {
        let (at, _) = places.find(|(_, char)| *char == wanted)?;
        ends = Some((ends.map_or(at, |(first, _)| first), at));
    }
    Some(ends.map_or(0, |(first, last)| last + 1 - first - query.len().min(last + 1 - first)))
}
