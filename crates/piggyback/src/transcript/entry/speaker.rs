//! Speaker of a log entry.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::transcript::turn::TurnRole;
use crate::transcript::words::is_reasoning;

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

/// Labels such as `assistant:`, `**Assistant**:`, `[user]`, `Assistant>`, `model ->`,
/// `role=assistant` and `<- model`.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)^(?P<before>(?:<-+|<=+|<<+|->|=>|-->|>>+|\xe2\x86\x90|\xe2\x86\x92) *)?",
        r#"(?P<key>(?:role|speaker|author)[=:] *["']?)?(?P<open>[\[(<*_]{1,3})?(?P<word>[a-z]{2,9})"#,
        r#"(?P<close>[\])>*_"']{0,3})[ \t]*"#,
        r"(?P<after>:\*{0,2}|>+|\xc2\xbb|->|=>|-->|<-|\xe2\x86\x92|\||- )?",
    ))
    .ok()
});

/// Parses the label at the start of a text.
pub(super) fn at_start(text: &[u8]) -> Option<Speaker> {
    let found = LABEL.as_ref()?.captures(text)?;
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

/// Label before an envelope that is not a reply.
static USER_LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u)\b(?:user|human)(?: (?:input|message|says|said|turn|text|request))?[ \t]*[:>=-]+[ \t]*["'`]?$"#,
    )
    .ok()
});
static PROMPT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)\bprompt\b[^:=\n{]{0,30}[:=]").ok());
static TOOL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)\btool[ _-](?:result|output|response)\b").ok());

/// Label before an envelope that is a reply.
static ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u)\b(?:reply|response|answer|completion|output|assistant|envelope)\b[^:=\n]{0,30}[:=>][ \t]*["'`]?$"#,
    )
    .ok()
});

/// Key directly before an envelope, with its terminator.
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?-u)(?P<key>[A-Za-z_][A-Za-z0-9_.-]*)["']?[ \t]*[:=][ \t]*b?["'`]?$"#).ok()
});

/// Role of a message in the notation of a programming language: `'role': 'user', 'content': `.
static ROLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?-u)\brole["']?[ \t]*[:=][ \t]*["'](?P<role>[A-Za-z]+)["']"#).ok());

/// Maximum number of bytes before an envelope that are examined.
const MAX_WORDS: usize = 512;

/// True if the words before an envelope end with a key for the model's reasoning.
pub(super) fn is_thought(words: &[u8]) -> bool {
    let words = words.get(words.len().saturating_sub(MAX_WORDS)..).unwrap_or(words);
    let found = KEY.as_ref().and_then(|key| key.captures(words));
    let key = found.as_ref().and_then(|found| found.name("key"));
    key.and_then(|key| std::str::from_utf8(key.as_bytes()).ok()).is_some_and(is_reasoning)
}

/// Returns the role of the last message before an envelope.
fn role_before(words: &[u8]) -> Option<TurnRole> {
    let words = words.get(words.len().saturating_sub(MAX_WORDS)..).unwrap_or(words);
    let last = ROLE.as_ref()?.captures_iter(words).last()?;
    let role = TurnRole::parse(std::str::from_utf8(last.name("role")?.as_bytes()).ok()?);
    (role != TurnRole::Other).then_some(role)
}

/// Returns the speaker that the words before an envelope indicate.
pub(super) fn of_words(words: &[u8]) -> TurnRole {
    let has = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(words));
    if let Some(role) = role_before(words) {
        role
    } else if has(&TOOL) {
        TurnRole::Tool
    } else if has(&USER_LABEL) || has(&PROMPT) && !has(&ANSWER) {
        TurnRole::User
    } else {
        TurnRole::Assistant
    }
}
