//! Message for a check that finds no files.

use std::path::Path;

use mangle_host::Resolution;
use mangle_settings::{FILE_NAME, Settings};

/// The file extensions and patterns that were searched, with the configuration that defines them.
pub(super) fn looked_for(resolution: &Resolution, working: &Path) -> String {
    let defaults = Settings::default();
    let settings: Vec<&Settings> = match &resolution.projects[..] {
        [] => vec![&defaults],
        projects => projects.iter().map(|project| &*project.settings).collect(),
    };
    let added = settings.iter().flat_map(|settings| settings.files.extensions.iter().map(String::as_str));
    let endings = listed(["mg", "gl"].into_iter().chain(added).map(|ending| format!(".{ending}")));
    let patterns = settings.iter().flat_map(|settings| settings.transcripts.include.patterns());
    let transcripts = listed(patterns.cloned());
    let atoms = listed(settings.iter().flat_map(|settings| settings.prompt.atoms.patterns()).cloned());
    let mut text = format!("looked for Mangle files ({endings})");
    if !transcripts.is_empty() {
        text.push_str(&format!(" and transcripts ({transcripts})"));
    }
    if !atoms.is_empty() {
        text.push_str(&format!(" and prompt atoms ({atoms})"));
    }
    let left_out = match resolution.excluded_files.len() {
        0 => String::new(),
        1 => "; 1 Mangle file is in no program".to_owned(),
        count => format!("; {count} Mangle files are in no program"),
    };
    let names: Vec<_> =
        resolution.projects.iter().map(|project| mangle_host::relative(working, &project.path)).collect();
    let configuration = match &names[..] {
        [] => format!("there is no `{FILE_NAME}` here or above"),
        names => format!("as {} says", names.join(", ")),
    };
    format!("{text} that git does not ignore{left_out}; {configuration}")
}

/// Distinct words in backticks, in order.
fn listed(words: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for word in words.map(|word| format!("`{word}`")) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(", ")
}
