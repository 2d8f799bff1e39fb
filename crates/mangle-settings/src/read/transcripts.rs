//! `[transcripts]` and the tables in it.

use std::collections::BTreeMap;

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use crate::findings::CONFIG_BAD_VALUE;
use crate::keys::{ATOMS, CAPS, CONSUMERS, Kind, OVERRIDE, SHAPE, Section, TRANSCRIPTS};
use crate::value::{Reader, first_line, range, suggest};
use crate::{
    AtomSettings, BUILT_IN_CONSUMERS, Caps, Consumer, Container, Globs, PATTERN_GROUPS, Period,
    PointerPattern, Profile, Select, Strictness, TranscriptOverride, TranscriptSettings, TranscriptShape,
};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// The word for finding the profile out.
const AUTO: &str = "auto";

/// A consumer that was named, and where.
type Named = (String, Span);

impl Reader<'_> {
    /// Reads `[transcripts]`; gives where `tools` names its file, too.
    pub(super) fn transcripts(&mut self, value: Value<'_>) -> (TranscriptSettings, Option<TextRange>) {
        let (mut settings, mut tools, mut named) = (TranscriptSettings::default(), None, Vec::new());
        let Some(table) = self.table(value, "`transcripts`") else { return (settings, tools) };
        self.unknown_keys(&TRANSCRIPTS, &table);
        // Not in the order of the file: what `require_valid_json` says goes into the limits.
        let mut strict = None;
        for (key, value) in table {
            match &*key.name {
                "atoms" => settings.atoms = self.atoms(value),
                "caps" => settings.caps = self.caps(value),
                "consumers" => settings.consumers = self.consumers(value),
                "shape" => settings.shapes = self.shapes(value).into(),
                "override" => settings.overrides = self.overrides(value, &mut named),
                "require_valid_json" => strict = self.flag(value, "`require_valid_json`"),
                "tools" => (settings.tools, tools) = self.tools(value).unzip(),
                "consumer" => settings.consumer = self.consumer(value, &mut named),
                name => self.choice(name, value, &mut settings),
            }
        }
        settings.caps.strict = strict.unwrap_or(settings.caps.strict);
        self.check_consumers(named, &settings.consumers);
        (settings, tools)
    }

    /// The keys of `[transcripts]` that are simple values.
    fn choice(&mut self, name: &str, value: Value<'_>, settings: &mut TranscriptSettings) {
        match name {
            "include" => {
                if let Some((include, _)) = self.globs(value, "`include`") {
                    settings.include = include;
                }
            }
            "profile" => settings.profile = self.profile(value),
            "strict" => settings.strict = self.strictness(value).unwrap_or_default(),
            "envelope_select" => {
                let word = self.word(value, "`envelope_select`", &Select::WORDS, Select::parse);
                settings.select = word.unwrap_or_default();
            }
            "container" => settings.container = self.container(value),
            "turn_separator" => settings.turn_separator = self.pattern(value, "`turn_separator`"),
            "specialists" => settings.specialists = Some(self.texts(value, "`specialists`")),
            "success_phrases" => settings.success_phrases = self.texts(value, "`success_phrases`"),
            "target_compression_ratio" => {
                if let Some(Kind::Decimal(least, most)) = kind(&TRANSCRIPTS, name) {
                    let number = self.decimal(value, "`target_compression_ratio`", (least, most));
                    settings.target_compression_ratio = number.or(settings.target_compression_ratio);
                }
            }
            "min_trace_words" => {
                let number =
                    self.size(value, &TRANSCRIPTS, name).and_then(|number| u32::try_from(number).ok());
                settings.min_trace_words = number.unwrap_or(settings.min_trace_words);
            }
            "closed_limit" => {
                settings.closed_limit = self.size(value, &TRANSCRIPTS, name).unwrap_or(settings.closed_limit);
            }
            _ => {}
        }
    }

    fn atoms(&mut self, value: Value<'_>) -> AtomSettings {
        let mut atoms = AtomSettings::default();
        let Some(table) = self.table(value, "`transcripts.atoms`") else { return atoms };
        self.unknown_keys(&ATOMS, &table);
        for (key, value) in table {
            match &*key.name {
                "trailing_period" => {
                    atoms.trailing_period = match value.as_bool() {
                        Some(true) => Some(Period::Required),
                        Some(false) => Some(Period::Optional),
                        None => self.word(value, "`trailing_period`", &Period::WORDS, Period::parse),
                    };
                }
                "types" => {
                    let is_error =
                        |word: &str| ["warning", "error"].contains(&word).then_some(word == "error");
                    let word = self.word(value, "`types`", &["warning", "error"], is_error);
                    atoms.types_are_errors = word.unwrap_or_default();
                }
                "allow_escaped_metachars" => {
                    let flag = self.flag(value, "`allow_escaped_metachars`");
                    atoms.allow_escaped_metachars = flag.unwrap_or_default();
                }
                "protected" => atoms.protected = Some(self.texts(value, "`protected`")),
                "protected_extra" => atoms.protected_extra = self.texts(value, "`protected_extra`"),
                "sensitive" => atoms.sensitive = Some(self.texts(value, "`sensitive`")),
                _ => {}
            }
        }
        atoms
    }

    fn caps(&mut self, value: Value<'_>) -> Caps {
        let mut caps = Caps::default();
        let Some(table) = self.table(value, "`transcripts.caps`") else { return caps };
        self.unknown_keys(&CAPS, &table);
        for (key, value) in table {
            let limit = match &*key.name {
                "allow_markdown_wrapped" => {
                    caps.fenced = self.flag(value, "`allow_markdown_wrapped`").unwrap_or(caps.fenced);
                    continue;
                }
                "max_surface_length" => &mut caps.surface,
                "max_depth" => &mut caps.depth,
                "max_candidate" => &mut caps.candidate,
                "max_updates" => &mut caps.updates,
                "max_update_length" => &mut caps.update,
                "max_memory_operations" => &mut caps.memory,
                "max_reasoning_trace" => &mut caps.trace,
                "max_tool_requests" => &mut caps.tools,
                "max_knowledge_requests" => &mut caps.knowledge,
                _ => continue,
            };
            *limit = self.size(value, &CAPS, &key.name).unwrap_or(*limit);
        }
        caps
    }

    fn consumers(&mut self, value: Value<'_>) -> BTreeMap<String, Consumer> {
        let mut consumers = BTreeMap::new();
        let Some(table) = self.table(value, "`transcripts.consumers`") else { return consumers };
        for (key, value) in table {
            let what = format!("the consumer `{}`", key.name);
            let Some(inner) = self.table(value, &what) else { continue };
            self.unknown_keys(&CONSUMERS, &inner);
            if BUILT_IN_CONSUMERS.contains(&&*key.name) {
                self.bad_value(
                    key.span,
                    format!("The consumer `{}` is built in; take another name.", key.name),
                );
                continue;
            }
            let consumer = self.one_consumer(inner);
            consumers.insert(key.name.to_string(), consumer);
        }
        consumers
    }

    fn one_consumer(&mut self, table: Table<'_>) -> Consumer {
        let mut consumer = Consumer::default();
        for (key, value) in table {
            match &*key.name {
                "predicates" => consumer.predicates = self.texts(value, "`predicates`"),
                "prefixes" => consumer.prefixes = self.texts(value, "`prefixes`"),
                "max_updates" => {
                    let number = self.size(value, &CONSUMERS, "max_updates");
                    consumer.max_updates = number.unwrap_or(consumer.max_updates);
                }
                "protected" => {
                    consumer.protected = self.flag(value, "`protected`").unwrap_or(consumer.protected);
                }
                _ => {}
            }
        }
        consumer
    }

    /// Reads `[[transcripts.shape]]`. One that could find nothing is left out, with a finding.
    fn shapes(&mut self, mut value: Value<'_>) -> Vec<TranscriptShape> {
        let span = value.span;
        let ValueInner::Array(tables) = value.take() else {
            self.bad_value(span, "A shape is written `[[transcripts.shape]]`, with two pairs of brackets.");
            return Vec::new();
        };
        let mut shapes = Vec::new();
        for table in tables {
            let start = first_line(self.text, table.span);
            let Some(table) = self.table(table, "a shape") else { continue };
            self.unknown_keys(&SHAPE, &table);
            let has_text = ["text", "pattern"].iter().any(|key| table.contains_key(*key));
            let is_both = ["text", "records", "role"].iter().any(|key| table.contains_key(*key))
                && table.contains_key("pattern");
            let shape = self.one_shape(table);
            let wrong = match (has_text, is_both) {
                (false, _) => {
                    Some("A shape needs `text`, which points to what is said, or a `pattern` for lines.")
                }
                (_, true) => Some("A shape has pointers or a `pattern`, not both."),
                _ => None,
            };
            if let Some(message) = wrong {
                self.findings.push(Finding::new(&CONFIG_BAD_VALUE, start, message));
            } else if shape.pattern.is_some() || !shape.text.is_empty() {
                shapes.push(shape);
            }
        }
        shapes
    }

    fn one_shape(&mut self, table: Table<'_>) -> TranscriptShape {
        let mut shape = TranscriptShape::default();
        for (key, value) in table {
            match &*key.name {
                "name" => shape.name = self.string(value, "`name`").map(|(name, _)| name).unwrap_or_default(),
                "glob" => shape.glob = Some(self.glob_or_globs(value)),
                "records" => shape.records = self.pointer(value, "`records`"),
                "role" => shape.role = self.pointer(value, "`role`"),
                "text" => shape.text = self.pointers(value, "`text`"),
                "session" => shape.session = self.pointer(value, "`session`"),
                "time" => shape.time = self.pointer(value, "`time`"),
                "assistant" => shape.assistant = self.texts(value, "`assistant`"),
                "pattern" => shape.pattern = self.line_pattern(value),
                _ => {}
            }
        }
        shape
    }

    /// A pattern for lines, whose groups have names that are known.
    fn line_pattern(&mut self, value: Value<'_>) -> Option<String> {
        let span = value.span;
        let pattern = self.pattern(value, "`pattern`")?;
        let regex = regex::Regex::new(&pattern).ok()?;
        for name in regex.capture_names().flatten().filter(|name| !PATTERN_GROUPS.contains(name)) {
            let message = format!(
                "A group of `pattern` cannot be `{name}`; it is one of {}.",
                PATTERN_GROUPS.join(", ")
            );
            self.bad_value_near(span, message, name, PATTERN_GROUPS);
        }
        Some(pattern)
    }

    fn pointer(&mut self, value: Value<'_>, what: &str) -> Option<PointerPattern> {
        let (text, span) = self.string(value, what)?;
        match PointerPattern::parse(&text) {
            Ok(pointer) => Some(pointer),
            Err(why) => {
                self.bad_value(span, format!("{what} is not a JSON pointer: {why}."));
                None
            }
        }
    }

    fn pointers(&mut self, value: Value<'_>, what: &str) -> Vec<PointerPattern> {
        if value.as_str().is_some() {
            return self.pointer(value, what).into_iter().collect();
        }
        let texts = self.strings(value, what);
        let mut pointers = Vec::new();
        for (text, span) in texts {
            match PointerPattern::parse(&text) {
                Ok(pointer) => pointers.push(pointer),
                Err(why) => self.bad_value(span, format!("{what} is not a JSON pointer: {why}.")),
            }
        }
        pointers
    }

    fn overrides(&mut self, mut value: Value<'_>, named: &mut Vec<Named>) -> Vec<TranscriptOverride> {
        let span = value.span;
        let ValueInner::Array(tables) = value.take() else {
            self.bad_value(
                span,
                "An override is written `[[transcripts.override]]`, with two pairs of brackets.",
            );
            return Vec::new();
        };
        let mut overrides = Vec::new();
        for table in tables {
            let start = first_line(self.text, table.span);
            let Some(table) = self.table(table, "an override") else { continue };
            self.unknown_keys(&OVERRIDE, &table);
            if !table.contains_key("glob") {
                let message = "An override needs a `glob` that says which transcripts it is for.";
                self.findings.push(Finding::new(&CONFIG_BAD_VALUE, start, message));
            }
            overrides.push(self.one_override(table, named));
        }
        overrides
    }

    fn one_override(&mut self, table: Table<'_>, named: &mut Vec<Named>) -> TranscriptOverride {
        let mut one = TranscriptOverride::default();
        for (key, value) in table {
            match &*key.name {
                "glob" => one.glob = self.glob_or_globs(value),
                "profile" => one.profile = self.profile(value),
                "consumer" => one.consumer = self.consumer(value, named),
                "container" => one.container = self.container(value),
                "strict" => one.strict = self.strictness(value),
                "require_valid_json" => one.require_valid_json = self.flag(value, "`require_valid_json`"),
                _ => {}
            }
        }
        one
    }

    fn profile(&mut self, value: Value<'_>) -> Option<Profile> {
        let words: Vec<_> = std::iter::once(AUTO).chain(Profile::WORDS).collect();
        let parse = |word: &str| match word {
            AUTO => Some(None),
            _ => Profile::parse(word).map(Some),
        };
        self.word(value, "`profile`", &words, parse).flatten()
    }

    fn strictness(&mut self, value: Value<'_>) -> Option<Strictness> {
        self.word(value, "`strict`", &Strictness::WORDS, Strictness::parse)
    }

    fn container(&mut self, value: Value<'_>) -> Option<Container> {
        self.word(value, "`container`", &Container::WORDS, Container::parse)
    }

    fn consumer(&mut self, value: Value<'_>, named: &mut Vec<Named>) -> Option<String> {
        let (name, span) = self.string(value, "`consumer`")?;
        named.push((name.clone(), span));
        Some(name)
    }

    /// Reports the consumers that were named and do not exist.
    fn check_consumers(&mut self, named: Vec<Named>, own: &BTreeMap<String, Consumer>) {
        for (name, span) in named {
            let known = || BUILT_IN_CONSUMERS.into_iter().chain(own.keys().map(String::as_str));
            if !known().any(|known| known == name) {
                let all: Vec<_> = known().collect();
                let message = format!(
                    "There is no consumer `{name}`; it is one of {}, or a table `[transcripts.consumers.NAME]`.",
                    all.join(", ")
                );
                let finding = Finding::new(&CONFIG_BAD_VALUE, range(span), message);
                self.findings.push(suggest(finding, &name, all));
            }
        }
    }

    fn pattern(&mut self, value: Value<'_>, what: &str) -> Option<String> {
        let (pattern, span) = self.string(value, what)?;
        match regex::Regex::new(&pattern) {
            Ok(_) => Some(pattern),
            Err(error) => {
                // The last line says what is wrong, those before show the pattern.
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                self.bad_value(span, format!("{what} is not a regular expression: {why}."));
                None
            }
        }
    }

    fn tools(&mut self, value: Value<'_>) -> Option<(String, TextRange)> {
        let (path, span) = self.string(value, "`tools`")?;
        let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
        if path.is_empty() || leads_out {
            let why = if leads_out { "leads out of the folder of this file" } else { "is empty" };
            self.bad_value(span, format!("The path `{path}` of `tools` cannot be used: it {why}."));
            return None;
        }
        Some((path, range(span)))
    }

    fn glob_or_globs(&mut self, value: Value<'_>) -> Globs {
        if value.as_str().is_none() {
            return self.globs(value, "`glob`").unwrap_or_default().0;
        }
        let Some((pattern, span)) = self.string(value, "`glob`") else { return Globs::default() };
        Globs::new(vec![pattern.clone()]).unwrap_or_else(|(_, why)| {
            self.bad_value(span, format!("The glob `{pattern}` cannot be used: {why}."));
            Globs::default()
        })
    }

    pub(super) fn texts(&mut self, value: Value<'_>, what: &str) -> Vec<String> {
        self.strings(value, what).into_iter().map(|(text, _)| text).collect()
    }

    /// The number that a key of a section has, within its range.
    fn size(&mut self, value: Value<'_>, section: &Section, name: &str) -> Option<usize> {
        let Some(Kind::Number(least, most)) = kind(section, name) else { return None };
        let number = self.number(value, &format!("`{name}`"), (least, most))?;
        usize::try_from(number).ok()
    }
}

fn kind(section: &Section, name: &str) -> Option<Kind> {
    section.key(name).map(|key| key.kind)
}
