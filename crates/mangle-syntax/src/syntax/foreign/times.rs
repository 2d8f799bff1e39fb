//! Times and durations of intervals in the syntax of other languages.

use super::hit::{ForeignConstruct, Hits};
use super::region::Region;
use super::token::LexemeKind;
use crate::syntax::lower::shorten;
use crate::syntax::{rules, time};

/// Units of other languages, in milliseconds.
const UNITS: [(&[&str], u64); 6] = [
    (&["ms", "millis", "milliseconds"], 1),
    (&["s", "sec", "secs", "second", "seconds"], 1_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (&["d", "day", "days"], 86_400_000),
    (&["w", "week", "weeks"], 604_800_000),
];

/// Matches `@[2024-01-15T10:00]`, `@[2024-01-15 10:00:00]`, `<-[0d, 2w]`, `<-[0d, 1h30m]`.
pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let mut index = 1;
    while index < region.tokens.len() {
        let hit = match region.kind(index) {
            Some(LexemeKind::Number) if is_bound(region, index) => {
                instant(region, index).or_else(|| duration(region, index))
            }
            _ => None,
        };
        if let Some(hit) = hit {
            hits.add(hit);
        }
        index += 1;
    }
}

/// True if a token starts a bound of an interval or of a temporal operator.
fn is_bound(region: &Region<'_>, index: usize) -> bool {
    let mut open = index;
    while open > 0 && !matches!(region.at(open), "[" | "(" | "{") {
        open -= 1;
    }
    let is_interval = matches!(region.before(open), "@" | "<-" | "<+" | "[-" | "[+");
    region.at(open) == "[" && is_interval && matches!(region.before(index), "[" | ",")
}

/// A time without seconds, with a blank instead of the `T`, or with a UTC offset.
fn instant(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let end = (index..region.tokens.len()).find(|at| matches!(region.at(*at), "," | "]" | "."))?;
    let range = region.range(index..end);
    let written = region.slice(range.clone());
    let (date, clock) = written.split_once(['T', ' '])?;
    let (clock, offset) = clock.split_at(clock.find(['+', '-']).unwrap_or(clock.len()));
    let clock = clock.trim_end_matches('Z').trim_end();
    let parts: Vec<_> = clock.split(':').collect();
    let is_number = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return None;
    }
    let rest = [":00:00", ":00", ""].get(parts.len() - 1).copied().unwrap_or("");
    let meant = format!("{date}T{clock}{rest}Z");
    time::parse_timestamp(&meant)?;
    let hit = |headline: String| ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline);
    let shown = shorten(written);
    if !offset.is_empty() {
        let hit = hit(format!("time `{shown}` has an offset")).note("the engine reads all times as UTC");
        return Some(hit.help("write the time of UTC").read(range.clone(), meant));
    }
    let hit = match rest {
        "" if written.contains('T') => return None,
        "" => hit(format!("time `{shown}` has no `T`")).note("a time is written `2024-01-15T10:00:00Z`"),
        _ => hit(format!("time `{shown}` has no seconds"))
            .note("the engine reads a time only with its seconds"),
    };
    Some(hit.replace(range.clone(), meant.as_str()).title(format!("write `{meant}`")).guess())
}

/// A duration in another unit, of several units, or with a fraction.
fn duration(region: &Region<'_>, index: usize) -> Option<ForeignConstruct> {
    let end = (index..region.tokens.len()).find(|at| matches!(region.at(*at), "," | "]"))?;
    let range = region.range(index..end);
    let written = region.slice(range.clone());
    if time::parse_duration(written).is_some() {
        return None;
    }
    let millis = milliseconds(written)?;
    let unit = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let (unit, size) = unit.into_iter().find(|(_, size)| millis.is_multiple_of(*size))?;
    let meant = format!("{}{unit}", millis / size);
    let headline = format!("`{}` is not a duration of Mangle", shorten(written));
    let hit = ForeignConstruct::new(&rules::FOREIGN_LITERAL, range.clone(), headline)
        .note("a duration is a whole number with one of the units `d`, `h`, `m`, `s`, `ms`");
    Some(hit.replace(range, meant.as_str()).title(format!("write `{meant}`")).guess())
}

/// The sum of all parts, each a number with a unit.
fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, behind) = rest.split_at_checked(digits)?;
        let behind = behind.trim_start();
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, next) = behind.split_at_checked(letters)?;
        let (_, size) = UNITS.iter().find(|(words, _)| words.contains(&unit))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let scale = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()?.checked_mul(*size)? };
        if !part.is_multiple_of(scale) {
            return None;
        }
        sum = sum.checked_add(whole.parse::<u64>().ok()?.checked_mul(*size)?)?.checked_add(part / scale)?;
        rest = next.trim_start();
    }
    (sum > 0).then_some(sum)
}
