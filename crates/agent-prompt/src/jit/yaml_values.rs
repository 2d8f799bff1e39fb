//! YAML values of atoms, as the YAML reader of the runtime interprets them in unusual cases.

use rustc_hash::FxHashSet;

use super::super::session::tree::{TreeKey, TreeKind as Value, TreeNode};

/// The first duplicate key of a table.
pub(super) fn repeated(node: &TreeNode) -> Option<&TreeKey> {
    let Value::Map(members) = &node.kind else { return None };
    let mut seen = FxHashSet::default();
    members.iter().map(|(key, _)| key).find(|key| !seen.insert(&*key.text))
}

/// The members of an atom, including members merged with `<<`. Own members have priority.
pub(super) fn merged(members: &[(TreeKey, TreeNode)]) -> Vec<(TreeKey, TreeNode)> {
    let (merges, mut own): (Vec<_>, Vec<_>) =
        members.iter().cloned().partition(|(key, node)| key.text == "<<" && is_mergeable(node));
    let maps = merges.iter().flat_map(|(_, node)| match &node.kind {
        Value::List(nodes) => nodes.iter().collect(),
        _ => vec![node],
    });
    for node in maps {
        let Value::Map(members) = &node.kind else { continue };
        for (key, node) in members {
            if !own.iter().any(|(known, _)| known.text == key.text) {
                own.push((key.clone(), node.clone()));
            }
        }
    }
    own
}

fn is_mergeable(node: &TreeNode) -> bool {
    let is_map = |node: &TreeNode| matches!(node.kind, Value::Map(_));
    match &node.kind {
        Value::List(nodes) => nodes.iter().all(is_map),
        _ => is_map(node),
    }
}

/// Parses a number like the reader of the runtime: other bases and `_` are accepted, and floats are
/// truncated.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let plain = text.replace('_', "");
    let (is_negative, digits) = match plain.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let (digits, base) = match lower.get(..2) {
        Some("0x") => (lower.get(2..)?, 16),
        Some("0b") => (lower.get(2..)?, 2),
        Some("0o") => (lower.get(2..)?, 8),
        Some(_) if lower.starts_with('0') => (lower.as_str(), 8),
        _ => (lower.as_str(), 10),
    };
    let is_unsigned = !digits.starts_with(['+', '-']);
    let number = i128::from_str_radix(digits, base).ok().filter(|_| is_unsigned);
    let number = number.and_then(|number| i64::try_from(if is_negative { -number } else { number }).ok());
    number.or_else(|| {
        let is_float = plain.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let float: f64 = plain.parse().ok().filter(|float: &f64| is_float && float.abs() < 9.0e18)?;
        #[allow(clippy::cast_possible_truncation)]
        Some(float.trunc() as i64)
    })
}

/// Parses a truth value. The words of YAML 1.1 are accepted only in these spellings, quoted or not.
pub(super) fn truth(text: &str, is_quoted: bool) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" if !is_quoted => Some(true),
        "false" | "False" | "FALSE" if !is_quoted => Some(false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_runtimes_reader() {
        let numbers =
            ["9", "-9", "+9", "1_000", "0x1F", "0b11", "0o17", "017", "09", "9.9", "-9.9", "1e3", ".5"];
        let read: Vec<_> = numbers.iter().filter_map(|text| whole_number(text)).collect();
        assert_eq!(read, [9, -9, 9, 1000, 31, 3, 15, 15, 9, 9, -9, 1000, 0]);
        for text in ["", "x", "0x", "--9", "+-9", "0x-1", ".inf", ".nan", "nan", "inf", "9 9", "1e30"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }
}
