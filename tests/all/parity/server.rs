//! A workspace as the server has it, with all findings worked out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mangle_host::workspace::Workspace;
use mangle_report::{SourceText, Sources, json_value};
use mangle_syntax::text::{Cancel, ContentChange, Encoding};

/// A workspace over one folder.
pub(crate) struct Server {
    folder: PathBuf,
    workspace: Workspace,
    version: i32,
}

impl Server {
    pub(crate) fn new(folder: &Path) -> Self {
        let folder = folder.to_path_buf();
        let mut workspace = Workspace::new();
        workspace.set_folders(vec![folder.clone()]);
        let mut server = Self { folder, workspace, version: 0 };
        server.scan();
        server
    }

    fn scan(&mut self) {
        while let Some(scan) = self.workspace.next_scan() {
            self.workspace.scanned(scan.run(|_, _| {}));
        }
    }

    pub(crate) fn open(&mut self, name: &str, text: &str) {
        let path = self.folder.join(name);
        let language = match path.extension().and_then(|extension| extension.to_str()) {
            Some("mg" | "gl") => "mangle",
            Some(other) => other,
            None => "",
        };
        self.version += 1;
        // Editors hide a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let uri = format!("file://{}", path.display());
        self.workspace.open(&path, &uri, language, self.version, text);
        self.scan();
    }

    pub(crate) fn replace(&mut self, name: &str, text: &str) {
        self.version += 1;
        let whole = ContentChange { range: None, text: text.into() };
        let path = self.folder.join(name);
        self.workspace.change(&path, self.version, &[whole], Encoding::Utf8).unwrap();
        self.scan();
    }

    pub(crate) fn close(&mut self, name: &str) {
        self.workspace.close(&self.folder.join(name));
        self.scan();
    }

    /// All findings, as `check` writes them.
    pub(crate) fn findings(&mut self) -> BTreeSet<String> {
        let snapshot = self.workspace.snapshot();
        let cancel = Cancel::new();
        for program in &snapshot.programs {
            program.diagnose(&cancel);
            program.evaluate(&cancel);
            snapshot.trace_prompts(program, &cancel);
        }
        snapshot.check_atoms(&cancel);
        snapshot.transcripts.iter().for_each(|transcript| transcript.diagnose(&cancel));
        let working = std::env::current_dir().unwrap();
        let reported = snapshot.reported();
        let mut sources = Sources::default();
        for file in snapshot.files().chain(reported.iter().filter_map(|file| snapshot.file(*file))) {
            let source = SourceText::new(mangle_host::relative(&working, &file.path), file.text().clone());
            sources.insert_source(file.id, source.at(&file.path));
        }
        let found = reported.iter().flat_map(|file| {
            let all = snapshot.diagnostics(*file).into_iter();
            all.map(|diagnostic| json_value(*file, diagnostic, &sources).to_string()).collect::<Vec<_>>()
        });
        found.collect()
    }
}
