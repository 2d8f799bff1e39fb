//! Field access, lookups, method calls and entities of other languages: `X.age`,
//! `input.containers[_].image`, `blocked[User]`, `P.startswith("src/")`, `User::"ann"`.

use std::ops::Range;

use super::phrases::is_known;
use super::region::{NEUTRAL, Region};
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// Input documents of policies in other languages: the root of a path, and its description.
const ROOTS: [(&str, &str); 7] = [
    ("input", "`input` is the input document of Rego; a Mangle program reads facts instead"),
    ("data", "`data` is the document of Rego that holds policies and data; a Mangle program reads facts"),
    ("principal", CEDAR_ROOT),
    ("action", CEDAR_ROOT),
    ("resource", CEDAR_ROOT),
    ("context", CEDAR_ROOT),
    ("self", "an object has no fields in Mangle; a fact holds each of its values"),
];

const CEDAR_ROOT: &str =
    "`principal`, `action`, `resource` and `context` are variables of Cedar; use premises instead";

/// Methods that test a text, and the equivalent premise.
const TEXT_METHODS: [(&str, &str); 6] = [
    ("startswith", ":string:starts_with"),
    ("startsWith", ":string:starts_with"),
    ("starts_with", ":string:starts_with"),
    ("endswith", ":string:ends_with"),
    ("endsWith", ":string:ends_with"),
    ("ends_with", ":string:ends_with"),
];

/// Methods that test a list or a text.
const MEMBER_METHODS: [&str; 7] =
    ["contains", "includes", "has", "containsAll", "containsAny", "intersects", "index"];

/// Other method names of values in other languages, which no predicate uses.
const METHODS: [&str; 20] = [
    "lower",
    "upper",
    "strip",
    "split",
    "join",
    "format",
    "get",
    "items",
    "keys",
    "values",
    "toLowerCase",
    "toUpperCase",
    "trim",
    "isInRange",
    "append",
    "replace",
    "length",
    "size",
    "isEmpty",
    "count",
];

/// The headline about a field of a value.
pub(in crate::syntax) fn no_field_access(written: &str) -> String {
    format!("Mangle has no field access `{}`", shorten(written))
}

/// The reason that a path is not a value: its root, or its syntax.
pub(in crate::syntax) fn path_note(written: &str) -> &'static str {
    let root = written.split(['.', '[']).next().unwrap_or("");
    let known = ROOTS.iter().find(|(known, _)| *known == root);
    known.map_or("a fact holds each value as an argument", |(_, note)| note)
}

/// True if a path starts with an input document of Rego or Cedar.
pub(in crate::syntax) fn has_known_root(written: &str) -> bool {
    written.split_once('.').is_some_and(|(root, _)| ROOTS.iter().any(|(known, _)| *known == root))
}

/// The Mangle equivalent of a field.
pub(in crate::syntax) const BIND_BY_PREMISE: &str =
    "bind a variable to the value with a premise; `:match_field(Struct, Field, Value)` reads a struct";

fn lookup_of_rego(written: &str) -> String {
    format!("`{}` is a lookup of Rego", shorten(written))
}

const ARGUMENTS_IN_PARENTHESES: &str = "a premise has its arguments in parentheses";

/// The last part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suffix {
    Field,
    Lookup,
    Call,
    Entity,
}

/// A value followed by at least one part.
struct Path {
    tokens: Range<usize>,
    last: Suffix,
    parts: usize,
}

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let mut fields: Option<ForeignConstruct> = None;
    let mut at = region.arrow().map_or(1, |_| 0);
    while at < region.tokens.len() {
        let Some(path) = Path::at(region, at) else {
            at += 1;
            continue;
        };
        at = path.tokens.end;
        if path.is_in_phrase(region) {
            continue;
        }
        let range = region.range(path.tokens.clone());
        if hits.takes(&range) {
            continue;
        }
        let special = match path.last {
            Suffix::Entity => path.entity(region),
            Suffix::Call => path.method(region),
            Suffix::Lookup => path.lookup(region),
            Suffix::Field => None,
        };
        match special {
            Some(hit) => hits.add(hit),
            None => fields = path.field(region, fields.clone()).or(fields),
        }
    }
    fields.into_iter().for_each(|hit| hits.add(hit));
}

impl Path {
    /// The path that starts at a token.
    fn at(region: &Region<'_>, start: usize) -> Option<Self> {
        let base = region.token(start)?;
        let is_word =
            base.kind == LexemeKind::Word && !base.text.starts_with(':') && !base.text.starts_with("fn:");
        if !is_word && (base.kind != LexemeKind::Variable || base.is("Decl")) {
            return None;
        }
        let mut path = Self { tokens: start..start + 1, last: Suffix::Field, parts: 0 };
        if is_word && base.text.contains('.') && !region.is_atom(start) {
            path.parts = 1;
        }
        while path.extend(region) {}
        let continues_atom = is_word && region.is_atom(start);
        (path.parts > 0 && !continues_atom).then_some(path)
    }

    /// True if a word makes the premise a phrase, for example `R.tags has "env"`.
    fn is_in_phrase(&self, region: &Region<'_>) -> bool {
        let is_top = |at: usize| region.token(at).is_some_and(|token| token.depth == 0);
        let tests_null = |at: usize| {
            let value = at + 1 + usize::from(region.at(at + 1).eq_ignore_ascii_case("not"));
            matches!(region.at(value).to_ascii_lowercase().as_str(), "null" | "none" | "nil")
        };
        is_top(self.tokens.start)
            && region.premise_at(self.tokens.start).any(|at| {
                let is_word =
                    is_known(region.at(at)) && (!region.at(at).eq_ignore_ascii_case("is") || tests_null(at));
                !self.tokens.contains(&at) && is_top(at) && !region.is_atom(at) && is_word
            })
    }

    /// Extends the path by its next part. Returns false if no part follows.
    fn extend(&mut self, region: &Region<'_>) -> bool {
        let end = self.tokens.end;
        let is_word = |at: usize| {
            region.glued(at) && matches!(region.kind(at), Some(LexemeKind::Word | LexemeKind::Variable))
        };
        if !region.glued(end) {
            return false;
        }
        let (last, next) = match region.at(end) {
            "." if is_word(end + 1) && !starts_statement(region, end + 1) => (Suffix::Field, Some(end + 2)),
            "[" => (Suffix::Lookup, region.close(end).map(|close| close + 1)),
            "(" if self.parts > 0 => (Suffix::Call, region.close(end).map(|close| close + 1)),
            "::" if is_word(end + 1) => (Suffix::Field, Some(end + 2)),
            "::" if region.glued(end + 1) && region.kind(end + 1) == Some(LexemeKind::Text) => {
                (Suffix::Entity, Some(end + 2))
            }
            _ => return false,
        };
        let Some(next) = next else { return false };
        (self.tokens.end, self.last, self.parts) = (next, last, self.parts + 1);
        true
    }

    /// Matches `User::"ann"`.
    fn entity(&self, region: &Region<'_>) -> Option<ForeignConstruct> {
        let range = region.range(self.tokens.clone());
        let headline = format!("`{}` is an entity of Cedar", shorten(region.slice(range.clone())));
        let hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline)
            .note("a name of Mangle begins with a slash and can have several parts")
            .help("write a name or a string for the entity");
        Some(hit.read(range, "\"\""))
    }

    /// Matches `P.startswith("src/")`.
    fn method(&self, region: &Region<'_>) -> Option<ForeignConstruct> {
        let open = (self.tokens.start..self.tokens.end).rev().find(|&at| {
            region.at(at) == "(" && region.close(at).is_some_and(|close| close + 1 == self.tokens.end)
        })?;
        let word = region.at(open - 1);
        let method = word.rsplit('.').next().unwrap_or(word);
        let range = region.range(self.tokens.clone());
        let headline = format!("Mangle has no method `{}(…)`", shorten(method));
        let hit = ForeignConstruct::new(&rules::FOREIGN_WORD, region.token(open - 1)?.range(), headline);
        let is_test = region.ends_premise(self.tokens.end) && region.starts_premise(self.tokens.start);
        if let Some((_, test)) = TEXT_METHODS.iter().find(|(known, _)| *known == method) {
            let hit = hit.note(
                "texts are tested by `:string:starts_with`, `:string:contains` and `:string:ends_with`",
            );
            let arguments = open + 1..self.tokens.end - 1;
            let is_simple = is_test && open == self.tokens.start + 3 && arguments.len() == 1;
            if is_simple && region.kind(self.tokens.start) == Some(LexemeKind::Variable) {
                let call = format!("{test}({}, {})", region.at(self.tokens.start), region.at(open + 1));
                let title = format!("write `{}`", shorten(&call));
                return Some(hit.replace(range, call).title(title).guess());
            }
            return self.unread(region, hit);
        }
        let hit = if MEMBER_METHODS.contains(&method) {
            hit.note("`:list:member(Element, List)` goes through a list, `:string:contains(Text, Part)` tests a text")
        } else {
            hit.note("a function is called by its name, with all values as arguments")
        };
        self.unread(region, hit.help("use a built-in: functions begin with `fn:`, premises with `:`"))
    }

    /// Matches `blocked[User]` as a premise.
    fn lookup(&self, region: &Region<'_>) -> Option<ForeignConstruct> {
        let base = region.token(self.tokens.start)?;
        let is_premise = self.parts == 1
            && base.kind == LexemeKind::Word
            && base.depth == 0
            && region.ends_premise(self.tokens.end)
            && (region.starts_premise(self.tokens.start) || self.negation(region).is_some());
        let key = region.token(self.tokens.start + 2).filter(|_| self.tokens.len() == 4);
        let key = key.filter(|key| key.is_operand() && !key.text.contains('.')).filter(|_| is_premise)?;
        let argument = match key.kind {
            LexemeKind::Word => camel_case(key.text),
            _ => key.text.to_owned(),
        };
        let negation = self.negation(region);
        let sign = if negation.is_some() { "!" } else { "" };
        let start = negation.and_then(|at| region.token(at)).map_or(base.start, |token| token.start);
        let range = region.range(self.tokens.clone());
        let call = format!("{sign}{}({argument})", base.text);
        let headline = lookup_of_rego(region.slice(range.clone()));
        let hit = ForeignConstruct::new(&rules::FOREIGN_WORD, range.clone(), headline)
            .note(ARGUMENTS_IN_PARENTHESES);
        Some(
            hit.replace(start..range.end, call.as_str()).title(format!("write `{}`", shorten(&call))).guess(),
        )
    }

    /// Matches a field or an element of a value. Reports one finding for the whole statement.
    fn field(&self, region: &Region<'_>, found: Option<ForeignConstruct>) -> Option<ForeignConstruct> {
        let range = region.range(self.tokens.clone());
        let written = region.slice(range.clone());
        let hit = found.unwrap_or_else(|| {
            let is_word = region.kind(self.tokens.start) == Some(LexemeKind::Word);
            let (headline, note) = match self.last {
                Suffix::Lookup
                    if is_word && !written.starts_with("input.") && !written.starts_with("data.") =>
                {
                    (lookup_of_rego(written), ARGUMENTS_IN_PARENTHESES)
                }
                Suffix::Lookup if self.parts == 1 => {
                    let headline = format!("Mangle has no element access `{}`", shorten(written));
                    (
                        headline,
                        "`fn:list:get(List, Index)` and `:match_entry(Map, Key, Value)` read an element",
                    )
                }
                _ => (no_field_access(written), path_note(written)),
            };
            let hit = ForeignConstruct::new(&rules::FOREIGN_WORD, range, headline).note(note);
            hit.help(BIND_BY_PREMISE)
        });
        self.unread(region, hit)
    }

    /// Reads the path as a value, or omits the premise that consists of it.
    fn unread(&self, region: &Region<'_>, hit: ForeignConstruct) -> Option<ForeignConstruct> {
        let depth = region.token(self.tokens.start)?.depth;
        let negation = self.negation(region);
        let is_premise = depth == 0
            && region.ends_premise(self.tokens.end)
            && (region.starts_premise(self.tokens.start) || negation.is_some());
        if !is_premise {
            return Some(hit.read(region.range(self.tokens.clone()), "_"));
        }
        let start = negation.unwrap_or(self.tokens.start);
        // Neighboring premises can also be paths, so no comma is deleted.
        Some(hit.read(region.range(start..self.tokens.end), NEUTRAL))
    }

    /// The negation sign before the path.
    fn negation(&self, region: &Region<'_>) -> Option<usize> {
        let at = self.tokens.start.checked_sub(1)?;
        let negates = matches!(region.at(at), "!" | "not" | "\\+" | "~");
        (negates && region.starts_premise(at)).then_some(at)
    }
}

/// True if a clause starts at the word at `at`, without a blank after the previous period:
/// `q(X).p(1).`
fn starts_statement(region: &Region<'_>, at: usize) -> bool {
    let word = region.at(at);
    let is_method = METHODS.contains(&word)
        || MEMBER_METHODS.contains(&word)
        || TEXT_METHODS.iter().any(|(known, _)| *known == word);
    let close = region.close(at + 1).filter(|_| region.is_atom(at));
    let ends = |at: usize| matches!(region.at(at), "." | ":-" | "⟸" | "");
    let is_clause = close.is_some_and(|close| ends(close + 1));
    matches!(word, "Decl" | "Package" | "Use")
        || matches!(region.at(at + 1), ":-" | "⟸")
        || (is_clause && !is_method)
}
