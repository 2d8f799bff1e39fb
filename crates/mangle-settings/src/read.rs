//! From the text of a `mangle-ls.toml` to [`Settings`], with findings for everything in it that
//! has no effect.

use toml_span::value::ValueInner;
use toml_span::{ErrorKind, Span};

use super::findings::CONFIG_SYNTAX;
use super::output::SettingTable as _;
use super::value::{Reader, first_line, range};
use super::{ProgramPlaces, Settings, Vocabulary};
use mangle_syntax::lint::{Finding, Rule, Span as Place};
use mangle_syntax::text::TextRange;

/// A configuration file, read.
#[derive(Debug, Default)]
pub struct Parsed {
    /// What it says.
    pub settings: Settings,
    /// Where each of [`Settings::programs`] stands.
    pub programs: Vec<ProgramPlaces>,
    /// Each pattern of [`super::KernelSettings::sample`]. Ranges count from the start of the file.
    pub sample: Vec<TextRange>,
    /// Each pattern of [`super::PromptSettings::atoms`]. Ranges count from the start of the file.
    pub atoms: Vec<TextRange>,
    /// What [`super::TranscriptSettings::tools`] says. The range counts from the start of the file.
    pub tools: Option<TextRange>,
    /// The keys of `[rules]` that give a rule its severity, for each rule that has one; in the order of the file.
    pub rules: Vec<(&'static Rule, TextRange)>,
    /// What is wrong with it, in the order of the file. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
}

/// Reads the text of a configuration file. Whatever is wrong with it is a finding; the rest counts.
/// A file for another version of this tool has that one finding.
#[must_use]
pub fn parse(text: &str, vocabulary: Vocabulary<'_>) -> Parsed {
    // Editors on Windows write a byte order mark, which TOML does not know; a blank keeps offsets.
    let blanked = text.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    let mut reader = Reader::new(text, Settings::SECTION, vocabulary);
    let mut settings = Settings::default();
    match toml_span::parse(blanked.as_deref().unwrap_or(text)) {
        Ok(mut document) => {
            if let ValueInner::Table(table) = document.take() {
                settings = reader.read_table(table);
            }
        }
        Err(error) => reader.findings.push(syntax(text, &error)),
    }
    Parsed {
        settings,
        sample: reader.take_places("kernel.sample"),
        atoms: reader.take_places("prompt.atoms"),
        tools: reader.take_places("transcripts.tools").pop(),
        programs: std::mem::take(&mut reader.programs),
        rules: std::mem::take(&mut reader.rules),
        findings: reader.finish(),
    }
}

/// The finding for what is no TOML. It stands within the text and on the borders of characters,
/// which the parser's spans of a cut file may not.
fn syntax(text: &str, error: &toml_span::Error) -> Finding {
    let (message, first) = explain(&error.kind);
    let found = range(error.span);
    let border = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let (start, end) = (border(found.start().into()), border(found.end().into()));
    let range = first_line(text, Span::new(start, end));
    let finding = Finding::new(&CONFIG_SYNTAX, range, format!("{message} Nothing of this file is used."));
    match first {
        Some((span, there)) => finding.related(Place::here(first_line(text, span)), there),
        None => finding,
    }
}

/// What a TOML error means, and the other place that it is about.
fn explain(kind: &ErrorKind) -> (String, Option<(Span, &'static str)>) {
    let alone = |message: &str| (message.to_owned(), None);
    match kind {
        ErrorKind::UnexpectedEof => alone("The file ends in the middle of an entry."),
        ErrorKind::UnterminatedString => alone("The string has no closing quote."),
        ErrorKind::UnquotedString => alone("A string needs quotes."),
        ErrorKind::InvalidNumber => alone("This is no number; a string needs quotes."),
        ErrorKind::RedefineAsArray => alone("The table was written with one pair of brackets before."),
        ErrorKind::ExceededDepthLimit => alone("The values are nested too deeply."),
        ErrorKind::DuplicateKey { key, first } => {
            (format!("The key `{key}` stands twice."), Some((*first, "the first is here")))
        }
        ErrorKind::DuplicateTable { name, first } => {
            (format!("The table `[{name}]` stands twice."), Some((*first, "the first is here")))
        }
        ErrorKind::DottedKeyInvalidType { first } => {
            ("The key continues something that is no table.".into(), Some((*first, "it has a value here")))
        }
        ErrorKind::Wanted { expected, found } => {
            (format!("This should be {expected}, but is {found}."), None)
        }
        ErrorKind::Unexpected(char) => {
            (format!("The character `{}` does not belong here.", char.escape_debug()), None)
        }
        ErrorKind::InvalidEscape(char) => (
            format!("`\\{}` is no escape of TOML; a backslash is written `\\\\`.", char.escape_debug()),
            None,
        ),
        other => (format!("This is no TOML: {}.", other.to_string().replace('-', " ")), None),
    }
}
