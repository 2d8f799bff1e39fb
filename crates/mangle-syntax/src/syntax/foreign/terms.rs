//! Variables, names, strings, numbers, times and durations in the syntax of other languages.

use std::ops::Range;

use super::region::Region;
use super::token::{Lexeme, LexemeKind};
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::{plain_sign, rules, time};

/// Matches characters copied from documents: typographic quotes, invisible spaces.
pub(super) fn lookalikes(region: &Region<'_>, hits: &mut Hits) {
    // Strings and comments can contain any characters.
    let is_code = |at: usize| {
        region.tokens.iter().any(|token| token.kind != LexemeKind::Text && token.range().contains(&at))
    };
    let mut found: Option<ForeignConstruct> = None;
    for (at, c) in region.text.char_indices() {
        let Some(plain) = plain_sign(c).filter(|_| is_code(at)) else { continue };
        let range = at..at + c.len_utf8();
        let hit = found.take().unwrap_or_else(|| {
            let code = u32::from(c);
            let headline = match plain {
                "" => format!("invisible character U+{code:04X}"),
                " " => format!("unusual space U+{code:04X}"),
                plain => format!("`{c}` (U+{code:04X}) is not `{plain}`"),
            };
            ForeignConstruct::new(&rules::LOOKALIKE_CHARACTER, range.clone(), headline)
                .note("the engine rejects it")
                .title("write plain characters")
        });
        found = Some(hit.replace(range, plain));
    }
    if let Some(hit) = found {
        hits.add(hit);
    }
}

/// Matches `$X`, `?X`, `@x`, and `*` and `...` for `_`.
pub(super) fn variables(region: &Region<'_>, hits: &mut Hits) {
    let mut sigils: Option<ForeignConstruct> = None;
    for index in 1..region.tokens.len() {
        let Some(sign) = region.token(index) else { continue };
        let delimited = matches!(region.before(index), "(" | "," | "[")
            && matches!(region.at(index + 1), ")" | "," | "]");
        if delimited && sign.depth > 0 && matches!(sign.text, "*" | "..." | "?") {
            let headline = format!("`{}` is not a wildcard in Mangle", sign.text);
            let hit =
                ForeignConstruct::new(&rules::VARIABLE_SIGIL, sign.range(), headline).label("expected `_`");
            hits.add(hit.replace(sign.range(), "_").title("write `_`"));
            continue;
        }
        let Some(name) = region.token(index + 1).filter(|next| next.glued && is_word(next)) else { continue };
        let starts_term =
            !sign.glued || matches!(region.before(index), "(" | "," | "[" | "=" | "<" | ">" | "{" | ":");
        if !matches!(sign.text, "$" | "?" | "@")
            || !starts_term
            || (sign.depth == 0 && region.is_atom(index + 1))
        {
            continue;
        }
        let variable = camel_case(name.text);
        let hit = sigils.take().unwrap_or_else(|| {
            let headline = format!("variable `{0}{1}` starts with `{0}`", sign.text, shorten(name.text));
            ForeignConstruct::new(&rules::VARIABLE_SIGIL, sign.start..name.end, headline)
                .label(format!("expected `{}`", shorten(&variable)))
                .title("write the variables without signs")
        });
        sigils = Some(hit.replace(sign.start..name.end, variable));
    }
    if let Some(hit) = sigils {
        hits.add(hit);
    }
}

fn is_word(token: &Lexeme<'_>) -> bool {
    matches!(token.kind, LexemeKind::Word | LexemeKind::Variable)
}

/// Matches `p(hello world)` and `/Name With Space`.
pub(super) fn words(region: &Region<'_>, hits: &mut Hits) {
    if region.at(0) == "Decl" {
        return;
    }
    for index in 1..region.tokens.len() {
        if !matches!(region.before(index), "(" | "," | "[")
            || region.token(index).is_none_or(|t| t.depth == 0)
        {
            continue;
        }
        let end = region.part_end(index);
        if let Some(hit) = several_words(region, index..end) {
            hits.add(hit);
        }
    }
}

/// Words that join terms and are not text.
const JOINTS: [&str; 12] =
    ["is", "in", "not", "and", "or", "mod", "div", "if", "then", "exists", "forall", "AND"];

fn several_words(region: &Region<'_>, tokens: Range<usize>) -> Option<ForeignConstruct> {
    let first = region.token(tokens.start)?;
    let all = region.tokens.get(tokens.clone())?;
    // Check up to the first other token first, because nested brackets would be scanned again for
    // each level.
    let rest_is_words = all.iter().skip(1).all(|token| is_word(token) || token.kind == LexemeKind::Number);
    if all.len() < 2 || !rest_is_words {
        return None;
    }
    let joined = all.iter().any(|token| JOINTS.contains(&token.text));
    if joined || all.iter().any(|token| token.text.starts_with("fn:")) {
        return None;
    }
    let range = region.range(tokens);
    let written = region.slice(range.clone());
    if first.kind == LexemeKind::Name {
        let name = all.iter().map(|token| token.text).collect::<Vec<_>>().join("_");
        let headline = format!("name `{}` contains a space", shorten(written));
        let hit = ForeignConstruct::new(&rules::BAD_NAME, range.clone(), headline)
            .note("the engine reads several terms");
        return Some(hit.replace(range, name.as_str()).title(format!("write `{}`", shorten(&name))).guess());
    }
    if !is_word(first) || written.contains(['"', '\n']) {
        return None;
    }
    let hit = ForeignConstruct::new(
        &rules::UNQUOTED_STRING,
        range.clone(),
        format!("text `{}` is not quoted", shorten(written)),
    )
    .note("the engine reads each word as a term of its own");
    Some(hit.replace(range, format!("\"{written}\"")).title("quote it").guess())
}

/// Matches `/a:b`, `/a/`, `'p'(1)`, `my-pred(1)`.
pub(super) fn names(region: &Region<'_>, hits: &mut Hits) {
    for index in 0..region.tokens.len() {
        let hit = match region.kind(index) {
            Some(LexemeKind::Name) => bad_constant(region, index),
            Some(LexemeKind::Text) => quoted_predicate(region, index),
            Some(LexemeKind::Word) => dashed(region, index),
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
}

fn bad_constant(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let name = region.token(index)?;
    let next = region.token(index + 1).filter(|next| next.glued);
    let (end, meant, why) =
        if let Some(part) = next.filter(|next| next.text.starts_with(':') && next.text.len() > 1) {
            (part.end, format!("{}/{}", name.text, part.text.trim_start_matches(':')), "contains a colon")
        } else if !name.text.is_ascii() {
            let encode = |c: char| if c.is_ascii() { c.to_string() } else { percent(c) };
            (name.end, name.text.chars().map(encode).collect(), "contains characters beyond ASCII")
        } else if name.text.ends_with('/') {
            (name.end, name.text.trim_end_matches('/').to_owned(), "ends with a slash")
        } else if name.text.contains("//") {
            (name.end, name.text.replace("//", "/"), "has an empty part")
        } else {
            return None;
        };
    let range = name.start..end;
    let headline = format!("name `{}` {why}", shorten(region.slice(range.clone())));
    let hit = ForeignConstruct::new(&rules::BAD_NAME, range.clone(), headline)
        .note("names consist of letters, digits and `._~%-` between slashes");
    Some(hit.replace(range, meant.as_str()).title(format!("write `{}`", shorten(&meant))).guess())
}

/// Percent-encodes a character. The result is plain text in Mangle.
fn percent(c: char) -> String {
    let mut bytes = [0; 4];
    c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn quoted_predicate(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let token = region.token(index)?;
    let word = token.text.get(1..token.text.len().checked_sub(1)?).filter(|word| is_identifier(word))?;
    (region.at(index + 1) == "(" && region.glued(index + 1)).then(|| {
        let headline = format!("predicate `{}` is in quotes", shorten(word));
        let hit = ForeignConstruct::new(&rules::BAD_NAME, token.range(), headline)
            .note("the engine reads a string");
        hit.replace(token.range(), word).title(format!("write `{}`", shorten(word)))
    })
}

fn dashed(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let mut end = index;
    while region.at(end + 1) == "-"
        && region.glued(end + 1)
        && region.kind(end + 2) == Some(LexemeKind::Word)
        && region.glued(end + 2)
    {
        end += 2;
    }
    if end == index || !region.is_atom(end) || region.before(index) == "-" {
        return None;
    }
    let range = region.range(index..end + 1);
    let written = region.slice(range.clone());
    let meant = written.replace('-', "_");
    let headline = format!("predicate `{}` contains a dash", shorten(written));
    let hit = ForeignConstruct::new(&rules::BAD_NAME, range.clone(), headline)
        .note("the engine reads the parts as separate words");
    Some(hit.replace(range, meant.as_str()).title(format!("write `{}`", shorten(&meant))).guess())
}

/// Matches `0xff`, `1_000`, `+1`, `f"…"`, `"""…"""`.
pub(super) fn literals(region: &Region<'_>, hits: &mut Hits) {
    for index in 1..region.tokens.len() {
        let hit = match region.kind(index) {
            Some(LexemeKind::Number) => number(region, index),
            Some(LexemeKind::Text) => prefixed(region, index),
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
    }
    for quotes in ["\"\"\"", "'''"] {
        if let Some(hit) = triple(region, quotes) {
            hits.add(hit);
        }
    }
}

fn number(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let token = region.token(index)?;
    let written = token.text;
    let plus = index
        .checked_sub(1)
        .and_then(|before| region.token(before))
        .filter(|before| before.is("+") && token.glued);
    let unsigned =
        plus.is_some() && matches!(region.before(index - 1), "(" | "," | "[" | "=" | "<" | ">" | ":");
    let digits = written.replace('_', "");
    let (range, meant) = if unsigned {
        (plus?.start..token.end, written.to_owned())
    } else if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        (token.range(), i64::from_str_radix(hex, 16).ok()?.to_string())
    } else if digits.len() < written.len() && digits.parse::<f64>().is_ok() {
        (token.range(), digits)
    } else {
        return None;
    };
    let headline = format!("`{}` is not a number of Mangle", shorten(region.slice(range.clone())));
    let mut hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline)
        .note("numbers are decimal digits, with at most a minus before them");
    if unsigned {
        // The value before the plus can be missing.
        hit = hit.guess();
    }
    Some(hit.replace(range, meant.as_str()).title(format!("write `{}`", shorten(&meant))))
}

fn prefixed(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let text = region.token(index)?;
    let prefix = region.token(index - 1).filter(|_| text.glued)?;
    if !matches!(prefix.text, "f" | "r" | "u" | "F" | "R" | "L" | "s" | "raw") || text.text.contains('\\') {
        return None;
    }
    let headline = format!("string has the prefix `{}`", prefix.text);
    let hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, prefix.range(), headline);
    if matches!(prefix.text, "f" | "F" | "s") && text.text.contains(['{', '$']) {
        let hit = hit.note("strings have no placeholders; `fn:string:concat(…)` joins values");
        let whole = prefix.start..text.end;
        return Some(match joined(text.text) {
            Some(call) => {
                let title = format!("write `{}`", shorten(&call));
                hit.replace(whole, call).title(title).guess()
            }
            None => hit.help("join the parts with `fn:string:concat(…)`").read(whole, "\"\""),
        });
    }
    let hit = hit.note("the engine reads the prefix as a word of its own");
    Some(hit.delete(prefix.range()).title("delete the prefix"))
}

/// Converts `"{U} is denied"` to a call. `None` if a placeholder is more than a variable.
fn joined(text: &str) -> Option<String> {
    let mut rest = text.get(1..text.len().checked_sub(1)?)?;
    let mut parts = Vec::new();
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        let is_variable = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_variable || before.contains(['"', '}', '$']) {
            return None;
        }
        parts.extend((!before.is_empty()).then(|| format!("\"{before}\"")));
        parts.push(name.to_owned());
        rest = after;
    }
    if rest.contains(['"', '}', '$']) || parts.is_empty() {
        return None;
    }
    parts.extend((!rest.is_empty()).then(|| format!("\"{rest}\"")));
    Some(format!("fn:string:concat({})", parts.join(", ")))
}

fn triple(region: &Region<'_>, quotes: &str) -> Option<ForeignConstruct> {
    let open = region.text.find(quotes)?;
    let inside = open + quotes.len();
    let close = inside + region.text.get(inside..)?.find(quotes)?;
    let quote = quotes.get(..1)?;
    if region.slice(inside..close).contains(quote) {
        return None;
    }
    let hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, open..inside, "string in triple quotes")
        .note("a string has one quote at each end, even if it spans lines");
    Some(
        hit.replace(open..inside, quote)
            .replace(close..close + quotes.len(), quote)
            .title("write one quote at each end"),
    )
}

/// Units of other languages, in milliseconds.
const UNITS: [(&[&str], u64); 6] = [
    (&["ms", "millis", "milliseconds"], 1),
    (&["s", "sec", "secs", "second", "seconds"], 1_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (&["d", "day", "days"], 86_400_000),
    (&["w", "week", "weeks"], 604_800_000),
];

/// Matches `@[2024-01-15T10:00]`, `@[2024-01-15 10:00:00]`, `<-[0d, 2w]`, `<-[0d, 1h30m]`.
pub(super) fn times(region: &Region<'_>, hits: &mut Hits) {
    let mut index = 1;
    while index < region.tokens.len() {
        let hit = match region.kind(index) {
            Some(LexemeKind::Number) if is_bound(region, index) => {
                instant(region, index).or_else(|| duration(region, index))
            }
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
        index += 1;
    }
}

/// True if a token starts a bound of an interval or of a temporal operator.
fn is_bound(region: &Region<'_>, index: usize) -> bool {
    let mut open = index;
    while open > 0 && !matches!(region.at(open), "[" | "(" | "{") {
        open -= 1;
    }
    let is_interval = matches!(region.before(open), "@" | "<-" | "<+" | "[-" | "[+");
    region.at(open) == "[" && is_interval && matches!(region.before(index), "[" | ",")
}

/// A time without seconds, with a blank instead of the `T`, or with a UTC offset.
fn instant(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let end = (index..region.tokens.len()).find(|at| matches!(region.at(*at), "," | "]" | "."))?;
    let range = region.range(index..end);
    let written = region.slice(range.clone());
    let (date, clock) = written.split_once(['T', ' '])?;
    let (clock, offset) = clock.split_at(clock.find(['+', '-']).unwrap_or(clock.len()));
    let clock = clock.trim_end_matches('Z').trim_end();
    let parts: Vec<_> = clock.split(':').collect();
    let is_number = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return None;
    }
    let rest = [":00:00", ":00", ""].get(parts.len() - 1).copied().unwrap_or("");
    let meant = format!("{date}T{clock}{rest}Z");
    time::parse_timestamp(&meant)?;
    let hit = |headline: String| ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline);
    let shown = shorten(written);
    if !offset.is_empty() {
        let hit = hit(format!("time `{shown}` has an offset")).note("the engine reads all times as UTC");
        return Some(hit.help("write the time of UTC").read(range.clone(), meant));
    }
    let hit = match rest {
        "" if written.contains('T') => return None,
        "" => hit(format!("time `{shown}` has no `T`")).note("a time is written `2024-01-15T10:00:00Z`"),
        _ => hit(format!("time `{shown}` has no seconds"))
            .note("the engine reads a time only with its seconds"),
    };
    Some(hit.replace(range.clone(), meant.as_str()).title(format!("write `{meant}`")).guess())
}

/// A duration in another unit, of several units, or with a fraction.
fn duration(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let end = (index..region.tokens.len()).find(|at| matches!(region.at(*at), "," | "]"))?;
    let range = region.range(index..end);
    let written = region.slice(range.clone());
    if time::parse_duration(written).is_some() {
        return None;
    }
    let millis = milliseconds(written)?;
    let unit = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let (unit, size) = unit.into_iter().find(|(_, size)| millis.is_multiple_of(*size))?;
    let meant = format!("{}{unit}", millis / size);
    let headline = format!("`{}` is not a duration of Mangle", shorten(written));
    let hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline)
        .note("a duration is a whole number with one of the units `d`, `h`, `m`, `s`, `ms`");
    Some(hit.replace(range, meant.as_str()).title(format!("write `{meant}`")).guess())
}

/// The sum of all parts, each a number with a unit.
fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, behind) = rest.split_at_checked(digits)?;
        let behind = behind.trim_start();
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, next) = behind.split_at_checked(letters)?;
        let (_, size) = UNITS.iter().find(|(words, _)| words.contains(&unit))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let scale = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()?.checked_mul(*size)? };
        if !part.is_multiple_of(scale) {
            return None;
        }
        sum = sum.checked_add(whole.parse::<u64>().ok()?.checked_mul(*size)?)?.checked_add(part / scale)?;
        rest = next.trim_start();
    }
    (sum > 0).then_some(sum)
}
