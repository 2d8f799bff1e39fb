//! Arrows, keywords, ends of statements and directives of other languages.

use super::hit::{Hit, Hits};
use super::region::{Region, is_prose};
use super::statement_kind::Foreign;
use super::token::{Lexeme, LexemeKind};
use crate::syntax::lower::full_stop_behind;
use crate::syntax::rules;

/// Words and signs that stand between head and body, head first.
const ARROWS: [&str; 16] = [
    "<==", "⇐", "-->", "::-", "::=", "-:", ":=", "if", "If", "IF", "when", "WHEN", "where", "WHERE", "<==>",
    "=",
];
/// The same, body first.
const FORWARD: [&str; 8] = ["=>", "->", "==>", "→", "⇒", "implies", "then", "THEN"];

/// `p(X) if q(X)`, `p(X) <== q(X)`, `q(X) -> p(X)`, `if q(X) then p(X)`.
pub(super) fn arrows(region: &Region<'_>, hits: &mut Hits) {
    let hit = match region.arrow() {
        Some(arrow) => doubled(region, arrow),
        None => forward(region).or_else(|| foreign_arrow(region)),
    };
    if let Some(hit) = hit {
        hits.add(hit);
    }
}

fn wrong_arrow(written: &str, token: &Lexeme<'_>) -> Hit {
    let message = format!("A rule's arrow is `:-` (or `⟸`), not `{written}`.");
    Hit::new(&rules::WRONG_ARROW, token.range(), message).title("Write `:-`")
}

/// `p(X) :- if q(X)`.
fn doubled(region: &Region<'_>, arrow: usize) -> Option<Hit> {
    let word =
        region.token(arrow + 1).filter(|word| matches!(word.text, "if" | "If" | "IF" | "when" | "where"))?;
    let next = region.token(arrow + 2).filter(|next| !next.is("("))?;
    // `if … then …` is more than an arrow.
    if region.top_level(arrow + 2, |token| matches!(token.text, "then" | "else")).is_some() {
        return None;
    }
    let message = format!("The arrow `:-` already means `if`; `{}` is too much.", word.text);
    Some(
        Hit::new(&rules::WRONG_ARROW, word.range(), message)
            .delete(word.start..next.start)
            .title("Delete it"),
    )
}

fn foreign_arrow(region: &Region<'_>) -> Option<Hit> {
    let index = region.top_level(1, |token| ARROWS.contains(&token.text) || token.is(":"))?;
    let token = region.token(index)?;
    if !region.is_head(index) || region.token(index + 1).is_none() {
        return None;
    }
    if token.is(":") {
        // `: -`; the grammar reads a lone colon as an arrow.
        let minus = region.token(index + 1).filter(|minus| minus.is("-"))?;
        return Some(wrong_arrow(": -", token).replace(token.start..minus.end, ":-"));
    }
    if token.is("=") && !region.is_atom(index + 1) {
        return None;
    }
    Some(wrong_arrow(token.text, token).replace(token.range(), ":-"))
}

/// An arrow that points from the body to the head.
fn forward(region: &Region<'_>) -> Option<Hit> {
    let index = region.top_level(1, |token| FORWARD.contains(&token.text))?;
    let token = region.token(index)?;
    let from = usize::from(matches!(region.at(0), "if" | "If" | "IF" | "when" | "WHEN"));
    let (left, right) = (from..index, index + 1..region.stop());
    if from == 0 && !points_right(region, index) {
        return (!matches!(token.text, "=>" | "->"))
            .then(|| wrong_arrow(token.text, token).replace(token.range(), ":-"));
    }
    let [body, head] = [left, right.clone()].map(|part| region.slice(region.range(part)));
    if head.is_empty() || body.is_empty() {
        return None;
    }
    let rule = format!("{head} :- {body}");
    let message = format!(
        "In Mangle the head stands first and the arrow points to it: `{} :- …`.",
        region.at(right.start)
    );
    let hit = Hit::new(&rules::WRONG_ARROW, token.range(), message).title("Put the head first").guess();
    let range = region.range(0..region.stop());
    Some(hit.replace(range, rule))
}

/// What stands right of `A => B` must be one atom. When it might also be the body, its variables decide.
fn points_right(region: &Region<'_>, index: usize) -> bool {
    let single = region.is_atom(index + 1) && region.atom_end(index + 1) == region.stop().checked_sub(1);
    let variables = |from: usize, to: usize| {
        region
            .tokens
            .get(from..to)
            .unwrap_or(&[])
            .iter()
            .filter(|t| t.kind == LexemeKind::Variable && !t.is("_"))
    };
    let within = |a: (usize, usize), b: (usize, usize)| {
        variables(a.0, a.1).all(|variable| variables(b.0, b.1).any(|other| other.text == variable.text))
    };
    let (left, right) = ((0, index), (index + 1, region.stop()));
    single && (within(right, left) || !within(left, right))
}

/// `p(1);`, and `p(1),` before another statement.
pub(super) fn ends(region: &Region<'_>, hits: &mut Hits) {
    let last = region.tokens.len().saturating_sub(1);
    let Some(token) = region.token(last).filter(|token| matches!(token.text, ";" | ",") && last > 0) else {
        return;
    };
    let message = format!("A statement ends with a full stop, not with `{}`.", token.text);
    let hit = Hit::new(&rules::MISSING_DOT, token.range(), message);
    let stop = full_stop_behind(region.before(last));
    hits.add(hit.replace(token.range(), stop).title("Write a full stop"));
}

/// `q(X); .`, `q(X) ; , r(X)`: a semicolon with nothing behind it.
pub(super) fn commas(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let (Some(token), Some(next)) = (region.token(index), region.token(index + 1)) else { continue };
        let empty_before = token.is(",") && matches!(region.before(index), "(" | "[" | "{" | ":-" | "⟸");
        let lone = matches!(next.text, ")" | "]" | "}" | "." | ",");
        let hit = if empty_before && !lone {
            let message = "Nothing stands before this comma. Delete it, or write what is missing.";
            let end = if next.first { token.end } else { next.start };
            Hit::new(&rules::DOUBLE_COMMA, token.range(), message)
                .delete(token.start..end)
                .title("Delete the comma")
        } else if token.is(";") && next.is(".") {
            let message = "Nothing stands behind this `;`, and Mangle has none.";
            let start = region.token(index - 1).map_or(token.start, |before| before.end);
            Hit::new(&rules::DISJUNCTION, token.range(), message).delete(start..token.end).title("Delete it")
        } else if token.is(";") && matches!(next.text, "let" | "do") {
            let message = "The statements of a transform are separated by commas, not by `;`.";
            let hit = Hit::new(&rules::DISJUNCTION, token.range(), message);
            hit.replace(token.range(), ",").title("Write a comma")
        } else {
            continue;
        };
        hits.add(hit);
    }
}

/// `decl p(X).`, `package a.`, `import b!`, `rule p(X) :- …`.
pub(super) fn keywords(region: &Region<'_>, hits: &mut Hits) {
    let (Some(first), Some(next)) = (region.token(0), region.token(1)) else { return };
    let named = |word: &Lexeme<'_>| matches!(word.kind, LexemeKind::Word | LexemeKind::Text);
    let lower = first.text.to_ascii_lowercase();
    let hit = match lower.as_str() {
        "decl" | "declare" | "predicate" | "pred" | "relation"
            if first.text != "Decl" && region.is_atom(1) =>
        {
            keyword(first, "Decl")
        }
        "package" | "module" | "namespace" if named(next) => package(region, "Package"),
        "use" | "using" | "import" if named(next) => package(region, "Use"),
        "rule" | "fact" | "def" | "clause" if region.is_atom(1) => {
            let message = format!("A clause has no keyword: `{}` is too much.", first.text);
            Some(
                Hit::new(&rules::WRONG_KEYWORD, first.range(), message)
                    .delete(first.start..next.start)
                    .title("Delete it"),
            )
        }
        "@" if next.is("decl") && next.glued => {
            let message = "A declaration starts with `Decl`, not with `@decl`.";
            let hit = Hit::new(&rules::WRONG_KEYWORD, first.start..next.end, message);
            Some(hit.replace(first.start..next.end, "Decl").title("Write `Decl`"))
        }
        _ => None,
    };
    if let Some(hit) = hit {
        hits.add(hit);
    }
}

fn keyword(word: &Lexeme<'_>, meant: &str) -> Option<Hit> {
    let message = format!("The keyword is `{meant}`, not `{}`.", word.text);
    let hit = Hit::new(&rules::WRONG_KEYWORD, word.range(), message);
    (word.text != meant).then(|| hit.replace(word.range(), meant).title(format!("Write `{meant}`")))
}

/// `package a.`, `Use "a"!`: keyword, quotes and end are one mistake.
fn package(region: &Region<'_>, meant: &str) -> Option<Hit> {
    let (word, name) = (region.token(0)?, region.token(1)?);
    let end = region.token(region.tokens.len() - 1)?;
    let mut hit = match keyword(word, meant) {
        Some(hit) => hit,
        None if name.kind == LexemeKind::Text => {
            let message = format!("The name behind `{meant}` stands in no quotes.");
            Hit::new(&rules::WRONG_KEYWORD, name.range(), message).title("Drop the quotes")
        }
        None => return None,
    };
    if name.kind == LexemeKind::Text {
        hit = hit.replace(name.range(), name.text.trim_matches(['"', '\'', '`']));
    }
    if matches!(end.text, "." | ";") {
        hit = hit.replace(end.range(), "!");
    } else if !end.is("!") {
        hit = hit.replace(end.end..end.end, "!");
    }
    Some(hit)
}

/// `.input p`, `.type T = number`, `:- dynamic p/1.`, `:- q(X).`, `q(X)?`.
pub(super) fn directives(region: &Region<'_>, hits: &mut Hits) {
    let (Some(first), Some(next)) = (region.token(0), region.token(1)) else { return };
    let message = match first.text {
        "." if next.glued && next.kind == LexemeKind::Word && !next.is("decl") => match next.text {
            "type" => "Mangle has no named types: write a type itself in `bound […]`.".to_owned(),
            "input" | "output" | "printsize" => {
                format!("`.{}` is Soufflé. Mangle's host loads facts and asks for results.", next.text)
            }
            word => format!("`.{word}` is a directive of Soufflé, which Mangle has not."),
        },
        ":-" | "?-"
            if matches!(
                next.text,
                "dynamic"
                    | "discontiguous"
                    | "table"
                    | "use_module"
                    | "module"
                    | "initialization"
                    | "ensure_loaded"
                    | "set_prolog_flag"
                    | "include"
                    | "multifile"
            ) =>
        {
            format!("`:- {}` is a directive of Prolog, which Mangle has not.", next.text)
        }
        ":-" => {
            "A rule without a head states nothing. Give it a head, such as `violation(X) :- …`.".to_owned()
        }
        _ => return,
    };
    let whole = 0..region.text.len();
    let end = if matches!(first.text, ":-" | "?-") { first.end } else { next.end };
    let hit = Hit::new(&rules::FOREIGN_DIRECTIVE, first.start..end, message).read(whole.clone(), "");
    hits.add(hit.mend(whole, as_comment(region.text)).title("Turn it into a comment").guess());
}

/// `q(X)?`
pub(super) fn question(region: &Region<'_>, hits: &mut Hits) {
    let last = region.tokens.len().saturating_sub(1);
    let Some(sign) = region.token(last).filter(|sign| sign.is("?") && last > 1) else { return };
    let whole = 0..region.text.len();
    let hit = Hit::new(&rules::QUERY_IN_FILE, sign.range(), super::NO_QUERY).read(whole.clone(), "");
    hits.add(hit.mend(whole, as_comment(region.text)).title("Turn it into a comment").guess());
}

pub(super) fn as_comment(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("# {line}")).collect();
    lines.join("\n")
}

/// `- p(1).`, `> p(1).`, `1. p(1).`, `` `p(1).` ``: what a document puts in front of a line.
pub(super) fn markup(region: &Region<'_>, hits: &mut Hits) {
    let (Some(first), Some(next)) = (region.token(0), region.token(1)) else { return };
    let start = match first.text {
        "-" | "*" | ">" | "+" if !next.glued => next.start,
        "```" => return,
        _ if first.kind == LexemeKind::Number && matches!(next.text, "." | ")" | ":") => {
            match region.token(2) {
                Some(statement) => statement.start,
                None => return,
            }
        }
        _ => return,
    };
    let range = first.start..start;
    let message = format!(
        "`{}` belongs to a list in a document, not to a program.",
        region.slice(range.clone()).trim_end()
    );
    let underlined = first.start..first.start + region.slice(range.clone()).trim_end().len();
    hits.add(Hit::new(&rules::PASTED_MARKUP, underlined, message).delete(range).title("Delete it"));
}

/// `-- …`, `; …` and `<!-- … -->`.
pub(super) fn comments(region: &Region<'_>, hits: &mut Hits) {
    for token in region.tokens.iter().filter(|token| token.kind == LexemeKind::Comment) {
        let marker: String = token.text.chars().take_while(|c| matches!(c, '-' | ';' | '<' | '!')).collect();
        let message = format!("`{marker}` does not start a comment in Mangle; `#` does.");
        let body = token.text.trim_start_matches(['-', ';', '<', '!']).trim_end_matches("-->").trim();
        let lines: Vec<_> = body.lines().map(|line| format!("# {}", line.trim())).collect();
        // A comment ends with its line, and code may follow `-->`.
        let rest = region.slice(token.end..region.text.len());
        let code_follows = rest.lines().next().is_some_and(|line| !line.trim().is_empty());
        let end = if code_follows { "\n" } else { "" };
        let text = format!("{}{end}", lines.join("\n"));
        let hit = Hit::new(&rules::WRONG_COMMENT, token.range(), message);
        hits.add(hit.replace(token.range(), text).title("Turn it into a `#` comment"));
    }
}

/// Text for people, and JSON.
pub(super) fn prose(region: &Region<'_>, hits: &mut Hits) {
    let whole = 0..region.text.len();
    let line = region.text.lines().next().map_or(0, |line| line.trim_end().len());
    let opens = matches!(region.at(0), "{" | "[") && region.kind(1) == Some(LexemeKind::Text);
    let hit = if is_prose(&region.tokens) && Foreign::of(&region.tokens).is_none() {
        let message = "This is text for people, not Mangle. A comment starts with `#`.";
        Hit::new(&rules::PASTED_MARKUP, 0..line, message).mend(whole.clone(), as_comment(region.text))
    } else if opens && matches!(region.at(2), ":" | "," | "]") {
        let message =
            "This is JSON, not Mangle. A statement stands in a file as it is, without quotes and brackets.";
        Hit::new(&rules::PASTED_MARKUP, 0..line, message).mend(whole.clone(), as_comment(region.text))
    } else {
        return;
    };
    hits.add(hit.read(whole, "").title("Turn it into a comment").guess());
}

/// `r(X), let Y = …` and `r(X) | > do …`: a transform without its `|>`.
pub(super) fn pipes(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    if region.has_word("|>") {
        return;
    }
    let Some(index) = region.top_level(arrow + 2, |token| matches!(token.text, "do" | "let")) else { return };
    let (Some(word), Some(before)) = (region.token(index), region.token(index - 1)) else { return };
    let split = region.at(index - 1) == ">" && region.at(index - 2) == "|";
    let start = match before.text {
        _ if split => region.token(index - 2).map_or(before.start, |bar| bar.start),
        "," | "|" => before.start,
        _ => before.end,
    };
    let message = format!("`{}` stands behind `|>`: `… |> {} …`.", word.text, word.text);
    let range = if split { start..before.end } else { word.range() };
    let lead = if region.slice(0..start).ends_with(' ') { "|> " } else { " |> " };
    let end = if word.first { before.end } else { word.start };
    let text = if word.first { lead.trim_end() } else { lead };
    hits.add(
        Hit::new(&rules::NOT_A_TRANSFORM, range, message).replace(start..end, text).title("Insert `|>`"),
    );
}
