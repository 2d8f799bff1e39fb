//! The search for names in the workspace.

use rustc_hash::FxHashSet;

use super::SymbolType;
use mangle_engine::program::{FileSummary, PredicateKey, Program, Site};
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::text::{FileId, Symbol, TextRange};

/// A symbol of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    pub name: Symbol,
    pub kind: SymbolType,
    pub file: FileId,
    /// The name in the file.
    pub range: TextRange,
    /// The package around it, if it is in one.
    pub package: Option<Symbol>,
}

/// How well a name fits a query; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    Exact,
    Prefix,
    /// The query begins where a word of the name does: `denied` in `permission_denied`.
    Word,
    /// The query is made of beginnings of words: `perden`, `pd`.
    Words,
    /// The query is somewhere inside.
    Inside,
    /// The characters of the query are there in this order.
    Scattered,
}

/// The declarations, first clauses (one a file and predicate) and packages whose name fits `query`, the best first and
/// at most `limit` of them. Of what fits equally well, declarations come first. `name/2` asks for predicates with two
/// arguments.
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

type Rank = (MatchQuality, bool, usize);

fn each(program: &Program, query: &SymbolQuery, visit: &mut impl FnMut(WorkspaceSymbol, Rank)) {
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

/// The first rule of a predicate in a file, else its first fact.
fn first_clause(file: &FileSummary, key: PredicateKey) -> Option<(Site<'_>, SymbolType)> {
    let there = file.predicates.get(&key)?;
    let rule = there.rules.first().map(|at| (at, SymbolType::Rule));
    let (at, kind) = rule.or_else(|| there.facts.first().map(|at| (at, SymbolType::Facts)))?;
    let item: &Item = file.items.get(*at as usize)?;
    let range = item.statement.clause()?.head.name.range;
    Some((Site { file, item, range }, kind))
}

/// What is searched for.
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

    /// How well a name fits, or what stands behind its package.
    fn rank(&self, name: &str) -> Option<Rank> {
        let local = name.rsplit_once('.').and_then(|(_, local)| self.rank_of_word(local));
        local.into_iter().chain(self.rank_of_word(name)).min()
    }

    /// In which way a word fits, whether letters differ in case, how far apart they are.
    fn rank_of_word(&self, name: &str) -> Option<Rank> {
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

/// The rest of the name from the beginning of each of its words.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let starts = name.char_indices().scan(false, |in_word, (at, char)| {
        let is_word = char.is_ascii_alphanumeric();
        let begins = is_word && !*in_word;
        *in_word = is_word;
        Some(begins.then_some(at))
    });
    starts.flatten().filter_map(|at| name.get(at..))
}

/// Whether the query is made of beginnings of words, in their order.
fn fits_words(query: &str, name: &str) -> bool {
    let query = query.as_bytes();
    // How much of the query can be made of the words so far.
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

/// Between the first and the last character of the query in the name, how many are not its own; `None` if it is not
/// there in this order.
fn spread(query: &str, name: &str) -> Option<usize> {
    let mut places = name.char_indices();
    let mut ends: Option<(usize, usize)> = None;
    for wanted in query.chars() {
        let (at, _) = places.find(|(_, char)| *char == wanted)?;
        ends = Some((ends.map_or(at, |(first, _)| first), at));
    }
    Some(ends.map_or(0, |(first, last)| last + 1 - first - query.len().min(last + 1 - first)))
}
