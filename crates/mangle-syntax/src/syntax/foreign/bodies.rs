//! Foreign constructs of whole bodies: disjunction (`a(X) ; b(X)`, `a(X) or b(X)`,
//! `c(X), (a(X) | b(X))`), comprehensions, `if … then … else` with values, and SQL queries in a body.

use std::ops::Range;

use super::region::{NEUTRAL, Region, without_premise};
use super::rego::{QUERY_IS_A_RULE, QUERY_OF_SQL};
use super::token::{Lexeme, LexemeKind};
use super::{ForeignConstruct, Hits, NO_DISJUNCTION};
use crate::syntax::lower::{full_stop_behind, shorten};
use crate::syntax::rules;

const OR: [&str; 8] = [";", "|", "||", "or", "Or", "OR", "∨", "\\/"];

/// Maximum number of generated rules.
const MAX_RULES: usize = 8;

/// A choice between bodies, each a list of premises.
type Bodies<'t> = Vec<Vec<&'t str>>;

/// The operands of an "or" next to commas.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// The premise before and the premise after.
    Premises,
    /// Everything before and everything after, like in Prolog.
    All,
}

pub(super) fn disjunctions(region: &Region<'_>, hits: &mut Hits) {
    // The semicolon of `( A -> B ; C )` belongs to the arrow.
    let Some(arrow) = region.arrow().filter(|_| !region.has_word("->")) else { return };
    let found: Vec<usize> = (arrow + 1..region.stop()).filter(|&at| is_or(region, at)).collect();
    let Some(&first) = found.first() else { return };
    let written = region.at(first);
    let body = arrow + 1..region.stop();
    let is_clear = is_clear(region, body.clone());
    let Some(token) = region.token(first) else { return };
    let mut hit = ForeignConstruct::new(
        &rules::DISJUNCTION,
        token.range(),
        format!("Mangle has no disjunction `{written}`"),
    )
    .note(NO_DISJUNCTION);
    hit = match is_clear {
        true => hit.help("write one rule for each alternative"),
        false => hit
            .note("the alternatives are ambiguous: they contain commas")
            .help("write one rule for each alternative, with all premises that it needs"),
    };
    for index in found.iter().filter(|&&at| region.at(at) != ";") {
        let Some(token) = region.token(*index) else { return };
        hit = hit.read(token.range(), ";");
    }
    for group in groups(region, arrow) {
        let (Some(open), Some(close)) = (region.token(group.start), region.token(group.end)) else { return };
        hit = hit.read(open.range(), "").read(close.range(), region.instead_of(group.end));
    }
    hits.add(if is_clear { clear(region, arrow, hit) } else { unclear(region, arrow, hit) });
}

/// Adds the fix that writes one rule for each alternative.
fn clear(region: &Region<'_>, arrow: usize, hit: ForeignConstruct) -> ForeignConstruct {
    let Some(rules) = split(region, arrow, Reach::All) else { return hit };
    let hit = options(region, arrow + 1..region.stop()).into_iter().fold(hit, ForeignConstruct::replacing);
    hit.fix_with(0..region.text.len(), rules.join("\n")).title("write one rule for each alternative")
}

/// Adds both readings as guesses. The main fix keeps more premises in each rule.
fn unclear(region: &Region<'_>, arrow: usize, hit: ForeignConstruct) -> ForeignConstruct {
    let [near, far] = [Reach::Premises, Reach::All].map(|reach| split(region, arrow, reach));
    let (Some(near), Some(far)) = (near, far) else { return hit };
    let whole = 0..region.text.len();
    hit.fix_with(whole.clone(), near.join("\n"))
        .title("write one rule for each alternative, and the other premises in each")
        .otherwise("write one rule for what is before it and one for what is after it", whole, far.join("\n"))
        .guess()
}

fn is_or(region: &Region<'_>, index: usize) -> bool {
    // `[H | T]` is a pattern, `p(or)` an atom.
    OR.contains(&region.at(index))
        && !region.is_atom(index)
        && region.token(index + 1).is_some_and(|next| !matches!(next.text, "let" | "do" | "."))
        && !joins_texts(region, index)
        && enclosing(region, index).is_none_or(|open| is_group(region, open))
}

/// True if `||` is between two values, for example `N = F || " " || L` in SQL.
fn joins_texts(region: &Region<'_>, index: usize) -> bool {
    let is_value = |at: usize| {
        region.token(at).is_some_and(|token| {
            matches!(token.kind, LexemeKind::Variable | LexemeKind::Text | LexemeKind::Number)
        })
    };
    let compares = matches!(region.at(index + 2), "=" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "<>" | "in");
    let is_first = index >= 2 && matches!(region.at(index - 2), "=" | "||" | ":=");
    region.at(index) == "||" && is_first && is_value(index - 1) && is_value(index + 1) && !compares
}

/// The innermost bracket that is open at `index`.
fn enclosing(region: &Region<'_>, index: usize) -> Option<usize> {
    let depth = region.token(index)?.depth.checked_sub(1)?;
    (0..index).rev().find(|&at| {
        region.token(at).is_some_and(|token| token.depth == depth && matches!(token.text, "(" | "[" | "{"))
    })
}

/// True if a parenthesis contains premises, not arguments.
fn is_group(region: &Region<'_>, open: usize) -> bool {
    region.at(open) == "(" && region.kind_before(open) == Some(LexemeKind::Sign)
        || (region.at(open) == "(" && OR.contains(&region.before(open)))
}

/// The parentheses of a body that contain premises.
fn groups(region: &Region<'_>, arrow: usize) -> Vec<Range<usize>> {
    let opens = (arrow + 1..region.tokens.len()).filter(|&at| is_group(region, at));
    opens.filter_map(|open| Some(open..region.close(open)?)).collect()
}

/// The rules for the alternatives. `None` if the split would change the meaning or lose a comment.
fn split(region: &Region<'_>, arrow: usize, reach: Reach) -> Option<Vec<String>> {
    let stop = region.stop();
    if region.has_comment() || (arrow..stop).any(|at| region.at(at) == "|>") {
        return None;
    }
    let bodies = bodies(region, arrow + 1..stop, reach)?;
    let head = region.slice(region.range(0..arrow + 1));
    let several = region.is_multi_line();
    let (before, between) = if several { ("\n    ", ",\n    ") } else { (" ", ", ") };
    Some(
        bodies
            .iter()
            .map(|body| {
                format!(
                    "{head}{before}{}{}",
                    body.join(between),
                    full_stop_behind(body.last().unwrap_or(&""))
                )
            })
            .collect(),
    )
}

fn is_comma(region: &Region<'_>, index: usize) -> bool {
    region.at(index) == ","
}

/// The content of a parenthesis around premises, if the tokens are one.
fn inside(region: &Region<'_>, part: &Range<usize>) -> Option<Range<usize>> {
    let is_whole = is_group(region, part.start) && region.close(part.start) == part.end.checked_sub(1);
    is_whole.then(|| part.start + 1..part.end - 1)
}

/// True if no list of premises mixes commas and alternatives.
fn is_clear(region: &Region<'_>, tokens: Range<usize>) -> bool {
    let [alternatives, premises] = [is_or, is_comma].map(|sign| parts(region, tokens.clone(), sign));
    let mixed = alternatives.len() > 1 && premises.len() > 1;
    let smallest = if alternatives.len() > 1 { alternatives } else { premises };
    !mixed && smallest.iter().filter_map(|part| inside(region, part)).all(|inner| is_clear(region, inner))
}

/// Extends the tokens by a closing parenthesis after them. The reading deletes this parenthesis, so
/// a premise ends there.
fn with_close(region: &Region<'_>, part: Range<usize>) -> Range<usize> {
    part.start..part.end + usize::from(region.at(part.end) == ")")
}

/// The alternatives of an unambiguous body.
fn options(region: &Region<'_>, tokens: Range<usize>) -> Vec<Range<usize>> {
    let alternatives = parts(region, tokens.clone(), is_or);
    if alternatives.len() > 1 {
        return alternatives.into_iter().map(|part| region.range(with_close(region, part))).collect();
    }
    let premises = parts(region, tokens, is_comma);
    premises.iter().filter_map(|part| inside(region, part)).flat_map(|inner| options(region, inner)).collect()
}

/// The bodies that result from the alternatives among these tokens.
fn bodies<'t>(region: &Region<'t>, tokens: Range<usize>, reach: Reach) -> Option<Bodies<'t>> {
    match reach {
        Reach::All => any(region, tokens, &|part| all(region, part, &|part| premise(region, part, reach))),
        Reach::Premises => {
            all(region, tokens, &|part| any(region, part, &|part| premise(region, part, reach)))
        }
    }
}

/// The bodies of one premise, or of the content of its parentheses.
fn premise<'t>(region: &Region<'t>, part: Range<usize>, reach: Reach) -> Option<Bodies<'t>> {
    match inside(region, &part) {
        Some(inner) => bodies(region, inner, reach),
        None => Some(vec![vec![region.slice(region.range(part))]]),
    }
}

/// Collects the bodies of all alternatives.
fn any<'t>(
    region: &Region<'t>,
    tokens: Range<usize>,
    of: &dyn Fn(Range<usize>) -> Option<Bodies<'t>>,
) -> Option<Bodies<'t>> {
    let mut bodies = Vec::new();
    for part in parts(region, tokens, is_or) {
        bodies.extend(of(part)?);
    }
    (bodies.len() <= MAX_RULES).then_some(bodies)
}

/// The bodies that combine one alternative of each premise.
fn all<'t>(
    region: &Region<'t>,
    tokens: Range<usize>,
    of: &dyn Fn(Range<usize>) -> Option<Bodies<'t>>,
) -> Option<Bodies<'t>> {
    let mut bodies: Bodies<'t> = vec![Vec::new()];
    for part in parts(region, tokens, is_comma) {
        let options = of(part)?;
        if bodies.len() * options.len() > MAX_RULES {
            return None;
        }
        bodies = bodies
            .iter()
            .flat_map(|body| options.iter().map(move |more| [body.as_slice(), more].concat()))
            .collect();
    }
    Some(bodies)
}

/// The parts between separators at the depth of the first token.
fn parts(
    region: &Region<'_>,
    tokens: Range<usize>,
    is_separator: fn(&Region<'_>, usize) -> bool,
) -> Vec<Range<usize>> {
    let depth = region.token(tokens.start).map_or(0, |token| token.depth);
    let at_depth = |at: usize| region.token(at).is_some_and(|token| token.depth == depth);
    let mut parts = Vec::new();
    let mut start = tokens.start;
    for at in tokens.clone() {
        if at_depth(at) && is_separator(region, at) {
            parts.push(start..at);
            start = at + 1;
        }
    }
    parts.push(start..tokens.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The Mangle equivalent of a comprehension.
const COLLECTS: &str =
    "a transform after the body collects values: `|> do fn:group_by(…), let L = fn:collect(X)`";

pub(super) fn constructs(region: &Region<'_>, hits: &mut Hits) {
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
