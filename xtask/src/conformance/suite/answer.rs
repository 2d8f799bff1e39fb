//! The answers of an implementation: one line for each case and version.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::kind::Kind;
use super::read::{Suite, object};

/// The answers by kind, version and id.
pub(super) type Answers = BTreeMap<AnswerKey, Map<String, Value>>;

/// The suite, the version and the case that an answer is for.
type AnswerKey = (Kind, String, String);

/// Reads answers. Lines and members that do not fit the suite become problems.
pub(super) fn read(text: &[u8], suite: &Suite, problems: &mut Vec<String>) -> Answers {
    let mut answers = Answers::new();
    let lines = text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    for (at, line) in lines {
        let place = format!("answers:{}", at + 1);
        match answer(line, suite, &place, problems) {
            Err(problem) => problems.push(format!("{place}: {problem:#}")),
            Ok((key, _)) if answers.contains_key(&key) => {
                problems.push(format!("{place}: a second answer for `{}` of {}", key.2, key.1));
            }
            Ok((key, answer)) => _ = answers.insert(key, answer),
        }
    }
    answers
}

fn answer(
    line: &[u8],
    suite: &Suite,
    place: &str,
    problems: &mut Vec<String>,
) -> Result<(AnswerKey, Map<String, Value>)> {
    let mut members = object(serde_json::from_slice(line).context("not JSON")?)?;
    let mut word = |name: &str| -> Result<String> {
        let value = members.shift_remove(name).with_context(|| format!("no `{name}`"))?;
        Ok(value.as_str().with_context(|| format!("`{name}` is not text"))?.to_owned())
    };
    let (kind, id, version) = (word("suite")?, word("id")?, word("version")?);
    let kind = Kind::parse(&kind).with_context(|| format!("unknown suite `{kind}`"))?;
    let case = suite.cases.get(&kind).and_then(|cases| cases.get(&id));
    let case = case.with_context(|| format!("no case `{id}` in {}", kind.file()))?;
    anyhow::ensure!(case.expected.contains_key(&version), "`{id}` has no result of version `{version}`");
    for name in members.keys().filter(|name| !kind.parts().contains(&name.as_str())) {
        problems.push(format!("{place}: unknown member `{name}`"));
    }
    Ok(((kind, version, id), members))
}
