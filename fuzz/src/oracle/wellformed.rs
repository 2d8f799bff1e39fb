//! What commands write is well formed, and steers nothing.

use mangle_report::sink;
use serde_json::Value;

/// What an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text for people.
    Text,
    /// One JSON value.
    Json,
    /// JSON values, one after the other.
    JsonValues,
    /// A JSON object a line.
    JsonLines,
    /// SARIF 2.1.0.
    Sarif,
    /// XML.
    Xml,
    /// Commands of GitHub.
    Commands,
    /// Comma-separated values.
    Csv,
    /// The text of files, as it is.
    Foreign,
}

/// Panics unless `output` is what it is meant to be.
pub(crate) fn well_formed(output: &[u8], form: Form) {
    if form == Form::Foreign {
        return;
    }
    let text = std::str::from_utf8(output).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    // Line ends of Windows stay what they are.
    let shown = text.replace("\r\n", "\n");
    if let Some(hidden) = shown.chars().find(|char| sink::is_hidden(*char)) {
        panic!("{hidden:?} in {text:?}");
    }
    match form {
        Form::Json if text.trim().is_empty() => {}
        Form::Json => drop(json(text)),
        Form::JsonValues => {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            assert!(values.all(|value| value.is_ok()), "{text}");
        }
        Form::JsonLines => text.lines().for_each(|line| assert!(json(line).is_object(), "{line}")),
        Form::Sarif => sarif(&json(text)),
        Form::Xml if text.is_empty() => {}
        Form::Xml => {
            roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        Form::Commands => text.lines().for_each(command),
        Form::Text | Form::Csv | Form::Foreign => {}
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0", "{log}");
    for result in log["runs"][0]["results"].as_array().unwrap_or_else(|| panic!("no results: {log}")) {
        assert!(result["ruleId"].is_string() && result["message"]["text"].is_string(), "{result}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        for key in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(
                region.get(key).is_none_or(|number| number.as_u64().is_some_and(|number| number > 0)),
                "{result}"
            );
        }
    }
}

/// A line that begins a command begins one of ours.
fn command(line: &str) {
    let ours = ["::error ", "::warning ", "::notice "];
    let is_ours = ours.iter().any(|start| line.starts_with(start));
    assert!(is_ours || !line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
}
