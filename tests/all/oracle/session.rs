//! A server with a workspace on disk, taken through operations.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::oracle::client::{Client, Folder, pulling, pushed, uri, with_encoding};
use crate::oracle::command_line;
use crate::oracle::compare::{Difference, QUESTIONS, answers, first_difference};
use crate::oracle::model::{Model, Name};
use crate::oracle::operation::Operation;
use crate::oracle::text::{Columns, Dice};
use crate::oracle::texts::{LINK, LINKED, PATHS, SETTINGS, language, texts};

/// How long a difference must last: what is evaluated comes a moment later. Only a failure takes that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How a client is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) columns: Columns,
    /// Whether it pulls the diagnostics of open documents.
    pub(crate) pull: bool,
}

/// A server and what it pushed last.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) pushed: BTreeMap<String, Value>,
}

impl Server {
    fn new(setup: Setup, folder: &Folder) -> Self {
        let capabilities = if setup.pull { pulling() } else { pushed() };
        let capabilities = with_encoding(capabilities, setup.columns.name());
        Self { client: Client::open_workspace(Some(&folder.path()), capabilities), pushed: BTreeMap::new() }
    }

    /// Takes in what came.
    pub(crate) fn listen(&mut self) {
        for mut message in self.client.drain() {
            if message["method"] == "textDocument/publishDiagnostics" {
                let name = message["params"]["uri"].as_str().unwrap().to_owned();
                self.pushed.insert(name, message["params"]["diagnostics"].take());
            }
        }
        self.pushed.retain(|_, list| list.as_array().is_some_and(|list| !list.is_empty()));
    }

    fn open(&mut self, name: &str, path: &str, version: i32, text: &str) {
        let document = json!({ "uri": name, "languageId": language(path), "version": version, "text": text });
        self.client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn configure(&mut self, settings: usize) {
        let settings: Value = serde_json::from_str(SETTINGS[settings]).unwrap();
        self.client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    }
}

/// The server that lives long.
pub(crate) struct Session {
    pub(crate) setup: Setup,
    pub(crate) model: Model,
    folder: Folder,
    pub(crate) server: Server,
}

impl Session {
    /// A server on the first text of each file.
    pub(crate) fn new(setup: Setup) -> Self {
        let folder = Folder::new(&[]);
        let mut model = Model::new(setup.columns);
        for path in PATHS.into_iter().filter(|path| !path.contains("late")) {
            if model.file(path) == path {
                model.disk.insert(path, texts(path)[0].to_owned());
                folder.write(path, texts(path)[0]);
            }
        }
        for (link, target) in [LINK, LINKED] {
            symlink(target, folder.path().join(link)).unwrap();
        }
        let server = Server::new(setup, &folder);
        Self { setup, model, folder, server }
    }

    fn root(&self) -> String {
        uri(&self.folder.path())
    }

    fn event(&mut self, path: &str, kind: u32) {
        let event = json!({ "changes": [{ "uri": self.folder.uri(path), "type": kind }] });
        self.server.client.notify("workspace/didChangeWatchedFiles", event);
    }

    /// Does what happens, on disk and towards the server.
    pub(crate) fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Open(name) => {
                if let Some(text) = self.model.open(name) {
                    self.server.open(&name.uri(&self.root()), name.path(), 0, &text);
                }
            }
            Operation::Edit { name, seed } => self.edit(name, |editor| editor.edit(&mut Dice::new(seed))),
            Operation::Replace { name, text } => {
                let list = texts(name.path());
                let text = list[text % list.len()].trim_start_matches('\u{feff}');
                self.edit(name, |editor| {
                    editor.text = text.chars().collect();
                    editor.version += 1;
                    json!([{ "text": text }])
                });
            }
            Operation::Save(name) => {
                if let Some(text) = self.model.open.get(&name).map(crate::oracle::text::Editor::text) {
                    let file = self.model.file(name.path());
                    let mark = if self.model.is_marked(file) { "\u{feff}" } else { "" };
                    self.write(file, name.path(), format!("{mark}{text}"));
                    let saved = json!({ "textDocument": { "uri": name.uri(&self.root()) } });
                    self.server.client.notify("textDocument/didSave", saved);
                }
            }
            Operation::Close(name) => {
                if self.model.close(name) {
                    self.server.client.did_close(&name.uri(&self.root()));
                }
            }
            Operation::Write { path, text } => {
                let list = texts(PATHS[path]);
                self.write(self.model.file(PATHS[path]), PATHS[path], list[text % list.len()].to_owned());
            }
            Operation::Remove(path) => self.remove(PATHS[path]),
            Operation::Link => self.link(),
            Operation::Configure(settings) => {
                self.model.settings = settings;
                self.server.configure(settings);
            }
            // Answered when programs are evaluated.
            Operation::Settle => drop(self.server.client.request("mangle/query", json!({ "atom": "p(X)" }))),
            Operation::Ask { name, method } => {
                if let Some(editor) = self.model.open.get(&name) {
                    let at = crate::oracle::text::position(
                        &editor.text,
                        editor.text.len() / 2,
                        self.setup.columns,
                    );
                    let method = QUESTIONS[method % QUESTIONS.len()];
                    let parameters = crate::oracle::compare::parameters(&name.uri(&self.root()), &at);
                    self.server.client.ask(method, parameters);
                }
            }
        }
    }

    fn edit(&mut self, name: Name, change: impl FnOnce(&mut crate::oracle::text::Editor) -> Value) {
        let Some(editor) = self.model.open.get_mut(&name) else { return };
        // What grows without end only takes time.
        let changes = if editor.text.len() > 3_000 {
            editor.text = "p(/a).\n".chars().collect();
            editor.version += 1;
            json!([{ "text": "p(/a).\n" }])
        } else {
            change(editor)
        };
        let version = editor.version;
        self.model.touch(name);
        self.server.client.did_change(&name.uri(&self.root()), version, changes);
    }

    /// Writes a file; `path` is where it is said to have changed.
    fn write(&mut self, file: &'static str, path: &str, text: String) {
        let is_new = !self.model.disk.contains_key(file);
        self.folder.write(file, &text);
        self.model.disk.insert(file, text);
        // What follows links watches the file; others watch the path.
        let path = if is_new { file } else { path };
        self.event(path, if is_new { 1 } else { 2 });
    }

    fn remove(&mut self, path: &'static str) {
        let file = self.model.file(path);
        if self.model.disk.remove(file).is_some() {
            self.folder.remove(file);
            self.event(file, 3);
        }
    }

    fn link(&mut self) {
        let link = self.folder.path().join(LINK.0);
        if self.model.is_linked {
            std::fs::remove_file(&link).unwrap();
        } else if !self.model.disk.contains_key(LINK.0) {
            symlink(LINK.1, &link).unwrap();
        } else {
            return;
        }
        self.model.link();
        self.event(LINK.0, if self.model.is_linked { 1 } else { 3 });
    }

    /// Compares the server with a new one and with the command line; `seed` decides the places that are asked about.
    pub(crate) fn compare(&mut self, seed: u64, patience: Duration) -> Result<(), Difference> {
        let mut fresh = self.fresh();
        let start = Instant::now();
        loop {
            let old =
                answers(&mut self.server, &self.model, &uri(&self.folder.path()), self.setup.pull, seed);
            let new = answers(&mut fresh, &self.model, &uri(&self.folder.path()), self.setup.pull, seed);
            match first_difference(&old, &new, "a new server") {
                None => {
                    let root = uri(&self.folder.path());
                    return match command_line::difference(&self.model, &old, &root) {
                        Some(difference) if start.elapsed() > patience => Err(difference),
                        Some(_) => {
                            std::thread::sleep(Duration::from_millis(100));
                            continue;
                        }
                        None => Ok(()),
                    };
                }
                Some(difference) if start.elapsed() > patience => return Err(difference),
                Some(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// A new server on the same state.
    fn fresh(&self) -> Server {
        let mut fresh = Server::new(self.setup, &self.folder);
        if self.model.settings != 0 {
            fresh.configure(self.model.settings);
        }
        for name in self.model.in_order() {
            let editor = &self.model.open[&name];
            fresh.open(&name.uri(&self.root()), name.path(), editor.version, &editor.text());
        }
        fresh
    }

    /// The resident memory of the server in kibibytes, where the system says so.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.server.client.process())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}
