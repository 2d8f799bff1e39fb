//! Statements of Rego (`default allow := false`, `deny[msg] { … }`, `deny contains msg if request(U)`) and queries of SQL.

use std::ops::Range;

use super::TO_COMMENT;
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
        Foreign::Default => directive(region, "default", "a fact that no rule derives is false by default"),
        Foreign::Import => directive(region, "import", "all built-ins of Mangle are always available"),
        // `Package` is what is meant, which the recogniser of keywords says.
        Foreign::Package => return,
        Foreign::Rule(rule) => {
            let note = rule_note(region, rule.argument);
            Hit::new(&rules::FOREIGN_RULE, 0..line, "rule in the notation of Rego").note(note)
        }
        Foreign::Select => Hit::new(&rules::FOREIGN_RULE, 0..line, "query in the notation of SQL")
            .note("a rule of Mangle derives the result, as in `result(X) :- table(X, Y), Y > 1.`"),
    };
    hits.add(hit.read(whole, ""));
}

fn directive(region: &Region<'_>, keyword: &str, note: &str) -> Hit {
    let whole = 0..region.text.len();
    let end = region.token(1).map_or(whole.end, |token| token.end);
    let headline = format!("`{keyword}` is a keyword of Rego");
    let hit = Hit::new(&rules::FOREIGN_DIRECTIVE, 0..end, headline).note(note);
    hit.mend(whole, as_comment(region.text)).title(TO_COMMENT).guess()
}

/// How the rule begins in Mangle.
fn rule_note(region: &Region<'_>, argument: Option<Range<usize>>) -> String {
    let argument = argument.map_or_else(String::new, |tokens| head_argument(region, tokens));
    format!(
        "a rule of Mangle is written `{}({argument}) :- …, ….`, with commas between the premises",
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
