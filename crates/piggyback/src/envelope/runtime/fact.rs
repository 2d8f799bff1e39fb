//! Facts as stored by the runtime.
//!
//! The runtime keeps integers but no other argument types. The runtime infers the other types from
//! the text.

use std::fmt::Write as _;

use super::go;
use crate::envelope::plain::{self, PlainFact};
use mangle_settings::Runtime;
use mangle_syntax::syntax::ast::{ApplyForm, Atom, Term, TermKind};
use mangle_syntax::syntax::literal::{self, Piece};
use mangle_syntax::text::{TextRange, slice};

/// The representation of a float that the runtime stores only as a memory address.
const UNPRINTABLE_FLOAT: &str = "<float lost>";

/// The maximum number of slashes in a name. Texts with more slashes are treated as paths.
const MAX_SLASHES: usize = 2;

/// Suffixes of texts that are treated as paths.
const EXTENSIONS: [&str; 34] = [
    ".go", ".md", ".py", ".js", ".ts", ".tsx", ".jsx", ".yaml", ".yml", ".json", ".txt", ".mg", ".html",
    ".css", ".sh", ".bash", ".ps1", ".bat", ".exe", ".dll", ".so", ".c", ".h", ".cpp", ".hpp", ".rs", ".rb",
    ".java", ".xml", ".toml", ".ini", ".cfg", ".conf", ".log",
];

/// A fact as stored by the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeFact {
    /// The name of the predicate.
    pub predicate: String,
    /// The arguments.
    pub args: Vec<Value>,
}

/// An argument as stored by the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A name, a string or another value with a text form. Text from a byte string may be invalid
    /// UTF-8.
    Text(Vec<u8>),
    /// An integer.
    Number(i64),
    /// The bits of a float.
    Float(u64),
    /// A float that the runtime does not preserve.
    UnprintableFloat,
}

impl RuntimeFact {
    /// Returns the fact for a parsed atom. Words are taken from the text, so their symbols need no
    /// interning.
    pub(super) fn from_atom(atom: &Atom, text: &str, runtime: Runtime) -> Self {
        let args = atom.args.iter().map(|term| Value::from_term(term, text, runtime)).collect();
        Self { predicate: slice(text, atom.name.range).to_owned(), args }
    }

    /// Returns the fact for a plain fact.
    pub(super) fn of_plain(plain: &PlainFact<'_>, text: &str, runtime: Runtime) -> Self {
        let value = |arg: &plain::Argument| match arg.kind {
            plain::ArgumentKind::Name => Value::text(slice(text, arg.range)),
            plain::ArgumentKind::Number(number) => Value::Number(number),
            plain::ArgumentKind::Float => {
                Value::float(slice(text, arg.range).parse().unwrap_or_default(), runtime)
            }
            plain::ArgumentKind::String | plain::ArgumentKind::Escaped => {
                Value::text(&string(text, arg.range))
            }
            // Plain facts have no such arguments.
            plain::ArgumentKind::Bytes
            | plain::ArgumentKind::Variable
            | plain::ArgumentKind::Function
            | plain::ArgumentKind::Compound => Value::UnprintableFloat,
        };
        Self { predicate: plain.predicate.to_owned(), args: plain.args.iter().map(value).collect() }
    }

    /// Returns the fact as printed by the runtime.
    #[must_use]
    pub fn runtime_text(&self) -> String {
        let args: Vec<_> = self.args.iter().map(Value::runtime_text).collect();
        format!("{}({}).", self.predicate, args.join(", "))
    }

    /// Returns the fact as printed by the engine.
    #[must_use]
    pub fn engine_text(&self) -> String {
        let args: Vec<_> = self.args.iter().map(Value::engine_text).collect();
        format!("{}({})", self.predicate, args.join(","))
    }
}

impl Value {
    fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    fn float(float: f64, runtime: Runtime) -> Self {
        if runtime.float_arguments { Self::Float(float.to_bits()) } else { Self::UnprintableFloat }
    }

    fn from_term(term: &Term, text: &str, runtime: Runtime) -> Self {
        match &term.kind {
            TermKind::Name(_) => Self::text(slice(text, term.range)),
            TermKind::String => Self::text(&string(text, term.range)),
            TermKind::Bytes => Self::Text(bytes(slice(text, term.range))),
            TermKind::Number(number) => Self::Number(number.unwrap_or_default()),
            TermKind::Float(float) => Self::float(*float, runtime),
            TermKind::Variable(_) => Self::text(&format!("?{}", slice(text, term.range))),
            TermKind::Wildcard => Self::text("?_"),
            TermKind::Broken if is_variable(slice(text, term.range)) => {
                Self::text(&format!("?{}", slice(text, term.range)))
            }
            TermKind::Apply(_) | TermKind::Broken => {
                let mut shown = String::new();
                show(term, text, &mut shown);
                Self::text(&shown)
            }
        }
    }

    fn runtime_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Float(bits) => format!("{:.6}", f64::from_bits(*bits)),
            Self::UnprintableFloat => format!("\"{UNPRINTABLE_FLOAT}\""),
            Self::Text(text) => name(text).map_or_else(|| go::quoted(text), str::to_owned),
        }
    }

    fn engine_text(&self) -> String {
        match self {
            Self::Text(text) if !becomes_name(text) => quoted(text),
            Self::Float(bits) => f64::from_bits(*bits).to_string(),
            other => other.runtime_text(),
        }
    }
}

/// True if the engine accepts the text as a name constant. This check is weaker than the grammar.
#[must_use]
pub fn is_constant(text: &str) -> bool {
    let parts = text.strip_prefix('/').filter(|_| !text.contains('"'));
    parts.is_some_and(|parts| parts.split('/').all(|part| !part.is_empty()))
}

/// True if the runtime interprets the text as a name.
#[must_use]
pub fn becomes_name(text: &[u8]) -> bool {
    name(text).is_some()
}

/// Returns the text if the runtime interprets it as a name.
fn name(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?;
    let is_path = || text.matches('/').count() > MAX_SLASHES || has_extension(text);
    let is_text = || text.contains([' ', '\t', '\n', '\r']);
    (is_constant(text) && !is_text() && !is_path()).then_some(text)
}

/// True if a text ends with a known file extension, in any case.
#[must_use]
pub fn has_extension(text: &str) -> bool {
    let ends = |extension: &str| {
        let mut chars = text.chars().rev().map(go::lower);
        extension.chars().rev().all(|char| chars.next() == Some(char))
    };
    EXTENSIONS.iter().any(|extension| ends(extension))
}

/// Returns the value of a valid string literal.
fn string(text: &str, range: TextRange) -> String {
    literal::string_value(slice(text, range)).map(String::from).unwrap_or_default()
}

/// Returns the value of a byte string.
fn bytes(literal: &str) -> Vec<u8> {
    let content = literal.strip_prefix('b').and_then(literal::string_content).unwrap_or("");
    let mut value = Vec::with_capacity(content.len());
    for (_, piece) in literal::pieces(content, true) {
        match piece {
            Piece::Plain(text) | Piece::Bad(text) => value.extend_from_slice(text.as_bytes()),
            Piece::Char(char) => value.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Byte(byte) => value.push(byte),
        }
    }
    value
}

/// Prints a term in the format of the engine. The nesting limit of the lowering bounds the
/// recursion depth.
fn show(term: &Term, text: &str, out: &mut String) {
    match &term.kind {
        TermKind::Name(_) | TermKind::Variable(_) => out.push_str(slice(text, term.range)),
        TermKind::Wildcard => out.push('_'),
        TermKind::String => out.push_str(&quoted(string(text, term.range).as_bytes())),
        TermKind::Bytes => quote_bytes(&bytes(slice(text, term.range)), out),
        TermKind::Number(number) => {
            let _ = write!(out, "{}", number.unwrap_or_default());
        }
        TermKind::Float(float) => {
            let _ = write!(out, "{float}");
        }
        TermKind::Apply(apply) => {
            let written = slice(text, apply.function.range);
            match apply.form {
                ApplyForm::Call => out.push_str(written),
                ApplyForm::DotType => {
                    let _ = write!(out, "fn:{}", written.trim_start_matches('.'));
                }
                // Functions with dedicated syntax in the language.
                _ => out.push_str(apply.function.as_str()),
            }
            out.push('(');
            for (at, arg) in apply.args.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                show(arg, text, out);
            }
            out.push(')');
        }
        // The engine parses words such as `NULL` as variables.
        TermKind::Broken => out.push_str(slice(text, term.range)),
    }
}

/// Returns a string in the format of the engine.
fn quoted(value: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(value) else { return "<bad>".to_owned() };
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '\'' | '"' | '\\' => {
                out.push('\\');
                out.push(char);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char if char.is_ascii() => out.push(char),
            char => {
                let _ = write!(out, "\\u{{{:06x}}}", u32::from(char));
            }
        }
    }
    out.push('"');
    out
}

/// Appends a byte string in the format of the engine.
fn quote_bytes(value: &[u8], out: &mut String) {
    out.push_str("b\"");
    for byte in value {
        match byte {
            b'\'' | b'"' | b'\\' | b'\n' | b'\t' | 0x80.. => {
                let _ = write!(out, "\\x{byte:02x}");
            }
            _ => out.push(char::from(*byte)),
        }
    }
    out.push('"');
}

/// True if the engine parses a word as a variable, for example `NULL`, `None` or `True`.
#[must_use]
pub fn is_variable(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
