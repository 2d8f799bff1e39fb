//! Previews of sample kernels: the files that a header names in addition to policies (session files,
//! prompt atoms and captured prompts), and the prompts of the header with the overrides of a request.
//!
//! Paths are relative to the folder of the kernel. The kernel is not trusted, so files outside the
//! repository are not read. The check, the command `preview` and the editor all use
//! [`PreviewFiles::requested`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::agents::limits_around;
use super::atoms::AtomFiles;
use super::decode::is_unparsed;
use super::disk::plain;
use super::samples::used_by_name;
use super::walk::{boundary, is_inside};
use super::{CheckTarget, FileTable, Overlay, absolute, read};
use agent_prompt::jit::JitCompiler;
use agent_prompt::rules::PREVIEW_PATH;
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{CapturedPrompt, Header, Mode, PreviewGroup, PromptPart, PromptRequest, SourcedText};
use mangle_syntax::lint::{Finding, SharedText};
use mangle_syntax::text::{FileId, TextRange, quoted};
use piggyback::transcript::Limits;

/// A parsed header of a sample kernel and the files that it names in addition to policies.
#[derive(Debug, Default)]
pub struct PreviewFiles {
    pub header: Header,
    /// The session file of each group. `None` if the group names no file, or the file cannot be
    /// read.
    pub sessions: Vec<Option<Arc<SessionText>>>,
    /// The prompt atoms of each group: from the folder that the group names, or from the
    /// configuration.
    pub atoms: Vec<Option<Arc<AtomFiles>>>,
    /// The captured prompt of each group. `None` if the group names no file with a captured
    /// prompt.
    pub captured: Vec<Option<Arc<CapturedPrompt>>>,
    /// The limits of agent roles (shards) from `.nerd/config.json` of the agent that contains the
    /// kernel.
    pub limits: Option<Arc<Limits>>,
    /// Broken paths. Ranges are relative to the start of the kernel.
    pub findings: Vec<Finding>,
    captures: Vec<ReadFile>,
}

#[derive(Debug)]
pub struct SessionText {
    pub id: FileId,
    pub path: PathBuf,
    pub text: Arc<str>,
    pub file: SessionFile,
}

/// Prompt atoms that are already loaded.
#[derive(Debug, Clone, Copy, Default)]
pub struct AtomCache<'a> {
    /// From the configuration.
    pub configured: Option<&'a Arc<AtomFiles>>,
    /// From an earlier load of the same kernel. Reused while no atom file changed.
    pub before: Option<&'a PreviewFiles>,
}

type ReadFile = (FileId, PathBuf, Arc<str>);

impl PreviewFiles {
    /// Reads the files that the header of the kernel at `path` names, inside the repository that
    /// contains `root`.
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

    /// Returns the atoms of the folder that a group names.
    fn atoms_of(&self, folder: &str) -> Option<Arc<AtomFiles>> {
        let groups = self.header.groups.iter().zip(&self.atoms);
        let mut named =
            groups.filter(|(group, _)| group.atoms.as_ref().is_some_and(|own| own.text == folder));
        named.next().and_then(|(_, atoms)| atoms.clone())
    }

    /// Returns the files and folders that the header names in addition to policies, relative to
    /// the kernel's folder. Missing files are included.
    pub fn named(&self) -> impl Iterator<Item = &Path> {
        let named = self.header.groups.iter();
        let named = named.flat_map(|group| [&group.session, &group.atoms, &group.captured]);
        named.flatten().map(|said| Path::new(&said.text))
    }

    /// Returns the session files and the prompt atom files, each once.
    pub fn texts(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        let sessions =
            self.sessions.iter().flatten().map(|session| (session.id, &*session.path, &session.text));
        let atoms = self.atoms.iter().flatten().flat_map(|atoms| atoms.texts());
        let atoms = atoms.chain(self.captures.iter().map(|(file, path, text)| (*file, &**path, text)));
        let mut seen = FxHashSet::default();
        sessions.chain(atoms).filter(move |(file, ..)| seen.insert(*file))
    }
}

/// Returns the default name of a preview: the file name without its extensions.
#[must_use]
pub fn preview_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The note on invalid paths.
const INSIDE: &str = "paths are relative to the folder of this file and stay inside of the repository";

/// The note on paths outside the repository.
const OUTSIDE: &str =
    "files outside of the repository (or, without one, of the folder with `mangle-ls.toml`) are not read";

/// The maximum number of characters of a path in a message.
const QUOTED: usize = 32;

/// The boundary of paths, for messages.
const REPOSITORY: &str = "the repository (without one, the folder with `mangle-ls.toml`)";

/// Reader of the files of one header, group by group.
struct HeaderReader<'r> {
    path: &'r Path,
    root: &'r Path,
    /// Paths must be inside this folder.
    boundary: PathBuf,
    known: AtomCache<'r>,
    overlay: &'r Overlay,
    table: &'r FileTable,
    /// The atom folders of previous groups.
    folders: Vec<(String, Option<Arc<AtomFiles>>)>,
    /// Ranges that were already processed. Keys before the first group are shared by all groups.
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

    /// True if a path or glob leads out of the boundary.
    fn leads_out(&self, name: &str) -> bool {
        let named = self.absolute(name);
        match CheckTarget::glob(&named) {
            Some(CheckTarget::Glob(base, _)) => !is_inside(&base, &self.boundary),
            _ => !is_inside(&named, &self.boundary),
        }
    }

    /// Returns the path of a named file, or an error if it leads out of the boundary.
    fn inside(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.absolute(name);
        match is_inside(&path, &self.boundary) {
            true => Ok(path),
            false => Err(format!("it is outside of {REPOSITORY}")),
        }
    }

    /// Checks that the policies of a group exist.
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

    /// Returns the prompt atoms of a group: from the folder that the group names, or from the
    /// configuration.
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

    /// Returns the captured prompt of a group and its file.
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

    /// Returns the captured prompt of an agent role (shard) from a file.
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
///
/// The reason, as the end of a sentence, if no readable session file exists.
pub fn read_session(path: &Path, overlay: &Overlay, table: &FileTable) -> Result<Arc<SessionText>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let form =
        SessionForm::from_file_name(&name).ok_or("its name ends with none of `.yaml`, `.yml`, `.json`")?;
    let text = read(path, overlay).map_err(|error| plain(&error))?;
    if let Some(finding) = text.findings.first() {
        return Err(finding.message.trim_end_matches('.').to_owned());
    }
    let (id, file) = (table.id(path), SessionFile::read(&text.text, form));
    Ok(Arc::new(SessionText { id, path: path.into(), text: text.text, file }))
}

/// A selection of prompts of a kernel. Unset fields use the values of the header.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewRequest {
    /// The name of a preview. `None` selects all.
    pub name: Option<String>,
    /// A different agent role (shard): its id, and optionally its type.
    pub shard: Option<(String, Option<String>)>,
    /// A different prompt mode.
    pub mode: Option<Mode>,
    /// The part of the prompt. The input of a turn and the results of an articulation come from
    /// the session file.
    pub part: RequestedPart,
}

/// A part of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedPart {
    #[default]
    System,
    /// The user input of a turn.
    Turn,
    /// The request to put results into words.
    Articulation,
}

impl RequestedPart {
    /// Parses the keyword of a part other than the system prompt.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "system" => Some(Self::System),
            "turn" => Some(Self::Turn),
            "articulation" => Some(Self::Articulation),
            _ => None,
        }
    }
}

/// A prompt in a header, with the files that the header names.
#[derive(Default)]
struct NamedPrompt<'f> {
    group: PreviewGroup,
    session: Option<&'f Arc<SessionText>>,
    compiler: Option<Arc<JitCompiler>>,
    captured: Option<Arc<CapturedPrompt>>,
}

impl PreviewFiles {
    /// Returns the requested prompts, each with its session file. `session` overrides the session
    /// file of the header. `stem` is the name of unnamed prompts.
    #[must_use]
    pub fn requested(
        &self,
        request: &PreviewRequest,
        session: Option<&Arc<SessionText>>,
        stem: &str,
    ) -> Vec<(PromptRequest, Option<Arc<SessionText>>)> {
        let prompts = self.named_prompts(request.name.as_deref(), stem).into_iter();
        prompts
            .filter_map(|prompt| {
                let session = session.or(prompt.session).map(Arc::clone);
                let wanted = self.wanted(request, prompt, session.as_ref(), stem)?;
                Some((wanted, session))
            })
            .collect()
    }

    /// Returns the prompts of the header with this name, or all prompts. If the header has no
    /// prompt, returns a default prompt for the request to override.
    fn named_prompts(&self, name: Option<&str>, stem: &str) -> Vec<NamedPrompt<'_>> {
        if self.header.groups.is_empty() && name.is_none_or(|name| name == stem) {
            return vec![NamedPrompt::default()];
        }
        let files = self.sessions.iter().zip(self.atoms.iter().zip(&self.captured));
        let groups = self.header.groups.iter().zip(files);
        let prompts = groups.map(|(group, (session, (atoms, captured)))| NamedPrompt {
            group: group.clone(),
            session: session.as_ref(),
            compiler: atoms.as_ref().map(|atoms| atoms.compiler()),
            captured: captured.clone(),
        });
        prompts.filter(|prompt| name.is_none_or(|name| name == prompt_name(&prompt.group, stem))).collect()
    }

    fn wanted(
        &self,
        request: &PreviewRequest,
        prompt: NamedPrompt<'_>,
        session: Option<&Arc<SessionText>>,
        stem: &str,
    ) -> Option<PromptRequest> {
        let NamedPrompt { mut group, compiler, captured, .. } = prompt;
        if let Some((id, kind)) = &request.shard {
            let own = group.shard.as_ref().filter(|(own, _)| own.text == *id);
            let known = own.or(group.shard.as_ref()).map(|(_, kind)| kind.text.clone());
            let kind = kind.clone().or(known)?;
            if own.is_none_or(|(_, own)| own.text != kind) {
                group.shard = Some((SourcedText::by_caller(id.clone()), SourcedText::by_caller(kind)));
            }
        }
        let file = session.map(|session| session.file.clone());
        let part = match request.part {
            RequestedPart::System => PromptPart::System,
            RequestedPart::Turn => {
                PromptPart::Turn(file.as_ref().map(|file| file.user_input.clone()).unwrap_or_default())
            }
            RequestedPart::Articulation => {
                PromptPart::Articulation(file.as_ref().map(|file| file.results.clone()).unwrap_or_default())
            }
        };
        let wanted = PromptRequest::from_group(&group, file, stem)?;
        let wanted = PromptRequest { mode: request.mode.or(wanted.mode), part, compiler, captured, ..wanted };
        Some(wanted.within(self.limits.as_ref()))
    }
}

/// Returns the name of a prompt in a header: its `name:`, or `stem`.
#[must_use]
pub fn prompt_name<'g>(group: &'g PreviewGroup, stem: &'g str) -> &'g str {
    if group.name.is_empty() { stem } else { &group.name }
}
