//! Shortens quoted text for messages.

/// How many characters of a quoted text a message shows.
const LONGEST: usize = 40;

/// A text for a message. A long one lacks its middle, a line break is a space.
pub(super) fn shortened(text: &str) -> String {
    // What is beyond is not counted: a text may be very long.
    if text.chars().take(LONGEST + 1).count() <= LONGEST {
        return on_one_line(text);
    }
    let start: String = text.chars().take(LONGEST / 2).collect();
    let end = text.char_indices().rev().nth(LONGEST / 2 - 2).map_or(0, |(at, _)| at);
    on_one_line(&format!("{start}…{}", text.get(end..).unwrap_or_default()))
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The names of fields in a sentence: `` `a`, `b`, `c` ``.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lack_their_middle() {
        assert_eq!(shortened("short\ntext"), "short text");
        assert_eq!(shortened(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        let long = format!("{}{}", "a".repeat(50), "z".repeat(50));
        assert_eq!(shortened(&long), format!("{}…{}", "a".repeat(20), "z".repeat(19)));
        assert_eq!(shortened(&long).chars().count(), LONGEST);
    }
}
