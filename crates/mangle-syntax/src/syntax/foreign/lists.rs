//! List patterns `[H | T]` of Prolog.

use super::hit::{ForeignConstruct, Hits};
use super::region::Region;
use super::token::LexemeKind;
use crate::syntax::rules;

/// The headline about `[H | T]`.
pub(in crate::syntax) const NO_LIST_PATTERN: &str = "Mangle has no list pattern `[H | T]`";

/// The help text for splitting a list.
pub(in crate::syntax) const MATCH_CONS: &str = "the premise `:match_cons(List, H, T)` splits a list";

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    for open in 1..region.tokens.len() {
        if region.at(open) == "["
            && let Some(hit) = pattern(region, open)
        {
            hits.add(hit);
        }
    }
}

/// Matches a pattern with one element before its bar.
fn pattern(region: &Region<'_>, open: usize) -> Option<ForeignConstruct> {
    let close = region.close(open)?;
    let parts = [open + 1, open + 3].map(|at| region.token(at).filter(|token| token.is_operand()));
    let ([Some(head), Some(tail)], "|", true) = (parts, region.at(open + 2), close == open + 4) else {
        return None;
    };
    let bar = region.token(open + 2)?.range();
    let hit = ForeignConstruct::new(&rules::CONS_BAR, bar, NO_LIST_PATTERN).note(MATCH_CONS);
    let range = region.range(open..close + 1);
    let arrow = region.arrow()?;
    if open < arrow {
        let built = format!("fn:list:cons({}, {})", head.text, tail.text);
        return Some(hit.replace(range, built.as_str()).title(format!("write `{built}`")));
    }
    let taken = |list: &str| format!(":match_cons({list}, {}, {})", head.text, tail.text);
    // `L = [H | T]` and `[H | T] = L`.
    let depth = region.token(open)?.depth;
    let sides = [(open.checked_sub(2)?, region.before(open)), (close + 2, region.at(close + 1))];
    for (other, sign) in sides {
        if sign == "=" && depth == 0 && region.kind(other) == Some(LexemeKind::Variable) {
            let premise = region.range(open.min(other)..(close + 1).max(other + 1));
            let call = taken(region.at(other));
            return Some(hit.replace(premise, call.as_str()).title(format!("write `{call}`")));
        }
    }
    // `q([H | T])`.
    let premise_end =
        (close + 1..region.tokens.len()).find(|&at| region.token(at).is_some_and(|t| t.depth == 0))?;
    let end = region.token(premise_end).filter(|token| token.is(")"))?.end;
    let mut list = "List".to_owned();
    while region.has_word(&list) {
        list.push('2');
    }
    let call = taken(&list);
    let hit = hit.replace(range, list.as_str()).replace(end..end, format!(", {call}"));
    Some(hit.title(format!("add `{call}`")))
}
