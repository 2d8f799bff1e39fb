//! Transcripts in which a character of several bytes stands where it damages them, in every container and at every token:
//! every format shows them, and lines, columns and offsets say the same place.

use std::path::Path;

use serde_json::Value;

use super::support::{command, folder, write};

const ENVELOPE: &str = r#"{"control_packet":{"intent_classification":{"category":"/query","confidence":1.5},"mangle_updates":["p(\"é\", 1)."]},"surface_response":"ok"}"#;

/// What is put in.
const CHARACTERS: [&str; 5] = ["é", "🦀", "\u{2028}", "\\é", "\u{feff}"];

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A small file of each kind, with its name.
fn containers() -> Vec<(&'static str, String)> {
    let answer = format!(r#"{{"role":"assistant","content":{}}}"#, quoted(ENVELOPE));
    let user = r#"{"role":"user","content":"ß"}"#;
    let delta =
        |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{}}}}}]}}\n\n", quoted(text));
    let (first, second) = ENVELOPE.split_at(60);
    vec![
        ("envelope.json", ENVELOPE.to_owned()),
        ("envelopes.piggyback.jsonl", format!("{ENVELOPE}\n{ENVELOPE}\n")),
        ("chat.jsonl", format!("{user}\n{answer}\n")),
        ("array.json", format!("[{user},\n{answer}]")),
        ("session.json", format!("{{\"id\":\"s\",\"messages\":[{user},\r\n{answer}]}}")),
        ("reply.txt", format!("Sure: é\n```json\n{ENVELOPE}\n```\n")),
        ("notes.md", format!("# é\n\n- a\n  ```piggyback\n  {ENVELOPE}\n  ```\n")),
        ("agent.log", format!("2026/03/01 12:00:00.000000 [DEBUG] Raw LLM Response: {ENVELOPE}\n")),
        ("stream.sse.txt", [delta(first), delta(second), "data: [DONE]\n".to_owned()].concat()),
        ("nested.json", format!("{{\"response\":{{\"text\":{}}}}}", quoted(&answer))),
    ]
}

/// A place beside each token, by turns before and behind it.
fn places(text: &str) -> Vec<usize> {
    let is_token = |char: char| "{}[]\":,\\`\n".contains(char);
    let all = text.char_indices().filter(|(_, char)| is_token(*char)).enumerate();
    all.map(|(index, (at, char))| if index % 2 == 0 { at } else { at + char.len_utf8() }).collect()
}

/// All damaged files.
fn damaged() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (name, text) in containers() {
        let mut places = places(&text);
        places.dedup();
        for (index, at) in places.into_iter().enumerate() {
            let character = CHARACTERS[index % CHARACTERS.len()];
            let (before, behind) = text.split_at(at);
            let bom = if index % 7 == 0 { "\u{feff}" } else { "" };
            // Every second file ends soon behind the damage.
            let end =
                behind.char_indices().nth(9).filter(|_| index % 2 == 1).map_or(behind.len(), |(at, _)| at);
            let text = format!("{bom}{before}{character}{}", behind.get(..end).unwrap_or(behind));
            let invalid = if index % 11 == 0 { &b"\xff\xe2\x82"[..] } else { b"" };
            files.push((format!("t/{index}-{name}"), [text.as_bytes(), invalid].concat()));
        }
    }
    files
}

/// Line and column of an offset, both from 1. A byte that is no text counts as a character.
fn spot(bytes: &[u8], offset: usize) -> (u64, u64) {
    let (mut line, mut start) = (1, 0);
    for (at, byte) in bytes.iter().enumerate().take(offset) {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            (line, start) = (line + 1, at + 1);
        }
    }
    let chunks = bytes.get(start..offset).unwrap_or(&[]).utf8_chunks();
    let column: usize = chunks.map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum();
    (line, 1 + column as u64)
}

fn run(folder: &Path, format: &str, more: &[&str]) -> String {
    let arguments = [&["check", "t", "--transcripts", "t/*", "--format", format], more].concat();
    let output = command(folder, &arguments).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{format}: {:?}\n{complaints}", output.status);
    assert!(!complaints.contains("panicked"), "{format}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn damaged_transcripts_are_shown_in_every_format() {
    let files = damaged();
    let folder = folder(&[]);
    files.iter().for_each(|(name, bytes)| write(folder.path(), name, bytes));
    let text = run(folder.path(), "text", &[]);
    assert!(!text.contains("cannot be shown"), "an excerpt is missing");
    let json = run(folder.path(), "json", &[]);
    let mut found = 0;
    for line in json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let Some((name, bytes)) = files.iter().find(|(name, _)| line["file"] == name.as_str()) else {
            continue;
        };
        found += 1;
        for (offset, row, column) in [("start", "line", "column"), ("end", "end_line", "end_column")] {
            let offset = usize::try_from(line[offset].as_u64().unwrap()).unwrap();
            let said = (line[row].as_u64().unwrap(), line[column].as_u64().unwrap());
            assert_eq!(said, spot(bytes, offset), "{name}: {line}");
            let is_text = std::str::from_utf8(bytes).is_ok_and(|text| !text.is_char_boundary(offset));
            assert!(!is_text, "{name}: inside of a character: {line}");
        }
    }
    assert!(found > files.len(), "{found} findings in {} files", files.len());
    let sarif: Value = serde_json::from_str(&run(folder.path(), "sarif", &[])).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), found);
    assert_eq!(
        run(folder.path(), "github", &[]).lines().filter(|line| line.starts_with("::")).count(),
        found
    );
    let junit = run(folder.path(), "junit", &[]);
    let junit = roxmltree::Document::parse(&junit).unwrap();
    assert!(junit.descendants().filter(|node| node.has_tag_name("testcase")).count() >= found);
}

#[test]
fn a_range_inside_of_a_character_is_widened() {
    let folder = folder(&[("transcripts/a.json", "{\"control_packet\": é{}}")]);
    let output = command(folder.path(), &["check", "transcripts/a.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("json-syntax"));
}

#[test]
fn places_of_standard_input_are_those_of_the_file() {
    use std::io::Write as _;
    use std::process::Stdio;
    let turns: Vec<String> = (0..6)
        .map(|_| {
            format!(
                "{{\"role\":\"user\",\"content\":\"é\"}}\n{{\"role\":\"assistant\",\"content\":{}}}\n",
                quoted(ENVELOPE)
            )
        })
        .collect();
    let session = "{\"id\":\"s\",\"messages\":[\n{\"role\":\"assistant\",\"content\":\"a\\q\"}]}".to_owned();
    for (text, more) in [(turns.concat(), vec![]), (session, vec!["--container", "session"])] {
        let folder = folder(&[("a.jsonl", &text)]);
        let places = |output: Vec<u8>| -> Vec<String> {
            let lines = String::from_utf8(output).unwrap();
            let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let place = |line: Value| {
                let offset = usize::try_from(line["start"].as_u64()?).unwrap();
                assert_eq!(
                    spot(text.as_bytes(), offset),
                    (line["line"].as_u64()?, line["column"].as_u64()?),
                    "{line}"
                );
                Some(format!("{} {offset}", line["code"]))
            };
            lines.filter_map(place).collect()
        };
        let arguments =
            |name| [&["check", "--format", "json", "--transcripts", name], more.as_slice()].concat();
        let of_file = command(folder.path(), &arguments("a.jsonl")).output().unwrap();
        let mut child = command(folder.path(), &arguments("-"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let of_input = child.wait_with_output().unwrap();
        let expected = places(of_file.stdout);
        assert!(!expected.is_empty());
        assert_eq!(places(of_input.stdout), expected);
    }
}
