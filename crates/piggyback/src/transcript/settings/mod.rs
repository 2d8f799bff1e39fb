//! Configuration of an agent's runtime, `.nerd/config.json`: limits and findings.
//!
//! Ranges of findings are relative to the start of the file. The table in `keys` lists the known
//! keys. This module opens no files.

mod keys;
#[cfg(test)]
mod tests;

use super::Limits;
use super::words::quoted;
use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use keys::{CONTEXT, CORE, KeyKind, ROOT, SHARD, SHARD_TYPES, SettingKey};
use mangle_settings::{CONFIG_BAD_VALUE, CONFIG_SYNTAX};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, nearest, size};

/// Path of the file, relative to the agent's working directory.
pub const PATH: &str = ".nerd/config.json";

/// Limits and findings of a configuration.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Limits of shards. Defaults of the runtime if the file cannot be loaded.
    pub limits: Limits,
    /// Findings in file order.
    pub findings: Vec<Finding>,
}

/// Reads a configuration.
#[must_use]
pub fn read(text: &[u8]) -> Settings {
    let (findings, loads) = check(text);
    let limits = if loads { Limits::from_config(text) } else { Limits::default() };
    Settings { limits, findings }
}

pub(super) const RULES: &[&Rule] = &[
    &LIMIT_LOW,
    &RESERVE_SUM,
    &CONFIG_KEY,
    &SAMPLING_RANGE,
    &SHARD_FACTS,
    &PROFILE_TYPE,
    &RESERVED_TOKENS,
    &DERIVED_LIMIT,
];

/// A limit is below its minimum.
static LIMIT_LOW: Rule = rule!("limit-low.md");

/// The reserves of the context window do not add up to 100 %.
static RESERVE_SUM: Rule = rule!("reserve-sum.md");

/// A key is unknown.
static CONFIG_KEY: Rule = rule!("config-key.md");

/// A sampling parameter is not between 0 and 1.
static SAMPLING_RANGE: Rule = rule!("sampling-range.md");

/// A shard allows more facts than the kernel.
static SHARD_FACTS: Rule = rule!("shard-facts.md");

/// A profile is for an unknown shard type.
static PROFILE_TYPE: Rule = rule!("profile-type.md");

/// The reserved tokens use up the whole budget.
static RESERVED_TOKENS: Rule = rule!("reserved-tokens.md");

/// The limit of derived facts is below the limit of facts.
static DERIVED_LIMIT: Rule = rule!("derived-limit.md");

/// Percentages that share the context window.
const RESERVES: [&str; 4] =
    ["core_reserve_percent", "atom_reserve_percent", "history_reserve_percent", "working_reserve_percent"];

/// The only number that may be negative. Scores of facts can be positive or negative.
const ANY_SCORE: &str = "activation_threshold";

/// Consequence of an error in the runtime's decoder.
const CONSEQUENCE: &str = "the runtime cannot load the file and uses nothing of it";

/// Divisor that the runtime uses if `reserved_tokens_fallback_ratio` is not positive.
const USUAL_RATIO: i64 = 10;

/// Returns the findings, and true if the runtime can load the file.
fn check(text: &[u8]) -> (Vec<Finding>, bool) {
    let json = Json::parse(text);
    if let Some(finding) = syntax(&json) {
        return (vec![finding], false);
    }
    let mut check = Check { json: &json, out: Vec::new(), loads: true };
    check.whole();
    check.out.sort_by_key(|finding| (finding.range.start(), finding.rule.code));
    (check.out, check.loads)
}

/// Returns the first syntax error. The runtime stops there.
fn syntax(json: &Json<'_>) -> Option<Finding> {
    let (range, what) = match json.problems.first() {
        Some(problem) => (json.problem_range(problem), json.problem_message(problem, 1)),
        None if !json.is_valid_to_the_end() => {
            let end = usize::from(json.end());
            let rest = json.text().get(end..).unwrap_or(&[]);
            let start = end + rest.len() - rest.trim_ascii_start().len();
            let line =
                json.text().get(start..).unwrap_or(&[]).split(|byte| matches!(byte, b'\n' | b'\r')).next();
            let range = TextRange::at(size(start), size(line.map_or(0, <[u8]>::len)));
            (range, "text after the end of the configuration".to_owned())
        }
        None if json.kind(json.root()) != JsonKind::Object => {
            (json.range(json.root()), "configuration is not a JSON object".to_owned())
        }
        None => return None,
    };
    let range = whole_characters(json.text(), range);
    Some(Finding::new(&CONFIG_SYNTAX, range, what).note(CONSEQUENCE))
}

/// Moves both ends of a range back to character boundaries inside the text.
fn whole_characters(text: &[u8], range: TextRange) -> TextRange {
    let whole = |at: usize| {
        let is_inside = |at: &usize| text.get(*at).is_some_and(|byte| matches!(byte, 0x80..=0xbf));
        size((0..=at.min(text.len())).rev().find(|at| !is_inside(at)).unwrap_or(0))
    };
    TextRange::new(whole(range.start().into()), whole(range.end().into()))
}

/// An effective whole number, and its range if it is written in the file.
#[derive(Clone, Copy)]
struct Number {
    value: i64,
    place: Option<TextRange>,
}

struct Check<'j, 't> {
    json: &'j Json<'t>,
    out: Vec<Finding>,
    loads: bool,
}

impl Check<'_, '_> {
    fn whole(&mut self) {
        self.section(ROOT, "", self.json.root());
        self.reserves();
        self.reserved_tokens();
        self.derived();
    }

    fn section(&mut self, section: &'static str, path: &str, object: NodeId) {
        let json = self.json;
        for member in json.members(object) {
            let Some(name) = json.string(member.key) else { continue };
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            match keys::find(section, &name) {
                Some(key) => self.member(key, &path, member),
                None => self.unknown(section, &path, &name, member.key),
            }
        }
    }

    fn member(&mut self, key: &'static SettingKey, path: &str, member: Member) {
        let (json, value) = (self.json, member.value);
        if json.kind(value) == JsonKind::Null {
            return;
        }
        if !self.is(key.kind, value) {
            return self.bad(path, key.kind, value);
        }
        match key.kind {
            KeyKind::Section(SHARD) => self.shard(key.name, path, value),
            KeyKind::Section(section) => self.section(section, path, value),
            KeyKind::Profiles => self.profiles(path, value),
            KeyKind::Share => self.share(path, value),
            KeyKind::Count if key.minimum.is_some() => self.minimum(key, path, value),
            KeyKind::Count | KeyKind::Number => self.negative(key, path, value),
            KeyKind::Flag | KeyKind::Text | KeyKind::Free => {}
        }
    }

    fn is(&self, kind: KeyKind, value: NodeId) -> bool {
        let written = self.json.kind(value);
        match kind {
            KeyKind::Count => self.whole_number(value).is_some(),
            KeyKind::Number | KeyKind::Share => written == JsonKind::Number,
            KeyKind::Flag => matches!(written, JsonKind::Bool(_)),
            KeyKind::Text => matches!(written, JsonKind::Plain | JsonKind::Escaped),
            KeyKind::Section(_) | KeyKind::Profiles => written == JsonKind::Object,
            KeyKind::Free => true,
        }
    }

    fn whole_number(&self, value: NodeId) -> Option<i64> {
        let raw = std::str::from_utf8(self.json.raw(value)).ok()?;
        (self.json.kind(value) == JsonKind::Number).then(|| raw.parse().ok())?
    }

    fn unknown(&mut self, section: &str, path: &str, name: &str, key: NodeId) {
        let range = self.json.range(key);
        let near = nearest(name, keys::keys_of_section(section).map(|key| key.name));
        let finding = Finding::new(&CONFIG_KEY, range, format!("unknown setting {}", quoted(path)));
        self.out.push(renamed(finding.note("the runtime ignores it"), near));
    }

    fn minimum(&mut self, key: &SettingKey, path: &str, value: NodeId) {
        let Some((minimum, written)) = key.minimum.zip(self.whole_number(value)) else { return };
        if written >= minimum {
            return;
        }
        let note = match written {
            0 => format!("the runtime reads 0 as unset and uses the default, {}", key.default),
            _ => "the runtime's own check of its limits fails".to_owned(),
        };
        let range = self.json.range(value);
        let fix = Fix::guess(format!("set it to {minimum}")).replace(range, minimum.to_string());
        let message = format!("{} is below its minimum", quoted(path));
        let finding = Finding::new(&LIMIT_LOW, range, message);
        self.out.push(finding.label(format!("less than {minimum}")).note(note).fix(fix));
    }

    /// Reports a negative number for a key without a minimum.
    fn negative(&mut self, key: &SettingKey, path: &str, value: NodeId) {
        let written = String::from_utf8_lossy(self.json.raw(value));
        let is_negative = written.parse().is_ok_and(|number: f64| number < 0.0);
        if is_negative && key.name != ANY_SCORE {
            let range = self.json.range(value);
            let finding = Finding::new(&LIMIT_LOW, range, format!("{} is negative", quoted(path)))
                .note("no limit is useful below 0");
            let fix = || Fix::guess(format!("set it to the default, {}", key.default));
            self.out.push(match key.default {
                "" => finding,
                default => finding.fix(fix().replace(range, default)),
            });
        }
    }

    fn share(&mut self, path: &str, value: NodeId) {
        let written = String::from_utf8_lossy(self.json.raw(value));
        if !written.parse().is_ok_and(|number: f64| (0.0..=1.0).contains(&number)) {
            let message = format!("{} is not between 0 and 1", quoted(path));
            let finding = Finding::new(&SAMPLING_RANGE, self.json.range(value), message);
            self.out.push(finding.note("services for models reject or clamp such a value"));
        }
    }

    fn profiles(&mut self, path: &str, object: NodeId) {
        let json = self.json;
        for member in json.members(object) {
            let Some(name) = json.string(member.key) else { continue };
            if !SHARD_TYPES.contains(&&*name) {
                let message = format!("unknown shard type {}", quoted(&name));
                let finding = Finding::new(&PROFILE_TYPE, json.range(member.key), message)
                    .note("no shard uses this profile unless the project defines the type");
                self.out.push(renamed(finding, nearest(&name, SHARD_TYPES.iter().copied())));
            }
            let path = format!("{path}.{name}");
            match json.kind(member.value) {
                JsonKind::Object => self.shard(&name, &path, member.value),
                JsonKind::Null => {}
                _ => self.bad(&path, KeyKind::Section(SHARD), member.value),
            }
        }
    }

    fn bad(&mut self, path: &str, kind: KeyKind, value: NodeId) {
        let message = format!("{} is not {}", quoted(path), kind.expected());
        let finding = Finding::new(&CONFIG_BAD_VALUE, self.json.range(value), message);
        self.out.push(finding.note(CONSEQUENCE));
        self.loads = false;
    }

    fn shard(&mut self, name: &str, path: &str, object: NodeId) {
        self.section(SHARD, path, object);
        let facts = self.number_in(object, SHARD, "max_facts_in_shard_kernel");
        let most = self.number(CORE, "max_facts_in_kernel").value;
        // A rejected number already has a finding.
        let is_read = facts.value >= 0 && most >= 0;
        if let Some(range) = facts.place.filter(|_| is_read && facts.value > most) {
            let facts = facts.value;
            let message = format!("{} allows more facts than `max_facts_in_kernel`", quoted(name));
            let finding = Finding::new(&SHARD_FACTS, range, message)
                .label(format!("{facts} is more than {most}"))
                .note("the kernel ignores facts beyond its limit; only its log reports that");
            self.out.push(finding);
        }
    }

    fn reserves(&mut self) {
        let all = RESERVES.map(|name| self.number(CONTEXT, name));
        let sum = all.iter().fold(0_i64, |sum, one| sum.saturating_add(one.value));
        let written = all.iter().filter(|one| one.place.is_some()).count();
        let Some(section) = self.root_member(CONTEXT).filter(|_| written > 0 && sum != 100) else { return };
        let parts = all.map(|one| one.value.to_string()).join(" + ");
        let rest = if written < all.len() { "; an unset reserve has its default" } else { "" };
        let effect = match sum > 100 {
            true => "the parts together overflow the context window",
            false => "a part of the context window is never used",
        };
        let message = format!("reserves add up to {sum} %, not 100 %");
        let finding = Finding::new(&RESERVE_SUM, self.json.range(section.key), message);
        self.out.push(finding.note(format!("they are {parts}{rest}")).note(effect));
    }

    fn reserved_tokens(&mut self) {
        let reserved = self.number(keys::JIT, "reserved_tokens");
        let ratio = self.number(keys::JIT, "reserved_tokens_fallback_ratio").value;
        let (own, window) = (self.number(keys::JIT, "token_budget"), self.number(CONTEXT, "max_tokens"));
        let budget = if window.value > 0 && window.value < own.value { window } else { own };
        let place = reserved.place.or(budget.place);
        let Some(range) = place.filter(|_| budget.value > 0 && reserved.value >= budget.value) else {
            return;
        };
        let (reserved, budget) = (reserved.value, budget.value);
        let divided = budget / if ratio > 0 { ratio } else { USUAL_RATIO };
        let clamped = if divided < budget { divided } else { 0 };
        let message = format!("{reserved} reserved tokens leave nothing of a budget of {budget}");
        let finding = Finding::new(&RESERVED_TOKENS, range, message);
        self.out.push(finding.note(format!("the runtime reserves {clamped} instead")));
    }

    fn derived(&mut self) {
        let (derived, facts) =
            (self.number(CORE, "max_derived_facts_limit"), self.number(CORE, "max_facts_in_kernel"));
        if let Some(range) = derived.place.filter(|_| derived.value < facts.value) {
            let (derived, facts) = (derived.value, facts.value);
            let message = "`max_derived_facts_limit` is below `max_facts_in_kernel`";
            let finding = Finding::new(&DERIVED_LIMIT, range, message)
                .label(format!("{derived} is less than {facts}"))
                .note("a rule that derives a fact from each stored one reaches the limit in a full kernel");
            self.out.push(finding);
        }
    }

    /// Returns the last root member with a name, which is the effective one.
    fn root_member(&self, name: &str) -> Option<Member> {
        self.last(self.json.root(), name)
    }

    fn last(&self, object: NodeId, name: &str) -> Option<Member> {
        let is_it =
            |member: &Member| self.json.string(member.key).is_some_and(|key| key.eq_ignore_ascii_case(name));
        self.json.members(object).filter(is_it).last()
    }

    /// Returns the effective number for a key of a section.
    fn number(&self, section: &str, name: &str) -> Number {
        let object = self.root_member(section).map(|member| member.value);
        let usual = keys::find(section, name).map_or(0, SettingKey::usual);
        object.map_or(Number { value: usual, place: None }, |object| self.number_in(object, section, name))
    }

    /// Like `number`, for a given object. An explicit 0 has a range and the default value.
    fn number_in(&self, object: NodeId, section: &str, name: &str) -> Number {
        let usual = keys::find(section, name).map_or(0, SettingKey::usual);
        let written = self.last(object, name).map(|member| member.value);
        let number = written.and_then(|value| Some((self.whole_number(value)?, self.json.range(value))));
        number.map_or(Number { value: usual, place: None }, |(value, range)| Number {
            value: if value == 0 { usual } else { value },
            place: Some(range),
        })
    }
}

/// Adds a suggestion to a finding about a misspelled key.
fn renamed(finding: Finding, near: Option<&str>) -> Finding {
    let Some(near) = near else { return finding };
    let fix = Fix::guess(format!("write `{near}`")).replace(finding.range, format!("\"{near}\""));
    finding.help(format!("did you mean `{near}`?")).fix(fix)
}
