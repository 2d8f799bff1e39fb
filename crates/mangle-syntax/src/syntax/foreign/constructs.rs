//! Foreign constructs that span whole premises: comprehensions, `if … then … else` with `->`, and
//! SQL queries in a body.

use std::ops::Range;

use super::hit::{ForeignConstruct, Hits};
use super::region::{NEUTRAL, Region, without_premise};
use super::rego::{QUERY_IS_A_RULE, QUERY_OF_SQL};
use super::token::{Lexeme, LexemeKind};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

/// The Mangle equivalent of a comprehension.
const COLLECTS: &str =
    "a transform after the body collects values: `|> do fn:group_by(…), let L = fn:collect(X)`";

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    queries(region, arrow, hits);
    conditionals(region, arrow, hits);
    keyword_arguments(region, arrow, hits);
    functions(region, arrow, hits);
    for open in arrow + 1..region.tokens.len() {
        if !matches!(region.at(open), "[" | "{" | "(") {
            continue;
        }
        let Some(hit) = comprehension(region, arrow, open) else { continue };
        if !hits.takes(&hit.range) {
            hits.add(hit);
        }
    }
}

/// Matches `[x.name | x := users[_]]`, `[x.name for x in users]`, `any(x > 3 for x in xs)`.
fn comprehension(region: &Region<'_>, arrow: usize, open: usize) -> Option<ForeignConstruct> {
    let close = region.close(open)?;
    let depth = region.token(open)?.depth + 1;
    let inside = |text: &str| {
        (open + 2..close)
            .find(|&at| region.at(at) == text && region.token(at).is_some_and(|t| t.depth == depth))
    };
    let bar = inside("|").filter(|bar| region.at(open) != "(" && is_generator(region, bar + 1..close));
    let word = inside("for").filter(|word| (*word..close).any(|at| region.at(at) == "in"));
    bar.or(word)?;
    let is_call =
        region.at(open) == "(" && region.kind_before(open) == Some(LexemeKind::Word) && region.glued(open);
    let start = if is_call { open - 1 } else { open };
    let range = region.range(open..close + 1);
    let hit = ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, range, "Mangle has no comprehension");
    let hit = match region.at(start) {
        "any" => hit
            .note("a premise is true if some value of its variables makes it true")
            .help("go through the list with `:list:member(X, L)`, and write the condition as premises"),
        "all" => hit
            .note("a negated helper rule finds a counterexample, as in `!has_counterexample(L)`")
            .help("write a helper rule for an element that fails, and negate its head"),
        _ => hit.note(COLLECTS).help("write the condition as premises of a rule, and collect its solutions"),
    };
    let premise = premise_around(region, arrow, start);
    if premise == (start..close + 1) {
        return Some(hit.read_as(without_premise(region, &premise)?));
    }
    if depth > 1 {
        return Some(hit.read(region.range(premise), NEUTRAL));
    }
    Some(hit.read(region.range(start..close + 1), "_"))
}

/// True if the tokens after a bar are more than the rest of a list.
fn is_generator(region: &Region<'_>, tokens: Range<usize>) -> bool {
    tokens.len() > 2
        && tokens
            .clone()
            .any(|at| matches!(region.at(at), ":=" | "=" | "in" | ";" | "==" | ">" | "<" | "some"))
}

/// The premise that contains the token at `at`.
fn premise_around(region: &Region<'_>, arrow: usize, at: usize) -> Range<usize> {
    let is_top_comma =
        |at: &usize| region.at(*at) == "," && region.token(*at).is_some_and(|token| token.depth == 0);
    let start = (arrow + 1..at).rev().find(is_top_comma).map_or(arrow + 1, |comma| comma + 1);
    let stop =
        region.top_level(at, |token| matches!(token.text, "," | "|>")).unwrap_or_else(|| region.stop());
    start..stop.min(region.stop())
}

/// Matches `( A -> B ; C )` and `A -> B` of Prolog.
fn conditionals(region: &Region<'_>, arrow: usize, hits: &mut Hits) {
    let Some(at) = (arrow + 2..region.tokens.len()).find(|&at| region.at(at) == "->") else { return };
    let Some(sign) = region.token(at) else { return };
    let tokens = if sign.depth == 0 { arrow + 1..region.stop() } else { premise_around(region, arrow, at) };
    let hit = ForeignConstruct::new(&rules::FOREIGN_CONTROL, sign.range(), "Mangle has no if-then-else `->`")
        .note("each case is a rule of its own")
        .help("write one rule for each case, and negate the condition in the last one");
    if let Some(without) = without_premise(region, &tokens) {
        hits.add(hit.read_as(without));
    }
}

/// Matches `p(X) :- SELECT x FROM t.` and `p(X) :- q(X), NOT EXISTS (SELECT 1 FROM t WHERE …).`
fn queries(region: &Region<'_>, arrow: usize, hits: &mut Hits) {
    let is = |at: usize, word: &str| region.at(at).eq_ignore_ascii_case(word);
    let Some(at) = (arrow + 1..region.tokens.len()).find(|&at| is(at, "select") && !region.is_atom(at))
    else {
        return;
    };
    let Some(token) = region.token(at).filter(|_| (at..region.tokens.len()).any(|at| is(at, "from"))) else {
        return;
    };
    let mut tokens = premise_around(region, arrow, at);
    if token.depth == 0 {
        tokens.end = region.stop();
    }
    let range = region.range(at..tokens.end);
    let line = region.slice(range.clone()).lines().next().map_or(0, |line| line.trim_end().len());
    let hit = ForeignConstruct::new(&rules::FOREIGN_RULE, range.start..range.start + line, QUERY_OF_SQL)
        .note(QUERY_IS_A_RULE);
    let hit = hit.help("write a premise for each table, with a variable for each column");
    if let Some(without) = without_premise(region, &tokens) {
        hits.add(hit.read_as(without));
    }
}

/// Matches `p(name=X)`.
fn keyword_arguments(region: &Region<'_>, arrow: usize, hits: &mut Hits) {
    let is_keyword = |at: usize| {
        let opens = |open: &usize| region.at(*open) == "(" && region.close(*open) > Some(at);
        matches!(region.before(at), "(" | ",")
            && region.kind(at) == Some(LexemeKind::Word)
            && region.at(at + 1) == "="
            && region.token(at + 2).is_some_and(Lexeme::is_operand)
            && (0..at).rev().find(opens).is_some_and(|open| open > 0 && region.is_atom(open - 1))
    };
    let found: Vec<usize> = (arrow + 1..region.tokens.len()).filter(|&at| is_keyword(at)).collect();
    let Some(&first) = found.first() else { return };
    let headline = format!("Mangle has no keyword argument `{}=`", shorten(region.at(first)));
    let hit = ForeignConstruct::new(&rules::FOREIGN_WORD, region.range(first..first + 2), headline)
        .note("each argument has its place, and `_` stands for any value")
        .help("write all arguments in the order of the declaration");
    let place =
        |at: usize| region.range(at..at + 2).start..region.token(at + 2).map_or(0, |value| value.start);
    hits.add(found.iter().fold(hit, |hit, &at| hit.read(place(at), "")));
}

/// Matches `lambda x: x + 1`.
fn functions(region: &Region<'_>, arrow: usize, hits: &mut Hits) {
    let Some(at) =
        (arrow + 1..region.tokens.len()).find(|&at| region.at(at) == "lambda" && !region.is_atom(at))
    else {
        return;
    };
    let Some(token) = region.token(at) else { return };
    let hit =
        ForeignConstruct::new(&rules::FOREIGN_WORD, token.range(), "Mangle has no function value `lambda`")
            .note("a rule takes the place of a function")
            .help("write a rule whose head has the value and the result as arguments");
    if let Some(without) = without_premise(region, &premise_around(region, arrow, at)) {
        hits.add(hit.read_as(without));
    }
}
