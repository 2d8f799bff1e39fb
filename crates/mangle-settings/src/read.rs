//! Reader of `mangle-ls.toml`: from text to [`Settings`], with findings for everything that has no
//! effect. Also pins the protocol profile in the text of a file.

use toml_span::value::ValueInner;
use toml_span::{ErrorKind, Span};

use super::findings::CONFIG_SYNTAX;
use super::keys::SettingTable as _;
use super::value::{Reader, first_line, range, shorten};
use super::{Profile, ProgramRanges, Settings, Vocabulary};
use mangle_syntax::lint::{Finding, Rule, Span as Place};
use mangle_syntax::text::{TextRange, size};

/// Result of reading a configuration file.
#[derive(Debug, Default)]
pub struct ParsedConfig {
    /// The settings of the file.
    pub settings: Settings,
    /// The source ranges of each of [`Settings::programs`].
    pub programs: Vec<ProgramRanges>,
    /// Each pattern of [`super::KernelSettings::sample`]. Ranges are relative to the start of the
    /// file.
    pub sample: Vec<TextRange>,
    /// Each pattern of [`super::DecodingSettings::files`]. Ranges are relative to the start of the
    /// file.
    pub grammars: Vec<TextRange>,
    /// Each pattern of [`super::PromptSettings::atoms`]. Ranges are relative to the start of the
    /// file.
    pub atoms: Vec<TextRange>,
    /// The value of [`super::TranscriptSettings::tools`]. The range is relative to the start of the
    /// file.
    pub tools: Option<TextRange>,
    /// The keys of `[rules]` that set the severity of a rule, in the order of the file. One entry
    /// for each configured rule.
    pub rules: Vec<(&'static Rule, TextRange)>,
    /// Problems of the file, in the order of the file. Ranges are relative to the start of the
    /// file.
    pub findings: Vec<Finding>,
}

/// Parses a configuration file. Errors become findings, and the valid settings apply. A file for
/// another version of this tool yields only that finding.
#[must_use]
pub fn parse(text: &str, vocabulary: Vocabulary<'_>) -> ParsedConfig {
    // Editors on Windows write a byte order mark, which TOML does not allow. Blanks keep the
    // offsets.
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
    ParsedConfig {
        settings,
        sample: reader.take_places("kernel.sample"),
        grammars: reader.take_places("decoding.files"),
        atoms: reader.take_places("prompt.atoms"),
        tools: reader.take_places("transcripts.tools").pop(),
        programs: std::mem::take(&mut reader.programs),
        rules: std::mem::take(&mut reader.rules),
        findings: reader.finish(),
    }
}

/// The finding for a TOML syntax error. The range is clamped to the text and to character
/// boundaries, because the parser's spans can violate both in truncated files.
fn syntax(text: &str, error: &toml_span::Error) -> Finding {
    let TomlError { headline, note, first } = explain(&error.kind);
    let found = range(error.span);
    let border = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let (start, end) = (border(found.start().into()), border(found.end().into()));
    let range = first_line(text, Span::new(start, end));
    let mut finding = Finding::new(&CONFIG_SYNTAX, range, headline);
    finding.notes.extend(note.map(Into::into));
    let finding = finding.note("mangle-ls ignores the whole file");
    match first {
        Some((span, there)) => finding.related(Place::here(first_line(text, span)), there),
        None => finding,
    }
}

/// A TOML syntax error, as the parts of a finding.
struct TomlError {
    headline: String,
    note: Option<&'static str>,
    /// The secondary position with its label.
    first: Option<(Span, &'static str)>,
}

impl TomlError {
    fn new(headline: impl Into<String>) -> Self {
        Self { headline: headline.into(), note: None, first: None }
    }

    fn note(self, note: &'static str) -> Self {
        Self { note: Some(note), ..self }
    }

    fn first(self, span: Span, label: &'static str) -> Self {
        Self { first: Some((span, label)), ..self }
    }
}

fn explain(kind: &ErrorKind) -> TomlError {
    let new = |headline: String| TomlError::new(headline);
    match kind {
        ErrorKind::UnexpectedEof => TomlError::new("file ends in the middle of an entry"),
        ErrorKind::UnterminatedString => TomlError::new("string has no closing quote"),
        ErrorKind::UnquotedString => TomlError::new("string has no quotes"),
        ErrorKind::InvalidNumber => TomlError::new("invalid number").note("a string requires quotes"),
        ErrorKind::RedefineAsArray => TomlError::new("table is also defined with one pair of brackets"),
        ErrorKind::ExceededDepthLimit => TomlError::new("values are nested too deeply"),
        ErrorKind::DuplicateKey { key, first } => {
            new(format!("duplicate key `{}`", shorten(key))).first(*first, "first defined here")
        }
        ErrorKind::DuplicateTable { name, first } => {
            new(format!("duplicate table `[{}]`", shorten(name))).first(*first, "first defined here")
        }
        ErrorKind::DottedKeyInvalidType { first } => {
            TomlError::new("key extends a value that is not a table").first(*first, "this value")
        }
        ErrorKind::Wanted { expected, found } => new(format!("expected {expected}, found {found}")),
        ErrorKind::Unexpected(char) => new(format!("unexpected character `{}`", char.escape_debug())),
        ErrorKind::InvalidEscape(char) => new(format!("unknown escape `\\{}`", char.escape_debug()))
            .note("a backslash itself is written `\\\\`"),
        other => new(format!("invalid TOML: {}", other.to_string().replace('-', " "))),
    }
}

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
