//! A parser for S-expressions in a solver's output, with limits.

use std::iter::Peekable;
use std::str::Chars;

/// An S-expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sexpr {
    Atom(String),
    Text(String),
    List(Vec<Sexpr>),
}

/// The maximum size of the output in bytes.
pub(crate) const MAX_OUTPUT_BYTES: usize = 4_000_000;

/// The maximum nesting depth of an output.
const MAX_DEPTH: usize = 400;

impl Sexpr {
    pub(crate) fn atom(&self) -> Option<&str> {
        if let Self::Atom(atom) = self { Some(atom) } else { None }
    }

    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }
}

/// Reads the rest of a quoted text. Quotes in the text are doubled.
fn quoted(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' if chars.peek() == Some(&'"') => {
                chars.next();
                text.push('"');
            }
            '"' => return Some(text),
            other => text.push(other),
        }
    }
}

/// Reads the rest of an atom between bars.
fn barred(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut atom = String::new();
    loop {
        match chars.next()? {
            '|' => return Some(atom),
            other => atom.push(other),
        }
    }
}

/// Reads an atom up to a blank, a parenthesis or a quote.
fn plain_atom(first: char, chars: &mut Peekable<Chars<'_>>) -> String {
    let mut atom = String::from(first);
    while let Some(next) = chars.next_if(|next| !next.is_whitespace() && !matches!(next, '(' | ')' | '"')) {
        atom.push(next);
    }
    atom
}

/// Parses the expressions of an output. `None` if it is too long, too deep or not closed.
pub(crate) fn read(output: &str) -> Option<Vec<Sexpr>> {
    if output.len() > MAX_OUTPUT_BYTES {
        return None;
    }
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut chars = output.chars().peekable();
    while let Some(char) = chars.next() {
        let read = match char {
            '(' => {
                if open.len() > MAX_DEPTH {
                    return None;
                }
                open.push(Vec::new());
                continue;
            }
            ')' => {
                let list = open.pop()?;
                Sexpr::List(list)
            }
            '"' => Sexpr::Text(unescaped(&quoted(&mut chars)?)?),
            '|' => Sexpr::Atom(barred(&mut chars)?),
            ';' => {
                while chars.peek().is_some_and(|next| *next != '\n') {
                    chars.next();
                }
                continue;
            }
            char if char.is_whitespace() => continue,
            first => Sexpr::Atom(plain_atom(first, &mut chars)),
        };
        open.last_mut()?.push(read);
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

/// Decodes the escapes `\u{…}`, `\ud…` and `\x…`. `None` if an escape is not a valid character.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        let code = |digits: &str| u32::from_str_radix(digits, 16).ok();
        let escape = if let Some(inner) = behind.strip_prefix("\\u{") {
            inner.split_once('}').and_then(|(digits, behind)| Some((code(digits)?, behind)))
        } else if let Some(inner) = behind.strip_prefix("\\u") {
            inner.get(..4).and_then(|digits| Some((code(digits)?, inner.get(4..)?)))
        } else if let Some(inner) = behind.strip_prefix("\\x") {
            inner.get(..2).and_then(|digits| Some((code(digits)?, inner.get(2..)?)))
        } else {
            None
        };
        match escape {
            Some((code, behind)) => {
                plain.push(char::from_u32(code)?);
                rest = behind;
            }
            None => {
                plain.push('\\');
                rest = behind.get(1..)?;
            }
        }
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_texts_and_escapes_are_read() {
        let read = read("sat\n((a (- 5)) (b \"x\"\"\\u{41}\\u0042\"))").unwrap();
        let atom = |text: &str| Sexpr::Atom(text.to_owned());
        let pair = |name: &str, value: Sexpr| Sexpr::List(vec![atom(name), value]);
        let five = Sexpr::List(vec![atom("-"), atom("5")]);
        let values = vec![pair("a", five), pair("b", Sexpr::Text("x\"AB".to_owned()))];
        assert_eq!(read, [atom("sat"), Sexpr::List(values)]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        assert_eq!(read("(a"), None);
        assert_eq!(read("a)"), None);
        assert_eq!(read("\"a"), None);
        assert_eq!(read(&"(".repeat(1_000)), None);
        assert_eq!(read("\"\\u{d800}\""), None);
    }
}
