//! Writes one setting into a configuration file and leaves the rest unchanged.

use toml_span::value::ValueInner;

use super::Profile;
use mangle_syntax::text::{TextRange, size};

/// The edit of a `mangle-ls.toml` that sets `[transcripts] profile` to `profile`. `None` if the
/// file has syntax errors, or if `transcripts` has no table header.
#[must_use]
pub fn pin_profile(text: &str, profile: Profile) -> Option<(TextRange, String)> {
    let mut root = toml_span::parse(text).ok()?;
    let ValueInner::Table(table) = root.take() else { return None };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("profile = \"{profile}\"");
    let known = table.get("transcripts").and_then(|value| value.as_table());
    if let Some(value) = known.and_then(|known| known.get("profile")) {
        // The span of a string excludes its quotes.
        let range = TextRange::new(size(value.span.start), size(value.span.end));
        return Some((range, profile.to_string()));
    }
    if let Some(header) = header(text) {
        return Some((TextRange::empty(size(header)), format!("{line}{end}")));
    }
    if known.is_some_and(|known| {
        known.values().any(|value| value.as_table().is_none() && value.as_array().is_none())
    }) {
        return None;
    }
    let gap = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    Some((TextRange::empty(size(text.len())), format!("{gap}[transcripts]{end}{line}{end}")))
}

/// The offset of the line after the header `[transcripts]`. `None` if the header is on the last
/// line.
fn header(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let code = line.split('#').next().unwrap_or("");
        if code.split_whitespace().collect::<String>() == "[transcripts]" && line.ends_with('\n') {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let pinned = pin_profile(text, Profile::V1_2).map(|(range, new)| {
            let mut text = text.to_owned();
            text.replace_range(usize::from(range.start())..usize::from(range.end()), &new);
            text
        });
        assert_eq!(pinned.as_deref(), expected);
        if let Some(pinned) = pinned {
            let vocabulary = crate::Vocabulary { rules: &[] };
            let read = crate::parse(&pinned, vocabulary).settings;
            assert_eq!(read.transcripts.profile, Some(Profile::V1_2), "{pinned}");
        }
    }

    #[test]
    fn the_rest_stays_as_it_is() {
        check("", Some("[transcripts]\nprofile = \"1.2\"\n"));
        check("fail_on = \"never\"", Some("fail_on = \"never\"\n\n[transcripts]\nprofile = \"1.2\"\n"));
        check(
            "[transcripts] # ours\nconsumer = \"open\"\n",
            Some("[transcripts] # ours\nprofile = \"1.2\"\nconsumer = \"open\"\n"),
        );
        check("[transcripts]\nprofile = \"auto\"\n", Some("[transcripts]\nprofile = \"1.2\"\n"));
        check(
            "[transcripts.atoms]\ntypes = \"error\"\n",
            Some("[transcripts.atoms]\ntypes = \"error\"\n\n[transcripts]\nprofile = \"1.2\"\n"),
        );
        check("transcripts.consumer = \"open\"\n", None);
        check("transcripts = \n", None);
    }
}
