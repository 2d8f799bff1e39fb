//! Detection of names that differ by a typing mistake.
//!
//! Names of real programs are often similar on purpose, for example `/task_1` and `/task_2`,
//! `/valid` and `/invalid`, `/degrade` and `/degraded`. Such pairs are not typing mistakes.

/// Minimum length of a word for a substituted letter: `state` and `stage` are two words.
const MIN_LEN: usize = 6;
/// Minimum length of the longer word for an inserted or deleted letter.
const SHORTEST_INSERTION: usize = 5;
/// Minimum length of the shorter word for swapped neighbors or for a difference in case.
const SHORTEST_SWAP: usize = 4;

/// Minimum length of the shorter word for two edits.
const TWO_SLIPS: usize = 8;

/// True if `name` and `other` differ in one word, by a typing mistake.
pub(super) fn is_typo(name: &str, other: &str) -> bool {
    let is_border = |char: char| matches!(char, '/' | '_' | '-' | '.');
    let (mut of_name, mut of_other) = (name.split(is_border), other.split(is_border));
    let mut different = None;
    loop {
        match (of_name.next(), of_other.next()) {
            (None, None) => break,
            (Some(one), Some(another)) if one == another => {}
            (Some(one), Some(another)) if different.is_none() => different = Some((one, another)),
            _ => return false,
        }
    }
    different.is_some_and(|(one, another)| is_word_slip(one, another))
}

fn is_word_slip(one: &str, other: &str) -> bool {
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word(one) || !is_word(other) || longer.len() - shorter.len() > 2 {
        return false;
    }
    if one.eq_ignore_ascii_case(other) {
        return shorter.len() >= SHORTEST_SWAP;
    }
    // The ends of words carry meaning: `closed` and `closes`, `valid` and `invalid`.
    if longer.starts_with(shorter) || longer.ends_with(shorter) {
        return false;
    }
    if one.bytes().next() != other.bytes().next() {
        return false;
    }
    match strsim::osa_distance(one, other) {
        1 if is_swap(one, other) => shorter.len() >= SHORTEST_SWAP,
        1 if shorter.len() < longer.len() => longer.len() >= SHORTEST_INSERTION,
        1 => shorter.len() >= MIN_LEN && !differ_at_the_end(one, other),
        2 => shorter.len() >= TWO_SLIPS && !differ_at_the_end(one, other),
        _ => false,
    }
}

/// True if the words differ by two swapped neighbors.
fn is_swap(one: &str, other: &str) -> bool {
    one.len() == other.len() && strsim::levenshtein(one, other) == 2
}

/// True if only the last letter or two differ, for example `closed` and `closes`.
fn differ_at_the_end(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    one.len() == other.len() && same + 2 >= one.len() && one.bytes().last() != other.bytes().last()
}

#[cfg(test)]
mod tests {
    use super::is_typo;

    #[test]
    fn slips_of_the_keys_are_told_from_other_words() {
        for (name, other) in [
            ("/degradd", "/degraded"),
            ("/degarded", "/degraded"),
            ("/degradded", "/degraded"),
            ("/opne", "/open"),
            ("/Degraded", "/degraded"),
            ("/state/degredad", "/state/degraded"),
            ("/needs_aproval", "/needs_approval"),
            ("/critcal", "/critical"),
            ("/wrte", "/write"),
        ] {
            assert!(is_typo(name, other) && is_typo(other, name), "{name} {other}");
        }
        for (name, other) in [
            ("/task_1", "/task_2"),
            ("/p1", "/p2"),
            ("/valid", "/invalid"),
            ("/degrade", "/degraded"),
            ("/closed", "/closes"),
            ("/increase", "/decrease"),
            ("/read", "/write"),
            ("/test", "/text"),
            ("/stage", "/state"),
            ("/a/degraded", "/degraded"),
            ("/class_a", "/class_b"),
            ("/high", "/higher"),
            ("/north", "/south"),
            ("/degraded", "/degraded"),
        ] {
            assert!(!is_typo(name, other), "{name} {other}");
        }
    }
}
