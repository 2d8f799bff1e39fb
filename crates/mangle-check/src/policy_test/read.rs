//! The cases of a test file: which facts each has, and what it expects.

use super::comments::{Comment, comments, ignored};
use super::findings;
use mangle_engine::program::{FileSummary, PredicateKey, key_of};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{Symbol, TextRange, TextSize};

/// What a comment of a test file can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestKey {
    /// `@test name: …`: opens a case.
    Test,
    /// `@expect p(…)`: a fact like this follows.
    Expect,
    /// `@forbid p(…)`: no fact like this follows.
    Forbid,
    /// `@exact p/2`: each fact of the predicate is like one that the case expects.
    Exact,
}

impl TestKey {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Test, Self::Expect, Self::Forbid, Self::Exact];

    /// The word, without `@`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Expect => "expect",
            Self::Forbid => "forbid",
            Self::Exact => "exact",
        }
    }

    /// The key of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == word)
    }
}

/// The cases of a test file. Ranges count from its start.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Statements before the first case that could not be read: indices into [`FileSummary::items`].
    pub damaged: Vec<u32>,
    /// Expectations before the first case, which belong to none: an error.
    pub homeless: Vec<Expectation>,
    /// Comments that read like expectations and are none: an unknown key, a key without its `@`, one after a statement.
    pub unread: Vec<TextRange>,
    /// What is wrong with the comments, as far as the file alone tells.
    pub(super) findings: Vec<Finding>,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// The comment that opens it.
    pub header: TextRange,
    /// Its facts: indices into [`FileSummary::items`].
    pub facts: Vec<u32>,
    /// What stands among them and is none: rules and declarations, which would belong to all cases.
    pub strangers: Vec<u32>,
    /// Statements that could not be read.
    pub damaged: Vec<u32>,
    /// What it expects, in the order of the file.
    pub expectations: Vec<Expectation>,
}

/// What a case expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Of which kind.
    pub key: TestKey,
    /// The comment.
    pub range: TextRange,
    /// What stands behind the key.
    pub text: String,
    /// The bytes of that.
    pub text_range: TextRange,
    /// The predicate that it is about; `None` where the text cannot be read.
    pub predicate: Option<PredicateKey>,
    /// The predicate's name in the text, for an atom.
    pub name: Option<TextRange>,
}

impl TestFile {
    /// Reads the cases of a test file.
    #[must_use]
    pub fn read(file: &FileSummary) -> Self {
        let mut tests = Self::default();
        let ignored = ignored(file);
        for comment in comments(file) {
            match TestKey::parse(comment.key) {
                Some(TestKey::Test) => tests.open(&comment),
                Some(key) => tests.expect(key, &comment),
                None if ignored.iter().any(|found| found.range == comment.range) => {}
                None => {
                    tests.unread.push(comment.range);
                    tests.findings.push(findings::unknown_key(&comment));
                }
            }
        }
        for (index, item) in (0u32..).zip(file.items.iter()) {
            tests.place(index, item);
        }
        tests.unread.extend(ignored.iter().map(|comment| comment.range));
        tests.findings.extend(ignored.iter().map(findings::ignored_directive));
        tests.findings.extend(tests.cases.iter().flat_map(|case| findings::about_case(case, file)));
        if tests.cases.is_empty() {
            tests.findings.push(findings::without_case(file));
        }
        tests
    }

    fn open(&mut self, comment: &Comment<'_>) {
        let name = comment.value.strip_prefix("name:").map_or("", str::trim);
        let repeated = self.cases.iter().any(|case| case.name == name);
        if name.is_empty() || repeated {
            self.findings.push(findings::case_name(comment, repeated));
        }
        // A case without a name still is one.
        let name = if name.is_empty() { format!("case {}", self.cases.len() + 1) } else { name.to_owned() };
        self.cases.push(Case {
            name,
            header: comment.range,
            facts: Vec::new(),
            strangers: Vec::new(),
            damaged: Vec::new(),
            expectations: Vec::new(),
        });
    }

    fn expect(&mut self, key: TestKey, comment: &Comment<'_>) {
        let (predicate, name) = match key {
            TestKey::Exact => (name_and_arity(comment.value), None),
            _ => atom(comment).map_or((None, None), |(predicate, name)| (Some(predicate), Some(name))),
        };
        if predicate.is_none() {
            self.findings.push(findings::malformed(key, comment));
        }
        let expectation = Expectation {
            key,
            range: comment.range,
            text: comment.value.to_owned(),
            text_range: comment.value_range,
            predicate,
            name,
        };
        match self.cases.last_mut() {
            Some(case) => case.expectations.push(expectation),
            None => {
                self.findings.push(findings::homeless(comment));
                self.homeless.push(expectation);
            }
        }
    }

    /// Puts a statement into its case.
    fn place(&mut self, index: u32, item: &Item) {
        let statement = &item.statement;
        let Some(case) = self.case_at_mut(item.start) else {
            self.damaged.extend(statement.damaged.then_some(index));
            return;
        };
        let is_fact = statement.clause().is_some_and(mangle_syntax::syntax::ast::Clause::is_fact);
        let list = match (statement.damaged, is_fact) {
            (true, _) => &mut case.damaged,
            (false, true) => &mut case.facts,
            (false, false) => &mut case.strangers,
        };
        list.push(index);
    }

    /// Everything that the file expects, in the order of the text.
    pub fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        self.homeless.iter().chain(self.cases.iter().flat_map(|case| &case.expectations))
    }

    fn case_at_mut(&mut self, offset: TextSize) -> Option<&mut Case> {
        let behind = self.cases.partition_point(|case| case.header.start() <= offset);
        self.cases.get_mut(behind.checked_sub(1)?)
    }

    /// The case that a place belongs to.
    #[must_use]
    pub fn case_at(&self, offset: TextSize) -> Option<&Case> {
        let behind = self.cases.partition_point(|case| case.header.start() <= offset);
        self.cases.get(behind.checked_sub(1)?)
    }
}

/// The predicate of an atom, and where its name stands in the file.
fn atom(comment: &Comment<'_>) -> Option<(PredicateKey, TextRange)> {
    let (predicate, name) = read_atom(comment.value)?;
    Some((predicate, name + comment.value_range.start()))
}

/// The predicate of an atom, and where its name stands in the text.
pub(super) fn read_atom(text: &str) -> Option<(PredicateKey, TextRange)> {
    let text = format!("{}.", text.trim_end_matches('.'));
    let source = SourceFile::parse(text.as_str().into());
    let [item] = &source.items()[..] else { return None };
    let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged)?;
    let name = clause.head.name.range + item.start;
    clause.interval.is_none().then(|| (key_of(&clause.head), name))
}

/// Reads `name/arity`.
pub(super) fn name_and_arity(text: &str) -> Option<PredicateKey> {
    let (name, arity) = text.rsplit_once('/')?;
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | ':');
    let fits = name.starts_with(char::is_lowercase) && name.chars().all(is_name);
    Some(PredicateKey { name: Symbol::new(name), arity: arity.parse().ok().filter(|_| fits)? })
}
