//! Alternatives in a body: `a(X) ; b(X)`, `a(X) or b(X)`, `c(X), (a(X) | b(X))`.

use std::ops::Range;

use super::hit::{Hit, Hits};
use super::region::Region;
use super::token::Kind;
use crate::syntax::lower::full_stop_behind;
use crate::syntax::rules;

const OR: [&str; 8] = [";", "|", "||", "or", "Or", "OR", "∨", "\\/"];

/// More rules than this are no help.
const MOST: usize = 8;

/// A choice between bodies, each a list of premises.
type Bodies<'t> = Vec<Vec<&'t str>>;

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    let found: Vec<usize> = (arrow + 1..region.stop()).filter(|&at| is_or(region, at)).collect();
    let Some(&first) = found.first() else { return };
    let written = region.at(first);
    let message =
        format!("Mangle has no `{written}`. Write one rule for each alternative, with the same head.");
    let Some(token) = region.token(first) else { return };
    let mut hit = Hit::new(&rules::DISJUNCTION, token.range(), message);
    for index in found.iter().filter(|&&at| region.at(at) != ";") {
        let Some(token) = region.token(*index) else { return };
        hit = hit.read(token.range(), ";");
    }
    for group in groups(region, arrow) {
        let (Some(open), Some(close)) = (region.token(group.start), region.token(group.end)) else { return };
        hit = hit.read(open.range(), "").read(close.range(), "");
    }
    if let Some(rules) = split(region, arrow) {
        hit = hit.mend(0..region.text.len(), rules.join("\n")).title("Write one rule for each alternative");
    }
    hits.add(hit);
}

fn is_or(region: &Region<'_>, index: usize) -> bool {
    // `[H | T]` is a pattern, `p(or)` an atom.
    OR.contains(&region.at(index))
        && !region.is_atom(index)
        && region.token(index + 1).is_some_and(|next| !matches!(next.text, "let" | "do" | "."))
        && enclosing(region, index).is_none_or(|open| is_group(region, open))
}

/// The bracket that is open around the token at `index`.
fn enclosing(region: &Region<'_>, index: usize) -> Option<usize> {
    let depth = region.token(index)?.depth.checked_sub(1)?;
    (0..index).rev().find(|&at| {
        region.token(at).is_some_and(|token| token.depth == depth && matches!(token.text, "(" | "[" | "{"))
    })
}

/// Whether a parenthesis holds premises, not arguments.
fn is_group(region: &Region<'_>, open: usize) -> bool {
    region.at(open) == "(" && region.kind_before(open) == Some(Kind::Sign)
        || (region.at(open) == "(" && OR.contains(&region.before(open)))
}

/// The parentheses of a body that hold premises.
fn groups(region: &Region<'_>, arrow: usize) -> Vec<Range<usize>> {
    let opens = (arrow + 1..region.tokens.len()).filter(|&at| is_group(region, at));
    opens.filter_map(|open| Some(open..region.close(open)?)).collect()
}

/// The rules that the alternatives come to; `None` where that would change the meaning or lose a comment.
fn split(region: &Region<'_>, arrow: usize) -> Option<Vec<String>> {
    let stop = region.stop();
    if region.has_comment() || (arrow..stop).any(|at| region.at(at) == "|>") {
        return None;
    }
    let bodies = alternatives(region, arrow + 1..stop)?;
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

fn alternatives<'t>(region: &Region<'t>, tokens: Range<usize>) -> Option<Bodies<'t>> {
    let mut all = Vec::new();
    for part in parts(region, tokens, is_or) {
        all.extend(conjunction(region, part)?);
    }
    (all.len() <= MOST).then_some(all)
}

fn conjunction<'t>(region: &Region<'t>, tokens: Range<usize>) -> Option<Bodies<'t>> {
    let mut all: Bodies<'t> = vec![Vec::new()];
    for part in parts(region, tokens, |region, at| region.at(at) == ",") {
        let options = if is_group(region, part.start) && region.close(part.start) == part.end.checked_sub(1) {
            alternatives(region, part.start + 1..part.end - 1)?
        } else {
            vec![vec![region.slice(region.range(part))]]
        };
        if all.len() * options.len() > MOST {
            return None;
        }
        all = all
            .iter()
            .flat_map(|body| options.iter().map(move |more| [body.as_slice(), more].concat()))
            .collect();
    }
    Some(all)
}

/// The stretches between the separators at the depth of the first token.
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
