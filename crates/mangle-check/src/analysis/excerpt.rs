//! Program text that a message quotes.

use std::borrow::Cow;

/// Program text for a message: on one line, without comments, cut in the middle to `limit` characters.
pub(super) fn excerpt(text: &str, limit: usize) -> Cow<'_, str> {
    // A comment ends with its line, so that on one line there is none, and a string may have a `#`.
    let has_comments = text.contains(['\n', '\r']);
    if text.chars().nth(limit).is_none() && !has_comments {
        return Cow::Borrowed(text);
    }
    // Only as many words as are shown: the text may be long, and quoted by many findings.
    let code = |line| if has_comments { str::split(line, '#').next().unwrap_or(line) } else { line };
    let words = || text.lines().flat_map(|line| code(line).split_whitespace());
    let mut line = String::new();
    for word in words() {
        line.push_str(if line.is_empty() { "" } else { " " });
        line.extend(word.chars().take(limit + 1));
        if line.chars().count() > limit {
            break;
        }
    }
    if line.chars().count() <= limit {
        return Cow::Owned(line);
    }
    let end = limit / 3;
    let mut backwards: Vec<char> = Vec::new();
    for word in words().rev() {
        backwards.extend((!backwards.is_empty()).then_some(' '));
        backwards.extend(word.chars().rev().take(end));
        if backwards.len() >= end {
            break;
        }
    }
    let start = line.chars().take(limit - end - 1);
    Cow::Owned(start.chain(['…']).chain(backwards.into_iter().take(end).rev()).collect())
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn long_text_is_cut_in_the_middle() {
        assert_eq!(excerpt("p(X)", 10), "p(X)");
        assert_eq!(excerpt("p(X, # first\n  Y)", 10), "p(X, Y)");
        assert_eq!(excerpt("parcel(Number, Weight)", 12), "parcel(…ght)");
        assert_eq!(excerpt("ééééééééééééé", 10), "éééééé…ééé");
        assert_eq!(excerpt("parcel(\n  Number,\n  Weight)\n", 9), "parce…ht)");
    }
}
