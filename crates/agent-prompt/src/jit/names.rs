//! Name constants that the compiler of the reference runtime makes of words.

/// The name constant of a word, without its first `/`; `None` if nothing remains.
///
/// The word is trimmed and in lower case. `_` replaces each byte that is invalid in a name, and
/// empty parts between slashes are removed.
pub(super) fn normal(word: &str) -> Option<String> {
    let word = word.trim().to_lowercase();
    let parts: Vec<String> = word.split('/').filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn part(part: &str) -> Option<String> {
    let is_legal = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%')
    };
    let cleaned: String =
        part.bytes().map(|byte| if is_legal(byte) { char::from(byte) } else { '_' }).collect();
    let trimmed = cleaned.trim_matches('_');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_names() {
        let names = ["/Coder", " go ", "//a//b/", "c++", "é", "a b", "_x_", "/", ""].map(normal);
        let names: Vec<_> = names.iter().map(Option::as_deref).collect();
        let expected =
            [Some("coder"), Some("go"), Some("a/b"), Some("c"), None, Some("a_b"), Some("x"), None, None];
        assert_eq!(names, expected);
    }
}
