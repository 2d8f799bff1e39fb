//! Examples of rules: fixtures with one or more files, prepared for display.

/// A file of an example.
pub(super) struct ExampleFile<'a> {
    /// The name, if the example has one.
    pub(super) name: Option<&'a str>,
    /// The text without trailing white space.
    pub(super) text: String,
    /// The default language.
    default: &'static str,
}

impl ExampleFile<'_> {
    /// The language for the code fence.
    pub(super) fn language(&self) -> &'static str {
        let name = self.name.map(|name| name.split(' ').next().unwrap_or(name));
        match name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end) {
            Some("toml") => "toml",
            Some("yaml") => "yaml",
            Some("json" | "jsonl") => "json",
            Some("md") => "markdown",
            Some("log" | "txt") => "text",
            _ => self.default,
        }
    }
}

/// The files of an example, separated by lines `#- NAME`. Empty without an example. For rules about
/// replies, a text that is not Mangle is a reply.
pub(super) fn example_files(example: &str, is_reply: bool) -> Vec<ExampleFile<'_>> {
    let default = match is_reply {
        false => "mangle",
        true if example.starts_with(['{', '[']) => "json",
        true => "text",
    };
    let mut files: Vec<ExampleFile<'_>> = Vec::new();
    for line in example.lines() {
        if let Some(name) = line.strip_prefix("#- ") {
            files.push(ExampleFile { name: Some(name.trim()), text: String::new(), default: "mangle" });
            continue;
        }
        if files.is_empty() {
            files.push(ExampleFile { name: None, text: String::new(), default });
        }
        if let Some(file) = files.last_mut() {
            file.text.push_str(&visible(line));
            file.text.push('\n');
        }
    }
    for file in &mut files {
        file.text.truncate(file.text.trim_end().len());
    }
    files
}

/// Invisible characters as `⟨U+FEFF⟩`, because some rules are about such characters.
fn visible(line: &str) -> String {
    let show = |char: char| {
        let hidden = char.is_control() && char != '\t'
            || matches!(char, '\u{feff}' | '\u{a0}' | '\u{200b}'..='\u{200f}');
        if hidden { format!("⟨U+{:04X}⟩", u32::from(char)) } else { char.to_string() }
    };
    line.chars().map(show).collect()
}
