//! A document as an editor has it: edits by line and column in each of the three encodings, done
//! in a way that shares nothing with the server's.

#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

use serde_json::{Value, json};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    Utf8,
    Utf16,
    Utf32,
}

impl Columns {
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn width(self, char: char) -> usize {
        match self {
            Self::Utf8 => char.len_utf8(),
            Self::Utf16 => char.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The position of the `index`th character.
pub fn position(text: &[char], index: usize, columns: Columns) -> Value {
    let (mut line, mut column) = (0, 0);
    let mut at = 0;
    while at < index {
        let char = text[at];
        let crlf = char == '\r' && text.get(at + 1) == Some(&'\n');
        if char == '\n' || char == '\r' && !crlf {
            (line, column) = (line + 1, 0);
        } else {
            column += columns.width(char);
        }
        at += 1;
    }
    json!({ "line": line, "character": column })
}

/// The parameters of a request about the first place where `at` stands; `|` in it is the cursor.
pub fn about(uri: &str, text: &str, at: &str, columns: Columns) -> Value {
    let (before, behind) = at.split_once('|').unwrap();
    let start = text.find(&format!("{before}{behind}")).unwrap() + before.len();
    let chars: Vec<char> = text.chars().collect();
    let index = text[..start].chars().count();
    json!({ "textDocument": { "uri": uri }, "position": position(&chars, index, columns) })
}

/// The checksum that `mangle/status` gives.
pub fn checksum(text: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Numbers that look random and are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }
}

/// An open document on the client's side.
pub struct Editor {
    pub text: Vec<char>,
    pub version: i32,
    columns: Columns,
}

/// What random edits insert: Mangle, damage, line ends of all kinds, characters of all widths.
const PIECES: [&str; 22] = [
    "p(X) :- q(X, _), !r(X).\n",
    "Decl q(X, Y) bound [/name, /string].\n",
    "q(/a, \"é🦀\").",
    "# 漢字\n",
    "x",
    "X",
    ")",
    "(",
    "\"",
    ".",
    ",",
    "\n",
    "\r\n",
    "\r",
    " ",
    "🦀",
    "é",
    "`",
    "\t",
    "漢",
    "|> do fn:group_by(X)",
    ":- \u{feff}",
];

impl Editor {
    pub fn new(text: &str, columns: Columns) -> Self {
        Self { text: text.chars().collect(), version: 0, columns }
    }

    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Does one to three random edits as one version; gives them as the protocol's changes.
    pub fn edit(&mut self, dice: &mut Dice) -> Value {
        self.version += 1;
        let changes: Vec<_> = (0..=dice.below(3)).map(|_| self.change(dice)).collect();
        json!(changes)
    }

    fn change(&mut self, dice: &mut Dice) -> Value {
        let start = self.boundary(dice.below(self.text.len() + 1));
        // Mostly keystrokes, now and then a large cut.
        let most = [2, 2, 2, 40, 400][dice.below(5)];
        let end = self.boundary((start + dice.below(most)).min(self.text.len())).max(start);
        let pieces = [1, 1, 1, 30][dice.below(4)];
        let inserted: String =
            (0..dice.below(pieces + 1)).map(|_| PIECES[dice.below(PIECES.len())]).collect();
        let range = json!({
            "start": position(&self.text, start, self.columns),
            "end": position(&self.text, end, self.columns),
        });
        self.text.splice(start..end, inserted.chars());
        json!({ "range": range, "text": inserted })
    }

    /// `index`, moved out of the middle of a CRLF, where no position of the protocol can be.
    fn boundary(&self, index: usize) -> usize {
        let inside = index > 0 && self.text.get(index) == Some(&'\n') && self.text[index - 1] == '\r';
        index - usize::from(inside)
    }
}
