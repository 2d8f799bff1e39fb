//! Corrections for common wrong names of built-ins.

use super::{BuiltinFunction, BuiltinPredicate, FUNCTIONS, PREDICATES, function, predicate};

/// A wrong name from old code, other systems or language models, and its correction.
#[derive(Debug, PartialEq, Eq)]
pub struct NameCorrection {
    /// The wrong name.
    pub wrong: &'static str,
    /// The built-in that can replace it with the same arguments, if one exists.
    pub replacement: Option<&'static str>,
    /// The alternative if renaming is not enough. Empty if `replacement` is set.
    pub advice: &'static str,
}

const fn renamed(wrong: &'static str, right: &'static str) -> NameCorrection {
    NameCorrection { wrong, replacement: Some(right), advice: "" }
}

const fn advised(wrong: &'static str, advice: &'static str) -> NameCorrection {
    NameCorrection { wrong, replacement: None, advice }
}

/// The advice for side effects such as printing.
const NO_EFFECTS: &str = "remove the premise: a rule derives facts and has no other effect";

/// The corrections, sorted by wrong name.
const CORRECTIONS: &[NameCorrection] = &[
    advised(":append", "compute the list in a premise: `L = fn:list:append(Rest, X)`"),
    advised(":atom_concat", "compute the text in a premise: `Text = fn:string:concat(A, B)`"),
    advised(":avg", "aggregate with `|> do fn:group_by(…), let V = fn:avg(X)`"),
    advised(":between", "compare twice: `Low <= X, X <= High`"),
    advised(":concat", "compute the text in a premise: `Text = fn:string:concat(A, B)`"),
    renamed(":contains", ":string:contains"),
    advised(":count", "aggregate with `|> do fn:group_by(…), let V = fn:count()`"),
    renamed(":endsWith", ":string:ends_with"),
    renamed(":ends_with", ":string:ends_with"),
    renamed(":endswith", ":string:ends_with"),
    advised(":format", "compute the text in a premise: `Text = fn:string:concat(A, B)`"),
    advised(":halt", NO_EFFECTS),
    renamed(":includes", ":string:contains"),
    advised(":isinstance", "state the type of the argument in the `bound […]` of its `Decl`"),
    advised(":len", "compute the number in a premise: `N = fn:list:len(L)`"),
    advised(":length", "compute the number in a premise: `N = fn:list:len(L)`"),
    advised(
        ":list:contains",
        "test with `:filter(fn:list:contains(L, X))`, or go through the elements with `:list:member(X, L)`",
    ),
    advised(
        ":match",
        "take a value apart with `:match_cons`, `:match_pair`, `:match_entry` or `:match_field`",
    ),
    advised(":max", "aggregate with `|> do fn:group_by(…), let V = fn:max(X)`"),
    renamed(":member", ":list:member"),
    renamed(":memberchk", ":list:member"),
    advised(":min", "aggregate with `|> do fn:group_by(…), let V = fn:min(X)`"),
    advised(":nl", NO_EFFECTS),
    advised(":print", NO_EFFECTS),
    advised(":println", NO_EFFECTS),
    advised(
        ":re_match",
        "compare with `:string:contains`, `:string:starts_with` or `:string:ends_with`; there are no regular expressions",
    ),
    advised(":sprintf", "compute the text in a premise: `Text = fn:string:concat(A, B)`"),
    renamed(":startsWith", ":string:starts_with"),
    renamed(":starts_with", ":string:starts_with"),
    renamed(":startswith", ":string:starts_with"),
    advised(":string_concat", "compute the text in a premise: `Text = fn:string:concat(A, B)`"),
    advised(":sum", "aggregate with `|> do fn:group_by(…), let V = fn:sum(X)`"),
    advised(":write", NO_EFFECTS),
    advised(":writeln", NO_EFFECTS),
    renamed("fn:add", "fn:plus"),
    renamed("fn:append", "fn:list:append"),
    renamed("fn:average", "fn:avg"),
    renamed("fn:concat", "fn:string:concat"),
    renamed("fn:cons", "fn:list:cons"),
    advised(
        "fn:contains",
        "write the premise `:string:contains(S, \"text\")`, or for a list `:filter(fn:list:contains(L, X))`",
    ),
    advised(
        "fn:count_distinct",
        "collect with `let L = fn:collect_distinct(X)`, then `let N = fn:list:len(L)`",
    ),
    renamed("fn:divide", "fn:div"),
    advised("fn:ends_with", "write the premise `:string:ends_with(S, \"text\")`"),
    advised("fn:filter", "write the premise `:filter(…)`"),
    advised("fn:float:minus", "add the negated value: `fn:float:plus(X, fn:float:mult(-1.0, Y))`"),
    renamed("fn:len", "fn:list:len"),
    renamed("fn:length", "fn:list:len"),
    renamed("fn:list:length", "fn:list:len"),
    advised("fn:list:member", "write the premise `:list:member(X, L)`"),
    advised("fn:list:nth", "use `fn:list:get(L, 0)`, whose index starts at 0"),
    renamed("fn:list:size", "fn:list:len"),
    advised("fn:lt", "compare with a premise: `X < Y`"),
    advised("fn:map:get", "write the premise `:match_entry(M, /key, V)`"),
    advised("fn:match_cons", "write the premise `:match_cons(L, Head, Tail)`"),
    renamed("fn:modulo", "fn:mod"),
    renamed("fn:mul", "fn:mult"),
    renamed("fn:multiply", "fn:mult"),
    advised("fn:not", "negate a premise with `!`"),
    advised("fn:now", "use `fn:time:now()`"),
    advised("fn:pair:first", "take the pair apart with the premise `:match_pair(P, First, Second)`"),
    advised("fn:pair:fst", "take the pair apart with the premise `:match_pair(P, First, Second)`"),
    advised("fn:pair:second", "take the pair apart with the premise `:match_pair(P, First, Second)`"),
    advised("fn:pair:snd", "take the pair apart with the premise `:match_pair(P, First, Second)`"),
    advised("fn:pick_any", "take `fn:min(X)` or `fn:max(X)`, or the head of `fn:collect(X)`"),
    advised("fn:some", "use the value itself"),
    advised("fn:starts_with", "write the premise `:string:starts_with(S, \"text\")`"),
    renamed("fn:str_concat", "fn:string:concat"),
    renamed("fn:string:append", "fn:string:concat"),
    advised("fn:string:contains", "write the premise `:string:contains(S, \"text\")`"),
    advised("fn:string:ends_with", "write the premise `:string:ends_with(S, \"text\")`"),
    advised("fn:string:starts_with", "write the premise `:string:starts_with(S, \"text\")`"),
    renamed("fn:string_concat", "fn:string:concat"),
    advised("fn:string_contains", "write the premise `:string:contains(S, \"text\")`"),
    advised(
        "fn:string_contains_ci",
        "write the premise `:string:contains(S, \"text\")`; it minds the case of letters",
    ),
    advised("fn:string_ends_with", "write the premise `:string:ends_with(S, \"text\")`"),
    renamed("fn:string_replace", "fn:string:replace"),
    advised("fn:string_starts_with", "write the premise `:string:starts_with(S, \"text\")`"),
    renamed("fn:sub", "fn:minus"),
    renamed("fn:subtract", "fn:minus"),
    advised("fn:time:after", "write the premise `:time:gt(T, U)`"),
    advised("fn:time:before", "write the premise `:time:lt(T, U)`"),
    renamed("fn:time:from_nanos", "fn:time:from_unix_nanos"),
    renamed("fn:time:parse", "fn:time:parse_rfc3339"),
    renamed("fn:time:to_nanos", "fn:time:to_unix_nanos"),
    renamed("fn:times", "fn:mult"),
    advised("fn:to_string", "use `fn:number:to_string`, `fn:float64:to_string` or `fn:name:to_string`"),
];

/// The correction for a wrong name, if one is known.
#[must_use]
pub fn correction(name: &str) -> Option<&'static NameCorrection> {
    let index = CORRECTIONS.binary_search_by(|entry| entry.wrong.cmp(name)).ok()?;
    CORRECTIONS.get(index)
}

/// The function that `name` (with `fn:`) most likely stands for, if only one is likely.
#[must_use]
pub fn similar_function(name: &str) -> Option<&'static BuiltinFunction> {
    if let Some(known) = correction(name) {
        return known.replacement.and_then(function);
    }
    let usable = || FUNCTIONS.iter().filter(|entry| entry.usable());
    only(usable().filter(|entry| entry.name.eq_ignore_ascii_case(name)))
        .or_else(|| only(usable().filter(|entry| same_words(entry.name, name))))
        .or_else(|| nearest(name, usable(), |entry| entry.name))
}

/// The built-in predicate that `name` (with or without colon) most likely stands for, if only one
/// is likely.
#[must_use]
pub fn similar_predicate(name: &str) -> Option<&'static BuiltinPredicate> {
    if let Some(known) = correction(name) {
        return known.replacement.and_then(predicate);
    }
    let all = || PREDICATES.iter();
    only(all().filter(|entry| entry.name.eq_ignore_ascii_case(name)))
        .or_else(|| only(all().filter(|entry| same_words(entry.name, name))))
        .or_else(|| nearest(name, all(), |entry| entry.name))
}

/// True if `name` can only stand for `meant`: a known wrong name with this replacement, or a
/// difference only in letter case.
#[must_use]
pub fn is_evident(name: &str, meant: &str) -> bool {
    name.eq_ignore_ascii_case(meant) || correction(name).is_some_and(|known| known.replacement == Some(meant))
}

/// True if two names differ only in letter case and in the separators of their words.
fn same_words(one: &str, other: &str) -> bool {
    words(one).eq(words(other))
}

fn words(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}

/// The entry with the smallest edit distance, at most a quarter of the length of the name. `None`
/// if several entries have the same distance.
fn nearest<T>(
    name: &str,
    entries: impl Iterator<Item = &'static T>,
    key: impl Fn(&'static T) -> &'static str,
) -> Option<&'static T> {
    let limit = name.len() / 4;
    let mut best: Option<(usize, &'static T)> = None;
    let mut tied = false;
    for entry in entries {
        let distance = strsim::osa_distance(name, key(entry));
        if distance > limit {
            continue;
        }
        match best {
            Some((least, _)) if least < distance => {}
            Some((least, _)) if least == distance => tied = true,
            _ => (best, tied) = (Some((distance, entry)), false),
        }
    }
    best.filter(|_| !tied).map(|(_, entry)| entry)
}

fn only<T>(mut entries: impl Iterator<Item = T>) -> Option<T> {
    let first = entries.next()?;
    entries.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_function(name: &str, meant: Option<&str>) {
        assert_eq!(similar_function(name).map(|entry| entry.name), meant, "{name}");
    }

    #[track_caller]
    fn check_predicate(name: &str, meant: Option<&str>) {
        assert_eq!(similar_predicate(name).map(|entry| entry.name), meant, "{name}");
    }

    #[test]
    fn corrections_are_sorted_and_lead_somewhere() {
        assert!(CORRECTIONS.is_sorted_by(|a, b| a.wrong < b.wrong));
        for entry in CORRECTIONS {
            assert_ne!(entry.replacement.is_some(), !entry.advice.is_empty(), "{}", entry.wrong);
            assert!(function(entry.wrong).is_none_or(|known| !known.usable()), "{}", entry.wrong);
            assert_eq!(predicate(entry.wrong), None);
            let Some(right) = entry.replacement else { continue };
            assert!(function(right).is_some() || predicate(right).is_some(), "{}", entry.wrong);
        }
    }

    #[test]
    fn functions_by_case_words_and_distance() {
        check_function("fn:Count", Some("fn:count"));
        check_function("fn:groupBy", Some("fn:group_by"));
        check_function("fn:list_len", Some("fn:list:len"));
        check_function("fn:len", Some("fn:list:len"));
        check_function("fn:pluss", Some("fn:plus"));
        check_function("fn:minsu", Some("fn:minus"));
        check_function("fn:frobnicate", None);
        check_function("fn:string_contains", None);
    }

    #[test]
    fn predicates_by_correction_and_distance() {
        check_predicate(":starts_with", Some(":string:starts_with"));
        check_predicate("string:contains", Some(":string:contains"));
        check_predicate(":string:contain", Some(":string:contains"));
        check_predicate(":match_field", Some(":match_field"));
        check_predicate(":nosuch", None);
    }
}
