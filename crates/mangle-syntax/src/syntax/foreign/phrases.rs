//! Keywords of other languages between terms and premises: `T like "src/%"`, `a(X) JOIN b(X)`,
//! `p(X) unless q(X)`, `if … then … else …`.
//!
//! Such premises are omitted from the reading, because no commas separate the keywords from their
//! neighbors. If a Mangle premise is probably equivalent, the fix offers it as a guess.

use std::ops::Range;

use super::region::{Region, without_premise};
use super::token::{Lexeme, LexemeKind};
use super::{ABSENCE, ForeignConstruct, Hits, NO_DISJUNCTION};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

/// Words with a separate recognizer.
const ELSEWHERE: [&str; 30] = [
    "not",
    "naf",
    "and",
    "or",
    "exists",
    "exist",
    "in",
    "where",
    "forall",
    "all",
    "findall",
    "setof",
    "bagof",
    "aggregate_all",
    "count",
    "sum",
    "aggregate",
    "true",
    "false",
    "fail",
    "mod",
    "div",
    "do",
    "let",
    "group",
    "order",
    "limit",
    "null",
    "nil",
    "none",
];

/// Words between two values, and the probably equivalent comparison.
const COMPARISONS: [(&str, &str); 12] = [
    ("equals", "="),
    ("equal", "="),
    ("eq", "="),
    ("ne", "!="),
    ("neq", "!="),
    ("differs", "!="),
    ("gt", ">"),
    ("lt", "<"),
    ("ge", ">="),
    ("gte", ">="),
    ("le", "<="),
    ("lte", "<="),
];

/// Words between two texts, and the probably equivalent premise.
const TEXT_TESTS: [(&str, &str); 8] = [
    ("contains", ":string:contains"),
    ("includes", ":string:contains"),
    ("startswith", ":string:starts_with"),
    ("starts_with", ":string:starts_with"),
    ("startsWith", ":string:starts_with"),
    ("endswith", ":string:ends_with"),
    ("ends_with", ":string:ends_with"),
    ("endsWith", ":string:ends_with"),
];

/// Words that are not a premise, even alone.
const CONTROL: [&str; 9] = ["if", "then", "else", "elif", "otherwise", "case", "end", "when", "unless"];

/// True for a control keyword that is not a value.
pub(in crate::syntax) fn is_control(word: &str) -> bool {
    CONTROL.contains(&word)
}

/// The Mangle equivalent of case distinctions.
pub(in crate::syntax) const CASES_ARE_RULES: &str = "each case is a rule of its own";

/// The note about comparison keywords.
const COMPARED: &str = "values are compared by `=`, `!=`, `<`, `<=`, `>` and `>=`";

/// The note about text test keywords.
const TESTED: &str = "texts are tested by `:string:starts_with`, `:string:contains` and `:string:ends_with`";

/// The note about a value that can be missing.
const HAS_VALUE: &str =
    "a value that is missing is a fact that is missing: a premise holds only if it is present";

/// A keyword phrase in a premise.
struct Phrase<'r, 't> {
    region: &'r Region<'t>,
    /// The tokens between two commas.
    part: Range<usize>,
    /// The index of the keyword.
    at: usize,
}

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else {
        unless_behind_head(region, hits);
        return;
    };
    let end = region.top_level(arrow + 1, |token| token.is("|>")).unwrap_or_else(|| region.stop());
    let mut start = arrow + 1;
    while start < end {
        let is_range = |at: usize| at >= 2 && region.at(at - 2).eq_ignore_ascii_case("between");
        let ends = |at: &usize| {
            let is_joint = matches!(region.at(*at), "," | "&&" | "and" | "AND") && !is_range(*at);
            is_joint && region.token(*at).is_some_and(|token| token.depth == 0)
        };
        let part = start..(start..end).find(ends).unwrap_or(end);
        start = part.end + 1;
        if hits.takes(&region.range(part.clone())) {
            continue;
        }
        let Some(at) = foreign_word(region, &part) else { continue };
        if let Some((hit, last)) = (Phrase { region, part, at }).hit() {
            start = start.max(last + 1);
            hits.add(hit);
        }
    }
}

/// The foreign word in a premise: a known keyword, or the first unexpected word.
fn foreign_word(region: &Region<'_>, part: &Range<usize>) -> Option<usize> {
    let lost: Vec<usize> = part.clone().filter(|&at| is_lost(region, part, at)).collect();
    let known = lost.iter().copied().find(|&at| is_known(region.at(at)));
    let unknown = || {
        // A word on its own line can be an atom after a missing comma.
        let breaks = |at: usize| region.token(at).is_some_and(|token| token.first);
        lost.iter().copied().find(|&at| !breaks(at) && !breaks(at + 1) && !ELSEWHERE.contains(&region.at(at)))
    };
    known.or_else(unknown)
}

/// True if a word is next to a value or a premise without a sign in between.
fn is_lost(region: &Region<'_>, part: &Range<usize>, at: usize) -> bool {
    let is_word = |word: &&Lexeme<'_>| word.kind == LexemeKind::Word || is_of_sql(word);
    let Some(word) = region.token(at).filter(is_word).filter(|word| word.depth == 0) else {
        return false;
    };
    let inside = |at: usize| region.token(at).filter(|_| part.contains(&at));
    let before = at.checked_sub(1).and_then(inside);
    let next = inside(at + 1);
    let is_called = next.is_some_and(|next| next.is("(") && next.glued);
    // `my-name(1)`, `f"…"`, `$x`.
    let is_piece = next.is_some_and(|next| next.glued && (next.is("-") || next.kind == LexemeKind::Text))
        || before.is_some_and(|before| word.glued && matches!(before.text, "-" | "$" | "?" | "@"));
    let ends = |token: &Lexeme<'_>| {
        let is_negation = matches!(token.text, "not" | "Not" | "NOT" | "naf");
        token.is_operand() && !is_negation || matches!(token.text, ")" | "]" | "}")
    };
    let starts = |token: &Lexeme<'_>| token.is_operand() || matches!(token.text, "(" | "[" | "{" | "!");
    let is_alone = part.len() == 1 && CONTROL.contains(&word.text);
    !is_called
        && !is_piece
        && !word.text.contains(':')
        && (is_alone || before.is_some_and(ends) || next.is_some_and(starts))
}

/// True for an SQL keyword in capitals, such as `LIKE`, which looks like a variable.
fn is_of_sql(word: &Lexeme<'_>) -> bool {
    let is_other = || matches!(word.text, "LIKE" | "ILIKE" | "BETWEEN" | "IS" | "CASE" | "WHEN" | "UNLESS");
    word.kind == LexemeKind::Variable && (is_other() || sql_note(&word.text.to_ascii_lowercase()).is_some())
}

/// True for a keyword between values or premises that this recognizer explains.
pub(super) fn is_known(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let word = word.as_str();
    let among = |table: &[(&str, &str)]| table.iter().any(|(known, _)| *known == word);
    let others = [
        "like",
        "ilike",
        "matches",
        "between",
        "is",
        "some",
        "every",
        "any",
        "each",
        "for",
        "while",
        "return",
        "select",
        "from",
        "with",
        "as",
        "has",
        "instanceof",
    ];
    let is_of_sql =
        || sql_note(word).is_some_and(|_| !matches!(word, "on" | "left" | "right" | "full" | "minus"));
    others.contains(&word)
        || CONTROL.contains(&word)
        || among(&COMPARISONS)
        || among(&TEXT_TESTS)
        || is_of_sql()
}

impl<'t> Phrase<'_, 't> {
    /// The hit, and the last token that it covers.
    fn hit(&self) -> Option<(ForeignConstruct, usize)> {
        let word = self.region.at(self.at).to_ascii_lowercase();
        let (word, last) = (word.as_str(), self.part.end);
        let starts = self.at == self.part.start;
        let hit = match word {
            "is" => self.identity()?,
            "like" | "ilike" => self.like(),
            "between" => self.between(),
            "unless" if !starts => self.joined(", !", "a negated premise is written `!p(X)`"),
            "with" if self.has("as") => {
                let hit = self.without("a rule reads the facts of the program")?;
                let range = hit.range.clone();
                let hit = hit.named("`with … as` is a keyword of Rego", range);
                Some(hit.help("write a test with facts of its own for other inputs"))
            }
            "if" | "case" if self.has("else") || self.has("then") => self.without(CASES_ARE_RULES),
            "if" | "when" | "with" if !starts => self.joined(", ", "premises are joined by commas"),
            "some" | "every" | "any" | "each" | "for" if starts => self.quantified(),
            "has" => {
                let hit = self.without(HAS_VALUE)?;
                let range = hit.range.clone();
                Some(
                    hit.named("`has` is an operator of Cedar", range)
                        .help("write a premise that binds the value"),
                )
            }
            "return" => self.without("the head of a rule takes the place of a returned value"),
            word if CONTROL.contains(&word) => self.without(CASES_ARE_RULES),
            word if sql_note(word).is_some() => joined_tables(self.region, &self.part, self.at),
            _ => self.operator(),
        };
        Some((hit?, last))
    }

    /// True if the premise contains this word, in any letter case.
    fn has(&self, word: &str) -> bool {
        self.part.clone().any(|at| self.region.at(at).eq_ignore_ascii_case(word))
    }

    /// Matches `every X: p(X)` and other quantifiers.
    fn quantified(&self) -> Option<ForeignConstruct> {
        // Another recognizer handles `some X: p(X)`.
        let is_known = self.region.at(self.at) == "some" || !self.part.contains(&(self.at + 1));
        let hit = self.without("`every` is a helper rule that finds a counterexample, negated");
        hit.filter(|_| !is_known)
    }

    fn foreign(&self, note: &str) -> Option<ForeignConstruct> {
        let word = self.region.token(self.at)?;
        let headline = format!("Mangle has no word `{}`", shorten(word.text));
        Some(ForeignConstruct::new(&rules::FOREIGN_WORD, word.range(), headline).note(note).guess())
    }

    /// Omits the premise from the reading, without a fix.
    fn without(&self, note: &str) -> Option<ForeignConstruct> {
        Some(self.foreign(note)?.read_as(without_premise(self.region, &self.part)?))
    }

    /// The values before and after some tokens, if the premise has no other tokens.
    fn operands(&self, tokens: Range<usize>) -> Option<(&'t str, &'t str)> {
        let is_all = tokens.start == self.part.start + 1 && tokens.end + 1 == self.part.end;
        let [left, right] = [self.part.start, tokens.end].map(|at| self.region.token(at));
        let (left, right) = (left?, right?);
        (is_all && left.is_operand() && right.is_operand()).then_some((left.text, right.text))
    }

    /// Uses `text` as the reading and the fix of the premise.
    fn says(&self, note: &str, text: &str) -> Option<ForeignConstruct> {
        let range = self.region.range(self.part.clone());
        Some(self.foreign(note)?.replace(range, text).title(format!("write `{}`", shorten(text))))
    }

    /// Matches `X equals Y`, `T contains "a"`, and unknown words.
    fn operator(&self) -> Option<ForeignConstruct> {
        let word = self.region.at(self.at);
        let of = |table: &[(&'static str, &'static str)]| {
            table.iter().find(|(known, _)| *known == word).map(|(_, meant)| *meant)
        };
        let operands = self.operands(self.at..self.at + 1);
        if let (Some((left, right)), Some(sign)) = (operands, of(&COMPARISONS)) {
            return self.says(COMPARED, &format!("{left} {sign} {right}"));
        }
        if let (Some((left, right)), Some(test)) = (operands, of(&TEXT_TESTS)) {
            return self.says(TESTED, &format!("{test}({left}, {right})"));
        }
        self.without("a body consists of atoms and comparisons, separated by commas")
    }

    /// Matches `X is not Y` and `X is null`. Another recognizer handles `is` of Prolog.
    fn identity(&self) -> Option<Option<ForeignConstruct>> {
        let negated = self.region.at(self.at + 1).eq_ignore_ascii_case("not");
        let value = self.region.at(self.at + 1 + usize::from(negated));
        if ["null", "nil", "none", "None", "NULL", "undefined"].contains(&value) {
            return Some(self.of_null(negated));
        }
        if !negated {
            return None;
        }
        let operands = self.operands(self.at..self.at + 2);
        Some(match operands {
            Some((left, right)) => self.says(COMPARED, &format!("{left} != {right}")),
            None => self.without(COMPARED),
        })
    }

    /// Matches `X is null`, `X IS NOT NULL`.
    fn of_null(&self, negated: bool) -> Option<ForeignConstruct> {
        let words = self.region.range(self.at..self.at + 2 + usize::from(negated));
        let headline = format!("Mangle has no test `{}`", self.region.slice(words.clone()));
        let help = match negated {
            true => "write a premise that holds if the value is known",
            false => "negate a premise that holds if the value is known",
        };
        Some(self.without(ABSENCE)?.named(headline, words).help(help))
    }

    /// Matches `T like "src/%"`, `T NOT LIKE "src/%"`.
    fn like(&self) -> Option<ForeignConstruct> {
        let is_negated = self.region.before(self.at).eq_ignore_ascii_case("not");
        let words = self.at - usize::from(is_negated)..self.at + 1;
        let meant = self.operands(words).and_then(|(left, right)| like(left, right));
        let negated = |test: String| match test.replacen(" = ", " != ", 1) {
            changed if !test.starts_with(':') => changed,
            _ => format!("!{test}"),
        };
        match meant.map(|test| if is_negated { negated(test) } else { test }) {
            Some(premise) => self.says(TESTED, &premise),
            None => self.without(TESTED),
        }
    }

    /// Matches `X between 1 and 5`.
    fn between(&self) -> Option<ForeignConstruct> {
        let region = self.region;
        let note = "a range is written as two comparisons";
        let bounds = [self.at + 1, self.at + 3].map(|at| region.token(at).filter(|token| token.is_operand()));
        match (self.operands(self.at..self.at + 3), bounds) {
            (Some((value, _)), [Some(low), Some(high)])
                if region.at(self.at + 2).eq_ignore_ascii_case("and") =>
            {
                self.says(note, &format!("{value} >= {}, {value} <= {}", low.text, high.text))
            }
            _ => self.without(note),
        }
    }

    /// Matches `p(X) unless q(X)`: the text after the keyword is a separate premise.
    fn joined(&self, join: &str, note: &str) -> Option<ForeignConstruct> {
        let (before, next) = (self.region.token(self.at - 1)?, self.region.token(self.at + 1)?);
        let is_atom = self.region.is_atom(self.at + 1);
        let is_last = self.region.atom_end(self.at + 1).is_some_and(|last| last + 1 == self.part.end);
        if !(is_atom && is_last && before.is(")")) {
            return self.without(note);
        }
        Some(self.foreign(note)?.replace(before.end..next.start, join).title("make it a premise of its own"))
    }
}

/// The test that is equivalent to a pattern of SQL or Cedar, if one exists.
fn like(text: &str, pattern: &str) -> Option<String> {
    let inner = pattern.get(1..pattern.len().checked_sub(1)?)?;
    let any = |c: char| c == '%' || c == '*';
    let (open_start, rest) = inner.strip_prefix(any).map_or((false, inner), |rest| (true, rest));
    let (open_end, bare) = rest.strip_suffix(any).map_or((false, rest), |rest| (true, rest));
    if bare.is_empty() || bare.contains(['%', '*', '_', '\\', '"']) || text.starts_with(['"', '\'']) {
        return None;
    }
    let test = match (open_start, open_end) {
        (true, true) => ":string:contains",
        (false, true) => ":string:starts_with",
        (true, false) => ":string:ends_with",
        (false, false) => return Some(format!("{text} = \"{bare}\"")),
    };
    Some(format!("{test}({text}, \"{bare}\")"))
}

/// Matches `p(X) unless q(X).`
fn unless_behind_head(region: &Region<'_>, hits: &mut Hits) {
    let found = region.top_level(1, |token| token.is("unless")).filter(|at| region.is_head(*at));
    let Some((word, next)) = found.and_then(|at| Some((region.token(at)?, region.token(at + 1)?))) else {
        return;
    };
    let hit = ForeignConstruct::new(&rules::FOREIGN_WORD, word.range(), "Mangle has no word `unless`")
        .note("a negation follows the premises that bind its variables: `:- …, !p(X)`")
        .help("write a rule with a premise that binds its variables, and a negation");
    hits.add(hit.read(word.start..next.start, ":- !").guess());
}

/// The Mangle equivalent of an SQL keyword between premises.
fn sql_note(word: &str) -> Option<&'static str> {
    Some(match word {
        "join" | "inner" | "cross" | "natural" | "on" | "using" => {
            "a join is two premises with a common variable: `p(Id, X), q(Id, Y)`"
        }
        "left" | "right" | "full" | "outer" => {
            "a premise drops the rows without a match; a second rule with a negated premise derives them"
        }
        "union" => NO_DISJUNCTION,
        "except" | "minus" => "a negated premise `!p(X)` excludes facts",
        "intersect" => "premises with a common variable intersect: `p(X), q(X)`",
        "distinct" => "facts are unique without it",
        "having" => "a second rule compares the result of an aggregation",
        "as" => "a variable names a value; a premise has no alias",
        "from" => "each table is a premise, with a variable for each column",
        _ => return None,
    })
}

/// Matches `a(X) JOIN b(X) ON …`.
fn joined_tables(region: &Region<'_>, part: &Range<usize>, at: usize) -> Option<ForeignConstruct> {
    let is_join = |at: usize| region.at(at).eq_ignore_ascii_case("join");
    let is_kind = |at: usize| {
        let kinds = ["left", "right", "full", "outer", "inner", "cross", "natural"];
        kinds.iter().any(|kind| region.at(at).eq_ignore_ascii_case(kind))
    };
    let mut first = at;
    while is_join(at) && first > part.start && is_kind(first - 1) {
        first -= 1;
    }
    let last = (at..at + 3).find(|&at| is_join(at)).unwrap_or(at);
    let word = region.at(first).to_ascii_lowercase();
    let word = word.as_str();
    let words = region.range(first..last + 1);
    let headline = format!("`{}` is a word of SQL", region.slice(words.clone()));
    let hit =
        ForeignConstruct::new(&rules::FOREIGN_WORD, words.clone(), headline).note(sql_note(word)?).guess();
    if word == "distinct" && at == part.start && region.is_atom(at + 1) {
        let next = region.token(at + 1)?.start;
        return Some(hit.delete(words.start..next).title("delete it"));
    }
    let is_plain_join = matches!(word, "join" | "inner" | "cross" | "natural")
        && !part.clone().any(|at| region.at(at).eq_ignore_ascii_case("on"));
    let ends = region.atom_end(last + 1).is_some_and(|end| end + 1 == part.end);
    let before = region.token(first.checked_sub(1)?)?;
    if is_plain_join && ends && region.is_atom(last + 1) && before.is(")") {
        let next = region.token(last + 1)?.start;
        return Some(hit.replace(before.end..next, ", ").title("write two premises"));
    }
    let help = match word {
        "union" => "write one rule for each alternative",
        "as" => "use the same variable in all premises",
        "left" | "right" | "full" | "outer" => {
            "write one rule for the rows with a match, and one for the others"
        }
        _ => "write one premise for each table, with the same variables for joined columns",
    };
    Some(hit.help(help).read_as(without_premise(region, part)?))
}
