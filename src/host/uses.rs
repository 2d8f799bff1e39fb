//! What a sample kernel is analysed with: the files of the `use:` settings in its header, which are looked up
//! from its own folder. Without any it goes with the program around it. And the session files that it names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agents::limits_around;
use super::atoms::{AtomFiles, is_inside};
use super::paths::is_test;
use super::walk::{boundary, plain, walk};
use super::{FileTable, Overlay, Project, Target, absolute, is_mangle, read};
use rustc_hash::FxHashSet;

use crate::lint::Finding;
use crate::prompt::rules::PREVIEW_PATH;
use crate::prompt::session::{Form, SessionFile};
use crate::prompt::{Captured, Header, Wanted};
use crate::text::{FileId, TextRange};
use crate::transcript::Limits;

/// Whether the file's name says that it is a sample kernel.
pub(super) fn is_kernel(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".kernel.mg"))
}

/// Whether the file's name says that it is a session file and holds no prompt atoms.
pub(super) fn is_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".session.yaml", ".session.yml", ".session.json"].iter().any(|end| name.ends_with(end))
}

/// What a file is called that is a sample: one that the configuration names; where it names none, a sample kernel.
pub(super) fn sample_name(path: &Path, project: Option<&Project>) -> Option<String> {
    let is_sample = match project.filter(|project| !project.settings.kernel.sample.patterns().is_empty()) {
        Some(project) => project.samples.binary_search_by(|sample| sample.as_path().cmp(path)).is_ok(),
        None => is_kernel(path),
    };
    is_sample.then(|| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// The paths and globs of the `# @preview use: A, B` lines in the header of a kernel, those of all its groups: the
/// comments before anything else. `None` without such a line.
pub(super) fn uses(text: &str) -> Option<Vec<&str>> {
    let header = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let mut used: Option<Vec<&str>> = None;
    for line in header {
        let setting = line.trim_start_matches('#').trim_start().strip_prefix("@preview");
        let Some(names) = setting.and_then(|setting| setting.trim_start().strip_prefix("use:")) else {
            continue;
        };
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        used.get_or_insert_default().extend(names);
    }
    used
}

/// The files that the kernel at `path` uses, sorted; `None` if it does not say. Whatever would lead out of the
/// repository around `root` is left out: the file may have been written by anybody.
pub(super) fn used_files(path: &Path, root: &Path, overlay: &Overlay) -> Option<Vec<PathBuf>> {
    let text = read(path, overlay).ok()?.text;
    let names = uses(&text)?;
    let boundary = boundary(root);
    let files: BTreeSet<_> =
        names.into_iter().flat_map(|name| used_by_name(path, name, &boundary, overlay)).collect();
    Some(files.into_iter().collect())
}

/// The files of one path or glob in the header of the kernel at `path`.
fn used_by_name(path: &Path, name: &str, boundary: &Path, overlay: &Overlay) -> Vec<PathBuf> {
    let named = absolute(path.parent().unwrap_or(path), Path::new(name));
    let mut files: Vec<_> = match Target::glob(&named) {
        Some(Target::Glob(base, globs)) if is_inside(&base, boundary) => {
            let glob = Target::Glob(base.clone(), globs);
            let found = walk(&base, overlay).files.into_iter().map(|found| found.path);
            // Tests and other kernels are of no program; one that is meant is named.
            found.filter(|path| glob.covers(path) && !is_kernel(path) && !is_test(path)).collect()
        }
        _ if is_inside(&named, boundary) && (overlay.get(&named).is_some() || named.is_file()) => vec![named],
        _ => Vec::new(),
    };
    files.retain(|file| is_mangle(file) && file != path);
    files
}

/// What the header of a sample kernel says, with the files that it names besides policies.
#[derive(Debug, Default)]
pub struct PreviewFiles {
    /// The header.
    pub header: Header,
    /// The session file of each of its groups, where it has one that can be read.
    pub sessions: Vec<Option<Arc<SessionText>>>,
    /// The prompt atoms of each of its groups: those of the folder that it names, else those of the configuration.
    pub atoms: Vec<Option<Arc<AtomFiles>>>,
    /// The captured prompt of each of its groups, where it names a file that has one.
    pub captured: Vec<Option<Arc<Captured>>>,
    /// The limits of shards that the configuration of the agent around the kernel sets (`.nerd/config.json`).
    pub limits: Option<Arc<Limits>>,
    /// Paths that lead nowhere; ranges count from the start of the kernel.
    pub findings: Vec<Finding>,
    /// The files of captured prompts.
    captures: Vec<ReadFile>,
}

/// A session file.
#[derive(Debug)]
pub struct SessionText {
    /// The file.
    pub id: FileId,
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// What it says.
    pub file: SessionFile,
}

/// Prompt atoms that were read already.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownAtoms<'a> {
    /// Those of the configuration.
    pub configured: Option<&'a Arc<AtomFiles>>,
    /// Those of an earlier look at the same kernel, while no file of atoms changed.
    pub before: Option<&'a PreviewFiles>,
}

impl PreviewFiles {
    /// Reads what the header of the kernel at `path` names, inside of the repository around `root`.
    #[must_use]
    pub fn load(
        path: &Path,
        text: &str,
        root: &Path,
        known: KnownAtoms<'_>,
        overlay: &Overlay,
        table: &FileTable,
    ) -> Self {
        let header = Header::read(text);
        let boundary = boundary(root);
        let (mut sessions, mut findings) = (Vec::new(), Vec::new());
        let mut atoms: Vec<Option<Arc<AtomFiles>>> = Vec::new();
        let mut read: Vec<(&str, Option<Arc<AtomFiles>>)> = Vec::new();
        let mut looked_at: Vec<TextRange> = Vec::new();
        for group in &header.groups {
            for used in group.uses.iter().filter(|used| !used.is_empty()) {
                if !looked_at.contains(&used.range)
                    && used_by_name(path, &used.text, &boundary, overlay).is_empty()
                {
                    let message = match leads_out(path, &used.text, &boundary) {
                        true => {
                            format!("`{}` leads out of {REPOSITORY}, and nothing there is read.", used.text)
                        }
                        false => format!("`{}` matches no policy. {INSIDE}", used.text),
                    };
                    findings.push(Finding::new(&PREVIEW_PATH, used.range, message));
                }
                looked_at.push(used.range);
            }
            let session = group
                .session
                .as_ref()
                .map(|named| (named, session(path, &named.text, &boundary, overlay, table)));
            if let Some((named, Err(why))) = &session
                && !looked_at.contains(&named.range)
            {
                let message = format!("The session file `{}` cannot be used: {why}.", named.text);
                findings.push(Finding::new(&PREVIEW_PATH, named.range, message));
                looked_at.push(named.range);
            }
            sessions.push(session.and_then(|(_, read)| read.ok()));
            let own = group.atoms.as_ref().map(|named| {
                if let Some((_, known)) = read.iter().find(|(name, _)| *name == named.text) {
                    return known.clone();
                }
                let folder = absolute(path.parent().unwrap_or(path), Path::new(&named.text));
                let before = known.before.and_then(|before| before.atoms_of(&named.text));
                let found = before
                    .map_or_else(|| AtomFiles::below(&folder, root, overlay, table).map(Arc::new), Some);
                if found.is_none() {
                    let message = match leads_out(path, &named.text, &boundary) {
                        true => format!(
                            "The folder `{}` lies outside of {REPOSITORY}, and nothing there is read.",
                            named.text
                        ),
                        false => format!("`{}` has no prompt atoms that can be used. {INSIDE}", named.text),
                    };
                    findings.push(Finding::new(&PREVIEW_PATH, named.range, message));
                }
                read.push((&named.text, found.clone()));
                found
            });
            atoms.push(own.unwrap_or_else(|| known.configured.map(Arc::clone)));
        }
        let (captured, captures) =
            captured_prompts(path, &header, &boundary, (overlay, table), &mut findings);
        let limits = limits_around(path, root, overlay, table);
        Self { sessions, atoms, captured, captures, limits, findings, header: header.clone() }
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

    /// The prompts that the header asks for, each with its session file; `name` is for a group that has none.
    #[must_use]
    pub fn wanted(&self, name: &str) -> Vec<(Wanted, Option<FileId>)> {
        let groups = self.header.groups.iter().zip(&self.sessions).zip(self.atoms.iter().zip(&self.captured));
        let wanted = groups.filter_map(|((group, session), (atoms, captured))| {
            let file = session.as_ref().map(|session| session.file.clone());
            let compiler = atoms.as_ref().map(|atoms| atoms.compiler());
            let wanted = Wanted { compiler, captured: captured.clone(), ..Wanted::of(group, file, name)? };
            Some((wanted.within(self.limits.as_ref()), session.as_ref().map(|session| session.id)))
        });
        wanted.collect()
    }
}

/// What a preview is called that has no name of its own: the name of its file without its ends.
#[must_use]
pub fn preview_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// What is said of paths.
const INSIDE: &str = "Paths count from the folder of this file and stay inside of the repository.";

/// What they stay inside of.
const REPOSITORY: &str = "the repository (without one, the folder with `mangle-ls.toml`)";

/// Whether a path or glob in the header of a kernel leads somewhere where nothing is read.
fn leads_out(kernel: &Path, name: &str, boundary: &Path) -> bool {
    let named = absolute(kernel.parent().unwrap_or(kernel), Path::new(name));
    match Target::glob(&named) {
        Some(Target::Glob(base, _)) => !is_inside(&base, boundary),
        _ => !is_inside(&named, boundary),
    }
}

/// The session file that a kernel names.
fn session(
    kernel: &Path,
    name: &str,
    boundary: &Path,
    overlay: &Overlay,
    table: &FileTable,
) -> Result<Arc<SessionText>, String> {
    let path = absolute(kernel.parent().unwrap_or(kernel), Path::new(name));
    if !is_inside(&path, boundary) {
        return Err(format!("it lies outside of {REPOSITORY}"));
    }
    read_session(&path, overlay, table)
}

/// A file that was read.
type ReadFile = (FileId, PathBuf, Arc<str>);

/// The captured prompt of each group of a header, and the files that they stand in. Files that have none are findings.
fn captured_prompts(
    kernel: &Path,
    header: &Header,
    boundary: &Path,
    (overlay, table): (&Overlay, &FileTable),
    findings: &mut Vec<Finding>,
) -> (Vec<Option<Arc<Captured>>>, Vec<ReadFile>) {
    let (mut captured, mut captures) = (Vec::new(), Vec::new());
    let mut told: Vec<TextRange> = Vec::new();
    for group in &header.groups {
        let (Some(named), Some((_, kind))) = (&group.captured, &group.shard) else {
            captured.push(None);
            continue;
        };
        let read = captured_prompt(kernel, (&named.text, &kind.text), boundary, overlay, table);
        if let Err(why) = &read
            && !told.contains(&named.range)
        {
            let message = format!("The captured prompt `{}` cannot be used: {why}.", named.text);
            findings.push(Finding::new(&PREVIEW_PATH, named.range, message));
            told.push(named.range);
        }
        let (prompt, file) = read.ok().unzip();
        captured.push(prompt);
        captures.extend(file);
    }
    (captured, captures)
}

/// The prompt that was captured for a type of shard in the file that a kernel names.
fn captured_prompt(
    kernel: &Path,
    (name, kind): (&str, &str),
    boundary: &Path,
    overlay: &Overlay,
    table: &FileTable,
) -> Result<(Arc<Captured>, ReadFile), String> {
    let path = absolute(kernel.parent().unwrap_or(kernel), Path::new(name));
    if !is_inside(&path, boundary) {
        return Err(format!("it lies outside of {REPOSITORY}"));
    }
    let text = read(&path, overlay).map_err(|error| plain(&error))?.text;
    let file = table.id(&path);
    let none = || format!("it has no system prompt of a `{kind}`");
    let captured = Captured::read(file, name, &text, kind).ok_or_else(none)?;
    Ok((Arc::new(captured), (file, path, text)))
}

/// Reads the session file at a path.
///
/// # Errors
/// When there is none that can be read: why, as the end of a sentence.
pub fn read_session(path: &Path, overlay: &Overlay, table: &FileTable) -> Result<Arc<SessionText>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let form = Form::of(&name).ok_or("its name ends with none of `.yaml`, `.yml`, `.json`")?;
    let text = read(path, overlay).map_err(|error| plain(&error))?;
    if let Some(finding) = text.findings.first() {
        return Err(finding.message.trim_end_matches('.').to_owned());
    }
    let (id, file) = (table.id(path), SessionFile::read(&text.text, form));
    Ok(Arc::new(SessionText { id, path: path.into(), text: text.text, file }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headers_say() {
        assert_eq!(uses("p(1).\n# @preview use: a.mg\n"), None);
        assert_eq!(uses("# A sample.\n"), None);
        assert_eq!(uses("# @preview use:\n"), Some(vec![]));
        let text = "# @preview name: x\n#@preview use: ../a.gl, b/*.mg\n\n# @preview use:c.mg\np(1).\n";
        assert_eq!(uses(text), Some(vec!["../a.gl", "b/*.mg", "c.mg"]));
        let groups = "# @preview use: a.gl\n#\n# @preview name: one\n# @preview use: b.mg\n# @preview mode: jit\n\n\
                      # @preview name: two\n# @preview shard: coder-7 coder\n# @preview use: c.mg,\np(1).\n";
        assert_eq!(uses(groups), Some(vec!["a.gl", "b.mg", "c.mg"]));
    }
}
