//! The command line on a copy of the state, written to disk.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::oracle::client::Folder;
use crate::oracle::compare::{Answers, Difference};
use crate::oracle::model::Model;
use crate::oracle::texts::{LINK, LINKED};

/// File, line from 1, rule.
type Place = (String, u64, String);

/// A finding of the command line or of the server that the other one does not have. The server evaluates the programs of
/// open documents alone, so what it says lies between a check without and with evaluation.
pub(crate) fn difference(model: &Model, answers: &Answers, root: &str) -> Option<Difference> {
    let applies = model.settings == 0 && model.disk.contains_key("mangle-ls.toml");
    if !applies || shares_unsaved_text(model) {
        return None;
    }
    let folder = copy(model);
    // A document that is in no program is checked alone where it is open, and on the command line where it is named.
    let open: BTreeSet<&str> = model.openings.keys().copied().filter(|file| is_policy(file)).collect();
    let open: Vec<&str> = open.into_iter().collect();
    // What is wrong with prompts, the server works out for the programs of open documents alone, too.
    let least = check(&folder, &open, |code| !code.starts_with("PP"));
    let most = check(&folder, &[&open[..], &["--evaluate"]].concat(), |_| true);
    let of_server: BTreeSet<_> =
        findings(model, answers, root).into_iter().filter(|one| is_compared(model, one)).collect();
    let is_ours = |place: &&Place| is_compared(model, place);
    let missing = least.iter().filter(is_ours).find(|place| !of_server.contains(*place));
    let missing = missing.map(|place| Difference(format!("the command line alone finds {place:?}")));
    let unknown = of_server.iter().find(|place| !most.contains(*place) && !least.contains(*place));
    missing.or_else(|| unknown.map(|place| Difference(format!("the server alone finds {place:?}"))))
}

/// Whether a link is open, or its file has unsaved text: whether both have the same name and text then depends on the
/// programs of both.
fn shares_unsaved_text(model: &Model) -> bool {
    let is_link_open = model.open.keys().any(|name| name.path() == LINK.0);
    let on_disk = model.disk.get(LINK.1).map(|text| text.trim_start_matches('\u{feff}'));
    let is_unsaved = model.counting(LINK.1).is_some_and(|editor| Some(editor.text().as_str()) != on_disk);
    model.is_linked && (is_link_open || is_unsaved)
}

/// Transcripts are checked and replayed where they are open, and editors hide byte order marks. A link that leads nowhere
/// on disk may lead to a file of the copy.
fn is_compared(model: &Model, (file, ..): &Place) -> bool {
    let is_broken = file == LINK.0 && model.is_linked && !model.disk.contains_key(LINK.1);
    is_policy(file) && !is_broken && !model.is_marked(file)
}

fn is_policy(file: &str) -> bool {
    file.ends_with(".mg") || file.ends_with(".gl")
}

fn copy(model: &Model) -> Folder {
    let folder = Folder::new(&[]);
    for (file, text) in model.texts() {
        folder.write(file, &text);
    }
    let policies = folder.path().join(LINKED.1);
    if policies.exists() {
        std::os::unix::fs::symlink(LINKED.1, folder.path().join(LINKED.0)).unwrap();
    }
    if model.is_linked {
        std::os::unix::fs::symlink(LINK.1, folder.path().join(LINK.0)).unwrap();
    }
    folder
}

/// The findings of a check whose codes `is_wanted`.
fn check(folder: &Folder, arguments: &[&str], is_wanted: impl Fn(&str) -> bool) -> BTreeSet<Place> {
    let output = Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["check", "--format", "json"])
        .args(arguments)
        .arg(".")
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found = lines.filter(|line| line["code"].as_str().is_some_and(&is_wanted));
    let place = |line: Value| {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        (text("file"), line["line"].as_u64().unwrap(), text("rule"))
    };
    found.map(place).collect()
}

/// What the server found, by file.
fn findings(model: &Model, answers: &Answers, root: &str) -> BTreeSet<Place> {
    let mut all = BTreeSet::new();
    for (what, list) in answers {
        let Some(uri) = what.strip_prefix("findings of ") else { continue };
        let name = model.open.keys().find(|name| name.uri(root) == uri);
        let file = match name {
            Some(name) if !model.counts(*name) => continue,
            Some(name) => model.file(name.path()).to_owned(),
            None => uri.trim_start_matches(root).trim_start_matches('/').to_owned(),
        };
        for found in list.as_array().into_iter().flatten() {
            let line = found["range"]["start"]["line"].as_u64().unwrap() + 1;
            all.insert((file.clone(), line, found["code"].as_str().unwrap().to_owned()));
        }
    }
    all
}
