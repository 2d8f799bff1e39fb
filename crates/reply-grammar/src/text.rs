//! Texts of an envelope that are not updates.

use crate::class::CharClass;
use crate::expr::Expr;

/// The characters of a text: no control characters except line breaks and tabs.
fn letters() -> CharClass {
    let control = ['\0'..='\u{8}', '\u{b}'..='\u{1f}', '\u{7f}'..='\u{7f}'];
    CharClass::from_ranges(&control).complement()
}

/// White space that is not allowed at the start of required texts.
const BLANKS: &str = " \t\n\u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\
    \u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// Any text.
pub(crate) fn any(most: u32) -> Expr {
    Expr::Class(letters()).repeat(0, most)
}

/// Any text that is not blank and does not start with white space.
pub(crate) fn filled(most: u32) -> Expr {
    let first = Expr::Class(letters().without(BLANKS));
    Expr::Sequence(vec![first, Expr::Class(letters()).repeat(0, most.saturating_sub(1))])
}

/// A word: a lower-case letter, then lower-case letters, digits and underscores.
pub(crate) fn word(most: u32) -> Expr {
    let first = Expr::Class(CharClass::from_ranges(&['a'..='z']));
    let rest = Expr::Class(CharClass::from_ranges(&['a'..='z', '0'..='9', '_'..='_']));
    Expr::Sequence(vec![first, rest.repeat(0, most.saturating_sub(1))])
}

/// A word with a leading slash, for example `/fix_imports`.
pub(crate) fn slashed_word(most: u32) -> Expr {
    Expr::Sequence(vec![Expr::literal("/"), word(most)])
}

/// The key of a stored value, for example `preference:tabs`.
pub(crate) fn memory_key(most: u32) -> Expr {
    let classes = ['A'..='Z', 'a'..='z', '0'..='9', '_'..='_', '.'..='.', '/'..='/', '-'..='-'];
    let item = Expr::Class(CharClass::from_ranges(&classes)).repeat(1, most);
    Expr::Sequence(vec![word(most), Expr::literal(":"), item])
}

/// A timestamp, for example `2026-01-31T12:00:00Z`. Days are limited to 28 in every month.
pub(crate) fn timestamp() -> Expr {
    let digit = |range| Expr::Class(CharClass::from_ranges(&[range]));
    let two = |parts: [(&str, std::ops::RangeInclusive<char>); 2]| {
        let number =
            |(tens, ones): (&str, _)| Expr::Sequence(vec![Expr::Class(CharClass::chars(tens)), digit(ones)]);
        Expr::Choice(parts.map(number).into())
    };
    let below_sixty = || Expr::Sequence(vec![digit('0'..='5'), digit('0'..='9')]);
    Expr::Sequence(vec![
        Expr::literal("20"),
        digit('0'..='9').repeat(2, 2),
        Expr::literal("-"),
        two([("0", '1'..='9'), ("1", '0'..='2')]),
        Expr::literal("-"),
        Expr::Choice(vec![
            two([("0", '1'..='9'), ("1", '0'..='9')]),
            Expr::Sequence(vec![Expr::literal("2"), digit('0'..='8')]),
        ]),
        Expr::literal("T"),
        two([("01", '0'..='9'), ("2", '0'..='3')]),
        Expr::literal(":"),
        below_sixty(),
        Expr::literal(":"),
        below_sixty(),
        Expr::literal("Z"),
    ])
}
