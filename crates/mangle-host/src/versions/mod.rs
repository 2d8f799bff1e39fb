//! Selection of the engine and runtime version of a program: from options, settings, or the files
//! around the program. A runtime is recognized by the predicates of a policy; that search is textual,
//! because the programs are not parsed yet.

mod go_mod;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use self::go_mod::{Requirement, requirement};
use super::{Overlay, disk, plain, read, relative};
use mangle_settings::versions::runtime::Sign;
use mangle_settings::{
    EngineChoice, EngineVersion, FILE_NAME, Runtime, RuntimeChoice, Settings, TranscriptSettings,
};

pub use super::shown::ShownVersions;

/// In bytes: a larger `go.mod` is treated as unreadable.
const MAX_GO_MOD_LEN: usize = 1 << 20;

/// A version, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionChoice<T> {
    pub version: T,
    /// A phrase for use after a colon or in parentheses.
    pub reason: String,
    /// Problems with the reason, as sentences without a full stop.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramVersions {
    pub engine: VersionChoice<EngineVersion>,
    pub runtime: VersionChoice<Runtime>,
}

impl Default for ProgramVersions {
    /// The versions for a document that is not on disk.
    fn default() -> Self {
        let reason = "nothing around the document chooses another one";
        Self {
            engine: VersionChoice::new(EngineVersion::default(), reason),
            runtime: VersionChoice::new(Runtime::default(), reason),
        }
    }
}

impl<T> VersionChoice<T> {
    fn new(version: T, reason: impl Into<String>) -> Self {
        Self { version, reason: reason.into(), notes: Vec::new() }
    }
}

/// Selects versions, and caches the `go.mod` of each folder.
pub(super) struct VersionFinder<'o> {
    overlay: &'o Overlay,
    go_mods: FxHashMap<PathBuf, Option<Arc<GoMod>>>,
}

struct GoMod {
    path: PathBuf,
    /// The required engine version, if any, or the reason why the file cannot be read.
    requirement: Result<Option<Requirement>, String>,
}

/// A program without selected versions.
pub(super) struct Undecided<'p> {
    /// The files, without samples and tests.
    pub(super) files: &'p [PathBuf],
    pub(super) settings: &'p Settings,
    /// The base folder of paths in reasons.
    pub(super) root: &'p Path,
}

impl<'o> VersionFinder<'o> {
    pub(super) fn new(overlay: &'o Overlay) -> Self {
        Self { overlay, go_mods: FxHashMap::default() }
    }

    /// Returns the `go.mod` files that were used, sorted.
    pub(super) fn go_mods(&self) -> Vec<PathBuf> {
        let found: BTreeSet<_> = self.go_mods.values().flatten().map(|go_mod| go_mod.path.clone()).collect();
        found.into_iter().collect()
    }

    pub(super) fn versions(&mut self, program: &Undecided<'_>) -> ProgramVersions {
        let options = self.overlay.versions();
        let engine = options.engine.unwrap_or(program.settings.kernel.engine);
        let runtime = options.runtime.unwrap_or_else(|| program.settings.transcripts.runtime.into());
        let by_setting = |key: &str| format!("`{key}` in {FILE_NAME}");
        let runtime = match runtime {
            RuntimeChoice::Version(runtime) => VersionChoice::new(
                runtime,
                options
                    .runtime
                    .map_or_else(|| by_setting("transcripts.runtime"), |_| "option `--runtime`".to_owned()),
            ),
            RuntimeChoice::Auto => self.shown(program),
        };
        let engine = match engine {
            EngineChoice::Version(engine) => VersionChoice::new(
                engine,
                options
                    .engine
                    .map_or_else(|| by_setting("kernel.engine"), |_| "option `--engine`".to_owned()),
            ),
            EngineChoice::Auto => self.required(program, &runtime),
        };
        ProgramVersions { engine, runtime }
    }

    /// Returns the runtime for a transcript: from an option, from its settings, or the newest
    /// runtime of its programs. `None` if nothing indicates a runtime.
    pub(super) fn runtime_of<'v>(
        &self,
        settings: &TranscriptSettings,
        programs: impl Iterator<Item = &'v ProgramVersions>,
    ) -> Option<Runtime> {
        match self.overlay.versions().runtime.unwrap_or_else(|| settings.runtime.into()) {
            RuntimeChoice::Version(runtime) => Some(runtime),
            RuntimeChoice::Auto => {
                let own = programs.map(|versions| versions.runtime.version);
                own.reduce(|newest, found| if is_newer(found, newest) { found } else { newest })
            }
        }
    }

    /// Returns the newest runtime that the files indicate.
    fn shown(&self, program: &Undecided<'_>) -> VersionChoice<Runtime> {
        if program.files.is_empty() {
            return VersionChoice::new(Runtime::default(), "no policy shows another one");
        }
        let (mut newest, mut notes) = (None::<(Runtime, String)>, Vec::new());
        // A pipe can be read only once, so it is not read here.
        for path in program.files.iter().filter(|path| self.overlay.get(path).is_some() || path.is_file()) {
            let name = relative(program.root, path);
            let text = match read(path, self.overlay) {
                Ok(file) => file.text,
                Err(error) => {
                    notes.push(format!("{name} cannot be read to choose the runtime: {}", plain(&error)));
                    continue;
                }
            };
            let Some((runtime, sign)) = shown_runtime(&text) else { continue };
            // Files are sorted, so the first of several equal versions is used.
            if newest.as_ref().is_none_or(|(newest, _)| is_newer(runtime, *newest)) {
                newest = Some((runtime, format!("{name} defines `{}`", sign.name)));
            }
        }
        let choice = match newest {
            Some((runtime, reason)) => VersionChoice::new(runtime, reason),
            None => {
                VersionChoice::new(Runtime::none(), "no predicate of the policy belongs to a known runtime")
            }
        };
        VersionChoice { notes, ..choice }
    }

    /// Returns the engine version that a `go.mod` above the files requires, or the version that
    /// the runtime pins.
    fn required(
        &mut self,
        program: &Undecided<'_>,
        runtime: &VersionChoice<Runtime>,
    ) -> VersionChoice<EngineVersion> {
        let mut found: BTreeMap<PathBuf, Arc<GoMod>> = BTreeMap::new();
        for folder in program.files.iter().filter_map(|file| file.parent()) {
            found.extend(self.go_mod(folder).map(|go_mod| (go_mod.path.clone(), go_mod)));
        }
        let name = |path: &Path| relative(program.root, path);
        let (mut required, mut notes) = (Vec::new(), Vec::new());
        for go_mod in found.values() {
            match &go_mod.requirement {
                Ok(requirement) => required.extend(requirement.as_ref().map(|it| (name(&go_mod.path), it))),
                Err(why) => notes.push(format!("{} cannot be read: {why}", name(&go_mod.path))),
            }
        }
        let Some((path, requirement)) = required.first() else {
            return VersionChoice { notes, ..pinned(runtime.version) };
        };
        if required.iter().any(|(_, other)| other.engine != requirement.engine) {
            let all: Vec<_> = required.iter().map(|(path, _)| path.as_str()).collect();
            let all = all.join(" and ");
            notes.push(format!("the files are under {all}, which require different engines; {path} counts"));
        }
        notes.extend(requirement.note.clone());
        let reason = format!("{path} requires {}", requirement.text);
        VersionChoice { version: requirement.engine, reason, notes }
    }

    /// Returns the nearest `go.mod` in or above a folder, up to the root of the repository, that
    /// requires an engine or is unreadable.
    fn go_mod(&mut self, folder: &Path) -> Option<Arc<GoMod>> {
        if let Some(known) = self.go_mods.get(folder) {
            return known.clone();
        }
        let counts = |go_mod: &GoMod| !matches!(go_mod.requirement, Ok(None));
        let own = self.read(folder).filter(counts).map(Arc::new);
        let above = folder.parent().filter(|above| disk::is_allowed(above) && !folder.join(".git").exists());
        let found = own.or_else(|| self.go_mod(above?));
        self.go_mods.insert(folder.into(), found.clone());
        found
    }

    fn read(&self, folder: &Path) -> Option<GoMod> {
        let path = folder.join("go.mod");
        if self.overlay.get(&path).is_none() && !path.is_file() {
            return None;
        }
        let requirement = match read(&path, self.overlay) {
            Err(error) => Err(plain(&error)),
            Ok(file) if file.text.len() > MAX_GO_MOD_LEN => Err("it is larger than 1 MiB".to_owned()),
            Ok(file) => match file.findings.first() {
                Some(finding) => Err(finding.message.trim_end_matches('.').to_owned()),
                None => Ok(requirement(&file.text)),
            },
        };
        Some(GoMod { path, requirement })
    }
}

/// Returns the engine version that a runtime pins, or the default version.
fn pinned(runtime: Runtime) -> VersionChoice<EngineVersion> {
    match runtime.reference().engine.and_then(EngineVersion::parse) {
        Some(engine) => VersionChoice::new(engine, format!("{runtime} pins it")),
        None => {
            VersionChoice::new(EngineVersion::default(), "no `go.mod` above the files requires another one")
        }
    }
}

fn is_newer(one: Runtime, other: Runtime) -> bool {
    one.reference().published.day > other.reference().published.day
}

/// Settings with a changed runtime. Users of the same old settings also share the new settings.
pub(super) struct SharedSettings<S> {
    /// Settings before the change, the runtime, and settings after the change.
    changed: Vec<(Arc<S>, Option<Runtime>, Arc<S>)>,
}

impl<S> Default for SharedSettings<S> {
    fn default() -> Self {
        Self { changed: Vec::new() }
    }
}

impl<S: Clone> SharedSettings<S> {
    /// Returns the settings with `runtime` as the effective runtime of the part that `part`
    /// selects. `None` means that nothing indicates a runtime.
    pub(super) fn with_runtime(
        &mut self,
        settings: &Arc<S>,
        runtime: Option<Runtime>,
        part: impl FnOnce(&mut S) -> &mut TranscriptSettings,
    ) -> Arc<S> {
        let known =
            self.changed.iter().find(|(before, of, _)| Arc::ptr_eq(before, settings) && *of == runtime);
        if let Some((_, _, after)) = known {
            return Arc::clone(after);
        }
        let mut changed = S::clone(settings);
        let own = part(&mut changed);
        let before = own.caps.clone();
        own.set_runtime(runtime);
        let after = if own.caps == before { Arc::clone(settings) } else { Arc::new(changed) };
        self.changed.push((Arc::clone(settings), runtime, Arc::clone(&after)));
        after
    }
}

/// In bytes: the maximum length of an atom whose arguments are counted.
const MAX_ATOM_LEN: usize = 4_096;

/// Returns the newest runtime that declarations or clause heads of a text indicate, with the
/// predicate.
pub(crate) fn shown_runtime(text: &str) -> Option<(Runtime, Sign)> {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| all().map(|(_, sign)| sign.name).collect());
    let mut newest = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let trimmed = line.trim_start();
        let atom = trimmed.strip_prefix("Decl ").map_or(trimmed, str::trim_start);
        let Some((name, _)) = atom.split_once('(').filter(|(name, _)| NAMES.contains(name.trim_end())) else {
            continue;
        };
        // The arguments may continue on the next lines.
        let open = begin + (line.len() - atom.len()) + name.len() + 1;
        let arity = text.get(open..).and_then(arity);
        let shown = all().filter(|(_, sign)| sign.name == name.trim_end() && sign.fits(arity));
        newest = newest.into_iter().chain(shown).max_by_key(|(runtime, _)| runtime.reference().published.day);
    }
    newest
}

/// Returns all recognizable predicates, each with its runtime.
fn all() -> impl Iterator<Item = (Runtime, Sign)> {
    Runtime::all().flat_map(|runtime| runtime.reference().signs().map(move |sign| (runtime, sign)))
}

/// Counts the arguments of an atom; `text` starts after its opening parenthesis. Returns `None` if
/// the atom exceeds the length limit.
fn arity(text: &str) -> Option<usize> {
    let (mut depth, mut commas, mut is_empty, mut quote) = (0usize, 0, true, None);
    let mut bytes = text.bytes().take(MAX_ATOM_LEN);
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => (quote, is_empty) = (Some(byte), false),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')') if depth == 0 => return Some(if is_empty { 0 } else { commas + 1 }),
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b',') if depth == 0 => commas += 1,
            (None, b'#') => drop(bytes.by_ref().find(|byte| *byte == b'\n')),
            (None, _) => is_empty &= byte.is_ascii_whitespace(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Runtime, &str)>) {
        let found = shown_runtime(text).map(|(runtime, sign)| (runtime, sign.name));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn declarations_and_facts_show_a_runtime() {
        check("Decl permitted(Action, Target, Payload).\n", Some((Runtime::default(), "permitted")));
        check("# x\n  permitted(A, B,\n  # more\n  \"a,b)\").\n", Some((Runtime::default(), "permitted")));
        check("prose_only(/observation).\n", Some((Runtime::newest(), "prose_only")));
        check(
            "Decl permitted(A, B, C).\nDecl checkpoint_verdict(A, B, C, D).\n",
            Some((Runtime::newest(), "checkpoint_verdict")),
        );
    }

    #[test]
    fn other_arities_comments_and_premises_show_none() {
        check("Decl permitted(Action).\n", None);
        check("Decl prose_only(A, B).\n", None);
        check("# prose_only(/x).\np(X) :- prose_only(X).\n", None);
        check("permitted(", None);
        check("", None);
    }
}
