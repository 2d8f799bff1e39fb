//! Tokenizer for the values of settings: words separated by blanks, or in double quotes.

use crate::origin::SourcedText;
use mangle_syntax::text::{TextRange, TextSize, size};

/// Error: a quote without a closing quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnclosedQuote;

/// Splits a text into words. `start` is the offset of the text. Quoted words can contain the
/// escapes `\"` and `\\`.
pub(super) fn words(text: &str, start: TextSize) -> Result<Vec<SourcedText>, UnclosedQuote> {
    let mut words = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((from, char)) = chars.next() {
        if char.is_whitespace() {
            continue;
        }
        let mut word = String::new();
        let mut end = from + char.len_utf8();
        if char == '"' {
            loop {
                match chars.next() {
                    Some((at, '"')) => {
                        end = at + 1;
                        break;
                    }
                    Some((_, '\\')) => word.extend(chars.next().map(|(_, char)| char)),
                    Some((_, char)) => word.push(char),
                    None => return Err(UnclosedQuote),
                }
            }
        } else {
            word.push(char);
            while let Some((at, char)) = chars.next_if(|(_, char)| !char.is_whitespace()) {
                word.push(char);
                end = at + char.len_utf8();
            }
        }
        words.push(SourcedText::in_header(word, TextRange::new(start + size(from), start + size(end))));
    }
    Ok(words)
}
