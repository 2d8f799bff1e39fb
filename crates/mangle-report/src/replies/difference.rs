//! Differences between two readings of one reply, for example by two runtime versions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::sink;

/// The maximum length of a value on one line, in characters.
const LINE: usize = 140;

/// A part of a reply that two readings have differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplyDifference {
    /// `stage`, `surface`, `control`, `update`, `memory`, `correction`, `intent`, `tools`,
    /// `knowledge`, `feedback`, `warning` or `finding`.
    pub part: &'static str,
    /// The text of an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value in the first reading; null if only the second one has it.
    pub old: Value,
    /// The value in the second reading; null if only the first one has it.
    pub new: Value,
}

/// A reply that two runtime versions read differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplyComparison {
    /// The display name of the file.
    pub file: String,
    /// The number of the record.
    pub record: u64,
    /// JSON pointers to the reply in the record.
    pub path: Value,
    /// The names of the two runtimes.
    pub runtimes: [&'static str; 2],
    pub differences: Vec<ReplyDifference>,
}

/// The counts of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReplyComparisonSummary {
    pub replies: usize,
    /// Replies with differences.
    pub different: usize,
    /// The number of replies with a difference in each part.
    pub parts: BTreeMap<&'static str, usize>,
}

/// The differences between two records of [`super::parsed`] about the same reply.
#[must_use]
pub fn reply_differences(old: &Value, new: &Value) -> Vec<ReplyDifference> {
    let mut out = Vec::new();
    let mut whole = |part, old: Value, new: Value| {
        if old != new {
            out.push(ReplyDifference { part, text: None, old, new });
        }
    };
    whole("stage", stage(old), stage(new));
    for (part, path) in [
        ("surface", "/surface/text"),
        ("control", "/control/present"),
        ("correction", "/self_correction"),
        ("intent", "/model/intent"),
        ("tools", "/model/tools"),
        ("knowledge", "/model/knowledge"),
        ("feedback", "/model/feedback"),
    ] {
        let at = |record: &Value| record.pointer(path).cloned().unwrap_or_default();
        whole(part, at(old), at(new));
    }
    updates(old, new, &mut out);
    for (part, path) in [("memory", "/memory_ops"), ("warning", "/warnings")] {
        items(part, &list(old, path), &list(new, path), &mut out);
    }
    items("finding", &findings(old), &findings(new), &mut out);
    out
}

/// The stage with its method and confidence, or with the error of strict mode.
fn stage(record: &Value) -> Value {
    let names = ["stage", "method", "confidence", "error"];
    let members = names.iter().filter(|name| !record[**name].is_null());
    members.map(|name| ((*name).to_owned(), record[*name].clone())).collect::<Map<_, _>>().into()
}

fn list(record: &Value, path: &str) -> Vec<Value> {
    record.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The findings without locations, since both readings are about the same file.
fn findings(record: &Value) -> Vec<Value> {
    let finding = |one: &Value| {
        let names = ["code", "rule", "severity", "message"];
        names.iter().map(|name| ((*name).to_owned(), one[*name].clone())).collect::<Map<_, _>>().into()
    };
    list(record, "/diagnostics").iter().map(finding).collect()
}

/// Adds the updates with a different fate, reason or fact.
fn updates(old: &Value, new: &Value, out: &mut Vec<ReplyDifference>) {
    let (old, new) = (list(old, "/atoms/account"), list(new, "/atoms/account"));
    for at in 0..old.len().max(new.len()) {
        let fate = |updates: &[Value]| {
            updates.get(at).map_or(
                Value::Null,
                |one| json!({ "fate": one["fate"], "why": one["why"], "fact": one["fact"] }),
            )
        };
        let (before, after) = (fate(&old), fate(&new));
        if before != after {
            let text = old.get(at).or(new.get(at)).and_then(|one| one["text"].as_str()).map(str::to_owned);
            out.push(ReplyDifference { part: "update", text, old: before, new: after });
        }
    }
}

/// Adds the items of only one list. Equal items are matched one to one.
fn items(part: &'static str, old: &[Value], new: &[Value], out: &mut Vec<ReplyDifference>) {
    let mut only_new: Vec<&Value> = new.iter().collect();
    for item in old {
        match only_new.iter().position(|other| *other == item) {
            Some(at) => _ = only_new.remove(at),
            None => out.push(ReplyDifference { part, text: None, old: item.clone(), new: Value::Null }),
        }
    }
    let only_new = only_new.into_iter().cloned();
    out.extend(only_new.map(|new| ReplyDifference { part, text: None, old: Value::Null, new }));
}

impl ReplyComparisonSummary {
    pub fn add(&mut self, differences: &[ReplyDifference]) {
        self.replies += 1;
        self.different += usize::from(!differences.is_empty());
        let mut parts: Vec<_> = differences.iter().map(|one| one.part).collect();
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().for_each(|part| *self.parts.entry(part).or_default() += 1);
    }

    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<_> = self.parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let replies = if self.replies == 1 { "reply" } else { "replies" };
        format!("{} of {} {replies} read differently{parts}\n", self.different, self.replies)
    }
}

impl ReplyComparison {
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{}:{}\n", sink::line(&self.file), self.record);
        for one in &self.differences {
            let _ = writeln!(out, "  {:<10} {}", one.part, self.change(one));
        }
        out
    }

    fn change(&self, one: &ReplyDifference) -> String {
        let [old, new] = self.runtimes;
        let shown = |value: &Value| shown(one.part, value);
        let change = match (one.old.is_null(), one.new.is_null()) {
            (true, _) => format!("only {new}: {}", shown(&one.new)),
            (_, true) => format!("only {old}: {}", shown(&one.old)),
            _ => format!("{} → {}", shown(&one.old), shown(&one.new)),
        };
        one.text.as_ref().map_or(change.clone(), |text| format!("`{}`: {change}", cut(text)))
    }
}

/// A value of a part on one line.
fn shown(part: &str, value: &Value) -> String {
    let word = |name: &str| cut(&plain(&value[name]));
    match part {
        "stage" => {
            let members = value.as_object().into_iter().flat_map(Map::values);
            cut(&members.map(plain).collect::<Vec<_>>().join(" "))
        }
        "update" => word("why"),
        "memory" => format!("{} {} = {}", word("op"), word("key"), word("value")),
        "finding" => {
            format!("{}[{} {}] {}", word("severity"), word("code"), word("rule"), word("message"))
        }
        "surface" => format!("\"{}\"", cut(&plain(value))),
        _ => cut(&plain(value)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A truncated text on one line, without terminal controls.
fn cut(text: &str) -> String {
    let text = sink::line(text);
    match text.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn record(surface: &str, fate: &str, warnings: Value) -> Value {
        json!({
            "stage": "P1", "method": "json", "confidence": 1.0, "error": null,
            "surface": { "text": surface, "bytes": surface.len() },
            "control": { "present": true },
            "atoms": { "account": [{ "index": 0, "text": "p(1).", "fate": fate, "why": fate, "fact": null }] },
            "memory_ops": [],
            "self_correction": null,
            "warnings": warnings,
            "model": { "intent": { "verb": "/fix" } },
            "diagnostics": [],
        })
    }

    fn check(old: &Value, new: &Value, expected: Expect) {
        let differences = reply_differences(old, new);
        let mut summary = ReplyComparisonSummary::default();
        summary.add(&differences);
        let comparison = ReplyComparison {
            file: "a.jsonl".into(),
            record: 3,
            path: json!([]),
            runtimes: ["old", "new"],
            differences,
        };
        expected.assert_eq(&(comparison.text() + &summary.text()));
    }

    #[test]
    fn equal_readings_have_no_differences() {
        let one = record("s", "asserted", json!(["w"]));
        check(
            &one,
            &one,
            expect![[r#"
            a.jsonl:3
            0 of 1 reply read differently
        "#]],
        );
    }

    #[test]
    fn each_part_is_compared() {
        let mut new = record("other\nline", "blocked", json!(["w", "x", "w"]));
        new["stage"] = "P4".into();
        new["diagnostics"] = json!([{ "code": "PB230", "rule": "host-witness", "severity": "error", "message": "m", "line": 1 }]);
        new["memory_ops"] = json!([{ "op": "store", "key": "k", "value": "v" }]);
        check(
            &record("s", "asserted", json!(["v", "w"])),
            &new,
            expect![[r#"
            a.jsonl:3
              stage      P1 json 1.0 → P4 json 1.0
              surface    "s" → "other line"
              update     `p(1).`: asserted → blocked
              memory     only new: store k = v
              warning    only old: v
              warning    only new: x
              warning    only new: w
              finding    only new: error[PB230 host-witness] m
            1 of 1 reply read differently: finding 1, memory 1, stage 1, surface 1, update 1, warning 1
        "#]],
        );
    }

    #[test]
    fn updates_that_one_reading_lacks_are_differences() {
        let mut new = record("s", "asserted", json!([]));
        new["atoms"]["account"] = json!([]);
        check(
            &record("s", "asserted", json!([])),
            &new,
            expect![[r#"
            a.jsonl:3
              update     `p(1).`: only old: asserted
            1 of 1 reply read differently: update 1
        "#]],
        );
    }
}
