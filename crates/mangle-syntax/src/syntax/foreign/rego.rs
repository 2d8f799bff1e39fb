//! Statements of Rego (`default allow := false`, `deny[msg] { … }`, `deny contains msg if request(U)`) and queries of SQL.

use std::ops::Range;

use super::hit::{Hit, Hits};
use super::region::Region;
use super::statement_kind::Foreign;
use super::statements::as_comment;
use super::token::LexemeKind;
use crate::syntax::rules;

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(foreign) = Foreign::of(&region.tokens) else { return };
    let whole = 0..region.text.len();
    let line = region.text.lines().next().map_or(0, |line| line.trim_end().len());
    let hit = match foreign {
        Foreign::Default => directive(
            region,
            "`default` is Rego. In Mangle a fact that no rule derives does not hold, so there is nothing to declare",
        ),
        Foreign::Import => directive(region, "`import` is Rego. In Mangle all built-ins are there"),
        // `Package` is what is meant, which the recogniser of keywords says.
        Foreign::Package => return,
        Foreign::Rule(rule) => Hit::new(&rules::FOREIGN_RULE, 0..line, rule_message(region, rule.argument)),
        Foreign::Select => Hit::new(
            &rules::FOREIGN_RULE,
            0..line,
            "`SELECT` is SQL. In Mangle a rule derives the rows: `result(X) :- table(X, Y), Y > 1.`",
        ),
    };
    hits.add(hit.read(whole, ""));
}

fn directive(region: &Region<'_>, message: &str) -> Hit {
    let whole = 0..region.text.len();
    let end = region.token(1).map_or(whole.end, |token| token.end);
    let hit = Hit::new(&rules::FOREIGN_DIRECTIVE, 0..end, format!("{message}."));
    hit.mend(whole, as_comment(region.text)).title("Turn it into a comment").guess()
}

/// What the head is in Mangle.
fn rule_message(region: &Region<'_>, argument: Option<Range<usize>>) -> String {
    let argument = argument.map_or_else(String::new, |tokens| head_argument(region, tokens));
    format!(
        "This is a rule of Rego. In Mangle it is `{}({argument}) :- …, ….`, with commas between the premises.",
        region.at(0)
    )
}

/// What a head of Rego collects, as an argument of Mangle; `…` where that is more than one value.
fn head_argument(region: &Region<'_>, tokens: Range<usize>) -> String {
    if tokens.is_empty() {
        return String::new();
    }
    match region.kind(tokens.start).filter(|_| tokens.len() == 1) {
        Some(LexemeKind::Text) => region.at(tokens.start).to_owned(),
        Some(_) => capitalised(region.at(tokens.start)),
        None => "…".to_owned(),
    }
}

/// A name as a variable of Mangle.
fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
