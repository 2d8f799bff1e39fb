//! Declarations in the syntax of other languages and old documents: `.decl p(x: number)`, `Decl
//! p(X: /string)`, `Decl p(Name.Type<string>)`, `Decl p/1`.

use std::ops::Range;

use super::region::Region;
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// An argument of a declaration.
struct Argument {
    name: String,
    /// The type of the argument in the syntax of Mangle.
    bound: Option<String>,
}

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let souffle = region.at(0) == "." && region.at(1) == "decl";
    let keyword = match region.at(0) {
        "Decl" => 1,
        "." | "@" if region.at(1) == "decl" => 2,
        "decl" | "DECL" | "Declare" | "declare" | "pred" | "predicate" | "relation" => 1,
        _ => return,
    };
    if region.kind(keyword) != Some(LexemeKind::Word) {
        return;
    }
    let hit = if souffle {
        souffle_declaration(region)
    } else {
        typed(region, keyword).or_else(|| numbered(region))
    };
    if let Some(hit) = hit {
        hits.add(hit);
    } else if let Some(close) = region.close(keyword + 1) {
        parts(region, close + 1, hits);
    }
}

/// Matches `.decl p(x: number, y: symbol)`.
fn souffle_declaration(region: &Region<'_>) -> Option<ForeignConstruct> {
    let close = region.close(3)?;
    let arguments = arguments(region, 4..close)?;
    let hit = ForeignConstruct::new(
        &rules::WRONG_KEYWORD,
        0..region.token(1)?.end,
        "`.decl` is a keyword of Soufflé",
    )
    .label("expected `Decl`")
    .note("a declaration of Mangle starts with `Decl` and ends with `.`");
    let end = region.token(region.tokens.len() - 1)?.end;
    let text = format!(
        "Decl {}{}.",
        head(region.at(2), &arguments),
        bound(&arguments).map_or(String::new(), |b| format!(" {b}"))
    );
    Some(hit.replace(0..end, text).title("write a `Decl`"))
}

fn head(name: &str, arguments: &[Argument]) -> String {
    let names: Vec<_> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    format!("{name}({})", names.join(", "))
}

fn bound(arguments: &[Argument]) -> Option<String> {
    let types: Vec<_> =
        arguments.iter().map(|argument| argument.bound.as_deref().unwrap_or("/any")).collect();
    (!types.is_empty()).then(|| format!("bound [{}]", types.join(", ")))
}

/// The headline about an argument with a type.
pub(in crate::syntax) fn typed_argument(argument: &str) -> String {
    format!("engine rejects the typed argument `{}`", shorten(argument))
}

/// The note about the position of types.
pub(in crate::syntax) const TYPES_FOLLOW: &str =
    "a `Decl` names its arguments by variables; types follow the atom, as in `bound [/string]`";

/// Matches types among the arguments of a `Decl`, with any separator.
fn typed(region: &Region<'_>, name: usize) -> Option<ForeignConstruct> {
    let close = region.close(name + 1)?;
    let arguments = arguments(region, name + 2..close)?;
    if arguments.iter().all(|argument| argument.bound.is_none()) {
        return None;
    }
    let only_types = region.kind(name + 2) == Some(LexemeKind::Name);
    if only_types && arguments.iter().all(|argument| argument.bound.as_deref() == Some("/any")) {
        return None;
    }
    let inside = region.range(name + 2..close);
    let first = region.slice(region.range(name + 2..region.part_end(name + 2)));
    let (rule, headline) = if only_types {
        let headline = format!("`Decl` argument `{}` is not a variable", shorten(first));
        (&rules::DECL_ARG_NOT_VARIABLE, headline)
    } else {
        (&rules::LEGACY_TYPED_ARG, typed_argument(first))
    };
    let names: Vec<_> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let hit = ForeignConstruct::new(rule, inside.clone(), headline).note(TYPES_FOLLOW);
    let mut hit = hit.replace(inside, names.join(", ")).guess();
    if !region.has_word("bound") {
        let (at, text) = bound_place(region, close, &bound(&arguments)?)?;
        hit = hit.replace(at..at, text);
    }
    Some(hit.title("move the types into `bound […]`"))
}

/// The position of a `bound`, and the text to insert.
fn bound_place(region: &Region<'_>, close: usize, bound: &str) -> Option<(usize, String)> {
    if let Some(inclusion) = region.top_level(close, |token| token.is("inclusion")) {
        return Some((region.token(inclusion)?.start, format!("{bound} ")));
    }
    let at = region.token(region.stop().checked_sub(1)?)?.end;
    let several = region.tokens.get(close + 1).is_some_and(|token| token.first);
    Some((at, if several { format!("\n  {bound}") } else { format!(" {bound}") }))
}

fn arguments(region: &Region<'_>, tokens: Range<usize>) -> Option<Vec<Argument>> {
    let mut all: Vec<Argument> = Vec::new();
    let mut start = tokens.start;
    while start < tokens.end {
        let end = region.part_end(start).min(tokens.end);
        let mut argument = argument(region, start..end, all.len() + 1)?;
        while all.iter().any(|other| other.name == argument.name) {
            argument.name.push('2');
        }
        all.push(argument);
        start = end + 1;
    }
    Some(all)
}

fn argument(region: &Region<'_>, tokens: Range<usize>, number: usize) -> Option<Argument> {
    let first = region.token(tokens.start)?;
    let rest = tokens.start + 1..tokens.end;
    if let (LexemeKind::Word, Some((name, written))) = (first.kind, first.text.split_once(':')) {
        let bound = (rest.is_empty() && !written.is_empty()).then(|| type_of_word(written))?;
        return Some(Argument { name: camel_case(name), bound: Some(bound) });
    }
    match (first.kind, region.at(rest.start), region.kind(rest.start)) {
        (LexemeKind::Word | LexemeKind::Variable, _, _) if rest.is_empty() => {
            Some(Argument { name: camel_case(first.text), bound: None })
        }
        (LexemeKind::Name, _, _) if rest.is_empty() => Some(Argument {
            name: format!("Arg{number}"),
            bound: Some(type_of_word(first.text.trim_start_matches('/'))),
        }),
        // `X: t`, `X : t`, `X :t`.
        (LexemeKind::Word | LexemeKind::Variable, ":" | "::", _) => Some(Argument {
            name: camel_case(first.text),
            bound: Some(type_of(region, rest.start + 1..rest.end)),
        }),
        (LexemeKind::Word | LexemeKind::Variable, word, Some(LexemeKind::Word)) if word.starts_with(':') => {
            Some(Argument {
                name: camel_case(first.text),
                bound: Some(type_of_word(word.trim_start_matches(':'))),
            })
        }
        // `X.Type<t>`.
        (LexemeKind::Variable, ".", _) if region.at(rest.start + 2) == "<" => Some(Argument {
            name: camel_case(first.text),
            bound: Some(type_of(region, rest.start + 3..rest.end - 1)),
        }),
        // `X /t`.
        (LexemeKind::Word | LexemeKind::Variable, _, Some(LexemeKind::Name)) => {
            Some(Argument { name: camel_case(first.text), bound: Some(type_of(region, rest)) })
        }
        // `string X`.
        (LexemeKind::Word, word, Some(LexemeKind::Variable)) if rest.len() == 1 => {
            Some(Argument { name: camel_case(word), bound: Some(type_of_word(first.text)) })
        }
        _ => None,
    }
}

/// Converts a type of another language to the syntax of Mangle.
fn type_of(region: &Region<'_>, tokens: Range<usize>) -> String {
    let inner = tokens.start + 1..tokens.end.saturating_sub(1);
    match region.at(tokens.start) {
        "[" if !inner.is_empty() => format!(".List<{}>", type_of(region, inner)),
        word if tokens.len() == 1 => type_of_word(word.trim_start_matches('/')),
        word if matches!(word.to_ascii_lowercase().as_str(), "list" | "vec" | "array")
            && tokens.len() > 3 =>
        {
            format!(".List<{}>", type_of(region, tokens.start + 2..tokens.end - 1))
        }
        "." => region.slice(region.range(tokens)).to_owned(),
        _ => "/any".to_owned(),
    }
}

fn type_of_word(word: &str) -> String {
    let known = match word.to_ascii_lowercase().as_str() {
        "string" | "str" | "symbol" | "text" | "varchar" => "/string",
        "number" | "int" | "integer" | "unsigned" | "int64" | "i64" | "i32" | "u64" | "u32" | "long" => {
            "/number"
        }
        "float" | "float64" | "double" | "f64" | "real" => "/float64",
        "name" | "n" | "atom" | "enum" => "/name",
        "bool" | "boolean" => ".Union<.Singleton</true>, .Singleton</false>>",
        "bytes" => "/bytes",
        "time" | "timestamp" | "datetime" => "/time",
        "duration" => "/duration",
        _ => "/any",
    };
    known.to_owned()
}

/// Matches `Decl p/2.`
fn numbered(region: &Region<'_>) -> Option<ForeignConstruct> {
    let count: usize = match (region.kind(2), region.at(2)) {
        (Some(LexemeKind::Name), name) => name.trim_start_matches('/').parse().ok()?,
        (_, "/") => region.at(3).parse().ok()?,
        _ => return None,
    };
    if count > 12 {
        return None;
    }
    let end = if region.at(2) == "/" { 4 } else { 3 };
    let names: Vec<_> = (1..=count).map(|number| format!("Arg{number}")).collect();
    let range = region.range(1..end);
    let headline = format!("`{}` is not the atom of a declaration", shorten(region.slice(range.clone())));
    let note = format!("a `Decl` names the arguments, as in `{}({})`", region.at(1), names.join(", "));
    let arguments = region.range(2..end);
    let hit = ForeignConstruct::new(&rules::DECL_ARG_NOT_VARIABLE, range, headline)
        .note(note)
        .replace(arguments, format!("({})", names.join(", ")));
    Some(hit.title("name the arguments").guess())
}

/// Checks the parts after the declared atom: commas between them, and parts without brackets.
fn parts(region: &Region<'_>, from: usize, hits: &mut Hits) {
    for index in from..region.stop() {
        let Some(token) = region.token(index).filter(|token| token.depth == 0) else { continue };
        match (token.text, region.at(index + 1)) {
            (",", _) => {
                if let Some(hit) = hits.0.iter_mut().find(|hit| hit.rule == &rules::DOUBLE_COMMA) {
                    *hit = hit.clone().delete(token.range());
                    continue;
                }
                hits.add(
                    ForeignConstruct::new(
                        &rules::DOUBLE_COMMA,
                        token.range(),
                        "comma before a part of a `Decl`",
                    )
                    .note("the engine rejects commas between the parts")
                    .delete(token.range())
                    .title("delete the comma"),
                );
            }
            ("bound" | "descr" | "inclusion", "[") => {}
            ("bound" | "descr" | "inclusion" | "doc", _) => hits.0.extend(unbracketed(region, index)),
            _ => {}
        }
    }
}

/// Matches `bound (/string)`, `bound /string`, `descr doc("…")`, `doc("…")`.
fn unbracketed(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let token = region.token(index)?;
    let opened = region.at(index + 1) == "(" && !token.is("doc");
    let written = if token.is("doc") { "descr" } else { token.text };
    let headline = match token.text {
        "doc" => "`doc` outside of `descr […]`".to_owned(),
        part => format!("missing brackets after `{part}`"),
    };
    let hit = ForeignConstruct::new(&rules::UNKNOWN_DECL_PART, token.range(), headline)
        .label(format!("expected `{written} […]`"))
        .title("insert the brackets");
    if token.is("doc") {
        if !region.is_atom(index) || matches!(region.before(index), "descr" | "bound") {
            return None;
        }
        let close = region.token(region.close(index + 1)?)?;
        return Some(hit.replace(token.start..token.start, "descr [").replace(close.end..close.end, "]"));
    }
    if opened {
        let close = region.token(region.close(index + 1)?)?;
        return Some(hit.replace(region.token(index + 1)?.range(), "[").replace(close.range(), "]"));
    }
    let last = match region.kind(index + 1)? {
        LexemeKind::Word => region.atom_end(index + 1)?,
        LexemeKind::Sign => return None,
        _ => index + 1,
    };
    let (start, end) = (region.token(index + 1)?.start, region.token(last)?.end);
    Some(hit.replace(start..start, "[").replace(end..end, "]"))
}
