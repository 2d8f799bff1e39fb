//! Texts of an envelope: arguments of updates in Mangle syntax (names, strings and numbers that the
//! runtime stores unchanged), and texts that are not updates.

use mangle_settings::{DecodingSettings, Runtime};

use crate::class::CharClass;
use crate::expr::Expr;

/// The file extensions that make the runtime read a text as a path, and store it as a string.
const EXTENSIONS: [&str; 34] = [
    "go", "md", "py", "js", "ts", "tsx", "jsx", "yaml", "yml", "json", "txt", "mg", "html", "css", "sh",
    "bash", "ps1", "bat", "exe", "dll", "so", "c", "h", "cpp", "hpp", "rs", "rb", "java", "xml", "toml",
    "ini", "cfg", "conf", "log",
];

/// The length of the longest extension.
const MAX_EXTENSION_LEN: u32 = 4;

/// The maximum number of path segments in a string.
const MAX_SEGMENTS: u32 = 8;

/// The limits of arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermLimits<'a> {
    /// The maximum lengths.
    pub(crate) decoding: &'a DecodingSettings,
    /// The runtime that reads the replies.
    pub(crate) runtime: Runtime,
}

impl std::ops::Deref for TermLimits<'_> {
    type Target = DecodingSettings;

    fn deref(&self) -> &DecodingSettings {
        self.decoding
    }
}

/// One of the names, longer names first, for engines that take the first match.
pub(crate) fn names(of: &[String]) -> Expr {
    let mut sorted: Vec<_> = of.iter().collect();
    sorted.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.as_str()));
    sorted.dedup();
    Expr::choice(sorted.into_iter().map(Expr::literal).collect())
}

/// Any name that the runtime stores as a name: one or two parts, and not similar to a file name.
pub(crate) fn any_name(limits: &DecodingSettings) -> Expr {
    let part = name_part(limits);
    let more = Expr::Sequence(vec![Expr::literal("/"), part.clone()]).optional();
    Expr::terminal("name", Expr::Sequence(vec![Expr::literal("/"), part, more]))
}

/// Any name with a prefix.
pub(crate) fn name_below(prefix: &str, limits: &DecodingSettings) -> Expr {
    let name_part = Expr::terminal("name_part", name_part(limits));
    Expr::Sequence(vec![Expr::literal(format!("{prefix}/")), name_part])
}

/// A part of a name.
fn name_part(limits: &DecodingSettings) -> Expr {
    let dotted = Expr::Sequence(vec![Expr::literal("."), after_dot(limits)]);
    Expr::Sequence(vec![Expr::Class(name_letters()).repeat(1, limits.name), dotted.repeat(0, 2)])
}

fn name_letters() -> CharClass {
    CharClass::from_ranges(&['A'..='Z', 'a'..='z', '0'..='9', '_'..='_', '-'..='-', '~'..='~', '%'..='%'])
}

/// The text after a dot in a name that is not a file extension.
///
/// The alternatives are digits, a letter that is not an extension, a character that no extension
/// has, or more letters than the longest extension.
fn after_dot(limits: &DecodingSettings) -> Expr {
    let letters = |least, most| Expr::Class(name_letters()).repeat(least, most);
    let signed = vec![
        letters(0, MAX_EXTENSION_LEN - 1),
        Expr::Class(CharClass::chars("_-~%")),
        letters(0, MAX_EXTENSION_LEN - 1),
    ];
    Expr::Choice(vec![
        Expr::Class(digits()).repeat(1, MAX_EXTENSION_LEN),
        Expr::Class(name_letters().without("cChH_-~%")),
        Expr::Sequence(signed),
        letters(MAX_EXTENSION_LEN + 1, limits.name.max(MAX_EXTENSION_LEN + 1)),
    ])
}

/// An integer.
pub(crate) fn integer(limits: &DecodingSettings) -> Expr {
    let sign = Expr::literal("-").optional();
    let positive = vec![
        sign,
        Expr::Class(CharClass::from_ranges(&['1'..='9'])),
        Expr::Class(digits()).repeat(0, limits.digits - 1),
    ];
    Expr::terminal("integer", Expr::Choice(vec![Expr::literal("0"), Expr::Sequence(positive)]))
}

/// A number with a decimal point.
pub(crate) fn float(limits: &DecodingSettings) -> Expr {
    let some = || Expr::Class(digits()).repeat(1, limits.digits);
    let body = Expr::Sequence(vec![Expr::literal("-").optional(), some(), Expr::literal("."), some()]);
    Expr::terminal("float", body)
}

pub(crate) fn digits() -> CharClass {
    CharClass::from_ranges(&['0'..='9'])
}

/// A string that the runtime stores as a string. Arrows, characters that make the runtime drop the
/// update, and texts similar to a name are excluded.
pub(crate) fn string(limits: TermLimits<'_>) -> Expr {
    let plain = Expr::Choice(vec![free(limits), slashed(limits)]);
    Expr::terminal("string", Expr::Sequence(vec![Expr::literal("\""), plain, Expr::literal("\"")]))
}

/// A string that does not start with a slash. Colons at its end are not an arrow.
fn free(limits: TermLimits<'_>) -> Expr {
    let letters = letters(limits.runtime);
    let body = Expr::Sequence(vec![first(&letters), unit(&letters).repeat(0, limits.string - 1)]).optional();
    Expr::Sequence(vec![body, colons(0)])
}

/// The characters of strings except `-` and colons. Excluded are control characters, quotes,
/// backslashes, characters that the runtime rejects, and single-character arrows.
fn letters(runtime: Runtime) -> CharClass {
    let control = ['\0'..='\u{1f}', '\u{7f}'..='\u{7f}'];
    let of_shells: String = runtime.shell_text.iter().collect();
    CharClass::from_ranges(&control).complement().without("\"\\`$;|⟸-:").without(&of_shells)
}

/// A character, or an escape.
fn letter(class: CharClass) -> Expr {
    let escape = Expr::Sequence(vec![Expr::literal("\\"), Expr::Class(CharClass::chars("nt\"\\"))]);
    Expr::Choice(vec![Expr::Class(class), escape])
}

/// A character of a string with optional colons before it. A hyphen has no colons, since the
/// runtime drops updates with `:-`.
fn unit(letters: &CharClass) -> Expr {
    Expr::Choice(vec![Expr::Sequence(vec![colons(0), letter(letters.clone())]), Expr::literal("-")])
}

/// The first character, which is not a slash.
fn first(letters: &CharClass) -> Expr {
    Expr::Choice(vec![
        letter(letters.without("/")),
        Expr::literal("-"),
        Expr::Sequence(vec![colons(1), letter(letters.clone())]),
    ])
}

fn colons(least: u32) -> Expr {
    Expr::literal(":").repeat(least, 2)
}

/// A string that starts with a slash and that the runtime does not read as a name.
///
/// The alternatives are a single slash, several words, a path of at least three parts, or a path
/// with a file extension.
fn slashed(limits: TermLimits<'_>) -> Expr {
    let class = CharClass::from_ranges(&['A'..='Z', 'a'..='z', '0'..='9', '_'..='_', '-'..='-', '.'..='.']);
    let part_letters = |least| Expr::Class(class.clone()).repeat(least, limits.name);
    let part = || Expr::Sequence(vec![Expr::literal("/"), part_letters(1)]);
    let unit = unit(&letters(limits.runtime));
    let words = vec![Expr::literal("/"), part_letters(0), Expr::literal(" "), unit.repeat(0, limits.string)];
    let extension = Expr::Choice(EXTENSIONS.iter().map(|end| Expr::literal(*end)).collect());
    Expr::Choice(vec![
        Expr::literal("/"),
        Expr::Sequence(words),
        part().repeat(3, MAX_SEGMENTS),
        Expr::Sequence(vec![part().repeat(1, 2), Expr::literal("."), extension]),
    ])
}

/// The characters of a text: no control characters except line breaks and tabs.
fn text_letters() -> CharClass {
    let control = ['\0'..='\u{8}', '\u{b}'..='\u{1f}', '\u{7f}'..='\u{7f}'];
    CharClass::from_ranges(&control).complement()
}

/// White space that is not allowed at the start of required texts.
const BLANKS: &str = " \t\n\u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\
    \u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// Any text.
pub(crate) fn any_text(most: u32) -> Expr {
    Expr::Class(text_letters()).repeat(0, most)
}

/// Any text that is not blank and does not start with white space.
pub(crate) fn filled_text(most: u32) -> Expr {
    let first = Expr::Class(text_letters().without(BLANKS));
    Expr::Sequence(vec![first, Expr::Class(text_letters()).repeat(0, most.saturating_sub(1))])
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

#[cfg(test)]
mod tests {
    use super::*;
    use piggyback::envelope::runtime::has_extension;

    #[test]
    fn strings_lack_what_loses_the_update() {
        let decoding = DecodingSettings::default();
        let accepts = |runtime, text: &str| string(TermLimits { decoding: &decoding, runtime }).accepts(text);
        for text in ["\"a & b\"", "\"<a>\"", "\"/a b < c\""] {
            assert!(accepts(Runtime::default(), text), "{text}");
            assert!(!accepts(Runtime::newest(), text), "{text}");
        }
        assert!(!accepts(Runtime::default(), "\"a | b\""));
        assert!(accepts(Runtime::newest(), "\"a, b\""));
    }

    #[test]
    fn extensions_are_those_of_the_runtime() {
        for end in EXTENSIONS {
            assert!(has_extension(&format!("/a.{end}")), "{end}");
            assert!(end.len() <= MAX_EXTENSION_LEN as usize);
        }
    }
}
