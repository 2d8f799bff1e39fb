//! Unicode characters that resemble a sign of the language, as inserted by word processors, chats
//! and input methods.

/// The sign that a character resembles. Empty for invisible characters.
pub(super) fn plain(c: char) -> Option<&'static str> {
    let full_width = || {
        let ascii = u8::try_from(u32::from(c).checked_sub(0xfee0)?).ok()?;
        let at = PUNCTUATION.bytes().position(|sign| sign == ascii)?;
        PUNCTUATION.get(at..=at)
    };
    if c.is_ascii() {
        return (c == '\u{b}').then_some(" ");
    }
    SIGNS.iter().find(|(signs, _)| signs.contains(c)).map(|(_, plain)| *plain).or_else(full_width)
}

/// The signs with a full-width form, at code point + 0xFEE0.
const PUNCTUATION: &str = "!\"#%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Characters with the sign that they resemble.
const SIGNS: &[(&str, &str)] = &[
    ("\u{201c}\u{201d}\u{201e}\u{201f}\u{2033}", "\""),
    ("\u{2018}\u{2019}\u{201b}\u{2032}", "'"),
    ("\u{3001}\u{201a}", ","),
    ("\u{3002}", "."),
    ("\u{a789}\u{2236}", ":"),
    ("\u{2215}\u{2044}", "/"),
    ("\u{2223}", "|"),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}", "-"),
    (
        "\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\
         \u{202f}\u{205f}\u{3000}\u{2028}\u{2029}\u{85}",
        " ",
    ),
    ("\u{ad}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2060}\u{feff}", ""),
];
