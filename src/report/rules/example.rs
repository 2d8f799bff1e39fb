//! The examples of rules: fixtures of one file or several, made readable.

/// A file of an example.
pub(super) struct File<'a> {
    /// Its name, where the example gives one.
    pub(super) name: Option<&'a str>,
    /// Its text, without white space at the end.
    pub(super) text: String,
}

impl File<'_> {
    /// The language that its text is in, as the word behind a code fence.
    pub(super) fn language(&self) -> &'static str {
        if self.name.is_some_and(|name| name.ends_with(".toml")) { "toml" } else { "mangle" }
    }
}

/// The files of an example; a line `#- NAME` starts one. Empty for a rule without example.
pub(super) fn files(example: &str) -> Vec<File<'_>> {
    let mut files: Vec<File<'_>> = Vec::new();
    for line in example.lines() {
        if let Some(name) = line.strip_prefix("#- ") {
            files.push(File { name: Some(name.trim()), text: String::new() });
            continue;
        }
        if files.is_empty() {
            files.push(File { name: None, text: String::new() });
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

/// Characters that nobody would see, as `⟨U+FEFF⟩`: some rules are about just these.
fn visible(line: &str) -> String {
    let show = |char: char| {
        let hidden = char.is_control() && char != '\t'
            || matches!(char, '\u{feff}' | '\u{a0}' | '\u{200b}'..='\u{200f}');
        if hidden { format!("⟨U+{:04X}⟩", u32::from(char)) } else { char.to_string() }
    };
    line.chars().map(show).collect()
}
