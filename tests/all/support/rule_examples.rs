//! The examples of rules as folders of files.

use std::fs;
use std::path::Path;

use mangle_syntax::lint::Rule;

/// The files of an example with their names: a line `#- NAME` begins one.
pub fn files(rule: &Rule, example: &str) -> Vec<(String, Vec<u8>)> {
    let is_reply = rule.code.starts_with("PB") && rule.name != "decl-regex-gap";
    let first = if is_reply { "transcripts/reply.txt" } else { "main.mg" };
    let mut files = vec![(first.to_owned(), String::new())];
    for line in example.split_inclusive('\n') {
        match (line.strip_prefix("#- "), files.last_mut()) {
            (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    files.retain(|(name, text)| name != first || !text.is_empty());
    files.into_iter().map(|(name, text)| with_bytes(&name, text)).collect()
}

/// Writes the files of an example into a folder.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The configuration in which a rule that is off by default has a severity; `None` where nothing has to change.
pub fn switched_on(rule: &Rule, before: &str) -> Option<String> {
    if rule.severity.is_some() || before.contains(rule.name) {
        return None;
    }
    let line = format!("[rules]\n{} = \"hint\"\n", rule.name);
    Some(match before.contains("[rules]\n") {
        true => before.replace("[rules]\n", &line),
        false => format!("{before}\n{line}"),
    })
}

/// A file whose name is followed by a remark has a byte for each `\xHH`.
fn with_bytes(name: &str, text: String) -> (String, Vec<u8>) {
    let Some((name, _)) = name.split_once(' ').filter(|(_, remark)| remark.contains("\\xHH")) else {
        return (name.to_owned(), text.into_bytes());
    };
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    (name.to_owned(), bytes)
}
