//! Program text quoted in messages.

use std::borrow::Cow;

use mangle_syntax::text::shorten;

/// Shortens program text for a message: one line, without comments, with the middle omitted beyond
/// `most` characters.
///
/// ```
/// assert_eq!(mangle_check::excerpt("p(X, # first\n  Y)", 10), "p(X, Y)");
/// ```
#[must_use]
pub fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    // A comment ends with its line, so a single line has none, and a string can contain a `#`.
    if !text.contains(['\n', '\r']) {
        return shorten(text, most);
    }
    let words = || text.lines().flat_map(|line| line.split('#').next().unwrap_or(line).split_whitespace());
    // Collect only as many words as are shown: the text can be long and quoted by many findings.
    let mut start = String::new();
    let is_whole = words().all(|word| {
        start.push_str(if start.is_empty() { "" } else { " " });
        start.extend(word.chars().take(most + 1));
        start.chars().count() <= most
    });
    if is_whole {
        return start.into();
    }
    let mut shown = 0;
    let enough = words().rev().take_while(|word| {
        let is_wanted = shown <= most;
        shown += word.chars().take(most + 1).count() + 1;
        is_wanted
    });
    let mut end: Vec<&str> = enough.collect();
    end.reverse();
    // The two parts can overlap; the omitted text is between them.
    shorten(&format!("{start} {}", end.join(" ")), most).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn long_text_is_cut_in_the_middle() {
        assert_eq!(excerpt("p(X)", 10), "p(X)");
        assert_eq!(excerpt("p(\"# a\")", 10), "p(\"# a\")");
        assert_eq!(excerpt("p(X, # first\n  Y)", 10), "p(X, Y)");
        assert_eq!(excerpt("parcel(\n  Number,\n  Weight)\n", 12), "parcel(…ght)");
        assert_eq!(excerpt("parcel(\n  Number,\n  Weight)\n", 20), "parcel( Numb…Weight)");
    }
}
