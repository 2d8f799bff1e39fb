//! Native tool calls: calls in the format of a model API, not requests in an envelope.

use std::collections::BTreeSet;

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{Turn, TurnRole};
use crate::transcript::words::{is_envelope, is_string, member, text};
use mangle_syntax::text::{TextRange, TextSize};

/// Members that contain calls.
const CALLS: [&str; 7] =
    ["tool_calls", "toolCalls", "tool_call", "function_call", "functionCall", "toolUse", "tool_use"];

/// Types of parts that are calls.
const TYPES: [&str; 7] = [
    "tool_use",
    "tool_call",
    "tool-call",
    "toolCall",
    "tool-invocation",
    "function_call",
    "custom_tool_call",
];

/// Members that name the reason for the end of an answer.
const REASONS: [&str; 4] = ["stop_reason", "stopReason", "finish_reason", "finishReason"];

/// Reasons of an answer that ends with calls.
const CALL_REASONS: [&str; 4] = ["tool_use", "tool_calls", "tool-calls", "function_call"];

/// Lists whose elements are parts of one answer.
const PARTS: [&str; 2] = ["content", "parts"];

/// Lists that may contain calls between their messages.
const ITEMS: [&str; 4] = ["output", "input", "items", "messages"];

/// Maximum nesting depth that is searched.
const MAX_DEPTH: usize = 64;

/// Fragments for a fast check: the words above without their first letter, split before the second
/// part. `_`, `-` or nothing may separate the parts.
///
/// A value without these fragments has no calls, and most texts have none.
const WORDS: [(&str, &[&str]); 2] =
    [("ool", &["call", "Call", "use", "Use", "invocation"]), ("unction", &["call", "Call"])];

/// Marks the answers of a value that have native calls in addition to their text.
pub(in crate::transcript) fn mark(json: &Json<'_>, node: NodeId, turns: &mut [Turn]) {
    let is_answer = |turn: &Turn| turn.is_reply() && turn.role == TurnRole::Assistant;
    if !turns.iter().any(is_answer) || !may_have(json, node) {
        return;
    }
    let starts = turns.iter().filter(|turn| is_answer(turn)).map(Turn::start).collect();
    let found = Scan::new(json, node).answers_with_calls(&starts);
    for turn in turns.iter_mut().filter(|turn| is_answer(turn)) {
        turn.has_native_calls |= found.contains(&turn.start());
    }
}

/// True if a value, for example an event of a stream, has a native call.
pub(in crate::transcript) fn is_in(json: &Json<'_>, node: NodeId) -> bool {
    may_have(json, node) && {
        let scan = Scan::new(json, node);
        !scan.calls.is_empty() || !scan.reasons.is_empty()
    }
}

fn may_have(json: &Json<'_>, node: NodeId) -> bool {
    let raw = json.raw(node);
    WORDS.iter().any(|(start, ends)| {
        let mut rests = memmem::find_iter(raw, start).filter_map(|at| raw.get(at + start.len()..));
        rests.any(|rest| {
            let rest = rest.strip_prefix(b"_").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
            ends.iter().any(|end| rest.starts_with(end.as_bytes()))
        })
    })
}

/// An answer in a value: the element of a list, or the value itself. Calls and texts with the same
/// ID belong together.
type AnswerId = usize;

/// Part of the value that belongs to one answer.
struct Region {
    range: TextRange,
    /// Index of the enclosing region; the outermost region is its own parent.
    parent: usize,
    answer: AnswerId,
}

/// Position of the search: the enclosing answer and region.
#[derive(Clone, Copy)]
struct Site {
    answer: AnswerId,
    region: usize,
    depth: usize,
}

/// Native calls of a value.
struct Scan<'j, 't> {
    json: &'j Json<'t>,
    /// Sorted by start, outer regions before inner regions.
    regions: Vec<Region>,
    answers: usize,
    /// Answers that are named by keys with dots.
    named: FxHashMap<(AnswerId, String), AnswerId>,
    calls: Vec<(TextRange, AnswerId)>,
    /// Answers that end with calls in any place.
    reasons: Vec<AnswerId>,
}

impl<'j, 't> Scan<'j, 't> {
    fn new(json: &'j Json<'t>, node: NodeId) -> Self {
        let region = Region { range: json.range(node), parent: 0, answer: 0 };
        let (named, calls, reasons) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut scan = Self { json, regions: vec![region], answers: 1, named, calls, reasons };
        scan.value(node, "", Site { answer: 0, region: 0, depth: 0 });
        scan
    }

    /// Returns the starts of the answers that have calls. An answer that is the arguments of a call
    /// has none.
    fn answers_with_calls(&self, starts: &BTreeSet<TextSize>) -> FxHashSet<TextSize> {
        let (mut with_calls, mut arguments) = (FxHashSet::default(), FxHashSet::default());
        let mut in_calls: FxHashSet<TextSize> = FxHashSet::default();
        for (range, answer) in &self.calls {
            let inside: Vec<_> = starts.range(range.start()..range.end()).copied().collect();
            match inside.is_empty() {
                true => drop(with_calls.insert(*answer)),
                false => {
                    arguments.insert(*answer);
                    in_calls.extend(inside);
                }
            }
        }
        with_calls.extend(self.reasons.iter().filter(|answer| !arguments.contains(answer)));
        let has_calls = |start: &&TextSize| {
            !in_calls.contains(*start)
                && self.answer_at(**start).is_some_and(|answer| with_calls.contains(&answer))
        };
        starts.iter().filter(has_calls).copied().collect()
    }

    /// Returns the answer that contains a position.
    fn answer_at(&self, place: TextSize) -> Option<AnswerId> {
        let mut at = self.regions.partition_point(|region| region.range.start() <= place).checked_sub(1)?;
        loop {
            let region = self.regions.get(at)?;
            if region.range.contains(place) {
                return Some(region.answer);
            }
            // The outermost region is its own parent.
            at = Some(region.parent).filter(|parent| *parent != at)?;
        }
    }

    /// Searches a value that is the member `key` of an object.
    fn value(&mut self, node: NodeId, key: &str, site: Site) {
        if site.depth > MAX_DEPTH {
            return;
        }
        let site = Site { depth: site.depth + 1, ..site };
        match self.json.kind(node) {
            Node::Object if !is_envelope(self.json, node) => {
                for one in self.json.members(node) {
                    let Some(name) = self.json.string(one.key) else { continue };
                    match name.contains('.') {
                        true => self.path(&name, one.value, self.json.range(one.value), site),
                        false => self.member(&name, one.value, site),
                    }
                }
            }
            Node::Array => self.list(node, key, site),
            _ => {}
        }
    }

    fn member(&mut self, name: &str, value: NodeId, site: Site) {
        if CALLS.contains(&name) && self.is_filled(value) || self.is_call(value) {
            self.calls.push((self.json.range(value), site.answer));
        } else if REASONS.contains(&name) && self.is_call_reason(value) {
            self.reasons.push(site.answer);
        } else {
            self.value(value, name, site);
        }
    }

    fn list(&mut self, node: NodeId, key: &str, site: Site) {
        let json = self.json;
        let elements = || json.elements(node);
        let is_parts = PARTS.contains(&key);
        // Messages and calls between two inputs are one answer.
        let is_mixed = ITEMS.contains(&key) && elements().any(|element| self.is_call(element));
        let mut inner = site;
        for (at, element) in elements().enumerate() {
            if let Some((name, value)) = self.pair(element) {
                self.path(&name, value, json.range(element), site);
                continue;
            }
            let is_input = self.is_input(element);
            if !is_parts {
                let is_new = at == 0 || !is_mixed || is_input;
                let answer = if is_new { self.new_answer() } else { inner.answer };
                inner = self.region(json.range(element), answer, site);
            }
            match (is_parts || is_mixed) && self.is_call(element) {
                true => self.calls.push((json.range(element), inner.answer)),
                false => self.value(element, "", inner),
            }
            if is_mixed && is_input {
                inner.answer = self.new_answer();
            }
        }
    }

    /// Searches the value of a key that is a path with dots.
    fn path(&mut self, path: &str, value: NodeId, range: TextRange, site: Site) {
        let steps: Vec<&str> = path.split('.').collect();
        if let Some(at) = steps.iter().position(|step| CALLS.contains(step)) {
            let answer = self.answer_of(steps.get(..at).unwrap_or_default(), site);
            self.calls.extend(self.is_given(value).then_some((range, answer)));
            return;
        }
        let answer = self.answer_of(&steps, site);
        let name = steps.last().copied().unwrap_or_default();
        let site = if answer == site.answer { site } else { self.region(range, answer, site) };
        self.member(name, value, site);
    }

    /// Returns the answer at a path: the answer of the last list element in the path.
    fn answer_of(&mut self, steps: &[&str], site: Site) -> AnswerId {
        let is_number = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        let is_element = |at: &usize| {
            let list = at.checked_sub(1).and_then(|before| steps.get(before));
            steps.get(*at).is_some_and(|step| is_number(step))
                && list.is_some_and(|list| !PARTS.contains(list))
        };
        let Some(last) = (0..steps.len()).rev().find(is_element) else { return site.answer };
        let name = steps.get(..=last).unwrap_or_default().join(".");
        let next = self.answers;
        let answer = *self.named.entry((site.answer, name)).or_insert(next);
        self.answers += usize::from(answer == next);
        answer
    }

    fn new_answer(&mut self) -> AnswerId {
        self.answers += 1;
        self.answers - 1
    }

    fn region(&mut self, range: TextRange, answer: AnswerId, site: Site) -> Site {
        self.regions.push(Region { range, parent: site.region, answer });
        Site { answer, region: self.regions.len() - 1, depth: site.depth }
    }

    /// Returns the key and the value of an element of a list of pairs.
    fn pair(&self, element: NodeId) -> Option<(String, NodeId)> {
        let key = text(self.json, element, "key")?;
        Some((key.into_owned(), member(self.json, element, "value")?))
    }

    /// True if a value is a list or an object that is not empty.
    fn is_filled(&self, value: NodeId) -> bool {
        self.json.elements(value).next().is_some() || self.json.members(value).next().is_some()
    }

    /// True if a value is neither `null` nor empty.
    fn is_given(&self, value: NodeId) -> bool {
        match self.json.kind(value) {
            Node::Null => false,
            Node::Array | Node::Object => self.is_filled(value),
            _ => !self.json.is_empty_string(value),
        }
    }

    fn is_call(&self, value: NodeId) -> bool {
        text(self.json, value, "type").is_some_and(|word| TYPES.contains(&&*word))
    }

    fn is_call_reason(&self, value: NodeId) -> bool {
        is_string(self.json, value)
            && self.json.string(value).is_some_and(|word| CALL_REASONS.contains(&&*word))
    }

    /// True if an element of a conversation is an input of the model.
    fn is_input(&self, element: NodeId) -> bool {
        let role = text(self.json, element, "role").map(|word| TurnRole::of_export(&word));
        matches!(role, Some(TurnRole::User | TurnRole::System | TurnRole::Tool))
            || text(self.json, element, "type")
                .is_some_and(|word| word.ends_with("_output") || word.ends_with("_result"))
    }
}
