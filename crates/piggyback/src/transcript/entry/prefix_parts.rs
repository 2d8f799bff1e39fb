//! Parts of the prefix of a log line: timestamps and speakers.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::transcript::turn::TurnRole;
use crate::transcript::words::is_reasoning;

/// Fingerprint of a timestamp format, without numbers, words and lengths: `0-0` for `2026-03-01`,
/// `a0:` for `Mar 1 12:00:00`. Lines of one program have the same mask.
pub(super) type Mask = [u8; 3];

/// A timestamp at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    /// Length in bytes.
    pub(super) len: usize,
    pub(super) mask: Mask,
    /// True for a date without a time of day. Ordinary text often begins with a date.
    pub(super) is_day: bool,
}

const CLOCK: &str = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,:]\d+)?)?(?: ?[AaPp][Mm]\b)?";
const ZONE: &str =
    r"(?: ?(?:Z\b|UTC\b|GMT\b|CES?T\b|EES?T\b|WES?T\b|[ECMP][SD]T\b|BST\b|IST\b|JST\b|[+-]\d{2}:?\d{2}\b))?";
const MONTH: &str = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const DAY: &str = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?";

/// Patterns of the parts of a prefix.
struct PartPatterns {
    /// Timestamp formats with a time of day.
    time: Regex,
    /// A date without a time of day.
    date: Regex,
    /// Labels such as `assistant:`, `**Assistant**:`, `[user]`, `Assistant>`, `model ->`,
    /// `role=assistant` and `<- model`.
    label: Regex,
}

static PARTS: LazyLock<Option<PartPatterns>> = LazyLock::new(|| PartPatterns::compile().ok());

impl PartPatterns {
    fn compile() -> Result<Self, regex::Error> {
        let times = [
            format!(r"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T_:]|,? +)\d{{0}}{CLOCK}{ZONE}"),
            format!(r"\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}(?:[T_:]|,? +){CLOCK}{ZONE}"),
            format!(r"\d{{1,2}}[-/ ]{MONTH}[-/ ]\d{{2,4}}(?:[T_:]|,? +){CLOCK}{ZONE}"),
            format!(r"{DAY}\d{{1,2}} {MONTH} \d{{4}},? {CLOCK}{ZONE}"),
            format!(r"{DAY}{MONTH} +\d{{1,2}},?(?: \d{{4}},?)? +{CLOCK}{ZONE}(?: \d{{4}}\b)?"),
            format!(r"\d{{8}}[T_ -]\d{{6}}(?:[.,]\d+)?{ZONE}"),
            format!(r"[DIWEF]\d{{4}} {CLOCK}"),
            r"\d{1,2}:\d{2}:\d{2}(?:[.,:]\d+)?(?: ?[AaPp][Mm]\b)?".to_owned(),
            r"\d{1,2}:\d{2} ?[AaPp][Mm]\b".to_owned(),
            r"1\d{9}(?:[.,]\d+|\d{3}|\d{6}|\d{9})?".to_owned(),
            r"\d+\.\d{6}".to_owned(),
        ];
        Ok(Self {
            time: Regex::new(&format!(r"(?-u)^(?:{})", times.join("|")))?,
            date: Regex::new(r"(?-u)^\d{4}[-/.]\d{2}[-/.]\d{2}")?,
            label: Regex::new(concat!(
                r"(?i-u)^(?P<before>(?:<-+|<=+|<<+|->|=>|-->|>>+|\xe2\x86\x90|\xe2\x86\x92) *)?",
                r#"(?P<key>(?:role|speaker|author)[=:] *["']?)?(?P<open>[\[(<*_]{1,3})?(?P<word>[a-z]{2,9})"#,
                r#"(?P<close>[\])>*_"']{0,3})[ \t]*"#,
                r"(?P<after>:\*{0,2}|>+|\xc2\xbb|->|=>|-->|<-|\xe2\x86\x92|\||- )?",
            ))?,
        })
    }
}

/// Bytes that may follow a timestamp.
const ENDS: &[u8] = b" \t\r\n])}>|:,;\"'-\x1b";

/// Parses the timestamp at the start of a text.
pub(super) fn time_at_start(text: &[u8]) -> Option<Time> {
    // Fast path: most lines begin with another character.
    if !text.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let PartPatterns { time, date, .. } = PARTS.as_ref()?;
    let (len, is_day) = match time.find(text) {
        Some(found) => (found.end(), false),
        None => (date.find(text)?.end(), true),
    };
    let is_end = text.get(len).is_none_or(|next| ENDS.contains(next));
    is_end.then(|| Time { len, mask: mask(text.get(..len).unwrap_or(&[])), is_day })
}

fn mask(text: &[u8]) -> Mask {
    let mut mask = Mask::default();
    let mut symbols = text.iter().map(|byte| match byte {
        b'0'..=b'9' | b' ' => b'0',
        byte if byte.is_ascii_alphabetic() => b'a',
        byte => *byte,
    });
    let mut last = None;
    for place in &mut mask {
        let next = symbols.by_ref().find(|symbol| Some(*symbol) != last || !matches!(symbol, b'0' | b'a'));
        *place = next.unwrap_or_default();
        last = next;
    }
    mask
}

/// Speaker label at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Speaker {
    pub(super) role: TurnRole,
    /// True if the word has no other meaning. Logging programs also use the names `agent` and
    /// `system`.
    pub(super) is_certain: bool,
    /// Length of the label in bytes.
    pub(super) len: usize,
}

/// Parses the label at the start of a text.
pub(super) fn speaker_at_start(text: &[u8]) -> Option<Speaker> {
    let found = PARTS.as_ref()?.label.captures(text)?;
    let word = std::str::from_utf8(found.name("word")?.as_bytes()).ok()?;
    let role = TurnRole::parse(word);
    if role == TurnRole::Other {
        return None;
    }
    let has = |name: &str| found.name(name).is_some_and(|group| !group.is_empty());
    let is_marked = has("after") || has("before") || has("key") || has("open") && has("close");
    // Without a separator, the word continues.
    let end = if has("after") { found.get(0)?.end() } else { found.name("close")?.end() };
    let rest = text.get(end..).unwrap_or(&[]);
    let goes_on =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b'=');
    if rest.first().is_some_and(goes_on) && !has("after") {
        return None;
    }
    // `agent::llm` is a path.
    if rest.starts_with(b":") {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let is_alone = rest.is_empty() || rest.starts_with(b"{") || rest.starts_with(b"```");
    let outward: &[&[u8]] = &[b"->", b"=>", b"-->", b">>", "→".as_bytes()];
    let is_sent =
        found.name("before").is_some_and(|arrow| outward.contains(&arrow.as_bytes().trim_ascii_end()));
    // A text that is sent to the model is a prompt.
    let role = if is_sent && role == TurnRole::Assistant && !is_alone { TurnRole::User } else { role };
    let certain = ["assistant", "user", "human"].iter().any(|name| word.eq_ignore_ascii_case(name));
    (is_marked || is_alone).then_some(Speaker {
        role,
        is_certain: certain || has("before") || has("key"),
        len: end,
    })
}

/// Patterns of the words before an envelope.
struct IntroductionPatterns {
    /// Labels before an envelope that is not a reply: of the user, of a prompt and of a tool.
    user: Regex,
    prompt: Regex,
    tool: Regex,
    /// Label before an envelope that is a reply.
    answer: Regex,
    /// Key directly before an envelope, with its terminator.
    text_key: Regex,
    /// Role of a message in the notation of a programming language: `'role': 'user', 'content': `.
    role_key: Regex,
}

static INTRODUCTIONS: LazyLock<Option<IntroductionPatterns>> =
    LazyLock::new(|| IntroductionPatterns::compile().ok());

impl IntroductionPatterns {
    fn compile() -> Result<Self, regex::Error> {
        Ok(Self {
            user: Regex::new(
                r#"(?i-u)\b(?:user|human)(?: (?:input|message|says|said|turn|text|request))?[ \t]*[:>=-]+[ \t]*["'`]?$"#,
            )?,
            prompt: Regex::new(r"(?i-u)\bprompt\b[^:=\n{]{0,30}[:=]")?,
            tool: Regex::new(r"(?i-u)\btool[ _-](?:result|output|response)\b")?,
            answer: Regex::new(
                r#"(?i-u)\b(?:reply|response|answer|completion|output|assistant|envelope)\b[^:=\n]{0,30}[:=>][ \t]*["'`]?$"#,
            )?,
            text_key: Regex::new(r#"(?-u)(?P<key>[A-Za-z_][A-Za-z0-9_.-]*)["']?[ \t]*[:=][ \t]*b?["'`]?$"#)?,
            role_key: Regex::new(r#"(?-u)\brole["']?[ \t]*[:=][ \t]*["'](?P<role>[A-Za-z]+)["']"#)?,
        })
    }

    /// Returns the role of the last message before an envelope.
    fn last_role(&self, words: &[u8]) -> Option<TurnRole> {
        let words = words.get(words.len().saturating_sub(MAX_WORDS)..).unwrap_or(words);
        let last = self.role_key.captures_iter(words).last()?;
        let role = TurnRole::parse(std::str::from_utf8(last.name("role")?.as_bytes()).ok()?);
        (role != TurnRole::Other).then_some(role)
    }
}

/// Maximum number of bytes before an envelope that are examined.
const MAX_WORDS: usize = 512;

/// True if the words before an envelope end with a key for the model's reasoning.
pub(super) fn is_thought(words: &[u8]) -> bool {
    let words = words.get(words.len().saturating_sub(MAX_WORDS)..).unwrap_or(words);
    let found = INTRODUCTIONS.as_ref().and_then(|patterns| patterns.text_key.captures(words));
    let key = found.as_ref().and_then(|found| found.name("key"));
    key.and_then(|key| std::str::from_utf8(key.as_bytes()).ok()).is_some_and(is_reasoning)
}

/// Returns the speaker that the words before an envelope indicate.
pub(super) fn speaker_of_words(words: &[u8]) -> TurnRole {
    let Some(patterns) = &*INTRODUCTIONS else { return TurnRole::Assistant };
    let IntroductionPatterns { user, prompt, tool, answer, .. } = patterns;
    if let Some(role) = patterns.last_role(words) {
        role
    } else if tool.is_match(words) {
        TurnRole::Tool
    } else if user.is_match(words) || prompt.is_match(words) && !answer.is_match(words) {
        TurnRole::User
    } else {
        TurnRole::Assistant
    }
}
