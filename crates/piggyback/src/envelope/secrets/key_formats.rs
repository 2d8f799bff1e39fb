//! The forms in which services write their keys.

use std::ops::Range;

/// What the rest of a key consists of.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Capitals and digits.
    Capitals,
    /// Digits of base 16.
    Hex,
    /// Letters, digits, `-` and `_`.
    Url,
    /// The same and `.`, `/`, `+`, `=`.
    Any,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Plain => byte.is_ascii_alphanumeric(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Any => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'=')
            }
        }
    }
}

use Letters::{Any, Capitals, Hex, Plain, Url};

/// Beginnings of keys, how many characters follow at least and which, and what such a key is.
#[rustfmt::skip] // One row a service.
const BEGINNINGS: &[(&str, usize, Letters, &str)] = &[
    ("sk-", 16, Url, "an API key"),
    ("sk_live_", 10, Plain, "a Stripe key"), ("sk_test_", 10, Plain, "a Stripe key"),
    ("rk_live_", 10, Plain, "a Stripe key"), ("rk_test_", 10, Plain, "a Stripe key"),
    ("pk_live_", 10, Plain, "a Stripe key"), ("whsec_", 20, Any, "a Stripe secret"),
    ("ghp_", 20, Plain, "a GitHub token"), ("gho_", 20, Plain, "a GitHub token"),
    ("ghu_", 20, Plain, "a GitHub token"), ("ghs_", 20, Plain, "a GitHub token"),
    ("ghr_", 20, Plain, "a GitHub token"), ("github_pat_", 20, Url, "a GitHub token"),
    ("glpat-", 16, Url, "a GitLab token"), ("gldt-", 16, Url, "a GitLab token"),
    ("glrt-", 16, Url, "a GitLab token"), ("glcbt-", 16, Url, "a GitLab token"),
    ("glptt-", 16, Url, "a GitLab token"), ("glsoat-", 16, Url, "a GitLab token"),
    ("glagent-", 16, Url, "a GitLab token"), ("glft-", 16, Url, "a GitLab token"),
    ("xoxb-", 10, Url, "a Slack token"), ("xoxp-", 10, Url, "a Slack token"),
    ("xoxa-", 10, Url, "a Slack token"), ("xoxr-", 10, Url, "a Slack token"),
    ("xoxs-", 10, Url, "a Slack token"), ("xoxe-", 10, Url, "a Slack token"),
    ("xoxe.", 10, Any, "a Slack token"), ("xapp-", 10, Url, "a Slack token"),
    ("hooks.slack.com/services/", 20, Any, "a Slack webhook"),
    ("hooks.slack.com/workflows/", 20, Any, "a Slack webhook"),
    ("discord.com/api/webhooks/", 30, Any, "a Discord webhook"),
    ("discordapp.com/api/webhooks/", 30, Any, "a Discord webhook"),
    ("AKIA", 16, Capitals, "an AWS key"), ("ASIA", 16, Capitals, "an AWS key"),
    ("ABIA", 16, Capitals, "an AWS key"), ("ACCA", 16, Capitals, "an AWS key"),
    ("AIza", 30, Url, "a Google API key"), ("ya29.", 20, Any, "a Google token"),
    ("GOCSPX-", 20, Url, "a Google secret"),
    ("npm_", 30, Plain, "an npm token"), ("pypi-", 30, Url, "a PyPI token"),
    ("rubygems_", 30, Hex, "a RubyGems token"), ("dckr_pat_", 20, Url, "a Docker token"),
    ("hf_", 20, Plain, "a Hugging Face token"), ("r8_", 30, Plain, "a Replicate token"),
    ("gsk_", 30, Plain, "a Groq key"), ("xai-", 30, Plain, "an xAI key"), ("pplx-", 30, Plain, "a Perplexity key"),
    ("dop_v1_", 30, Hex, "a DigitalOcean token"), ("doo_v1_", 30, Hex, "a DigitalOcean token"),
    ("dor_v1_", 30, Hex, "a DigitalOcean token"),
    ("SG.", 30, Any, "a SendGrid key"), ("key-", 32, Hex, "a Mailgun key"),
    ("shpat_", 30, Hex, "a Shopify token"), ("shpss_", 30, Hex, "a Shopify secret"),
    ("shpca_", 30, Hex, "a Shopify token"), ("shppa_", 30, Hex, "a Shopify token"),
    ("sq0atp-", 20, Url, "a Square token"), ("sq0csp-", 30, Url, "a Square secret"),
    ("lin_api_", 30, Plain, "a Linear key"), ("ntn_", 30, Plain, "a Notion token"),
    ("figd_", 30, Url, "a Figma token"), ("PMAK-", 30, Url, "a Postman key"),
    ("hvs.", 20, Url, "a Vault token"), ("hvb.", 20, Url, "a Vault token"), ("hvr.", 20, Url, "a Vault token"),
    ("ATATT3", 30, Any, "an Atlassian token"), ("ATCTT3", 30, Any, "an Atlassian token"),
    ("dapi", 32, Hex, "a Databricks token"), ("pul-", 40, Hex, "a Pulumi token"),
    ("NRAK-", 20, Capitals, "a New Relic key"), ("glsa_", 30, Url, "a Grafana token"),
    ("glc_", 30, Any, "a Grafana token"), ("sntrys_", 30, Any, "a Sentry token"), ("sntryu_", 30, Hex, "a Sentry token"),
    ("tskey-", 20, Url, "a Tailscale key"), ("fo1_", 30, Url, "a Fly.io token"), ("fm2_", 60, Any, "a Fly.io token"),
    ("CFPAT-", 40, Url, "a Contentful token"), ("dp.pt.", 30, Plain, "a Doppler token"),
    ("dp.st.", 30, Any, "a Doppler token"), ("EZAK", 50, Plain, "an EasyPost key"),
    ("AGE-SECRET-KEY-1", 40, Capitals, "an age key"), ("PuTTY-User-Key-File-", 1, Any, "a private key"),
    ("eyJ", 30, Any, "a JSON web token"),
];

/// For each byte whether a beginning starts with it.
static FIRST: [bool; 256] = {
    let (mut table, mut at) = ([false; 256], 0);
    while at < BEGINNINGS.len() {
        table[BEGINNINGS[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    table
};

/// A key in a word, at its beginning or behind `/`, `=`, `:`, `@`.
pub(super) fn find(word: &str) -> Option<(Range<usize>, &'static str)> {
    let bytes = word.as_bytes();
    let is_start = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_none_or(|before| matches!(before, b'/' | b'=' | b':' | b'@' | b'\\' | b'.' | b'#' | b'*'))
    };
    let starts = bytes.iter().enumerate().filter(|(_, byte)| FIRST[usize::from(**byte)]);
    let keys = starts.filter(|(at, _)| is_start(*at)).filter_map(|(at, _)| begins(word, at));
    keys.chain(bot(word)).chain(azure(word)).min_by_key(|(range, _)| range.start)
}

/// A key that begins at a place.
fn begins(word: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let rest = word.get(at..)?;
    let known = |row: &&(&str, usize, Letters, &str)| rest.starts_with(row.0);
    BEGINNINGS.iter().filter(known).find_map(|(beginning, least, letters, kind)| {
        let tail = rest.as_bytes().get(beginning.len()..)?;
        let len = tail.iter().take_while(|byte| letters.has(**byte)).count();
        let trimmed = rest.get(..beginning.len() + len)?.trim_end_matches(['.', '-', '/']).len();
        // Words with hyphens, such as those of a branch, have no digits.
        let is_key = trimmed >= beginning.len() + least && is_mixed(tail.get(..len)?);
        is_key.then_some((at..at + trimmed, *kind))
    })
}

/// Whether some letters are no plain words: there are digits, or capitals among small letters.
fn is_mixed(letters: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| letters.iter().any(is);
    has(u8::is_ascii_digit)
        || (has(u8::is_ascii_uppercase) && (has(u8::is_ascii_lowercase) || letters.len() == 16))
}

/// The token of a Telegram bot: `123456789:AA…`
fn bot(word: &str) -> Option<(Range<usize>, &'static str)> {
    let colon = word.find(":AA")?;
    let digits = word.bytes().take(colon).rev().take_while(u8::is_ascii_digit).count();
    let rest = word.get(colon + 1..)?;
    let len = rest.bytes().take_while(|byte| Url.has(*byte)).count();
    ((8..=10).contains(&digits) && len >= 30).then_some((colon - digits..colon + 1 + len, "a Telegram token"))
}

/// A client secret of Azure: three letters, a digit, `Q~`, and more letters.
fn azure(word: &str) -> Option<(Range<usize>, &'static str)> {
    let at = word.find("Q~")?;
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-');
    let before = word.as_bytes().get(at.checked_sub(4)?..at)?;
    let len = word.bytes().skip(at + 2).take_while(is_letter).count();
    let is_key = before.iter().all(is_letter) && before.last().is_some_and(u8::is_ascii_digit) && len >= 31;
    is_key.then_some((at - 4..at + 2 + len, "an Azure secret"))
}
