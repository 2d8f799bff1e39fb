//! A chat log as agents keep it: a question and an answer by turns, a message a line, each envelope in a string. Its envelopes lack a field
//! that only the strict schema requires.

use serde_json::{Value, json};

use super::{Random, replies};

/// What the program declares of the atoms in the replies.
pub(crate) const SCHEMAS: &str =
    "Decl task_completed(Task) bound [/string]. Decl modified(Path) bound [/string].
Decl observation(What, Text) bound [/string, /string]. Decl failing_test(Test, Text) bound [/string, /string].
Decl git_history(File, Commit, Author, Age, Message) bound [/string, /string, /string, /number, /string].
Decl diagnostic(Path) bound [/string].
";

/// The field that the envelopes lack.
const LACKING: &str = "\"knowledge_requests\":[],";

/// At least `bytes` bytes of messages; `number` is that of the last reply. With `spoils`, every tenth reply has a fault.
pub(crate) fn lines(bytes: usize, number: &mut usize, random: &mut Random, spoils: bool) -> String {
    let mut out = String::with_capacity(bytes + 4096);
    while out.len() < bytes {
        let before = *number;
        let mut envelopes = replies::lines(1, number, random).replace(LACKING, "");
        if spoils && before.is_multiple_of(10) {
            envelopes = replies::fault(&envelopes, before / 10);
        }
        message("user", &replies::text(30, random), &mut out);
        message("assistant", envelopes.trim_end(), &mut out);
    }
    out
}

fn message(role: &str, content: &str, out: &mut String) {
    let line = json!({ "timestamp": "2026-03-01T09:00:00Z", "role": role, "content": content });
    out.push_str(&line.to_string());
    out.push('\n');
}

/// Decodes each line, and the envelope in each string that holds one, as `serde_json` does; gives how many there are.
pub(crate) fn decode(text: &str) -> usize {
    let envelope = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let content = message.get("content")?.as_str()?;
        content.starts_with('{').then(|| serde_json::from_str::<Value>(content).ok())?
    };
    text.lines().filter_map(envelope).count()
}
