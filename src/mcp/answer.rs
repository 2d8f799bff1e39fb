//! The result of a tool call: the output and the errors of the command, masked and cut to a
//! maximum length.

use serde_json::{Map, Value, json};

use super::command::CommandAnswer;
use super::pages;
use mangle_report::sink;
use piggyback::envelope::secrets::redacted;

/// The names of the exit statuses, by value.
const STATUSES: [&str; 3] = ["clean", "findings", "failure"];

/// Builds the result from the output of the command, which `shape` converts to an object.
///
/// # Errors
///
/// The error messages of the command, if it could not do its work.
pub(super) fn from_command(
    twin: &CommandAnswer,
    notes: Vec<String>,
    shape: impl FnOnce(&str) -> Result<Value, String>,
) -> Result<Value, String> {
    let mut problems = problems(&twin.errors);
    let is_failure = usize::from(twin.status) >= STATUSES.len() - 1;
    if is_failure && twin.output.trim().is_empty() {
        let said: Vec<_> = problems.iter().filter_map(|problem| problem["message"].as_str()).collect();
        return Err(if said.is_empty() {
            "the command failed without a message".into()
        } else {
            said.join("\n")
        });
    }
    let mut answer = shape(&twin.output)?;
    problems.extend(notes.into_iter().map(|note| problem("warning", &note)));
    if let Value::Object(members) = &mut answer {
        let status = STATUSES.get(usize::from(twin.status)).copied().unwrap_or("failure");
        members.insert("status".into(), status.into());
        if !problems.is_empty() {
            members.insert("problems".into(), problems.into());
        }
    }
    Ok(pages::fit(answer))
}

/// Returns the messages that a command wrote to standard error, one per line. A continuation line
/// is joined to the previous line.
fn problems(errors: &str) -> Vec<Value> {
    let lines = errors.lines().filter(|line| !line.trim().is_empty());
    let split = |line: &str| match line.split_once(": ") {
        Some(("error", said)) => problem("error", said),
        Some(("warning", said)) => problem("warning", said),
        _ => problem("note", line.trim_end()),
    };
    lines.map(split).collect()
}

fn problem(severity: &str, message: &str) -> Value {
    json!({ "severity": severity, "message": message })
}

/// Masks possible credentials and makes hidden characters visible, because a model would read text
/// that its user does not see. The command already masks its output; this is the last safeguard.
/// Only the new text of an edit keeps its characters, because it is written to a file.
pub(super) fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(sink::lines(&text)),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(members) => {
            let masked = |(name, member): (String, Value)| match (name.as_str(), member) {
                ("edits", Value::Array(edits)) => (name, edits.into_iter().map(masked_edit).collect()),
                (_, member) => (name, masked(member)),
            };
            Value::Object(members.into_iter().map(masked).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn masked_edit(edit: Value) -> Value {
    let text = edit["text"].as_str().map(|text| redacted(text).into_owned());
    let mut edit = masked(edit);
    if let (Some(text), Some(member)) = (text, edit.get_mut("text")) {
        *member = text.into();
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(status: u8, output: &str, errors: &str) -> CommandAnswer {
        CommandAnswer { status, output: output.into(), errors: errors.into() }
    }

    fn shape(text: &str) -> Result<Value, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn problems_are_beside_the_answer() {
        let twin = twin(2, "{\"a\":1}", "error: x.mg: no such file\nwarning: slow\nnothing here\n");
        let answer = from_command(&twin, vec!["a note".into()], shape).unwrap();
        let expected = json!({"a": 1, "status": "failure", "problems": [
            {"severity": "error", "message": "x.mg: no such file"},
            {"severity": "warning", "message": "slow"},
            {"severity": "note", "message": "nothing here"},
            {"severity": "warning", "message": "a note"},
        ]});
        assert_eq!(answer, expected);
    }

    #[test]
    fn failures_without_output_are_errors() {
        let why = from_command(&twin(2, "", "error: no such rule\n"), Vec::new(), shape).unwrap_err();
        assert_eq!(why, "no such rule");
    }

    #[test]
    fn hidden_characters_are_signs_but_in_edits() {
        let hidden = "a\u{202e}b\u{1b}[0m";
        let answer =
            json!({"message": hidden, "fix": {"title": hidden, "edits": [{"file": "x", "text": hidden}]}});
        let shown = "a\u{fffd}b\u{241b}[0m";
        let expected =
            json!({"message": shown, "fix": {"title": shown, "edits": [{"file": "x", "text": hidden}]}});
        assert_eq!(masked(answer), expected);
    }
}
