//! What the header of a sample kernel names besides policies: session files, prompt atoms, captured prompts. Paths count
//! from the kernel's own folder. It may have been written by anybody, so nothing outside of the repository is read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::agents::limits_around;
use super::atoms::AtomFiles;
use super::decode::is_unparsed;
use super::problem::plain;
use super::uses::used_by_name;
use super::walk::{boundary, is_inside};
use super::{CheckTarget, FileTable, Overlay, absolute, read};
use agent_prompt::rules::PREVIEW_PATH;
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{CapturedPrompt, Header, PreviewGroup, SourcedText};
use mangle_syntax::lint::{Finding, SharedText};
use mangle_syntax::text::{FileId, TextRange, quoted};
use piggyback::transcript::Limits;

/// What the header of a sample kernel says, with the files that it names besides policies.
#[derive(Debug, Default)]
pub struct PreviewFiles {
    pub header: Header,
    /// The session file of each of its groups, where it has one that can be read.
    pub sessions: Vec<Option<Arc<SessionText>>>,
    /// The prompt atoms of each of its groups: those of the folder that it names, else those of the configuration.
    pub atoms: Vec<Option<Arc<AtomFiles>>>,
    /// The captured prompt of each of its groups, where it names a file that has one.
    pub captured: Vec<Option<Arc<CapturedPrompt>>>,
    /// The limits of shards that the configuration of the agent around the kernel sets (`.nerd/config.json`).
    pub limits: Option<Arc<Limits>>,
    /// Paths that lead nowhere; ranges count from the start of the kernel.
    pub findings: Vec<Finding>,
    /// The files of captured prompts.
    captures: Vec<ReadFile>,
}

#[derive(Debug)]
pub struct SessionText {
    pub id: FileId,
    pub path: PathBuf,
    pub text: Arc<str>,
    pub file: SessionFile,
}

/// Prompt atoms that were read already.
#[derive(Debug, Clone, Copy, Default)]
pub struct AtomCache<'a> {
    /// Those of the configuration.
    pub configured: Option<&'a Arc<AtomFiles>>,
    /// Those of an earlier look at the same kernel, while no file of atoms changed.
    pub before: Option<&'a PreviewFiles>,
}

/// A file that was read.
type ReadFile = (FileId, PathBuf, Arc<str>);

impl PreviewFiles {
    /// Reads what the header of the kernel at `path` names, inside of the repository around `root`.
    #[must_use]
    pub fn load(
        path: &Path,
        text: &str,
        root: &Path,
        known: AtomCache<'_>,
        overlay: &Overlay,
        table: &FileTable,
    ) -> Self {
        let header = Header::read(text);
        let boundary = boundary(root);
        let mut reader = HeaderReader {
            path,
            root,
            boundary,
            known,
            overlay,
            table,
            folders: Vec::new(),
            seen: FxHashSet::default(),
            findings: Vec::new(),
        };
        let (mut sessions, mut atoms) = (Vec::new(), Vec::new());
        for group in &header.groups {
            reader.uses(group);
            sessions.push(group.session.as_ref().and_then(|named| reader.session(named)));
            atoms.push(reader.atoms(group));
        }
        let captured: Vec<_> = header.groups.iter().map(|group| reader.captured(group).unzip()).collect();
        let (captured, captures): (Vec<_>, Vec<_>) = captured.into_iter().unzip();
        let captures = captures.into_iter().flatten().collect();
        let limits = limits_around(path, root, overlay, table);
        Self { sessions, atoms, captured, captures, limits, findings: reader.findings, header }
    }

    /// The atoms of a folder that a group names.
    fn atoms_of(&self, folder: &str) -> Option<Arc<AtomFiles>> {
        let groups = self.header.groups.iter().zip(&self.atoms);
        let mut named =
            groups.filter(|(group, _)| group.atoms.as_ref().is_some_and(|own| own.text == folder));
        named.next().and_then(|(_, atoms)| atoms.clone())
    }

    /// Files and folders that the header names besides policies, whether they are there or not, from the kernel's own folder.
    pub fn named(&self) -> impl Iterator<Item = &Path> {
        let named = self.header.groups.iter();
        let named = named.flat_map(|group| [&group.session, &group.atoms, &group.captured]);
        named.flatten().map(|said| Path::new(&said.text))
    }

    /// The session files and the files of prompt atoms, each of them once.
    pub fn texts(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        let sessions =
            self.sessions.iter().flatten().map(|session| (session.id, &*session.path, &session.text));
        let atoms = self.atoms.iter().flatten().flat_map(|atoms| atoms.texts());
        let atoms = atoms.chain(self.captures.iter().map(|(file, path, text)| (*file, &**path, text)));
        let mut seen = FxHashSet::default();
        sessions.chain(atoms).filter(move |(file, ..)| seen.insert(*file))
    }
}

/// What a preview is called that has no name of its own: the name of its file without its ends.
#[must_use]
pub fn preview_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// What is said of paths.
const INSIDE: &str = "paths are relative to the folder of this file and stay inside of the repository";

/// What happens to a path that leads out.
const OUTSIDE: &str =
    "files outside of the repository (or, without one, of the folder with `mangle-ls.toml`) are not read";

/// How many characters of a path a message shows.
const QUOTED: usize = 32;

/// What they stay inside of.
const REPOSITORY: &str = "the repository (without one, the folder with `mangle-ls.toml`)";

/// Reads what the groups of one header name, one after the other.
struct HeaderReader<'r> {
    path: &'r Path,
    root: &'r Path,
    /// The folder that nothing leads out of.
    boundary: PathBuf,
    known: AtomCache<'r>,
    overlay: &'r Overlay,
    table: &'r FileTable,
    /// The folders of atoms that groups before have named.
    folders: Vec<(String, Option<Arc<AtomFiles>>)>,
    /// What was said already, or is not to be looked at again: what stands before the first group is of each.
    seen: FxHashSet<TextRange>,
    findings: Vec<Finding>,
}

impl HeaderReader<'_> {
    fn absolute(&self, name: &str) -> PathBuf {
        absolute(self.path.parent().unwrap_or(self.path), Path::new(name))
    }

    fn complain(&mut self, range: TextRange, message: String, note: impl Into<SharedText>) {
        if self.seen.insert(range) {
            self.findings.push(Finding::new(&PREVIEW_PATH, range, message).note(note));
        }
    }

    /// Whether a path or glob leads somewhere where nothing is read.
    fn leads_out(&self, name: &str) -> bool {
        let named = self.absolute(name);
        match CheckTarget::glob(&named) {
            Some(CheckTarget::Glob(base, _)) => !is_inside(&base, &self.boundary),
            _ => !is_inside(&named, &self.boundary),
        }
    }

    /// The path of a file that is named, unless it leads out.
    fn inside(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.absolute(name);
        match is_inside(&path, &self.boundary) {
            true => Ok(path),
            false => Err(format!("it is outside of {REPOSITORY}")),
        }
    }

    /// Looks whether the policies that a group names are there.
    fn uses(&mut self, group: &PreviewGroup) {
        for used in group.uses.iter().filter(|used| !used.is_empty()) {
            if self.seen.contains(&used.range) {
                continue;
            }
            if used_by_name(self.path, &used.text, &self.boundary, self.overlay).is_empty() {
                let (message, note) = match self.leads_out(&used.text) {
                    true => (format!("{} is outside of the repository", quoted(&used.text, QUOTED)), OUTSIDE),
                    false => (format!("{} matches no policy", quoted(&used.text, QUOTED)), INSIDE),
                };
                self.complain(used.range, message, note);
            }
            self.seen.insert(used.range);
        }
    }

    /// The session file of a group.
    fn session(&mut self, named: &SourcedText) -> Option<Arc<SessionText>> {
        let read = self.inside(&named.text);
        match read.and_then(|path| read_session(&path, self.overlay, self.table)) {
            Ok(session) => Some(session),
            Err(why) => {
                let message = format!("session file {} cannot be used", quoted(&named.text, QUOTED));
                self.complain(named.range, message, why);
                None
            }
        }
    }

    /// The prompt atoms of a group: those of the folder that it names, else those of the configuration.
    fn atoms(&mut self, group: &PreviewGroup) -> Option<Arc<AtomFiles>> {
        let Some(named) = &group.atoms else { return self.known.configured.map(Arc::clone) };
        if let Some((_, known)) = self.folders.iter().find(|(name, _)| *name == named.text) {
            return known.clone();
        }
        let before = self.known.before.and_then(|before| before.atoms_of(&named.text));
        let found = before.or_else(|| {
            let folder = self.absolute(&named.text);
            AtomFiles::below(&folder, self.root, self.overlay, self.table).map(Arc::new)
        });
        if found.is_none() {
            let (message, note) = match self.leads_out(&named.text) {
                true => {
                    (format!("folder {} is outside of the repository", quoted(&named.text, QUOTED)), OUTSIDE)
                }
                false => {
                    (format!("folder {} has no usable prompt atoms", quoted(&named.text, QUOTED)), INSIDE)
                }
            };
            self.complain(named.range, message, note);
        }
        self.folders.push((named.text.to_string(), found.clone()));
        found
    }

    /// The captured prompt of a group, and the file that it stands in.
    fn captured(&mut self, group: &PreviewGroup) -> Option<(Arc<CapturedPrompt>, ReadFile)> {
        let (Some(named), Some((_, kind))) = (&group.captured, &group.shard) else { return None };
        match self.captured_for(&named.text, &kind.text) {
            Ok(captured) => Some(captured),
            Err(why) => {
                let message = format!("captured prompt {} cannot be used", quoted(&named.text, QUOTED));
                self.complain(named.range, message, why);
                None
            }
        }
    }

    /// The prompt that was captured for a type of shard in a file.
    fn captured_for(&self, name: &str, kind: &str) -> Result<(Arc<CapturedPrompt>, ReadFile), String> {
        let path = self.inside(name)?;
        let read = read(&path, self.overlay).map_err(|error| plain(&error))?;
        if let Some(finding) = read.findings.iter().find(|finding| is_unparsed(finding)) {
            return Err(finding.message.trim_end_matches('.').to_owned());
        }
        let (text, file) = (read.text, self.table.id(&path));
        let none = || format!("it has no system prompt of a `{kind}`");
        let captured = CapturedPrompt::read(file, name, &text, kind).ok_or_else(none)?;
        Ok((Arc::new(captured), (file, path, text)))
    }
}

/// Reads the session file at a path.
///
/// # Errors
/// When there is none that can be read: why, as the end of a sentence.
pub fn read_session(path: &Path, overlay: &Overlay, table: &FileTable) -> Result<Arc<SessionText>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let form = SessionForm::of(&name).ok_or("its name ends with none of `.yaml`, `.yml`, `.json`")?;
    let text = read(path, overlay).map_err(|error| plain(&error))?;
    if let Some(finding) = text.findings.first() {
        return Err(finding.message.trim_end_matches('.').to_owned());
    }
    let (id, file) = (table.id(path), SessionFile::read(&text.text, form));
    Ok(Arc::new(SessionText { id, path: path.into(), text: text.text, file }))
}
