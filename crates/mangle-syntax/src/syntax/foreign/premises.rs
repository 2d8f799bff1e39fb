//! Negation, conjunction, comparison and control as other languages write them.

use super::arithmetic;
use super::hit::{Hit, Hits};
use super::region::{Region, premise_with_comma};
use super::token::LexemeKind;
use crate::syntax::lower::shorten;
use crate::syntax::rules;

const NOT: [&str; 8] = ["!", "not", "Not", "NOT", "\\+", "~", "¬", "naf"];
const AND: [&str; 10] = ["where", "Where", "WHERE", "and", "And", "AND", "&&", "&", "∧", "/\\"];
const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

/// `Not p(X)`, `¬p(X)`, `-p(X)`, `!(p(X))`, `not exists p(X)`.
pub(super) fn negation(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let sign = region.at(index);
        let minus =
            sign == "-" && region.is_atom(index + 1) && region.kind_before(index) == Some(LexemeKind::Sign);
        if !(NOT.contains(&sign) || minus) || region.before(index) == ")" {
            continue;
        }
        let hit = match region.at(index + 1) {
            "(" => negated_group(region, index),
            "exists" | "exist" | "EXISTS" if region.is_atom(index + 2) => negated(region, index, index + 2),
            "exists" | "exist" | "EXISTS" if region.at(index + 2) == "(" => not_exists(region, index),
            _ if matches!(sign, "!" | "not" | "\\+" | "~") => None,
            _ if region.kind(index + 1) == Some(LexemeKind::Word) => negated(region, index, index + 1),
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn negated(region: &Region<'_>, sign: usize, atom: usize) -> Option<Hit> {
    let start = region.token(sign)?.start;
    let range = start..region.token(atom - 1)?.end;
    let message = not_message(region.slice(range.clone()));
    Some(
        Hit::new(&rules::NOT_KEYWORD, range, message)
            .replace(start..region.token(atom)?.start, "!")
            .title("Write `!`"),
    )
}

/// `not exists(p(X))`, `!exists (p(X), q(X))`
fn not_exists(region: &Region<'_>, sign: usize) -> Option<Hit> {
    let (open, close) = (sign + 2, region.close(sign + 2)?);
    let range = region.range(sign..open);
    let message = not_message(region.slice(range.clone()));
    let hit = Hit::new(&rules::NOT_KEYWORD, range, message);
    if region.is_atom(open + 1) && region.atom_end(open + 1) == Some(close - 1) {
        let (start, atom) = (region.token(sign)?.start, region.token(open + 1)?.start);
        let end = region.token(close)?.range();
        return Some(hit.replace(start..atom, "!").replace(end, region.instead_of(close)).title("Write `!`"));
    }
    Some(hit.read(premise_with_comma(region, &(sign..close + 1))?, "").guess())
}

fn not_message(written: &str) -> String {
    format!("Negation is written `!p(X)` in Mangle; `{written}` means nothing.")
}

/// `not (p(X))` and `!(X = 2)`.
fn negated_group(region: &Region<'_>, sign: usize) -> Option<Hit> {
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
        let message =
            "Only one atom can be negated. State these premises in a helper rule, and negate its head.";
        let place = premise_with_comma(region, &(sign..close + 1))?;
        return Some(Hit::new(&rules::NOT_KEYWORD, underlined, message).read(place, "").guess());
    }
    if let Some(comparison) = at_depth(&COMPARISONS) {
        let opposite = opposite(region.at(comparison));
        let message = format!(
            "A comparison cannot be negated; `{opposite}` is the opposite of `{}`.",
            region.at(comparison)
        );
        let hit = Hit::new(&rules::NEGATED_COMPARISON, underlined, message);
        let hit = hit.delete(open).replace(region.token(comparison)?.range(), opposite);
        let hit = hit.replace(end, region.instead_of(close));
        return Some(hit.title(format!("Write `{opposite}`")));
    }
    (region.atom_end(sign + 2) == Some(close - 1)).then(|| {
        let written = region.at(sign);
        let message = if written == "!" {
            "A negated atom stands in no parentheses of its own: `!p(X)`.".to_owned()
        } else {
            not_message(written)
        };
        Hit::new(&rules::NOT_KEYWORD, underlined, message).replace(open, "!").delete(end).title("Write `!`")
    })
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

/// `p(X) and q(X)`, `p(X) && q(X)`.
pub(super) fn conjunction(region: &Region<'_>, hits: &mut Hits) {
    let mut found: Option<Hit> = None;
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
            let message = format!("Premises are joined by commas in Mangle, not by `{}`.", token.text);
            Hit::new(&rules::CONJUNCTION_KEYWORD, token.range(), message).title("Write commas")
        });
        let next_line = next.first || !region.only_blanks_before(index + 1);
        let end = if next_line { token.end } else { next.start };
        found = Some(if before.is(",") {
            hit.delete(token.start..end)
        } else if token.first {
            // A comment may stand behind the premise.
            hit.replace(before.end..before.end, ",").delete(token.start..end)
        } else {
            hit.replace(before.end..end, if next_line { "," } else { ", " })
        });
    }
    if let Some(hit) = found {
        hits.add(hit);
    }
}

/// `(p(X), q(X))`: premises in parentheses of their own.
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
        let message = "Premises stand in no parentheses of their own; commas join them all.";
        let hit = Hit::new(&rules::CONJUNCTION_KEYWORD, token.range(), message);
        let hit = hit.delete(token.range()).replace(end.range(), region.instead_of(close));
        hits.add(hit.title("Drop the parentheses"));
    }
}

/// `===`, `=\=`, `≤`, `is`, `in`, `0 < X < 9`.
pub(super) fn comparison(region: &Region<'_>, hits: &mut Hits) {
    let body = region.arrow().unwrap_or(0);
    for index in body + 1..region.tokens.len() {
        let operand_before = region.kind_before(index).is_some_and(|kind| kind != LexemeKind::Sign)
            || matches!(region.before(index), ")" | "]");
        if !operand_before || region.token(index + 1).is_none() {
            continue;
        }
        let hit = match region.at(index) {
            "is" => assigned(region, index),
            "in" => member(region, index, false),
            "not" if region.at(index + 1) == "in" => member(region, index, true),
            _ => foreign_operator(region, index).or_else(|| chained(region, index)),
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn foreign_operator(region: &Region<'_>, index: usize) -> Option<Hit> {
    let written = region.at(index);
    let meant = match written {
        "===" | "=:=" | "≡" => "=",
        "!==" | "=\\=" | "\\==" | "\\=" | "≠" | "/=" => "!=",
        "≤" => "<=",
        "≥" | "=>" => ">=",
        _ => return None,
    };
    let range = region.token(index)?.range();
    let message = format!("`{written}` is no operator of Mangle; `{meant}` is meant.");
    Some(
        Hit::new(&rules::WRONG_OPERATOR, range.clone(), message)
            .replace(range, meant)
            .title(format!("Write `{meant}`")),
    )
}

/// `Y is X + 1`.
fn assigned(region: &Region<'_>, index: usize) -> Option<Hit> {
    // `is not …` and `is null` are no arithmetic.
    if region.kind(index + 1) == Some(LexemeKind::Word) && !region.is_atom(index + 1) {
        return None;
    }
    let end = region.part_end(index);
    let value_range = region.range(index + 1..end);
    let value = arithmetic::value(region, index + 1..end);
    let message = "`is` is Prolog; in Mangle `=` takes the value of a function.";
    let hit = Hit::new(&rules::WRONG_OPERATOR, region.token(index)?.range(), message);
    let title = format!("Write `= {}`", shorten(&value));
    Some(hit.replace(region.token(index)?.start..value_range.end, format!("= {value}")).title(title))
}

/// `X in [1, 2]`: a test when `X` has a value already, else a choice.
fn member(region: &Region<'_>, index: usize, negated: bool) -> Option<Hit> {
    let element = region.token(index - 1)?;
    let list = region.range(index + 1 + usize::from(negated)..region.part_end(index));
    let bound = region.arrow().is_some_and(|arrow| {
        (arrow..index - 1).any(|at| region.at(at) == element.text) || element.kind != LexemeKind::Variable
    });
    let list_text = region.slice(list.clone());
    let text = match (negated, bound) {
        (true, _) => format!("!:list:member({}, {list_text})", element.text),
        (false, true) => format!(":filter(fn:list:contains({list_text}, {}))", element.text),
        (false, false) => format!(":list:member({}, {list_text})", element.text),
    };
    let message = format!("Mangle has no `in`; write `{}`.", shorten(&text));
    let title = format!("Write `{}`", shorten(&text));
    let hit = Hit::new(&rules::WRONG_OPERATOR, region.token(index)?.range(), message);
    Some(hit.replace(element.start..list.end, text).title(title).guess())
}

/// `0 < X < 9`.
fn chained(region: &Region<'_>, index: usize) -> Option<Hit> {
    let middle = region.token(index + 1)?;
    let is_chain = COMPARISONS.contains(&region.at(index)) && COMPARISONS.contains(&region.at(index + 2));
    if !is_chain || !middle.is_operand() {
        return None;
    }
    let message = format!("Comparisons do not chain: compare `{}` twice.", middle.text);
    let hit = Hit::new(&rules::WRONG_OPERATOR, region.token(index + 2)?.range(), message);
    Some(hit.replace(middle.end..middle.end, format!(", {}", middle.text)).title("Write two comparisons"))
}

/// The cut, quantifiers, `true` and `fail`, and what collects or changes facts in Prolog.
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

fn cut(region: &Region<'_>, index: usize) -> Option<Hit> {
    let range = region.token(index)?.range();
    let message = "The cut `!` of Prolog has no meaning here: Mangle finds all answers, in no order. `!` only negates an atom.";
    let place = premise_with_comma(region, &(index..index + 1))?;
    Some(Hit::new(&rules::FOREIGN_CONTROL, range, message).delete(place).title("Delete the cut").guess())
}

/// `exists(p(X, Y))`, `exists Y: p(X, Y)`, `exists Y (p(X, Y))`, `exists p(X, Y)`.
fn exists(region: &Region<'_>, index: usize) -> Option<Hit> {
    let mut body = index + 1;
    while region.kind(body) == Some(LexemeKind::Variable)
        || (matches!(region.at(body), "," | ":" | "." | "|")
            && region.kind_before(body) == Some(LexemeKind::Variable))
    {
        body += 1;
    }
    let token = region.token(index)?;
    let message = format!(
        "A premise needs no `{}`: it holds as soon as there is a value for each of its variables.",
        token.text
    );
    let hit =
        Hit::new(&rules::FOREIGN_CONTROL, token.range(), message).title(format!("Drop `{}`", token.text));
    if region.at(body) == "(" {
        let close = region.close(body)?;
        let hit = hit.delete(token.start..region.token(body)?.end);
        return Some(hit.replace(region.token(close)?.range(), region.instead_of(close)));
    }
    region.is_atom(body).then_some(())?;
    Some(hit.delete(token.start..region.token(body)?.start))
}

fn forall(region: &Region<'_>, index: usize) -> Option<Hit> {
    let end = region.part_end(index);
    let message = "Mangle has no `forall`. Write a helper rule that finds a counterexample, and negate it: `!has_counterexample(X)`.";
    let hit = Hit::new(&rules::FOREIGN_CONTROL, region.token(index)?.range(), message);
    Some(hit.read(premise_with_comma(region, &(index..end))?, ""))
}

fn collects(region: &Region<'_>, index: usize) -> Option<Hit> {
    let message = format!(
        "Mangle has no `{}`: `|> do fn:group_by(…), let L = fn:collect(X)` behind a body makes a list of its rows.",
        region.at(index)
    );
    let hit = Hit::new(&rules::FOREIGN_AGGREGATION, region.token(index)?.range(), message);
    Some(hit.read(premise_with_comma(region, &(index..region.part_end(index)))?, ""))
}

fn changes(region: &Region<'_>, index: usize) -> Option<Hit> {
    let message = format!(
        "A rule changes no facts, so there is no `{}`: state in a rule's head what follows from its body.",
        region.at(index)
    );
    let hit = Hit::new(&rules::FOREIGN_CONTROL, region.token(index)?.range(), message);
    Some(hit.read(premise_with_comma(region, &(index..region.part_end(index)))?, ""))
}

/// `true`, `false` and `fail` as premises.
fn constant_premise(region: &Region<'_>, index: usize) -> Option<Hit> {
    if !matches!(region.at(index + 1), "," | "." | ";" | "|>" | "") || region.token(index)?.depth > 0 {
        return None;
    }
    let word = region.at(index);
    let range = region.token(index)?.range();
    let place = premise_with_comma(region, &(index..index + 1))?;
    if word == "true" {
        let message = "`true` is no premise in Mangle. It would always hold; leave it out.";
        return Some(Hit::new(&rules::FOREIGN_CONSTANT, range, message).delete(place).title("Delete it"));
    }
    let message = format!(
        "`{word}` is no premise in Mangle. With it the rule would never hold; what must not be, is simply not stated."
    );
    let hit = Hit::new(&rules::FOREIGN_CONSTANT, range, message).read(place, "").guess();
    Some(hit.mend(0..region.text.len(), "").title("Delete the rule"))
}
