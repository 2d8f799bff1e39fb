//! From the text of a `mangle-ls.toml` to [`Settings`], with findings for everything in it that
//! has no effect.

use toml_span::value::Table;
use toml_span::{ErrorKind, Span, Value};

use super::findings::{CONFIG_SYNTAX, CONFIG_UNKNOWN_RULE};
use super::keys::{PROGRAM, ROOT, RULE_WORDS};
use super::value::{Reader, first_line, range, suggest};
use super::{FailOn, Globs, ProgramSettings, RuleSettings, Settings, select};
use crate::lint::{Finding, Rule, Severity, Span as Place};
use crate::text::{Symbol, TextRange};

/// A configuration file, read.
#[derive(Debug, Default)]
pub struct Parsed {
    /// What it says.
    pub settings: Settings,
    /// Where each of [`Settings::programs`] starts: its `include`, else its first line.
    pub program_ranges: Vec<TextRange>,
    /// What is wrong with it, in the order of the file. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
}

/// Reads the text of a configuration file. Whatever is wrong with it is a finding; the rest counts.
/// `rules` are the rules that `[rules]` may name.
#[must_use]
pub fn parse(text: &str, rules: &[&'static Rule]) -> Parsed {
    // Editors on Windows write a byte order mark, which TOML does not know; a blank keeps offsets.
    let blanked = text.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    let mut reader = Reader { text, findings: Vec::new() };
    let mut program_ranges = Vec::new();
    let settings = match toml_span::parse(blanked.as_deref().unwrap_or(text)) {
        Ok(document) => reader.settings(document, rules, &mut program_ranges),
        Err(error) => {
            reader.findings.push(syntax(text, &error));
            Settings::default()
        }
    };
    reader.findings.sort_by_key(|finding| finding.range.start());
    Parsed { settings, program_ranges, findings: reader.findings }
}

impl Reader<'_> {
    fn settings(
        &mut self,
        document: Value<'_>,
        rules: &[&'static Rule],
        program_ranges: &mut Vec<TextRange>,
    ) -> Settings {
        let mut settings = Settings::default();
        let Some(table) = self.table(document, "the file") else { return settings };
        self.unknown_keys(&ROOT, &table);
        for (key, value) in table {
            match &*key.name {
                "fail_on" => {
                    let word = self.word(value, "`fail_on`", &FailOn::WORDS, FailOn::parse);
                    settings.fail_on = word.unwrap_or_default();
                }
                "program" => settings.programs = self.programs(value, program_ranges),
                "rules" => settings.rules = self.rules(value, rules),
                _ => {}
            }
        }
        settings
    }

    fn programs(&mut self, mut value: Value<'_>, ranges: &mut Vec<TextRange>) -> Vec<ProgramSettings> {
        let span = value.span;
        let mut programs: Vec<ProgramSettings> = Vec::new();
        let toml_span::value::ValueInner::Array(tables) = value.take() else {
            self.bad_value(span, "A program is written `[[program]]`, with two pairs of brackets.");
            return programs;
        };
        for table in tables {
            let start = first_line(self.text, table.span);
            let Some(table) = self.table(table, "a program") else { continue };
            ranges.push(table.get("include").map_or(start, |include| first_line(self.text, include.span)));
            let program = self.program(table, &programs);
            programs.push(program);
        }
        programs
    }

    fn program(&mut self, table: Table<'_>, others: &[ProgramSettings]) -> ProgramSettings {
        self.unknown_keys(&PROGRAM, &table);
        let mut program = ProgramSettings::default();
        for (key, value) in table {
            match &*key.name {
                "name" => program.name = self.name(value, others),
                "include" => program.include = self.globs(value, "`include`").unwrap_or(program.include),
                "exclude" => program.exclude = self.globs(value, "`exclude`").unwrap_or_default(),
                "host_predicates" => program.host_predicates = self.predicates(value),
                _ => {}
            }
        }
        program
    }

    fn name(&mut self, value: Value<'_>, others: &[ProgramSettings]) -> Option<String> {
        let (name, span) = self.string(value, "`name`")?;
        if others.iter().any(|other| other.name.as_ref() == Some(&name)) {
            self.bad_value(span, format!("Another program is called `{name}` already."));
        }
        Some(name)
    }

    /// The globs of a list; those that cannot be used are left out.
    fn globs(&mut self, value: Value<'_>, what: &str) -> Option<Globs> {
        let mut patterns = self.strings(value, what);
        loop {
            match Globs::new(patterns.iter().map(|(pattern, _)| pattern.clone()).collect()) {
                Ok(globs) => return (!globs.patterns().is_empty()).then_some(globs),
                Err((index, why)) if index < patterns.len() => {
                    let (pattern, span) = patterns.remove(index);
                    self.bad_value(span, format!("The glob `{pattern}` cannot be used: {why}."));
                }
                Err(_) => return None,
            }
        }
    }

    fn predicates(&mut self, value: Value<'_>) -> Vec<(Symbol, u16)> {
        let words = self.strings(value, "`host_predicates`");
        let mut predicates = Vec::new();
        for (word, span) in words {
            match host_predicate(&word) {
                Some(predicate) => predicates.push(predicate),
                None => self.bad_value(
                    span,
                    format!(
                        "`{word}` is no predicate; write its name and its number of arguments, as `now/1`."
                    ),
                ),
            }
        }
        predicates
    }

    fn rules(&mut self, value: Value<'_>, rules: &[&'static Rule]) -> RuleSettings {
        let mut settings = RuleSettings::default();
        let Some(table) = self.table(value, "`rules`") else { return settings };
        let mut chosen = Vec::new();
        for (key, value) in table {
            let severity = self.word(value, "the severity of a rule", &RULE_WORDS, rule_severity);
            match select::select(&key.name, rules) {
                Some(selection) => chosen.extend(severity.map(|severity| (selection, severity))),
                None => self.findings.push(unknown_rule(&key.name, key.span, rules)),
            }
        }
        chosen.sort_by_key(|(selection, _)| selection.narrowness);
        for (selection, severity) in chosen {
            for rule in selection.rules {
                settings.set(rule, severity);
            }
        }
        settings
    }
}

/// A value of `[rules]`: `None` for `off`.
#[allow(clippy::option_option)] // Absent is "no such word", present and empty is "off".
fn rule_severity(word: &str) -> Option<Option<Severity>> {
    if word == "off" { Some(None) } else { Severity::parse(word).map(Some) }
}

fn unknown_rule(key: &str, span: Span, rules: &[&'static Rule]) -> Finding {
    let message = if key.contains('*') {
        format!("No rule has a code or a name that matches `{key}`.")
    } else {
        format!("There is no rule `{key}`, and no group of rules of that name.")
    };
    suggest(Finding::new(&CONFIG_UNKNOWN_RULE, range(span), message), key, select::words(key, rules))
}

/// Reads `name/arity`.
fn host_predicate(word: &str) -> Option<(Symbol, u16)> {
    let (name, arity) = word.split_once('/')?;
    let arity = arity.parse().ok()?;
    let rest_fits =
        |rest: &str| rest.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == ':');
    let starts_well = name.starts_with(char::is_lowercase);
    (starts_well && rest_fits(name)).then(|| (Symbol::new(name), arity))
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
