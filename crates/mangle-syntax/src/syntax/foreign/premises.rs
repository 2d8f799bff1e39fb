//! Negation, conjunction, comparison and control constructs of other languages.

use std::ops::Range;

use super::region::{Region, without_premise};
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits, arithmetic};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

/// Signs and words for negation.
pub(super) const NOT: [&str; 8] = ["!", "not", "Not", "NOT", "\\+", "~", "¬", "naf"];
const AND: [&str; 10] = ["where", "Where", "WHERE", "and", "And", "AND", "&&", "&", "∧", "/\\"];
const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

/// Matches `Not p(X)`, `¬p(X)`, `-p(X)`, `!(p(X))`, `not exists p(X)`.
pub(super) fn negation(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let sign = region.at(index);
        let minus =
            sign == "-" && region.is_atom(index + 1) && region.kind_before(index) == Some(LexemeKind::Sign);
        if !(NOT.contains(&sign) || minus) || region.before(index) == ")" {
            continue;
        }
        if minus && region.token(index).is_some_and(|sign| sign.first) {
            hits.add(line_marker(region, index));
            continue;
        }
        let hit = match region.at(index + 1) {
            "(" => negated_group(region, index),
            "exists" | "exist" | "EXISTS" if region.is_atom(index + 2) => negated(region, index, index + 2),
            "exists" | "exist" | "EXISTS" if region.at(index + 2) == "(" => not_exists(region, index),
            _ if sign != "!" && is_bare_atom(region, index + 1) && starts_premise(region, index) => {
                negated_word(region, index)
            }
            _ if matches!(sign, "!" | "not" | "\\+" | "~") => None,
            _ if region.kind(index + 1) == Some(LexemeKind::Word) => negated(region, index, index + 1),
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn starts_premise(region: &Region<'_>, index: usize) -> bool {
    matches!(region.before(index), ":-" | "⟸" | "," | ";" | "and" | "&&")
}

/// Reports a minus at the start of a line.
fn line_marker(region: &Region<'_>, index: usize) -> ForeignConstruct {
    let range = region.range(index..index + 1);
    let end = region.token(index + 1).map_or(range.end, |next| next.start);
    ForeignConstruct::new(&rules::PASTED_MARKUP, range.clone(), "`-` at the start of a line")
        .note("it may mark an item of a list or a line of a diff; a negation is written `!p(X)`")
        .delete(range.start..end)
        .title("delete it")
        .guess()
}

/// True for a word that is a whole atom. The grammar reads `not stop` as two such atoms.
fn is_bare_atom(region: &Region<'_>, index: usize) -> bool {
    let ends = matches!(region.at(index + 1), "," | "." | ";" | "|>" | "");
    region.kind(index) == Some(LexemeKind::Word)
        && ends
        && region.token(index).is_some_and(|word| word.depth == 0)
}

fn negated(region: &Region<'_>, sign: usize, atom: usize) -> Option<ForeignConstruct> {
    let start = region.token(sign)?.start;
    let range = start..region.token(atom - 1)?.end;
    let hit = wrong_negation(region.slice(range.clone()), range);
    Some(hit.replace(start..region.token(atom)?.start, "!").title("write `!`"))
}

/// Matches `not stop`, an atom that also lacks its parentheses.
fn negated_word(region: &Region<'_>, sign: usize) -> Option<ForeignConstruct> {
    let (word, start) = (region.token(sign + 1)?, region.token(sign)?.start);
    let atom = format!("!{}()", word.text);
    let title = format!("write `{}`", shorten(&atom));
    let hit = wrong_negation(region.at(sign), region.token(sign)?.range());
    Some(hit.replace(start..word.end, atom).title(title))
}

/// Matches `not exists(p(X))`, `!exists (p(X), q(X))`.
fn not_exists(region: &Region<'_>, sign: usize) -> Option<ForeignConstruct> {
    let (open, close) = (sign + 2, region.close(sign + 2)?);
    let range = region.range(sign..open);
    let hit = wrong_negation(region.slice(range.clone()), range);
    if region.is_atom(open + 1) && region.atom_end(open + 1) == Some(close - 1) {
        let (start, atom) = (region.token(sign)?.start, region.token(open + 1)?.start);
        let end = region.token(close)?.range();
        return Some(hit.replace(start..atom, "!").replace(end, region.instead_of(close)).title("write `!`"));
    }
    Some(hit.read_as(without_premise(region, &(sign..close + 1))?).guess())
}

/// The headline about a negation keyword.
pub(in crate::syntax) fn does_not_negate(written: &str) -> String {
    format!("`{written}` does not negate a premise")
}

/// The help text about negation.
pub(in crate::syntax) const NEGATION_SIGN: &str = "negation is written `!p(X)`";

fn wrong_negation(written: &str, range: Range<usize>) -> ForeignConstruct {
    ForeignConstruct::new(&rules::NOT_KEYWORD, range, does_not_negate(written)).label(NEGATION_SIGN)
}

/// The reason that a comparison cannot be negated.
pub(in crate::syntax) fn only_atoms_are_negated(comparison: &str, opposite: &str) -> String {
    format!("the engine negates only atoms; the opposite of `{comparison}` is `{opposite}`")
}

/// Matches `not (p(X))` and `!(X = 2)`.
fn negated_group(region: &Region<'_>, sign: usize) -> Option<ForeignConstruct> {
    let close = region.close(sign + 1)?;
    let inside = sign + 2..close;
    let (open, end) = (region.token(sign)?.start..region.token(sign + 1)?.end, region.token(close)?.range());
    let depth = region.token(sign + 2)?.depth;
    let at_depth = |text: &[&str]| {
        inside
            .clone()
            .find(|&at| text.contains(&region.at(at)) && region.token(at).is_some_and(|t| t.depth == depth))
    };
    let underlined = region.token(sign)?.range();
    if at_depth(&[",", ";", "|", "||", "&&", "and", "or", "AND", "OR", "∧", "∨"]).is_some() {
        let without = without_premise(region, &(sign..close + 1))?;
        let hit = ForeignConstruct::new(&rules::NOT_KEYWORD, underlined, "negation of several premises")
            .note("the engine negates one atom at a time")
            .help("define a helper rule with these premises and negate its head");
        return Some(hit.read_as(without).guess());
    }
    if let Some(comparison) = at_depth(&COMPARISONS) {
        let opposite = opposite(region.at(comparison));
        let hit = ForeignConstruct::new(&rules::NEGATED_COMPARISON, underlined, "negation of a comparison")
            .note(only_atoms_are_negated(region.at(comparison), opposite));
        let hit = hit.delete(open).replace(region.token(comparison)?.range(), opposite);
        let hit = hit.replace(end, region.instead_of(close));
        return Some(hit.title(format!("write `{opposite}`")));
    }
    if region.atom_end(sign + 2) != Some(close - 1) {
        let hit = ForeignConstruct::new(
            &rules::NOT_KEYWORD,
            underlined,
            "negation of an expression in parentheses",
        )
        .note("the engine negates only an atom")
        .help("define a helper rule with this condition and negate its head");
        return Some(hit.read_as(without_premise(region, &(sign..close + 1))?).guess());
    }
    let written = region.at(sign);
    let hit = if written == "!" {
        ForeignConstruct::new(&rules::NOT_KEYWORD, underlined, "negation of an atom in parentheses")
            .label(NEGATION_SIGN)
    } else {
        wrong_negation(written, underlined)
    };
    Some(hit.replace(open, "!").delete(end).title("write `!`"))
}

fn opposite(comparison: &str) -> &'static str {
    match comparison {
        "=" => "!=",
        "!=" => "=",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

/// Matches `p(X) and q(X)`, `p(X) && q(X)`.
pub(super) fn conjunction(region: &Region<'_>, hits: &mut Hits) {
    let mut found: Option<ForeignConstruct> = None;
    for index in 1..region.tokens.len() {
        let in_body = !region.at(index).eq_ignore_ascii_case("where")
            || region.arrow().is_some_and(|arrow| arrow + 1 < index);
        let is_connective = AND.contains(&region.at(index)) && in_body && !region.is_atom(index);
        let is_range = region.at(index) == "and" && index > 2 && region.at(index - 2) == "between";
        if !is_connective || is_range || region.token(index + 1).is_none() {
            continue;
        }
        let (Some(before), Some(token), Some(next)) =
            (region.token(index - 1), region.token(index), region.token(index + 1))
        else {
            continue;
        };
        if hits.takes(&token.range()) {
            continue;
        }
        let hit = found.take().unwrap_or_else(|| {
            let headline = format!("`{}` does not join premises", token.text);
            ForeignConstruct::new(&rules::CONJUNCTION_KEYWORD, token.range(), headline)
                .label("premises are joined by commas")
                .title("write commas")
        });
        let next_line = next.first || !region.only_blanks_before(index + 1);
        let end = if next_line { token.end } else { next.start };
        found = Some(if before.is(",") {
            hit.delete(token.start..end)
        } else if token.first {
            // A comment can follow the premise.
            hit.replace(before.end..before.end, ",").delete(token.start..end)
        } else {
            hit.replace(before.end..end, if next_line { "," } else { ", " })
        });
    }
    if let Some(hit) = found {
        hits.add(hit);
    }
}

/// Matches `(p(X), q(X))`: premises in extra parentheses.
pub(super) fn groups(region: &Region<'_>, hits: &mut Hits) {
    for open in 1..region.tokens.len() {
        let starts = matches!(region.before(open), ":-" | "⟸" | "," | "and" | "&&");
        let (Some(token), Some(close)) = (region.token(open), region.close(open)) else { continue };
        let ends = matches!(region.at(close + 1), "," | "." | "" | "|>" | ";" | "and" | "&&");
        let premises = region.is_atom(open + 1) || NOT.contains(&region.at(open + 1));
        let joined = (open..close).any(|at| matches!(region.at(at), ";" | "|" | "||" | "or" | "OR" | "∨"));
        if !(token.is("(") && token.depth == 0 && starts && ends && premises) || joined {
            continue;
        }
        let Some(end) = region.token(close) else { continue };
        let hit = ForeignConstruct::new(
            &rules::CONJUNCTION_KEYWORD,
            token.range(),
            "premises in parentheses of their own",
        )
        .note("the engine accepts premises only with commas between them");
        let hit = hit.delete(token.range()).replace(end.range(), region.instead_of(close));
        hits.add(hit.title("delete the parentheses"));
    }
}

/// Matches `===`, `=\=`, `≤`, `is`, `0 < X < 9`.
pub(super) fn comparison(region: &Region<'_>, hits: &mut Hits) {
    let body = region.arrow().unwrap_or(0);
    for index in body + 1..region.tokens.len() {
        let operand_before = region.kind_before(index).is_some_and(|kind| kind != LexemeKind::Sign)
            || matches!(region.before(index), ")" | "]");
        if !operand_before || region.token(index + 1).is_none() {
            continue;
        }
        let hit = match region.at(index) {
            "is" => type_test(region, index).or_else(|| assigned(region, index)),
            _ => foreign_operator(region, index).or_else(|| chained(region, index)),
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn foreign_operator(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let written = region.at(index);
    if matches!(written, "@<" | "@>" | "@=<" | "@>=" | "=..") {
        let start = (0..=index).rev().find(|&at| matches!(region.before(at), ":-" | "⟸" | ","))?;
        let premise = start..region.part_end(start);
        let note = match written {
            "=.." => "an atom is not a value and cannot be taken apart",
            _ => "`<`, `<=`, `>` and `>=` compare numbers only; terms have no order",
        };
        let hit = wrong_operator(written, region.token(index)?.range()).note(note);
        return Some(hit.read_as(without_premise(region, &premise)?));
    }
    let meant = match written {
        "===" | "=:=" | "≡" => "=",
        "!==" | "=\\=" | "\\==" | "\\=" | "≠" | "/=" => "!=",
        "≤" => "<=",
        "≥" | "=>" => ">=",
        _ => return None,
    };
    let range = region.token(index)?.range();
    let hit = wrong_operator(written, range.clone()).label(format!("expected `{meant}`"));
    Some(hit.replace(range, meant).title(format!("write `{meant}`")))
}

/// The finding about a foreign operator.
pub(super) fn wrong_operator(written: &str, range: Range<usize>) -> ForeignConstruct {
    ForeignConstruct::new(&rules::WRONG_OPERATOR, range, format!("`{written}` is not an operator of Mangle"))
}

/// Matches `P is User`, a type test, if nothing else in the clause has this name.
fn type_test(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let start = index - 1;
    let kind =
        region.token(index + 1).filter(|token| token.kind == LexemeKind::Variable && !token.is("_"))?;
    let is_other = |at: usize| at != index + 1 && region.at(at) == kind.text;
    let is_premise = starts_premise(region, start) && region.part_end(start) == index + 2;
    if !is_premise || (0..region.tokens.len()).any(is_other) {
        return None;
    }
    let hit = ForeignConstruct::new(
        &rules::FOREIGN_WORD,
        region.range(index..index + 2),
        "Mangle has no type test `is`",
    )
    .note("a premise states the kind of a value, and `bound […]` in a `Decl` the type of an argument")
    .help("write a premise whose predicate holds for the values of this kind");
    Some(hit.read_as(without_premise(region, &(start..index + 2))?).guess())
}

/// Matches `Y is X + 1`.
fn assigned(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    // `is not …` and `is null` are not arithmetic.
    if region.kind(index + 1) == Some(LexemeKind::Word) && !region.is_atom(index + 1) {
        return None;
    }
    let end = region.part_end(index);
    let value_range = region.range(index + 1..end);
    let value = arithmetic::value(region, index + 1..end);
    let hit = wrong_operator("is", region.token(index)?.range())
        .label("expected `=`")
        .note("`=` binds a variable to the result of a function");
    let is_number = region.at(index + 1) == "-" && end == index + 3;
    let is_unclear = value == region.slice(value_range.clone())
        && end > index + 2
        && !is_number
        && !region.is_atom(index + 1);
    if is_unclear {
        let hit = hit.help("write the expression with functions, such as `fn:plus(X, 1)`").guess();
        return Some(hit.read(region.token(index)?.start..value_range.end, "= 0"));
    }
    let title = format!("write `= {}`", shorten(&value));
    Some(hit.replace(region.token(index)?.start..value_range.end, format!("= {value}")).title(title))
}

/// Matches `0 < X < 9`.
fn chained(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let middle = region.token(index + 1)?;
    let is_chain = COMPARISONS.contains(&region.at(index)) && COMPARISONS.contains(&region.at(index + 2));
    if !is_chain || !middle.is_operand() {
        return None;
    }
    let headline = format!("`{}` is between two comparison operators", shorten(middle.text));
    let hit = ForeignConstruct::new(&rules::WRONG_OPERATOR, region.token(index + 2)?.range(), headline)
        .note("a comparison has two sides");
    Some(hit.replace(middle.end..middle.end, format!(", {}", middle.text)).title("write two comparisons"))
}

/// Matches the cut, quantifiers, `true` and `fail`, and Prolog predicates that collect or change
/// facts.
pub(super) fn control(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let starts = matches!(region.before(index), ":-" | "⟸" | "," | ";" | "(" | "!" | "not" | "and");
        if !starts {
            continue;
        }
        let hit = match region.at(index) {
            "!" if matches!(region.at(index + 1), "," | "." | ";" | "") => cut(region, index),
            "exists" | "exist" | "some" | "∃" => exists(region, index),
            "forall" | "all" | "∀" if region.before(index) != "(" => forall(region, index),
            "findall" | "setof" | "bagof" | "aggregate_all" if region.is_atom(index) => {
                collects(region, index)
            }
            "count" | "sum" | "aggregate"
                if region.is_atom(index) && (3..5).any(|at| region.is_atom(index + at - 1)) =>
            {
                collects(region, index)
            }
            "assert" | "asserta" | "assertz" | "retract" | "retractall" if region.is_atom(index) => {
                changes(region, index)
            }
            "true" | "false" | "fail" => constant_premise(region, index),
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn cut(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let range = region.token(index)?.range();
    let without = without_premise(region, &(index..index + 1))?;
    let hit = ForeignConstruct::new(&rules::FOREIGN_CONTROL, range, "Mangle has no cut `!`")
        .note("the engine finds all solutions, in no order; `!` only negates an atom");
    Some(hit.change(without).title("delete the cut").guess())
}

/// Matches `exists(p(X, Y))`, `exists Y: p(X, Y)`, `exists Y (p(X, Y))`, `exists p(X, Y)`.
fn exists(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let mut body = index + 1;
    while region.kind(body) == Some(LexemeKind::Variable)
        || (matches!(region.at(body), "," | ":" | "." | "|")
            && region.kind_before(body) == Some(LexemeKind::Variable))
    {
        body += 1;
    }
    let token = region.token(index)?;
    let hit = no_quantifier(token.text, token.range())
        .note("a premise is true if there is a solution for its variables")
        .title(format!("delete `{}`", token.text));
    if region.at(body) == "(" {
        let close = region.close(body)?;
        let hit = hit.delete(token.start..region.token(body)?.end);
        return Some(hit.replace(region.token(close)?.range(), region.instead_of(close)));
    }
    region.is_atom(body).then_some(())?;
    Some(hit.delete(token.start..region.token(body)?.start))
}

fn forall(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let end = region.part_end(index);
    let hit = no_quantifier(region.at(index), region.token(index)?.range())
        .note("a premise is true if some value of its variables makes it true")
        .help("negate a helper rule that finds a counterexample, as in `!has_counterexample(X)`");
    Some(hit.read_as(without_premise(region, &(index..end))?))
}

fn no_quantifier(word: &str, range: Range<usize>) -> ForeignConstruct {
    ForeignConstruct::new(&rules::FOREIGN_CONTROL, range, format!("Mangle has no quantifier `{word}`"))
}

fn collects(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let headline = format!("Mangle has no aggregation `{}`", region.at(index));
    let reducer = ["count", "sum", "min", "max"].into_iter().find(|word| region.at(index + 2) == *word);
    let hit = ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, region.token(index)?.range(), headline);
    let hit = match reducer {
        Some("count") => {
            hit.note("`|> do fn:group_by(…), let N = fn:count()` after a body counts its solutions")
        }
        Some(word) => hit.note(format!(
            "`|> do fn:group_by(…), let N = fn:{word}(X)` after a body aggregates its solutions"
        )),
        None => hit
            .note("`|> do fn:group_by(…), let L = fn:collect(X)` after a body makes a list of its solutions"),
    };
    Some(hit.read_as(without_premise(region, &(index..region.part_end(index)))?))
}

fn changes(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let headline = format!("Mangle has no command `{}`", region.at(index));
    let hit = ForeignConstruct::new(&rules::FOREIGN_CONTROL, region.token(index)?.range(), headline)
        .note("a rule derives facts and changes none")
        .help("make the new fact the head of a rule");
    Some(hit.read_as(without_premise(region, &(index..region.part_end(index)))?))
}

/// Matches `true`, `false` and `fail` as premises.
fn constant_premise(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    if !matches!(region.at(index + 1), "," | "." | ";" | "|>" | "") || region.token(index)?.depth > 0 {
        return None;
    }
    let word = region.at(index);
    let range = region.token(index)?.range();
    let without = without_premise(region, &(index..index + 1))?;
    if word == "true" {
        let hit = ForeignConstruct::new(&rules::FOREIGN_CONSTANT, range, "`true` is not a premise")
            .note("such a premise would always be true");
        return Some(hit.change(without).title("delete it"));
    }
    let hit = ForeignConstruct::new(&rules::FOREIGN_CONSTANT, range, format!("`{word}` is not a premise"))
        .note("with such a premise the rule would derive nothing");
    Some(hit.read_as(without).guess().fix_with(0..region.text.len(), "").title("delete the rule"))
}
