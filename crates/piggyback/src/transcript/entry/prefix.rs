//! Prefix of a log line: timestamps, levels, and names of loggers, containers and speakers.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::prefix_parts;
use super::prefix_parts::Mask;
use crate::transcript::turn::TurnRole;

/// Maximum number of parts of a prefix.
const PARTS: usize = 16;

/// Maximum length of a bracketed part, in bytes.
const BRACKETS: usize = 120;

/// Prefix of a line. Offsets are relative to the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::transcript) struct Prefix {
    /// Start of the text, after white space.
    pub(in crate::transcript) end: usize,
    /// Start of the white space before the text.
    pub(super) gap: usize,
    /// Format of the first timestamp.
    pub(super) time: Option<Mask>,
    /// True if a timestamp includes a time of day.
    has_clock: bool,
    pub(super) has_level: bool,
    /// End of the container name that `docker compose` and `kubectl` put before each line.
    pub(super) source: Option<usize>,
    /// Mark of a container runtime (CRI) before each line.
    pub(super) piece: Option<Piece>,
    pub(in crate::transcript) role: Option<TurnRole>,
    /// True if the word for the speaker has no other meaning in logs.
    pub(super) is_certain: bool,
}

/// CRI mark of a line: `stdout P ` or `stderr F `.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Offset after the mark, before white space of the text.
    pub(super) end: usize,
    is_error: bool,
    /// True if the next piece continues this one.
    pub(super) is_partial: bool,
}

impl Piece {
    /// Parses the mark at the start of a text. `end` is its end offset in the line.
    fn at_start(text: &[u8], end: usize) -> Option<Self> {
        let is_error = text.starts_with(b"stderr ");
        let mark = text.strip_prefix(b"stdout ").or_else(|| text.strip_prefix(b"stderr "))?;
        let is_partial = mark.starts_with(b"P ");
        (is_partial || mark.starts_with(b"F ")).then_some(Self { end, is_error, is_partial })
    }

    /// True if a line with this mark continues a line with the mark `before`.
    pub(super) fn continues(self, before: Self) -> bool {
        before.is_partial && before.is_error == self.is_error
    }
}

impl Prefix {
    /// Parses the prefix of a line, if any.
    pub(in crate::transcript) fn parse(line: &[u8]) -> Option<Self> {
        if line.first().is_none_or(|first| first.is_ascii_whitespace() || matches!(first, b'{' | b'}' | b'"'))
        {
            return None;
        }
        let mut cursor = Cursor { patterns: PATTERNS.as_ref()?, line, at: 0, found: Self::default() };
        cursor.source();
        cursor.decoration();
        for _ in 0..PARTS {
            if cursor.found.is_speaker() || !cursor.part() {
                break;
            }
        }
        let mut found = cursor.found;
        (found.gap, found.end) = (cursor.at, cursor.at);
        cursor.blank();
        found.end = cursor.at;
        // Prose can also begin with a date.
        let is_day = found.time.is_some() && !found.has_clock;
        let is_prefix = found.has_clock || found.has_level || found.source.is_some() || found.role.is_some();
        (is_prefix && (!is_day || found.has_level || found.role.is_some())).then_some(found)
    }

    /// True if the prefix certainly names a speaker.
    pub(in crate::transcript) fn is_speaker(&self) -> bool {
        self.role.is_some() && self.is_certain
    }

    /// True if the prefix has a timestamp, level or speaker in addition to a container name.
    pub(super) fn has_more_than_source(&self) -> bool {
        self.time.is_some() || self.has_level || self.role.is_some()
    }
}

/// Patterns at the start of any line.
struct PrefixPatterns {
    /// Levels in upper case.
    level: Regex,
    /// Levels in any case, and short levels. They require a preceding timestamp.
    any_level: Regex,
    /// Container name such as `agent-1  | `, or `<165>1 ` before a syslog timestamp.
    source: Regex,
    /// Decoration such as `--- ` or `### `.
    decoration: Regex,
    /// A key-value pair of logfmt.
    pair: Regex,
    /// A logfmt key before a value that may be the text.
    key: Regex,
}

static PATTERNS: LazyLock<Option<PrefixPatterns>> = LazyLock::new(|| PrefixPatterns::compile().ok());

impl PrefixPatterns {
    fn compile() -> Result<Self, regex::Error> {
        Ok(Self {
            level: Regex::new(
                r"(?-u)^(?:TRACE|DEBUG|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC|VERBOSE|SEVERE|FINE|CONFIG)(?:\[\d+\]|\(\d+\))?",
            )?,
            any_level: Regex::new(
                r"(?i-u)^(?:trace|debug|info|information|notice|warn|warning|error|fatal|critical|panic|verbose|severe|trc|dbg|inf|wrn|err|crit|ftl|log)(?:\[\d+\]|\(\d+\))?",
            )?,
            source: Regex::new(
                r"(?-u)^(?:[A-Za-z][A-Za-z0-9_.-]*[ \t]*\| ?|\[(?:pod|container)/[^\]\n]{1,200}\] ?|<\d{1,3}>(?:\d )?)",
            )?,
            decoration: Regex::new(r"(?-u)^[-=*#~+]{1,8}[ \t]+")?,
            pair: Regex::new(
                r#"(?-u)^(?P<key>[A-Za-z_][A-Za-z0-9_.-]*)=(?P<value>"(?:[^"\\\n]|\\.)*"|[^\s"'{]+)(?:[ \t,;]|$)"#,
            )?,
            key: Regex::new(r"(?-u)^[A-Za-z_][A-Za-z0-9_.-]*=")?,
        })
    }
}

/// Patterns of names after a timestamp or level. Compiled separately, because most lines of prose
/// have neither.
struct NamePatterns {
    /// Names of loggers, hosts, files and processes, with their terminator.
    name: Regex,
    /// The logger in `INFO:agent.llm:`.
    logger: Regex,
    /// A word and the white space after it.
    bare: Regex,
}

static NAMES: LazyLock<Option<NamePatterns>> = LazyLock::new(|| NamePatterns::compile().ok());

impl NamePatterns {
    fn compile() -> Result<Self, regex::Error> {
        Ok(Self {
            name: Regex::new(
                r#"(?-u)^(?:[A-Za-z_$][A-Za-z0-9_.:/$@\\#-]{0,80}?(?:\[[^\]\s"]{1,40}\]|\(\d+\)|<[^>\s"]{1,40}>)?(?::(?:\s|$|\{)|\][ \t]|[ \t]+(?:-{1,2}|\||=>|:)(?:[ \t]|$)|\t)|[A-Za-z_$][A-Za-z0-9_.:/-]{0,80}\x1b\[[0-9;]*m(?::|[ \t])|std(?:out|err) [FP] |\d{1,8}[ \t]+(?:-{1,3}[ \t]+)?|[A-Za-z0-9_.-]{1,64} [A-Za-z0-9_./-]{1,64}(?:\[\d+\]|:)(?:\s|$)|[A-Za-z0-9_.-]{1,64} [A-Za-z0-9_./-]{1,64}\[\d+\]:|[A-Za-z0-9_.-]{1,64} [A-Za-z0-9_.-]{1,64} (?:\d+|-) \S{1,40} (?:-|\[[^\]\n]*\]) )"#,
            )?,
            logger: Regex::new(r"(?-u)^[A-Za-z_][A-Za-z0-9_.]*:")?,
            bare: Regex::new(r"(?-u)^[A-Za-z_][A-Za-z0-9_./:-]{0,64}[ \t]+")?,
        })
    }
}

struct Cursor<'l> {
    patterns: &'static PrefixPatterns,
    line: &'l [u8],
    at: usize,
    found: Prefix,
}

impl<'l> Cursor<'l> {
    fn rest(&self) -> &'l [u8] {
        self.line.get(self.at..).unwrap_or(&[])
    }

    fn matched(&self, pattern: &Regex) -> Option<usize> {
        Some(pattern.find(self.rest())?.end())
    }

    /// Skips white space and terminal color codes.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let len = match rest {
                [b' ' | b'\t', ..] => 1,
                [0x1b, b'[', code @ ..] => {
                    let digits =
                        code.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
                    if code.get(digits) != Some(&b'm') {
                        return;
                    }
                    digits + 3
                }
                _ => return,
            };
            self.at += len;
        }
    }

    fn source(&mut self) {
        self.blank();
        let PrefixPatterns { source, any_level, .. } = self.patterns;
        if let Some(len) = self.matched(source)
            && self.matched(any_level).is_none_or(|end| end + 3 < len)
        {
            self.at += len;
            self.found.source = Some(self.at);
        }
    }

    fn decoration(&mut self) {
        let len = self.matched(&self.patterns.decoration).unwrap_or(0);
        self.at += len;
    }

    /// Skips one part of the prefix. Returns false if there is none.
    fn part(&mut self) -> bool {
        let before = self.at;
        self.blank();
        if self.has_begun() {
            self.separator();
        }
        let is_part =
            self.time() || self.level() || self.brackets() || self.speaker() || self.pair() || self.name();
        if !is_part {
            // The white space belongs to the text.
            self.at = self.at.max(before).min(self.line.len());
            if self.line.get(before..self.at).is_some_and(|gap| gap.trim_ascii().is_empty()) {
                self.at = before;
            }
        }
        is_part
    }

    fn has_begun(&self) -> bool {
        self.found.time.is_some() || self.found.has_level
    }

    /// Skips separators between two parts.
    fn separator(&mut self) {
        loop {
            let rest = self.rest();
            let len = match rest {
                [b'-', b'-', b'-' | b' ', ..] | [b'-', b' ', ..] => {
                    rest.iter().take_while(|byte| **byte == b'-').count()
                }
                [b'|' | b':' | b',', ..] => 1,
                _ => return,
            };
            self.at += len;
            self.blank();
        }
    }

    fn time(&mut self) -> bool {
        let Some(found) = prefix_parts::time_at_start(self.rest()) else { return false };
        // A number in the text is not a second timestamp.
        if self.found.has_clock && self.found.has_level {
            return false;
        }
        self.at += found.len;
        self.found.time = self.found.time.or(Some(found.mask));
        self.found.has_clock |= !found.is_day;
        true
    }

    fn level(&mut self) -> bool {
        let PrefixPatterns { level, any_level, .. } = self.patterns;
        let levels = if self.found.time.is_some() { any_level } else { level };
        let Some(len) = self.matched(levels).filter(|_| !self.found.has_level) else { return false };
        let is_end = |next: &u8| {
            matches!(next, b' ' | b'\t' | b':' | b']' | b')' | b'|' | b'[' | b'(' | b'\r' | b'\n' | 0x1b)
        };
        if !self.rest().get(len).is_none_or(is_end) {
            return false;
        }
        self.at += len;
        self.found.has_level = true;
        true
    }

    /// Skips a bracketed part: a timestamp, a level or a speaker; after one of these, any text.
    /// Returns true if a part was skipped.
    fn brackets(&mut self) -> bool {
        let close = match self.rest().first() {
            Some(b'[') => b']',
            Some(b'(') => b')',
            Some(b'<') if self.has_begun() => b'>',
            _ => return false,
        };
        let near = self.rest().get(..BRACKETS.min(self.rest().len())).unwrap_or(&[]);
        let Some(end) = memchr::memchr(close, near)
            .filter(|end| !near.get(..*end).is_some_and(|inner| inner.contains(&b'\n')))
        else {
            return false;
        };
        let inner = near.get(1..end).unwrap_or(&[]).trim_ascii();
        if inner.contains(&b'"') || inner.contains(&b'{') {
            return false;
        }
        let (had_begun, next) = (self.has_begun(), self.at + end + 1);
        if let Some(found) = prefix_parts::time_at_start(inner) {
            self.found.time = self.found.time.or(Some(found.mask));
            self.found.has_clock |= !found.is_day;
        }
        let levels = &self.patterns.any_level;
        let is_level = |word: &[u8]| levels.find(word).is_some_and(|found| found.end() == word.len());
        let mut words = inner.split(|byte| matches!(byte, b' ' | b'\t' | b'|'));
        self.found.has_level |= words.any(is_level);
        if let Some(speaker) =
            std::str::from_utf8(inner).ok().map(TurnRole::parse).filter(|role| *role != TurnRole::Other)
        {
            self.found.role = Some(speaker);
            self.found.is_certain =
                matches!(speaker, TurnRole::User) || inner.eq_ignore_ascii_case(b"assistant");
        }
        if !had_begun && !self.has_begun() && self.found.role.is_none() {
            return false;
        }
        self.at = next;
        if self.found.role.is_some() && matches!(self.rest().first(), Some(b':' | b'>')) {
            self.at += 1;
        }
        true
    }

    fn speaker(&mut self) -> bool {
        let Some(found) = prefix_parts::speaker_at_start(self.rest()) else { return false };
        self.at += found.len;
        self.found.role = Some(found.role);
        self.found.is_certain = found.is_certain;
        true
    }

    /// Skips a logfmt pair, or the key before the text. Returns true only for a pair.
    fn pair(&mut self) -> bool {
        let rest = self.rest();
        let Some(found) = self.patterns.pair.captures(rest) else {
            let key = self.matched(&self.patterns.key).filter(|len| {
                let value = rest.get(*len..).unwrap_or(&[]);
                self.has_begun() && matches!(value.first(), Some(b'{' | b'"' | b'\'' | b'`'))
            });
            self.at += key.unwrap_or(0);
            return false;
        };
        let group = |name: &str| found.name(name).map_or(&[][..], |group| group.as_bytes());
        let (key, value) = (group("key").to_ascii_lowercase(), group("value"));
        let bare = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        match key.as_slice() {
            b"time" | b"ts" | b"timestamp" | b"t" | b"date" | b"at" => {
                let Some(found) = prefix_parts::time_at_start(bare) else { return false };
                self.found.time = self.found.time.or(Some(found.mask));
                self.found.has_clock |= !found.is_day;
            }
            b"level" | b"lvl" | b"severity" => self.found.has_level = true,
            b"role" | b"speaker" | b"author" => return self.speaker(),
            _ if !self.has_begun() || bare.contains(&b'{') => return false,
            _ => {}
        }
        let len = found.get(0).map_or(0, |all| all.end());
        self.at += len;
        true
    }

    /// Skips the name of a logger, a host, a file or a process. Returns true if the name is not
    /// empty.
    fn name(&mut self) -> bool {
        if !self.has_begun() {
            return false;
        }
        let Some(names) = &*NAMES else { return false };
        let is_after_colon = self.at.checked_sub(1).and_then(|at| self.line.get(at)) == Some(&b':');
        let found =
            self.matched(&names.name).or_else(|| self.matched(&names.logger).filter(|_| is_after_colon));
        let Some(len) = found.map(|len| self.without_speaker(len)).or_else(|| self.bare_name(names)) else {
            return false;
        };
        self.found.piece = self.found.piece.or_else(|| Piece::at_start(self.rest(), self.at + len));
        self.at += len;
        len > 0
    }

    /// Returns the length of a name without a speaker at its end.
    fn without_speaker(&self, len: usize) -> usize {
        let name = self.rest().get(..len).unwrap_or(&[]);
        // The brace begins the text.
        let name = name.strip_suffix(b"{").unwrap_or(name);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
        let end = name.iter().rposition(is_part).map_or(0, |last| last + 1);
        let start = name
            .get(..end)
            .and_then(|word| word.iter().rposition(|byte| !is_part(byte)))
            .map_or(0, |at| at + 1);
        let label = prefix_parts::speaker_at_start(self.rest().get(start..).unwrap_or(&[]));
        if label.is_some_and(|label| label.is_certain) { start } else { name.len() }
    }

    /// Returns the length of a word before JSON or a speaker.
    fn bare_name(&self, names: &NamePatterns) -> Option<usize> {
        let len = self.matched(&names.bare)?;
        let behind = self.rest().get(len..)?;
        let is_json = matches!(behind.first(), Some(b'{' | b'}' | b'[' | b']' | b'"'));
        // Keep the white space: it determines the indentation of a line.
        let word = self.rest().iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
        (is_json || prefix_parts::speaker_at_start(behind).is_some_and(|label| label.is_certain))
            .then_some(word)
    }
}
