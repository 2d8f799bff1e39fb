//! Recognition of a runtime by the predicates of a policy. The search is textual, because the
//! programs are not parsed yet.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use mangle_settings::Runtime;
use mangle_settings::versions::runtime::Sign;

/// In bytes: the maximum length of an atom whose arguments are counted.
const MAX_ATOM_LEN: usize = 4_096;

/// Returns the newest runtime that declarations or clause heads of a text indicate, with the
/// predicate.
pub(crate) fn shown_runtime(text: &str) -> Option<(Runtime, Sign)> {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| all().map(|(_, sign)| sign.name).collect());
    let mut newest = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let trimmed = line.trim_start();
        let atom = trimmed.strip_prefix("Decl ").map_or(trimmed, str::trim_start);
        let Some((name, _)) = atom.split_once('(').filter(|(name, _)| NAMES.contains(name.trim_end())) else {
            continue;
        };
        // The arguments may continue on the next lines.
        let open = begin + (line.len() - atom.len()) + name.len() + 1;
        let arity = text.get(open..).and_then(arity);
        let shown = all().filter(|(_, sign)| sign.name == name.trim_end() && sign.fits(arity));
        newest = newest.into_iter().chain(shown).max_by_key(|(runtime, _)| runtime.reference().published.day);
    }
    newest
}

/// Returns all recognizable predicates, each with its runtime.
fn all() -> impl Iterator<Item = (Runtime, Sign)> {
    Runtime::all().flat_map(|runtime| runtime.reference().signs().map(move |sign| (runtime, sign)))
}

/// Counts the arguments of an atom; `text` starts after its opening parenthesis. Returns `None` if
/// the atom exceeds the length limit.
fn arity(text: &str) -> Option<usize> {
    let (mut depth, mut commas, mut is_empty, mut quote) = (0usize, 0, true, None);
    let mut bytes = text.bytes().take(MAX_ATOM_LEN);
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => (quote, is_empty) = (Some(byte), false),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')') if depth == 0 => return Some(if is_empty { 0 } else { commas + 1 }),
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b',') if depth == 0 => commas += 1,
            (None, b'#') => drop(bytes.by_ref().find(|byte| *byte == b'\n')),
            (None, _) => is_empty &= byte.is_ascii_whitespace(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Runtime, &str)>) {
        let found = shown_runtime(text).map(|(runtime, sign)| (runtime, sign.name));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn declarations_and_facts_show_a_runtime() {
        check("Decl permitted(Action, Target, Payload).\n", Some((Runtime::default(), "permitted")));
        check("# x\n  permitted(A, B,\n  # more\n  \"a,b)\").\n", Some((Runtime::default(), "permitted")));
        check("prose_only(/observation).\n", Some((Runtime::newest(), "prose_only")));
        check(
            "Decl permitted(A, B, C).\nDecl checkpoint_verdict(A, B, C, D).\n",
            Some((Runtime::newest(), "checkpoint_verdict")),
        );
    }

    #[test]
    fn other_arities_comments_and_premises_show_none() {
        check("Decl permitted(Action).\n", None);
        check("Decl prose_only(A, B).\n", None);
        check("# prose_only(/x).\np(X) :- prose_only(X).\n", None);
        check("permitted(", None);
        check("", None);
    }
}
