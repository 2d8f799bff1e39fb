//! The state of a workspace as the client knows it: what is on disk, what is open with which text, what is set.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::text::{Columns, Editor};
use crate::oracle::texts::{LINK, LINKED, PATHS};

/// What an editor calls a document: an index into the paths, and how its URI is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) path: usize,
    pub(crate) spelling: usize,
}

impl Name {
    pub(crate) fn path(self) -> &'static str {
        PATHS[self.path]
    }

    /// Its URI in a folder.
    pub(crate) fn uri(self, root: &str) -> String {
        let path = self.path();
        match self.spelling {
            0 => format!("{root}/{path}"),
            // The same path with its last letter encoded.
            _ => format!("{root}/{}%{:02X}", &path[..path.len() - 1], path.as_bytes()[path.len() - 1]),
        }
    }
}

/// The state.
pub(crate) struct Model {
    pub(crate) columns: Columns,
    /// By path without links.
    pub(crate) disk: BTreeMap<&'static str, String>,
    pub(crate) is_linked: bool,
    pub(crate) open: BTreeMap<Name, Editor>,
    /// Of each file the documents that it is open in; the first one counts.
    pub(crate) openings: BTreeMap<&'static str, Vec<Name>>,
    pub(crate) settings: usize,
    /// Which edit of all was the last of each document.
    last_edits: BTreeMap<Name, usize>,
    edits: usize,
}

impl Model {
    pub(crate) fn new(columns: Columns) -> Self {
        Self {
            columns,
            disk: BTreeMap::new(),
            is_linked: true,
            open: BTreeMap::new(),
            openings: BTreeMap::new(),
            settings: 0,
            last_edits: BTreeMap::new(),
            edits: 0,
        }
    }

    /// The open documents.
    pub(crate) fn names(&self) -> Vec<Name> {
        self.open.keys().copied().collect()
    }

    /// The file that a path leads to.
    pub(crate) fn file(&self, path: &'static str) -> &'static str {
        if path == LINK.0 && self.is_linked {
            return LINK.1;
        }
        let rest = path.strip_prefix(LINKED.0).and_then(|rest| rest.strip_prefix('/'));
        let real = rest.map(|rest| format!("{}/{rest}", LINKED.1));
        real.and_then(|real| PATHS.iter().copied().find(|path| *path == real)).unwrap_or(path)
    }

    /// Opens a document with its text on disk, as editors show it; gives that text, or `None` if it is open.
    pub(crate) fn open(&mut self, name: Name) -> Option<String> {
        if self.open.contains_key(&name) {
            return None;
        }
        let file = self.file(name.path());
        let text = self.disk.get(file).map_or("", |text| text.trim_start_matches('\u{feff}')).to_owned();
        self.open.insert(name, Editor::new(&text, self.columns));
        self.openings.entry(file).or_default().push(name);
        Some(text)
    }

    /// The document is edited: it counts from now on.
    pub(crate) fn touch(&mut self, name: Name) {
        self.edits += 1;
        self.last_edits.insert(name, self.edits);
        self.turn_to(name);
    }

    /// The document counts from now on.
    fn turn_to(&mut self, name: Name) {
        let openings = self.openings.entry(self.file(name.path())).or_default();
        if let Some(at) = openings.iter().position(|opening| *opening == name).filter(|at| *at > 0) {
            openings.remove(at);
            let before = std::mem::replace(&mut openings[0], name);
            openings.push(before);
        }
    }

    /// The document is closed. Gives whether it was open.
    pub(crate) fn close(&mut self, name: Name) -> bool {
        self.forget_opening(name);
        self.last_edits.remove(&name);
        self.open.remove(&name).is_some()
    }

    fn forget_opening(&mut self, name: Name) {
        for openings in self.openings.values_mut() {
            match openings.iter().position(|opening| *opening == name) {
                Some(0) => {
                    let next = openings.pop().filter(|next| *next != name);
                    next.into_iter().for_each(|next| openings[0] = next);
                }
                Some(at) => drop(openings.remove(at)),
                None => {}
            }
        }
        self.openings.retain(|_, openings| !openings.is_empty());
    }

    /// The link comes or goes: documents that were opened through it are another file now.
    pub(crate) fn link(&mut self) {
        self.is_linked = !self.is_linked;
        let all = self.openings.values().flatten().copied();
        let through: Vec<_> = all.filter(|name| name.path() == LINK.0).collect();
        for name in through {
            self.forget_opening(name);
            let openings = self.openings.entry(self.file(name.path())).or_default();
            let counting = openings.first().copied();
            openings.push(name);
            if counting.is_some_and(|counting| self.last_edits.get(&counting) < self.last_edits.get(&name)) {
                self.turn_to(name);
            }
        }
    }

    /// The open documents in an order in which a new server takes them for the same.
    pub(crate) fn in_order(&self) -> Vec<Name> {
        self.openings.values().flatten().copied().collect()
    }

    /// The document that counts for a file.
    pub(crate) fn counting(&self, file: &str) -> Option<&Editor> {
        self.open.get(self.openings.get(file)?.first()?)
    }

    /// Whether the text of a document is that of its file in programs.
    pub(crate) fn counts(&self, name: Name) -> bool {
        let text = |editor: &Editor| editor.text.clone();
        self.counting(self.file(name.path())).map(text) == self.open.get(&name).map(text)
    }

    /// The open documents with their texts.
    pub(crate) fn open_texts(&self) -> Vec<(Name, String)> {
        self.open.iter().map(|(name, editor)| (*name, editor.text())).collect()
    }

    /// The files with the texts that count.
    pub(crate) fn texts(&self) -> BTreeMap<&'static str, String> {
        let mut texts = self.disk.clone();
        let open: BTreeSet<_> = self.openings.keys().copied().collect();
        for file in open {
            let mark = if self.is_marked(file) { "\u{feff}" } else { "" };
            let text = self.counting(file).map_or_else(String::new, Editor::text);
            texts.insert(file, format!("{mark}{text}"));
        }
        texts
    }

    /// Whether a file on disk starts with a byte order mark.
    pub(crate) fn is_marked(&self, file: &str) -> bool {
        self.disk.get(file).is_some_and(|text| text.starts_with('\u{feff}'))
    }
}
