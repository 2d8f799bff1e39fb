//! Links in comments: web addresses and files.
//!
//! The functions only parse the text. Callers check if files exist and if links may be followed.

use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{TextRange, size, text_len};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link<'t> {
    pub range: TextRange,
    pub target: LinkTarget<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget<'t> {
    /// A URL that starts with `http://` or `https://`.
    Address(&'t str),
    /// A path with the extension of a Mangle file, or of the settings file. The base folder is
    /// unspecified.
    Path(&'t str),
}

/// Suffixes of linkable file names.
const ENDS: [&str; 3] = [".mg", ".gl", "mangle-ls.toml"];

/// Returns the links in the comments of a file, in source order.
#[must_use]
pub fn links(source: &SourceFile) -> Vec<Link<'_>> {
    let text = source.text();
    let mut found = Vec::new();
    for comment in source.all_tokens().into_iter().filter(|token| token.kind == TokenKind::Comment) {
        let said = comment.text(text);
        let starts = said.char_indices().scan(true, |between, (at, char)| {
            let is_space = char.is_whitespace() || "#,;\"'`<>|".contains(char);
            let begins = *between && !is_space;
            *between = is_space;
            Some(begins.then_some(at))
        });
        for at in starts.flatten() {
            let rest = said.get(at..).unwrap_or("");
            let end = rest.find(|char: char| char.is_whitespace() || ",;\"'`<>|".contains(char));
            let word = trimmed(rest.get(..end.unwrap_or(rest.len())).unwrap_or(""));
            // Surrounding punctuation is not part of the word.
            let signs = word.len() - word.trim_start_matches(['(', '[', '{', '*']).len();
            let word = word.get(signs..).unwrap_or("");
            if let Some(target) = target(word) {
                let start = comment.range.start() + size(at + signs);
                found.push(Link { range: TextRange::at(start, text_len(word)), target });
            }
        }
    }
    found
}

/// Trims the punctuation of a sentence. Keeps a closing bracket if the word contains its opening
/// bracket.
fn trimmed(word: &str) -> &str {
    let mut word = word;
    loop {
        let last = match word.chars().next_back() {
            Some(char @ ('.' | ':' | '!' | '?' | '*')) => char,
            Some(')') if word.matches(')').count() > word.matches('(').count() => ')',
            Some(']') if word.matches(']').count() > word.matches('[').count() => ']',
            Some('}') if word.matches('}').count() > word.matches('{').count() => '}',
            _ => return word,
        };
        word = word.strip_suffix(last).unwrap_or("");
    }
}

fn target(word: &str) -> Option<LinkTarget<'_>> {
    let address = ["https://", "http://"].into_iter().find_map(|scheme| word.strip_prefix(scheme));
    if let Some(rest) = address {
        return rest
            .starts_with(|char: char| char.is_ascii_alphanumeric())
            .then_some(LinkTarget::Address(word));
    }
    let is_path = |char: char| char.is_alphanumeric() || "._-/~%+@".contains(char);
    let named = ENDS.iter().any(|end| word.len() > 3 && word.ends_with(end));
    (named && word.chars().all(is_path)).then_some(LinkTarget::Path(word))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use mangle_syntax::text::slice;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let source = SourceFile::parse(text.into());
        let mut out = String::new();
        for link in links(&source) {
            let (LinkTarget::Address(word) | LinkTarget::Path(word)) = link.target;
            assert_eq!(slice(text, link.range), word);
            let _ = writeln!(out, "{:?}", link.target);
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn addresses_in_comments() {
        check(
            "# 🦀 See https://example.org/a_(b)?q=1#x. (and http://e.org/é),\r\np(\"https://example.org\"). # <https://e.org/>\n# http:// https://! ftp://e.org javascript:x file:///etc/passwd\n",
            expect![[r#"
                Address("https://example.org/a_(b)?q=1#x")
                Address("http://e.org/é")
                Address("https://e.org/")
            "#]],
        );
    }

    #[test]
    fn files_in_comments() {
        check(
            "# @preview use: ../a.gl, b/*.mg,c.mg\n# (see schemas_x.mg: all) `d.mg` .mg x.rs mangle-ls.toml\n#e.mg.\np(\"f.mg\").\n",
            expect![[r#"
                Path("../a.gl")
                Path("c.mg")
                Path("schemas_x.mg")
                Path("d.mg")
                Path("mangle-ls.toml")
                Path("e.mg")
            "#]],
        );
    }
}
