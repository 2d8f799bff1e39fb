//! Detection of the quotes in damaged JSON that delimit strings.
//!
//! A search over all quotes keeps the cheapest interpretations at each quote ([`Reading`]). An
//! interpretation tracks open arrays and objects, and has a cost for each syntax error. Valid text
//! is not searched.

mod structure;

use rustc_hash::FxHashMap;

use structure::Structure;

/// The maximum text size in bytes for a search.
const MAX_BYTES: usize = 1 << 20;

/// The maximum number of quotes for a search.
const MAX_MARKS: usize = 10_000;

/// The maximum number of interpretations that are kept at each quote.
const MAX_READINGS: usize = 24;

/// Interpretations that exceed the lowest cost by more than this are dropped.
const MAX_EXTRA_COST: u32 = 16;

/// The minimum cost difference between the best two interpretations for an unambiguous result.
const CERTAIN: u32 = 2;

/// Costs of corrections.
mod cost {
    pub(super) const MISSING_QUOTE: u32 = 4;
    pub(super) const STRAY_QUOTE: u32 = 4;
    pub(super) const UNFINISHED: u32 = 5;
    /// A quote inside a key. Keys are names, which rarely contain quotes.
    pub(super) const INNER_OF_KEY: u32 = 2;
}

/// Quotes of a text with their roles, in the order of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct QuotePlan {
    pub(super) quotes: Vec<PlannedQuote>,
    /// True if every other interpretation has a clearly higher cost.
    pub(super) is_certain: bool,
}

/// A quote with its role. The length is zero if the quote is missing in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedQuote {
    pub(super) at: u32,
    pub(super) len: u32,
    pub(super) role: QuoteRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteRole {
    /// The start of a string.
    Open,
    /// The end of a string.
    Close,
    /// A character inside a string.
    Inner,
    /// A quote outside of strings.
    Stray,
}

impl OpenString {
    fn new(quote: Quote, is_key: bool) -> Self {
        Self { quote, is_key, has_inner: false, is_odd: false, parentheses: 0, is_at_edge: false }
    }

    /// Returns the state of the string after more text without quotes.
    fn after(self, gap: &[u8]) -> Self {
        let count = |wanted: u8| i8::try_from(memchr::memchr_iter(wanted, gap).count()).unwrap_or(i8::MAX);
        let opened = count(b'(').saturating_sub(count(b')'));
        let parentheses = self.parentheses.saturating_add(opened);
        Self { parentheses, is_at_edge: self.is_at_edge && gap.is_empty(), ..self }
    }

    /// Returns the cost of ending this string.
    ///
    /// Inner quotes usually come in pairs and enclose whole arguments. A single inner quote at an
    /// edge of the string is probably a duplicate.
    fn end_cost(&self) -> u32 {
        let is_cut = self.has_inner && self.parentheses != 0;
        u32::from(self.is_odd) + u32::from(self.is_odd && self.is_at_edge) + 2 * u32::from(is_cut)
    }
}

impl QuotePlan {
    /// The empty plan of undamaged text. Every quote has one possible role.
    pub(super) fn certain() -> Self {
        Self { quotes: Vec::new(), is_certain: true }
    }

    /// Returns the index of the quote at an offset.
    pub(super) fn find(&self, at: usize) -> Option<usize> {
        let at = u32::try_from(at).ok()?;
        let found = self.quotes.partition_point(|quote| quote.at < at);
        self.quotes.get(found).filter(|quote| quote.at == at).map(|_| found)
    }
}

/// An open string of an interpretation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OpenString {
    quote: Quote,
    is_key: bool,
    has_inner: bool,
    /// True if the number of inner quotes is odd.
    is_odd: bool,
    /// The number of open parentheses in the string.
    parentheses: i8,
    /// True if the first or last character so far is an inner quote.
    is_at_edge: bool,
}

/// An interpretation of the text up to an offset.
#[derive(Debug, Clone, Copy)]
struct Reading {
    state: State,
    cost: u32,
    /// The minimum extra cost of all other interpretations that reached the same state.
    margin: u32,
    /// The index of the latest decision.
    latest: u32,
}

/// The state that determines the interpretation of the remaining text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    structure: Structure,
    string: Option<OpenString>,
}

/// A decision about a quote, linked to the previous decision.
#[derive(Debug, Clone, Copy)]
struct Decision {
    before: u32,
    quote: PlannedQuote,
}

const NONE: u32 = u32::MAX;

/// Determines the roles of all quotes of a text. Returns `None` if the text is too long or has no
/// quotes.
pub(super) fn plan(text: &[u8], start: usize) -> Option<QuotePlan> {
    let part = text.get(start..).filter(|part| part.len() <= MAX_BYTES)?;
    let found = marks(part, start, MAX_MARKS)?;
    let mut search = Search {
        text,
        stacks: structure::Stacks::default(),
        decisions: Vec::new(),
        readings: Vec::new(),
        next: Vec::new(),
    };
    let state = State { structure: Structure::default(), string: None };
    search.readings.push(Reading { state, cost: 0, margin: u32::MAX, latest: NONE });
    let mut at = start;
    for mark in &found {
        search.gap(at, mark.at, false);
        search.mark(mark);
        at = mark.at + mark.len;
    }
    search.gap(at, text.len(), true);
    search.best()
}

struct Search<'t> {
    text: &'t [u8],
    stacks: structure::Stacks,
    decisions: Vec<Decision>,
    readings: Vec<Reading>,
    next: Vec<Reading>,
}

impl Search<'_> {
    /// Extends all interpretations by the text between two quotes.
    fn gap(&mut self, start: usize, end: usize, is_last: bool) {
        for reading in std::mem::take(&mut self.readings) {
            match reading.state.string {
                Some(string) => self.string_gap(reading, string, start, end, is_last),
                None => self.structure_gap(reading, start, end, is_last),
            }
        }
        self.keep_cheapest();
    }

    /// Reads text inside a string. The closing quote may be missing.
    fn string_gap(&mut self, reading: Reading, string: OpenString, start: usize, end: usize, is_last: bool) {
        let gap = self.text.get(start..end).unwrap_or(&[]);
        let mut inside = reading;
        inside.state.string = Some(string.after(gap));
        let missing = structure::missing_end(gap, string.is_key, is_last).filter(|_| !string.has_inner);
        if let Some(len) = missing {
            let mut closed = self.decided(reading, start + len, 0, QuoteRole::Close, cost::MISSING_QUOTE);
            closed.state.string = None;
            closed.state.structure.end_string(string.is_key);
            self.structure_gap(closed, start + len, end, is_last);
        }
        self.next.push(inside);
    }

    /// Reads text outside of strings. The opening quote of the last word may be missing.
    fn structure_gap(&mut self, mut reading: Reading, start: usize, end: usize, is_last: bool) {
        let gap = self.text.get(start..end).unwrap_or(&[]);
        if let Some(word) = structure::last_word(gap).filter(|_| !is_last) {
            let mut opened = reading;
            opened.cost += opened.state.structure.read(gap.get(..word).unwrap_or(&[]), &mut self.stacks);
            if let Some((is_key, extra)) = opened.state.structure.begin_string(&self.stacks) {
                let extra = extra + cost::MISSING_QUOTE;
                opened = self.decided(opened, start + word, 0, QuoteRole::Open, extra);
                opened.state.string = Some(OpenString::new(Quote::Double, is_key));
                opened.state.string =
                    opened.state.string.map(|string| string.after(gap.get(word..).unwrap_or(&[])));
                self.next.push(opened);
            }
        }
        reading.cost += reading.state.structure.read(gap, &mut self.stacks);
        self.next.push(reading);
    }

    /// Extends all interpretations by a quote in each possible role.
    fn mark(&mut self, mark: &Mark) {
        for reading in std::mem::take(&mut self.readings) {
            match reading.state.string {
                Some(string) => self.mark_in_string(reading, string, mark),
                None => self.mark_outside(reading, mark),
            }
        }
        self.keep_cheapest();
    }

    fn mark_in_string(&mut self, reading: Reading, string: OpenString, mark: &Mark) {
        if let Some(extra) = string.quote.closing_cost(mark.quote) {
            let extra = extra + string.end_cost();
            let mut closed = self.decided(reading, mark.at, mark.len, QuoteRole::Close, extra);
            closed.state.string = None;
            closed.state.structure.end_string(string.is_key);
            self.next.push(closed);
        }
        let extra = string.quote.inner_cost(mark.quote);
        let extra = if string.is_key && extra > 0 { extra + cost::INNER_OF_KEY } else { extra };
        let mut inner = match extra {
            0 => reading,
            _ => self.decided(reading, mark.at, mark.len, QuoteRole::Inner, extra),
        };
        if extra > 0 {
            let is_odd = !string.is_odd;
            inner.state.string = Some(OpenString { is_odd, has_inner: true, is_at_edge: true, ..string });
        }
        self.next.push(inner);
    }

    fn mark_outside(&mut self, reading: Reading, mark: &Mark) {
        if reading.state.structure.ignores_quotes() {
            self.next.push(reading);
            return;
        }
        let mut opened = reading;
        if let Some((is_key, extra)) = opened.state.structure.begin_string(&self.stacks) {
            let extra = extra + mark.quote.opening_cost();
            opened = self.decided(opened, mark.at, mark.len, QuoteRole::Open, extra);
            opened.state.string = Some(OpenString::new(mark.quote, is_key));
            self.next.push(opened);
        }
        let stray = self.decided(reading, mark.at, mark.len, QuoteRole::Stray, cost::STRAY_QUOTE);
        self.next.push(stray);
    }

    fn decided(&mut self, reading: Reading, at: usize, len: usize, role: QuoteRole, extra: u32) -> Reading {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let quote = PlannedQuote { at: number(at), len: number(len), role };
        self.decisions.push(Decision { before: reading.latest, quote });
        Reading { cost: reading.cost + extra, latest: number(self.decisions.len() - 1), ..reading }
    }

    /// Keeps the cheapest interpretation of each state, up to the limit.
    fn keep_cheapest(&mut self) {
        let mut found: FxHashMap<State, Reading> = FxHashMap::default();
        for reading in self.next.drain(..) {
            found.entry(reading.state).and_modify(|kept| *kept = cheaper(*kept, reading)).or_insert(reading);
        }
        let mut kept: Vec<_> = found.into_values().collect();
        kept.sort_unstable_by_key(|reading| (reading.cost, reading.latest));
        let least = kept.first().map_or(0, |reading| reading.cost);
        kept.retain(|reading| reading.cost <= least + MAX_EXTRA_COST);
        kept.truncate(MAX_READINGS);
        self.readings = kept;
    }

    /// Returns the cheapest interpretation of the whole text.
    fn best(self) -> Option<QuotePlan> {
        let finished = self.readings.iter().map(|reading| {
            let is_whole = reading.state.string.is_none() && reading.state.structure.is_done();
            Reading { cost: reading.cost + if is_whole { 0 } else { cost::UNFINISHED }, ..*reading }
        });
        let best = finished.reduce(cheaper)?;
        let (mut quotes, mut at) = (Vec::new(), best.latest);
        while let Some(decision) = self.decisions.get(at as usize) {
            quotes.push(decision.quote);
            at = decision.before;
        }
        quotes.reverse();
        Some(QuotePlan { quotes, is_certain: best.margin >= CERTAIN })
    }
}

/// Returns the cheaper of two interpretations with the same state, and updates its margin.
fn cheaper(one: Reading, other: Reading) -> Reading {
    let (best, worse) = if other.cost < one.cost { (other, one) } else { (one, other) };
    Reading { margin: best.margin.min(worse.cost - best.cost), ..best }
}

/// A kind of quote character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// A typographic double quote.
    TypographicDouble,
    /// A typographic single quote.
    TypographicSingle,
}

/// A quote without a preceding backslash.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: usize,
    len: usize,
    quote: Quote,
}

impl Quote {
    /// Returns the cost of a string that begins with this quote.
    fn opening_cost(self) -> u32 {
        match self {
            Self::Double => 0,
            Self::Single => 1,
            Self::TypographicDouble | Self::TypographicSingle => 2,
        }
    }

    /// Returns the cost of `end` as the closing quote of a string that begins with this quote.
    /// `None` if it cannot close the string.
    fn closing_cost(self, end: Self) -> Option<u32> {
        match (self, end) {
            (Self::Double, Self::Double) | (Self::Single, Self::Single) => Some(0),
            (Self::TypographicDouble, Self::TypographicDouble)
            | (Self::TypographicSingle, Self::TypographicSingle) => Some(1),
            (Self::TypographicDouble, Self::Double)
            | (Self::TypographicSingle, Self::Single)
            | (Self::Double, Self::TypographicDouble) => Some(2),
            (Self::Single, Self::TypographicSingle) => Some(3),
            (Self::Single | Self::TypographicSingle, Self::Double) => Some(4),
            (Self::Double, Self::Single | Self::TypographicSingle) => Some(5),
            _ => None,
        }
    }

    /// Returns the cost of `inner` inside a string that begins with this quote.
    fn inner_cost(self, inner: Self) -> u32 {
        match (self, inner) {
            (Self::Double, Self::Double) | (Self::Single, Self::Single) => 2,
            (Self::TypographicDouble, Self::TypographicDouble | Self::Double)
            | (Self::TypographicSingle, Self::TypographicSingle | Self::Single | Self::Double) => 1,
            _ => 0,
        }
    }
}

/// Returns the quote at the start of a text and its length in bytes.
pub(super) fn quote_at(text: &[u8]) -> Option<(Quote, usize)> {
    Some(match text {
        [b'"', ..] => (Quote::Double, 1),
        [b'\'', ..] => (Quote::Single, 1),
        [b'`', ..] => (Quote::TypographicSingle, 1),
        // Acute accent and primes.
        [0xc2, 0xb4, ..] => (Quote::TypographicSingle, 2),
        [0xe2, 0x80, 0xb2, ..] => (Quote::TypographicSingle, 3),
        [0xe2, 0x80, 0xb3, ..] => (Quote::TypographicDouble, 3),
        // U+201C to U+201F, U+2018 to U+201B.
        [0xe2, 0x80, 0x9c..=0x9f, ..] => (Quote::TypographicDouble, 3),
        [0xe2, 0x80, 0x98..=0x9b, ..] => (Quote::TypographicSingle, 3),
        // `‹` and `›`.
        [0xe2, 0x80, 0xb9 | 0xba, ..] => (Quote::TypographicSingle, 3),
        // `«` and `»`.
        [0xc2, 0xab | 0xbb, ..] => (Quote::TypographicDouble, 2),
        // Chinese and Japanese quotes, and the full-width quote.
        [0xe3, 0x80, 0x8c..=0x8f | 0x9d..=0x9f, ..] => (Quote::TypographicDouble, 3),
        [0xef, 0xbc, 0x82, ..] => (Quote::TypographicDouble, 3),
        _ => return None,
    })
}

/// Returns the quotes of a text that begins at offset `start`. `None` if there are no quotes or
/// more than `most`.
fn marks(text: &[u8], start: usize, most: usize) -> Option<Vec<Mark>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' | b'\'' | b'`' | 0xc2 | 0xe2 | 0xe3 | 0xef => match quote_at(text.get(at..)?) {
                Some((_, len)) if is_separator(text, at, len) => at += len,
                Some((quote, len)) => {
                    found.push(Mark { at: start + at, len, quote });
                    at += len;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
        if found.len() > most {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// True if an apostrophe separates digits of a number, as in `1'000`.
fn is_separator(text: &[u8], at: usize, len: usize) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let behind = text.get(at + len..).unwrap_or(&[]);
    text.get(at) != Some(&b'"')
        && is_digit(at.checked_sub(1).and_then(|before| text.get(before)))
        && (0..3).all(|place| is_digit(behind.get(place)))
        && !is_digit(behind.get(3))
}
