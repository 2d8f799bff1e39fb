//! Arrows, keywords, statement ends and directives of other languages.

use std::ops::Range;

use super::region::{Region, is_prose};
use super::statement_kind::Foreign;
use super::token::{Lexeme, LexemeKind};
use super::{ForeignConstruct, Hits, IN_A_FILE, NO_DISJUNCTION, NO_QUERY, TO_COMMENT, arrow_note};
use crate::syntax::lower::{
    COMMENT_SIGN, DOES_NOT_END, NO_ELEMENT, ONE_COMMA, comment_sign, full_stop_behind, hash_comment, shorten,
};
use crate::syntax::rules;

/// Signs and words between head and body, with the head first.
const ARROWS: [&str; 16] = [
    "<==", "⇐", "-->", "::-", "::=", "-:", ":=", "if", "If", "IF", "when", "WHEN", "where", "WHERE", "<==>",
    "=",
];
/// Signs and words between body and head, with the body first.
const FORWARD: [&str; 8] = ["=>", "->", "==>", "→", "⇒", "implies", "then", "THEN"];

/// Matches `p(X) if q(X)`, `p(X) <== q(X)`, `q(X) -> p(X)`, `if q(X) then p(X)`.
pub(super) fn arrows(region: &Region<'_>, hits: &mut Hits) {
    let hit = match region.arrow() {
        Some(arrow) => doubled(region, arrow),
        None => forward(region).or_else(|| foreign_arrow(region)),
    };
    if let Some(hit) = hit {
        hits.add(hit);
    }
}

fn wrong_arrow(written: &str, token: &Lexeme<'_>) -> ForeignConstruct {
    let headline = format!("`{written}` is not the arrow of a rule");
    ForeignConstruct::new(&rules::WRONG_ARROW, token.range(), headline)
        .label("expected `:-`")
        .note(arrow_note(written))
        .title("write `:-`")
}

/// Matches `p(X) :- if q(X)`.
fn doubled(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
    let word =
        region.token(arrow + 1).filter(|word| matches!(word.text, "if" | "If" | "IF" | "when" | "where"))?;
    let next = region.token(arrow + 2).filter(|next| !next.is("("))?;
    // `if … then …` is more than an arrow.
    if region.top_level(arrow + 2, |token| matches!(token.text, "then" | "else")).is_some() {
        return None;
    }
    let hit = ForeignConstruct::new(
        &rules::WRONG_ARROW,
        word.range(),
        format!("`{}` after the arrow `:-`", word.text),
    )
    .note("the arrow already means `if`");
    Some(hit.delete(word.start..next.start).title(format!("delete `{}`", word.text)))
}

fn foreign_arrow(region: &Region<'_>) -> Option<ForeignConstruct> {
    let index = region.top_level(1, |token| ARROWS.contains(&token.text) || token.is(":"))?;
    let token = region.token(index)?;
    if !region.is_head(index) || region.token(index + 1).is_none() {
        return None;
    }
    if token.is(":") {
        // `: -`. The grammar reads a lone colon as an arrow.
        let minus = region.token(index + 1).filter(|minus| minus.is("-"))?;
        return Some(wrong_arrow(": -", token).replace(token.start..minus.end, ":-"));
    }
    if token.is("=") && !region.is_atom(index + 1) {
        return None;
    }
    let hit = wrong_arrow(token.text, token).replace(token.range(), ":-");
    let close =
        region.close(index + 1).filter(|close| region.at(index + 1) == "{" && close + 1 == region.stop());
    Some(match (region.token(index + 1), close.and_then(|close| region.token(close))) {
        (Some(open), Some(close)) => hit
            .replace(open.start..region.token(index + 2).map_or(open.end, |next| next.start), "")
            .replace(region.range(0..region.stop() - 1).end..close.end, "")
            .title("write `:-`, without braces"),
        _ => hit,
    })
}

/// Matches an arrow that points from the body to the head.
fn forward(region: &Region<'_>) -> Option<ForeignConstruct> {
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
    let hit = ForeignConstruct::new(&rules::WRONG_ARROW, token.range(), "head after the body")
        .note(format!("the head comes first, as in `{} :- …`", shorten(region.at(right.start))))
        .title("put the head first")
        .guess();
    let range = region.range(0..region.stop());
    Some(hit.replace(range, rule))
}

/// True if `A => B` points to its head, which must be a single atom. If both sides are possible,
/// their variables decide.
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

/// Matches `p(1);`, and `p(1),` before another statement.
pub(super) fn ends(region: &Region<'_>, hits: &mut Hits) {
    let last = region.tokens.len().saturating_sub(1);
    let Some(token) = region.token(last).filter(|token| matches!(token.text, ";" | ",") && last > 0) else {
        return;
    };
    let headline = format!("statement ends with `{}` instead of `.`", token.text);
    let hit = ForeignConstruct::new(&rules::MISSING_DOT, token.range(), headline).note(DOES_NOT_END);
    let stop = full_stop_behind(region.before(last));
    let hit = hit.replace(token.range(), stop).title(format!("replace `{}` by `.`", token.text));
    // A premise can be missing after a comma.
    hits.add(if token.is(",") { hit.guess() } else { hit });
}

/// Matches `q(X); .`, `q(X) ; , r(X)`: a semicolon without a premise after it.
pub(super) fn commas(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let (Some(token), Some(next)) = (region.token(index), region.token(index + 1)) else { continue };
        let empty_before = token.is(",") && matches!(region.before(index), "(" | "[" | "{" | ":-" | "⟸");
        let lone = matches!(next.text, ")" | "]" | "}" | "." | ",");
        let hit = if empty_before && !lone {
            let end = if next.first { token.end } else { next.start };
            ForeignConstruct::new(&rules::DOUBLE_COMMA, token.range(), NO_ELEMENT)
                .note(ONE_COMMA)
                .delete(token.start..end)
                .title("delete the comma")
                .guess()
        } else if token.is(";") && next.is(".") {
            let start = region.token(index - 1).map_or(token.start, |before| before.end);
            ForeignConstruct::new(&rules::DISJUNCTION, token.range(), "no premise after `;`")
                .note(NO_DISJUNCTION)
                .delete(start..token.end)
                .title("delete `;`")
        } else if token.is(";") && matches!(next.text, "let" | "do") {
            let hit = ForeignConstruct::new(
                &rules::DISJUNCTION,
                token.range(),
                "`;` between the statements of a transform",
            )
            .label("expected `,`");
            hit.replace(token.range(), ",").title("write `,`")
        } else {
            continue;
        };
        hits.add(hit);
    }
}

/// Matches `decl p(X).`, `package a.`, `import b!`, `rule p(X) :- …`.
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
            let hit = not_a_keyword(first.text, first.range()).note("a clause starts with its head");
            Some(hit.delete(first.start..next.start).title(format!("delete `{}`", first.text)))
        }
        "@" if next.is("decl") && next.glued => {
            let hit = not_a_keyword("@decl", first.start..next.end).label("expected `Decl`");
            Some(hit.replace(first.start..next.end, "Decl").title("write `Decl`"))
        }
        _ => None,
    };
    if let Some(hit) = hit {
        hits.add(hit);
    }
}

fn keyword(word: &Lexeme<'_>, meant: &str) -> Option<ForeignConstruct> {
    let hit = not_a_keyword(word.text, word.range()).label(format!("expected `{meant}`"));
    (word.text != meant).then(|| hit.replace(word.range(), meant).title(format!("write `{meant}`")))
}

fn not_a_keyword(word: &str, range: Range<usize>) -> ForeignConstruct {
    ForeignConstruct::new(&rules::WRONG_KEYWORD, range, format!("`{word}` is not a keyword of Mangle"))
}

/// Matches `package a.`, `Use "a"!`. Keyword, quotes and end are one mistake.
fn package(region: &Region<'_>, meant: &str) -> Option<ForeignConstruct> {
    let (word, name) = (region.token(0)?, region.token(1)?);
    let end = region.token(region.tokens.len() - 1)?;
    let mut hit = match keyword(word, meant) {
        Some(hit) => hit,
        None if name.kind == LexemeKind::Text => {
            let headline = format!("name after `{meant}` is in quotes");
            ForeignConstruct::new(&rules::WRONG_KEYWORD, name.range(), headline)
                .note("the name of a package is a word, not a string")
                .title("delete the quotes")
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
    // The engine rejects a package with capital letters, and the intended name is unknown.
    Some(if name.text.contains(char::is_uppercase) { hit.guess() } else { hit })
}

/// Matches `.input p`, `.type T = number`, `:- dynamic p/1.`, `:- q(X).`, `q(X)?`.
pub(super) fn directives(region: &Region<'_>, hits: &mut Hits) {
    let (Some(first), Some(next)) = (region.token(0), region.token(1)) else { return };
    let (headline, note) = match first.text {
        "." if next.glued && next.kind == LexemeKind::Word && !next.is("decl") => match next.text {
            "type" => {
                ("Mangle has no named types".to_owned(), "a type is written in `bound […]` where it is used")
            }
            "input" | "output" | "printsize" => (
                of_souffle(next.text),
                "the program that embeds the engine loads facts and queries the results",
            ),
            word => (of_souffle(word), NO_DIRECTIVES),
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
            (format!("`:- {}` is a directive of Prolog", shorten(next.text)), NO_DIRECTIVES)
        }
        ":-" => {
            ("rule has no head".to_owned(), "a rule derives facts of its head, as in `violation(X) :- …`")
        }
        _ => return,
    };
    let whole = 0..region.text.len();
    let end = if matches!(first.text, ":-" | "?-") { first.end } else { next.end };
    let hit = ForeignConstruct::new(&rules::FOREIGN_DIRECTIVE, first.start..end, headline).note(note);
    let hit = hit.read(whole.clone(), "").fix_with(whole, as_comment(region.text));
    hits.add(hit.title(TO_COMMENT).guess());
}

const NO_DIRECTIVES: &str = "Mangle has no directives";

fn of_souffle(word: &str) -> String {
    format!("`.{}` is a directive of Soufflé", shorten(word))
}

/// Matches `q(X)?`.
pub(super) fn question(region: &Region<'_>, hits: &mut Hits) {
    let last = region.tokens.len().saturating_sub(1);
    let Some(sign) = region.token(last).filter(|sign| sign.is("?") && last > 1) else { return };
    let whole = 0..region.text.len();
    let hit = ForeignConstruct::new(&rules::QUERY_IN_FILE, sign.range(), NO_QUERY).note(IN_A_FILE);
    let hit = hit.read(whole.clone(), "").fix_with(whole, as_comment(region.text));
    hits.add(hit.title(TO_COMMENT).guess());
}

pub(super) fn as_comment(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("# {line}")).collect();
    lines.join("\n")
}

/// Matches `- p(1).`, `> p(1).`, `1. p(1).`, `` `p(1).` ``: markup before or around a line.
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
    let marker = region.slice(range.clone()).trim_end();
    let underlined = first.start..first.start + marker.len();
    let hit = ForeignConstruct::new(
        &rules::PASTED_MARKUP,
        underlined,
        format!("list marker `{}` in a program", shorten(marker)),
    )
    .note("the engine rejects the marks of documents");
    hits.add(hit.delete(range).title("delete it"));
}

/// Matches `-- …`, `; …`, `% …`, `// …`, `/* … */` and `<!-- … -->`.
pub(super) fn comments(region: &Region<'_>, hits: &mut Hits) {
    for token in &region.comments {
        // A comment ends with its line, and code can follow `-->`.
        let rest = region.slice(token.end..region.text.len());
        let code_follows = rest.lines().next().is_some_and(|line| !line.trim().is_empty());
        let end = if code_follows { "\n" } else { "" };
        let text = format!("{}{end}", hash_comment(token.text));
        let headline = format!("`{}` does not start a comment", comment_sign(token.text));
        let hit = ForeignConstruct::new(&rules::WRONG_COMMENT, token.range(), headline).label(COMMENT_SIGN);
        hits.add(hit.replace(token.range(), text).title("turn it into a `#` comment"));
    }
}

/// Matches prose and JSON.
pub(super) fn prose(region: &Region<'_>, hits: &mut Hits) {
    let whole = 0..region.text.len();
    let line = region.text.lines().next().map_or(0, |line| line.trim_end().len());
    let opens = matches!(region.at(0), "{" | "[") && region.kind(1) == Some(LexemeKind::Text);
    let hit = if is_prose(&region.tokens) && Foreign::parse(&region.tokens).is_none() {
        ForeignConstruct::new(&rules::PASTED_MARKUP, 0..line, "prose outside of a comment")
            .label(COMMENT_SIGN)
    } else if opens && matches!(region.at(2), ":" | "," | "]") {
        ForeignConstruct::new(&rules::PASTED_MARKUP, 0..line, "JSON in a program")
            .note("statements are written without quotes and brackets around them")
    } else {
        return;
    };
    let hit = hit.fix_with(whole.clone(), as_comment(region.text));
    hits.add(hit.read(whole, "").title(TO_COMMENT).guess());
}

/// Matches `r(X), let Y = …, |> do …`: a `let` among the premises.
pub(super) fn early_lets(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    let Some(pipe) = region.top_level(arrow + 1, |token| token.is("|>")) else { return };
    for index in arrow + 1..pipe {
        let starts = matches!(region.before(index), ":-" | "⟸" | ",");
        let binds = region.kind(index + 1) == Some(LexemeKind::Variable) && region.at(index + 2) == "=";
        let (Some(word), Some(next)) = (region.token(index), region.token(index + 1)) else { continue };
        if !(word.is("let") && word.depth == 0 && starts && binds) {
            continue;
        }
        let premise = region.slice(region.range(index + 1..region.part_end(index)));
        let hit = ForeignConstruct::new(&rules::NOT_A_TRANSFORM, word.range(), "`let` before `|>`")
            .label("belongs after `|>`")
            .note("a premise binds a variable by `=` alone");
        hits.add(hit.delete(word.start..next.start).title(format!("write `{}`", shorten(premise))));
    }
}

/// Matches `r(X), let Y = …` and `r(X) | > do …`: a transform without its `|>`.
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
    let headline = format!("missing `|>` before `{}`", word.text);
    let range = if split { start..before.end } else { word.range() };
    let lead = if region.slice(0..start).ends_with(' ') { "|> " } else { " |> " };
    let end = if word.first { before.end } else { word.start };
    let text = if word.first { lead.trim_end() } else { lead };
    let hit = ForeignConstruct::new(&rules::NOT_A_TRANSFORM, range, headline)
        .note(format!("a transform is written `… |> {} …`", word.text));
    hits.add(hit.replace(start..end, text).title("insert `|>`"));
}
