//! Rules for claims in the surface that contradict the requests in the packet.

use std::cell::{Cell, OnceCell};

use regex::bytes::Regex;

use crate::envelope::Sink;
use crate::envelope::survey::Subject;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static EARLY_CLAIM: Rule = rule!("early-claim.md");

pub(super) static IGNORANCE: Rule = rule!("ignorance.md");

/// Phrases of a surface that states ignorance.
pub(in crate::envelope) const IGNORANT: [&str; 9] = [
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "i'm not familiar",
    "i am not familiar",
    "i have no information",
    "i don't have information",
    "i don't have enough information",
];

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let has = |name: &str| !subject.control.list(name).is_empty();
    let (asks_tools, asks_others) = (has("tool_requests"), has("knowledge_requests"));
    if asks_tools {
        let phrases = &subject.context.settings.success_phrases;
        let phrases = phrases.iter().map(String::as_str);
        if let Some((range, phrase)) = in_surface(subject, |surface| claim_in(surface, phrases)) {
            let message = format!("`{phrase}` is claimed before the requested tool runs");
            let finding = Finding::new(&EARLY_CLAIM, range, message);
            sink.push(finding.note("the tool may still be rejected or fail"));
        }
    } else if !asks_others
        && subject.control.exists()
        && let Some((range, _)) = in_surface(subject, |surface| phrase_in(surface, IGNORANT.into_iter()))
    {
        let finding = Finding::new(&IGNORANCE, range, "surface response gives up without a request");
        sink.push(finding.help("request a specialist (`knowledge_requests`) or a tool"));
    }
}

/// Returns the range of the phrase that `find` finds in the surface.
fn in_surface<'p>(
    subject: &Subject<'_>,
    find: impl FnOnce(&str) -> Option<(TextRange, &'p str)>,
) -> Option<(TextRange, &'p str)> {
    let entry = subject.envelope.get("surface_response")?;
    let (range, phrase) = find(&subject.json.string(entry.value)?)?;
    let (_, map) = subject.json.string_with_map(entry.value)?;
    Some((map.to_source(range), phrase))
}

/// Returns the first of several phrases in a text, as whole words and in any case.
#[must_use]
pub fn phrase_in<'p>(text: &str, phrases: impl Iterator<Item = &'p str>) -> Option<(TextRange, &'p str)> {
    Phrases::new(phrases).first_in(text)
}

/// Returns the first phrase that a text claims. Negations, questions, plans and descriptions of
/// other things are skipped.
#[must_use]
pub fn claim_in<'p>(text: &str, phrases: impl Iterator<Item = &'p str>) -> Option<(TextRange, &'p str)> {
    let phrases = Phrases::new(phrases);
    let mut from = 0;
    loop {
        let (range, phrase) = phrases.first_in(text.get(from..)?)?;
        let range = range + size(from);
        let before = text.get(..usize::from(range.start()))?;
        from = usize::from(range.end());
        if !is_no_claim(before) && !is_question(before, text.get(from..)?) {
            return Some((range, phrase));
        }
    }
}

/// Words that negate a claim, in addition to words ending in `n't`.
const NEGATIONS: [&str; 6] = ["not", "never", "nothing", "no", "none", "cannot"];

/// Words that make a claim conditional.
const CONDITIONS: [&str; 4] = ["if", "unless", "until", "whether"];

/// Words before `have` that make a claim a plan.
const PLANS: [&str; 7] = ["will", "would", "could", "should", "shall", "might", "may"];

/// Words directly before a participle that describes something, or before an action of another
/// person.
const OTHER_SUBJECTS: [&str; 8] = ["the", "a", "an", "any", "your", "my", "you", "they"];

/// The first words of questions.
const QUESTIONS: [&str; 22] = [
    "shall", "should", "can", "could", "may", "might", "will", "would", "do", "does", "did", "is", "are",
    "was", "were", "have", "has", "want", "what", "which", "why", "how",
];

/// The maximum number of words between a negation and a claim.
const MAX_NEGATION_DISTANCE: usize = 4;

/// True if the text before a phrase shows that the phrase is not a claim.
///
/// The last words of the clause negate it, make it a condition or plan, or refer to another
/// subject.
fn is_no_claim(before: &str) -> bool {
    let mut later = String::new();
    for (at, word) in before.split_whitespace().rev().take(MAX_NEGATION_DISTANCE).enumerate() {
        if word.ends_with(['.', '!', '?', ';', ':', ',']) {
            return false;
        }
        let word =
            word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'");
        let is = |words: &[&str]| words.contains(&word.as_str());
        let says_no = is(&NEGATIONS) || word.ends_with("n't");
        // `to be done`, `can be safely removed`
        let is_plan = (word == "be" && at < 2) || (later == "have" && is(&PLANS));
        if says_no && later != "only" || is(&CONDITIONS) || is_plan || (at == 0 && is(&OTHER_SUBJECTS)) {
            return true;
        }
        later = word;
    }
    false
}

/// True if the sentence that contains these texts is a question.
fn is_question(before: &str, after: &str) -> bool {
    let is_end = |(at, char): (usize, char)| {
        let next = || after.get(at + 1..).and_then(|rest| rest.chars().next());
        matches!(char, '!' | '?' | '\n') || (char == '.' && !next().is_some_and(char::is_alphanumeric))
    };
    let Some(end) = after.char_indices().find_map(|(at, char)| is_end((at, char)).then_some(at)) else {
        return false;
    };
    if !after.get(end..).is_some_and(|rest| rest.starts_with('?')) {
        return false;
    }
    let start = before.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    let first =
        before.get(start..).and_then(|sentence| sentence.split_whitespace().next()).unwrap_or_default();
    let asks = QUESTIONS.contains(&first.to_lowercase().as_str());
    // `I deleted it, what else?` makes a claim before the question.
    asks || !after.get(..end).is_some_and(|rest| rest.contains([',', ';', ':', '\u{2013}', '\u{2014}']))
}

/// A set of phrases for a search by whole words and in any case. Case is ignored only for ASCII
/// letters.
#[derive(Debug)]
pub(in crate::envelope) struct Phrases<'p> {
    phrases: Vec<&'p str>,
    /// For each byte, a bit set of the phrases that begin with it. Phrases beyond the last bit
    /// share that bit.
    first: [u64; 256],
    /// Bit sets like `first`, for the second byte.
    second: [u64; 256],
    /// A prefilter that excludes texts with no phrase. `None` disables it.
    quick: Option<QuickLook>,
}

/// A lowercase search for the words of all phrases. The pattern is compiled only if many texts are
/// searched.
#[derive(Debug, Default)]
struct QuickLook {
    /// The number of texts that were searched.
    texts: Cell<u32>,
    /// `None` if the pattern is invalid.
    pattern: OnceCell<Option<Regex>>,
}

impl QuickLook {
    /// The number of texts after which the pattern is compiled.
    const MIN_TEXTS_FOR_PATTERN: u32 = 32;

    /// True if a text certainly contains none of the phrases.
    fn is_free(&self, text: &[u8], phrases: &[&str]) -> bool {
        self.texts.set(self.texts.get().saturating_add(1));
        if self.texts.get() < Self::MIN_TEXTS_FOR_PATTERN {
            return false;
        }
        let pattern = self.pattern.get_or_init(|| pattern(phrases));
        pattern.as_ref().is_some_and(|pattern| !pattern.is_match(&text.to_ascii_lowercase()))
    }
}

/// Returns the bit of a phrase.
fn bit(at: usize) -> u64 {
    1 << at.min(63)
}

impl<'p> Phrases<'p> {
    pub(in crate::envelope) fn new(phrases: impl Iterator<Item = &'p str>) -> Self {
        let phrases: Vec<&str> = phrases.filter(|phrase| !phrase.is_empty()).collect();
        let (mut first, mut second) = ([0; 256], [0; 256]);
        for (at, phrase) in phrases.iter().enumerate() {
            let bit = bit(at);
            let mark = |table: &mut [u64; 256], byte: u8| {
                table[usize::from(byte.to_ascii_lowercase())] |= bit;
                table[usize::from(byte.to_ascii_uppercase())] |= bit;
            };
            match *phrase.as_bytes() {
                [one] => {
                    mark(&mut first, one);
                    second.iter_mut().for_each(|bits| *bits |= bit);
                }
                [one, other, ..] => {
                    mark(&mut first, one);
                    mark(&mut second, other);
                }
                [] => {}
            }
        }
        Self { phrases, first, second, quick: None }
    }

    /// Enables the prefilter. Useful for many texts with no phrase.
    pub(in crate::envelope) fn searched(self) -> Self {
        Self { quick: Some(QuickLook::default()), ..self }
    }

    /// Returns the first phrase in a text, in one pass.
    pub(in crate::envelope) fn first_in(&self, text: &str) -> Option<(TextRange, &'p str)> {
        let bytes = text.as_bytes();
        if self.quick.as_ref().is_some_and(|quick| quick.is_free(bytes, &self.phrases)) {
            return None;
        }
        let mut is_inside = false;
        for (at, byte) in bytes.iter().enumerate() {
            // Phrases are whole words, so none begins after a letter.
            let begins = !std::mem::replace(&mut is_inside, byte.is_ascii_alphanumeric());
            let mask = if begins { self.first[usize::from(*byte)] } else { 0 };
            if mask == 0 {
                continue;
            }
            // The last byte may be a phrase of one letter.
            let mask = bytes.get(at + 1).map_or(mask, |next| mask & self.second[usize::from(*next)]);
            if let Some((end, phrase)) = self.phrase_at(text, at, mask) {
                return Some((TextRange::new(size(at), size(end)), phrase));
            }
        }
        None
    }

    /// Returns the first of the phrases with these bits that begins at an offset, and its end.
    fn phrase_at(&self, text: &str, at: usize, mask: u64) -> Option<(usize, &'p str)> {
        let may_be = |number: usize| mask & bit(number) != 0;
        let from = usize::try_from(mask.trailing_zeros()).unwrap_or(usize::MAX);
        let phrases = self.phrases.iter().enumerate().skip(from).filter(|(number, _)| may_be(*number));
        phrases.map(|(_, phrase)| *phrase).find_map(|phrase| Some((end_of(text, at, phrase)?, phrase)))
    }
}

/// Compiles a pattern of the words of some phrases, for lowercase text.
fn pattern(phrases: &[&str]) -> Option<Regex> {
    let words = |phrase: &&str| {
        let words = phrase.strip_suffix('…').filter(|words| !words.is_empty()).unwrap_or(phrase);
        regex::escape(&words.to_ascii_lowercase())
    };
    let words: Vec<_> = phrases.iter().map(words).collect();
    Regex::new(&words.join("|")).ok().filter(|_| !words.is_empty())
}

/// The maximum distance in bytes between the words of a phrase and its ellipsis.
const ELLIPSIS_WITHIN: usize = 80;

/// Returns the end of a phrase that begins at an offset.
fn end_of(text: &str, at: usize, phrase: &str) -> Option<usize> {
    let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let words = phrase.strip_suffix('…').filter(|words| !words.is_empty());
    let end = at + words.unwrap_or(phrase).len();
    let here = text.as_bytes().get(at..end)?;
    let is_it = here.eq_ignore_ascii_case(words.unwrap_or(phrase).as_bytes())
        && !is_word(text.get(..at)?.chars().next_back())
        && !is_word(text.get(end..)?.chars().next());
    match (is_it, words) {
        (false, _) => None,
        (true, None) => Some(end),
        (true, Some(_)) => ellipsis(text.get(end..)?).map(|len| end + len),
    }
}

/// Returns the distance to the end of the ellipsis that ends the current sentence.
fn ellipsis(rest: &str) -> Option<usize> {
    for (at, char) in rest.char_indices().take_while(|(at, _)| *at <= ELLIPSIS_WITHIN) {
        let behind = rest.get(at..).unwrap_or_default();
        match char {
            '…' => return Some(at + char.len_utf8()),
            '.' if behind.starts_with("...") => return Some(at + "...".len()),
            // A period inside a word is part of a name, for example `main.go`.
            '.' if !behind.chars().nth(1).is_some_and(char::is_alphanumeric) => return None,
            '!' | '?' | ';' | ':' | '\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words_in_any_case() {
        let phrases = Phrases::new(["done", "i don't know", "x"].into_iter());
        let found = |text| phrases.first_in(text).map(|(range, _)| range);
        assert_eq!(found("It is Done."), Some(TextRange::at(size(6), size(4))));
        assert_eq!(found("undone, donee, é done"), Some(TextRange::at(size(18), size(4))));
        assert_eq!(found("I DON'T KNOW"), Some(TextRange::at(size(0), size(12))));
        assert_eq!(found("condoned édone"), None);
        assert_eq!(found("ax, X"), Some(TextRange::at(size(4), size(1))));
    }

    #[test]
    fn a_quick_look_changes_nothing() {
        let (slow, quick) = (
            Phrases::new(["done", "deleting…"].into_iter()),
            Phrases::new(["done", "deleting…"].into_iter()).searched(),
        );
        for text in ["It is Done.", "undone", "Deleting all…", "deleting", "é", ""].repeat(20) {
            assert_eq!(quick.first_in(text), slow.first_in(text), "{text}");
        }
    }

    #[test]
    fn an_ellipsis_ends_the_sentence_that_a_phrase_begins() {
        let phrases = Phrases::new(["deleting…", "…"].into_iter());
        let found = |text: &str| {
            let (range, _) = phrases.first_in(text)?;
            text.get(usize::from(range.start())..usize::from(range.end())).map(str::to_owned)
        };
        assert_eq!(found("Okay, deleting files…").as_deref(), Some("deleting files…"));
        assert_eq!(
            found("Deleting src/main.go and a.rs... then more").as_deref(),
            Some("Deleting src/main.go and a.rs...")
        );
        assert_eq!(found("Deleting…").as_deref(), Some("Deleting…"));
        let others = [
            "Deleting files is dangerous. I wait...",
            "Before deleting them, may I ask? Well...",
            "deleting\nfiles...",
            "undeleting files...",
            "deleting",
        ];
        for other in others {
            assert_eq!(found(other), None, "{other}");
        }
        let far = format!("deleting {}…", "x".repeat(ELLIPSIS_WITHIN));
        assert_eq!(found(&far).as_deref(), None);
    }
}
