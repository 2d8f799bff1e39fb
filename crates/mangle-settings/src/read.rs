//! From the text of a `mangle-ls.toml` to [`Settings`], with findings for everything in it that
//! has no effect.

mod prompt;
mod replay;
mod transcripts;

use rustc_hash::FxHashMap;
use toml_span::value::Table;
use toml_span::{ErrorKind, Span, Value};

use super::findings::{CONFIG_BAD_VALUE, CONFIG_SYNTAX, CONFIG_UNKNOWN_RULE};
use super::keys::{FILES, FORMAT, KERNEL, Kind, MAX_FINDINGS, PROGRAM, ROOT, RULE_WORDS};
use super::value::{Reader, first_line, range, suggest};
use super::{
    FACT_EXTENSIONS, FailOn, FilesSettings, FormatSettings, Globs, KernelSettings, MaxFindings,
    ProgramSettings, Reading, RuleSettings, Settings, Vocabulary, instant, select, version,
};
use mangle_syntax::lint::{Finding, Rule, Span as Place};
use mangle_syntax::text::{Symbol, TextRange};

/// A configuration file, read.
#[derive(Debug, Default)]
pub struct Parsed {
    /// What it says.
    pub settings: Settings,
    /// Where each of [`Settings::programs`] stands.
    pub programs: Vec<ProgramPlaces>,
    /// Each pattern of [`KernelSettings::sample`]. Ranges count from the start of the file.
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

/// Where a `[[program]]` stands. Ranges count from the start of the file.
#[derive(Debug, Clone, Default)]
pub struct ProgramPlaces {
    /// Its start: its `include`, else its first line.
    pub start: TextRange,
    /// Each pattern of [`ProgramSettings::include`]; none where it is at its default.
    pub include: Vec<TextRange>,
    /// Each pattern of [`ProgramSettings::hybrid`].
    pub hybrid: Vec<TextRange>,
}

/// Reads the text of a configuration file. Whatever is wrong with it is a finding; the rest counts.
/// A file for another version of this tool has that one finding.
#[must_use]
pub fn parse(text: &str, vocabulary: Vocabulary<'_>) -> Parsed {
    // Editors on Windows write a byte order mark, which TOML does not know; a blank keeps offsets.
    let blanked = text.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    let mut reader = Reader::new(text);
    let mut parsed = match toml_span::parse(blanked.as_deref().unwrap_or(text)) {
        Ok(document) => reader.file(document, vocabulary),
        Err(error) => {
            reader.findings.push(syntax(text, &error));
            Parsed::default()
        }
    };
    parsed.findings = reader.finish();
    parsed
}

impl Reader<'_> {
    fn file(&mut self, document: Value<'_>, vocabulary: Vocabulary<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let Some(table) = self.table(document, "the file") else { return parsed };
        self.unknown_keys(&ROOT, &table);
        let settings = &mut parsed.settings;
        for (key, value) in table {
            match &*key.name {
                "fail_on" => {
                    let word = self.word(value, "`fail_on`", &FailOn::WORDS, FailOn::parse);
                    settings.fail_on = word.unwrap_or_default();
                }
                "max_findings" => {
                    let number = self.number(value, "`max_findings`", MAX_FINDINGS);
                    let number = number.and_then(|number| usize::try_from(number).ok());
                    settings.max_findings = number.map(MaxFindings::new).unwrap_or_default();
                }
                "required_version" => settings.required_version = self.required_version(value),
                "program" => (settings.programs, parsed.programs) = self.programs(value, vocabulary),
                "files" => settings.files = self.files(value),
                "format" => settings.format = self.format(value),
                "kernel" => (settings.kernel, parsed.sample) = self.kernel(value),
                "prompt" => (settings.prompt, parsed.atoms) = self.prompt(value),
                "replay" => settings.replay = self.replay(value),
                "transcripts" => (settings.transcripts, parsed.tools) = self.transcripts(value),
                "rules" => (settings.rules, parsed.rules) = self.rules(value, vocabulary.rules),
                _ => {}
            }
        }
        parsed
    }

    fn programs(
        &mut self,
        mut value: Value<'_>,
        vocabulary: Vocabulary<'_>,
    ) -> (Vec<ProgramSettings>, Vec<ProgramPlaces>) {
        let span = value.span;
        let (mut programs, mut places) = (Vec::new(), Vec::new());
        let toml_span::value::ValueInner::Array(tables) = value.take() else {
            self.bad_value(span, "A program is written `[[program]]`, with two pairs of brackets.");
            return (programs, places);
        };
        for table in tables {
            let start = first_line(self.text, table.span);
            let Some(table) = self.table(table, "a program") else { continue };
            let start = table.get("include").map_or(start, |include| first_line(self.text, include.span));
            let (program, place) = self.program(table, &programs, vocabulary);
            programs.push(program);
            places.push(ProgramPlaces { start, ..place });
        }
        (programs, places)
    }

    fn program(
        &mut self,
        table: Table<'_>,
        others: &[ProgramSettings],
        vocabulary: Vocabulary<'_>,
    ) -> (ProgramSettings, ProgramPlaces) {
        self.unknown_keys(&PROGRAM, &table);
        let (mut program, mut places) = (ProgramSettings::default(), ProgramPlaces::default());
        for (key, value) in table {
            match &*key.name {
                "name" => program.name = self.name(value, others),
                "include" => {
                    if let Some(include) = self.globs(value, "`include`") {
                        (program.include, places.include) = include;
                    }
                }
                "exclude" => program.exclude = self.globs(value, "`exclude`").unwrap_or_default().0,
                "hybrid" => {
                    (program.hybrid, places.hybrid) = self.globs(value, "`hybrid`").unwrap_or_default();
                }
                "host_predicates" => program.host_predicates = self.predicates(value),
                "target" => program.target = self.target(value, vocabulary.releases),
                _ => {}
            }
        }
        (program, places)
    }

    fn files(&mut self, value: Value<'_>) -> FilesSettings {
        let mut files = FilesSettings::default();
        let Some(table) = self.table(value, "`files`") else { return files };
        self.unknown_keys(&FILES, &table);
        for (key, value) in table {
            match (&*key.name, FILES.key(&key.name).map(|key| key.kind)) {
                ("extensions", _) => files.extensions = self.extensions(value),
                (name, Some(Kind::Number(least, most))) => {
                    let number = self.number(value, &format!("`{name}`"), (least, most));
                    let limit = match name {
                        "max_scan_bytes" => &mut files.scan.bytes,
                        "max_scan_entries" => &mut files.scan.entries,
                        _ => &mut files.scan.files,
                    };
                    *limit = number.and_then(|number| u64::try_from(number).ok()).unwrap_or(*limit);
                }
                _ => {}
            }
        }
        files
    }

    fn extensions(&mut self, value: Value<'_>) -> Vec<String> {
        let mut extensions = Vec::new();
        for (word, span) in self.strings(value, "`extensions`") {
            match extension(&word) {
                Ok(extension) => extensions.push(extension.to_owned()),
                Err(why) => self.bad_value(span, format!("`{word}` cannot be added to `extensions`: {why}.")),
            }
        }
        extensions
    }

    fn format(&mut self, value: Value<'_>) -> FormatSettings {
        let mut format = FormatSettings::default();
        let Some(table) = self.table(value, "`format`") else { return format };
        self.unknown_keys(&FORMAT, &table);
        for (key, value) in table {
            let Some(Kind::Number(least, most)) = FORMAT.key(&key.name).map(|key| key.kind) else { continue };
            let number = self.number(value, &format!("`{}`", key.name), (least, most));
            let setting = if key.name == "indent" { &mut format.indent } else { &mut format.width };
            *setting = number.and_then(|number| u32::try_from(number).ok()).unwrap_or(*setting);
        }
        format
    }

    fn kernel(&mut self, value: Value<'_>) -> (KernelSettings, Vec<TextRange>) {
        let (mut kernel, mut sample) = (KernelSettings::default(), Vec::new());
        let Some(table) = self.table(value, "`kernel`") else { return (kernel, sample) };
        self.unknown_keys(&KERNEL, &table);
        for (key, value) in table {
            match (&*key.name, KERNEL.key(&key.name).map(|key| key.kind)) {
                ("sample", _) => {
                    (kernel.sample, sample) = self.globs(value, "`sample`").unwrap_or_default();
                    self.check_sample(&kernel.sample, &sample);
                }
                ("reading", _) => {
                    let word = self.word(value, "`reading`", &Reading::WORDS, Reading::parse);
                    kernel.reading = word.unwrap_or_default();
                }
                ("now", _) => kernel.now = self.instant(value),
                (name, Some(Kind::Number(least, most))) => {
                    let number = self.number(value, &format!("`{name}`"), (least, most));
                    let limit = match name {
                        "max_facts" => &mut kernel.max_facts,
                        "max_derived" => &mut kernel.max_derived,
                        "max_steps" => &mut kernel.max_steps,
                        _ => &mut kernel.timeout_ms,
                    };
                    *limit = number.and_then(|number| u64::try_from(number).ok());
                }
                _ => {}
            }
        }
        (kernel, sample)
    }

    /// A pattern that names files of another kind matches nothing.
    fn check_sample(&mut self, sample: &Globs, places: &[TextRange]) {
        for (pattern, &place) in sample.patterns().iter().zip(places) {
            let extension = pattern.rsplit('/').next().and_then(|name| Some(name.rsplit_once('.')?.1));
            let is_other = |extension: &str| {
                extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && !FACT_EXTENSIONS.contains(&extension)
            };
            if extension.is_some_and(is_other) {
                let message = format!(
                    "`{pattern}` is no file that facts are read from; those end with {}.",
                    FACT_EXTENSIONS.map(|extension| format!("`.{extension}`")).join(", ")
                );
                self.findings.push(Finding::new(&CONFIG_BAD_VALUE, place, message));
            }
        }
    }

    fn instant(&mut self, value: Value<'_>) -> Option<i64> {
        let (word, span) = self.string(value, "`now`")?;
        instant(&word).map_err(|why| self.bad_value(span, why)).ok()
    }

    fn required_version(&mut self, value: Value<'_>) -> Option<version::VersionReq> {
        let (word, span) = self.string(value, "`required_version`")?;
        match word.parse::<version::VersionReq>() {
            Ok(required) => {
                self.unfit = (!version::is_this(&required)).then(|| version::unfit(&required, range(span)));
                Some(required)
            }
            Err(error) => {
                let example = concat!(">=", env!("CARGO_PKG_VERSION"));
                let message =
                    format!("`{word}` is no requirement on a version ({error}); write one as `{example}`.");
                self.bad_value(span, message);
                None
            }
        }
    }

    fn target(
        &mut self,
        value: Value<'_>,
        releases: &[(&'static str, &'static str)],
    ) -> Option<version::EngineVersion> {
        let (word, span) = self.string(value, "`target`")?;
        let version = version::EngineVersion::read(&word, releases);
        if version.is_none() {
            let known: Vec<_> = releases.iter().map(|(release, _)| *release).collect();
            let message = format!(
                "`{word}` is no version of the engine; write a release ({}) or a day, as `2026-06-30`.",
                known.join(", ")
            );
            self.bad_value_near(span, message, &word, known);
        }
        version
    }

    fn name(&mut self, value: Value<'_>, others: &[ProgramSettings]) -> Option<String> {
        let (name, span) = self.string(value, "`name`")?;
        if others.iter().any(|other| other.name.as_ref() == Some(&name)) {
            self.bad_value(span, format!("Another program is called `{name}` already."));
        }
        Some(name)
    }

    /// The globs of a list with their places; those that cannot be used are left out.
    fn globs(&mut self, value: Value<'_>, what: &str) -> Option<(Globs, Vec<TextRange>)> {
        let patterns = self.strings(value, what);
        let (globs, unusable) = Globs::usable(patterns.iter().map(|(pattern, _)| pattern.clone()).collect());
        let mut is_unusable = vec![false; patterns.len()];
        for (index, why) in unusable {
            let Some((pattern, span)) = patterns.get(index) else { continue };
            self.bad_value(*span, format!("The glob `{pattern}` cannot be used: {why}."));
            is_unusable.get_mut(index).into_iter().for_each(|is| *is = true);
        }
        let places = patterns.iter().zip(is_unusable).filter(|(_, is_unusable)| !is_unusable);
        let places: Vec<_> = places.map(|((_, span), _)| range(*span)).collect();
        (!globs.patterns().is_empty()).then_some((globs, places))
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

    fn rules(
        &mut self,
        value: Value<'_>,
        rules: &[&'static Rule],
    ) -> (RuleSettings, Vec<(&'static Rule, TextRange)>) {
        let (mut settings, mut places) = (RuleSettings::default(), FxHashMap::default());
        let Some(table) = self.table(value, "`rules`") else { return (settings, Vec::new()) };
        let mut chosen = Vec::new();
        for (key, value) in table {
            let severity = self.word(value, "the severity of a rule", &RULE_WORDS, select::rule_severity);
            match select::select(&key.name, rules) {
                Some(selection) => {
                    chosen.extend(severity.map(|severity| (selection, severity, range(key.span))))
                }
                None => self.findings.push(unknown_rule(&key.name, key.span, rules)),
            }
        }
        chosen.sort_by_key(|(selection, ..)| selection.narrowness);
        for (selection, severity, place) in chosen {
            for rule in selection.rules {
                settings.set(rule, severity);
                places.insert(rule.code, (rule, place));
            }
        }
        let mut places: Vec<_> = places.into_values().collect();
        places.sort_by_key(|(rule, place)| (place.start(), rule.code));
        (settings, places)
    }
}

fn unknown_rule(key: &str, span: Span, rules: &[&'static Rule]) -> Finding {
    let message = if key.contains('*') {
        format!("No rule has a code or a name that matches `{key}`.")
    } else {
        format!("There is no rule `{key}`, and no group of rules of that name.")
    };
    suggest(Finding::new(&CONFIG_UNKNOWN_RULE, range(span), message), key, select::words(key, rules))
}

/// The ending that a word of `extensions` adds.
fn extension(word: &str) -> Result<&str, &'static str> {
    let bare = word.strip_prefix("*.").or(word.strip_prefix('.')).unwrap_or(word);
    let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    if bare.is_empty() || !bare.chars().all(is_word) {
        return Err("an ending is written as `dl`");
    }
    match bare.to_ascii_lowercase().as_str() {
        "toml" | "yaml" | "yml" | "md" | "markdown" | "json" | "jsonl" | "ndjson" | "csv" | "tsv" => {
            Err("such files hold something else")
        }
        _ => Ok(bare),
    }
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
