//! Configuration files: finding the nearest upward, reading it, dealing its files to programs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use super::disk;
use super::problem::plain;
use super::read::no_text;
use super::resolve::Problem;
use super::settings_problems::SettingsProblems;
use super::walk::{WalkEntry, boundary};
use super::{FileTable, Overlay, is_taken, read, relative};
use crate::ide::registry;
use crate::report::{LoadError, LoadErrors};
use mangle_engine::program::{PredicateKey, ProgramEnvironment};
use mangle_settings::{
    CONFIG_BAD_VALUE, CONFIG_UNKNOWN_KEY, CONFIG_UNKNOWN_RULE, EMPTY_PROGRAM, FACT_EXTENSIONS, FILE_NAME,
    Globs, ProgramPlaces, ProgramSettings, REQUIRED_VERSION, Settings, UNMATCHED_PATTERN, Vocabulary,
};
use mangle_syntax::lint::{Finding, Rule, Severity};
use mangle_syntax::text::{Encoding, FileId, LineIndex, TextRange, shorten};
use piggyback::envelope::Catalogue;

/// A configuration file and what it says.
#[derive(Debug)]
pub struct Project {
    pub file: FileId,
    pub path: PathBuf,
    /// The folder that it is about.
    pub root: PathBuf,
    pub text: Arc<str>,
    pub settings: Arc<Settings>,
    /// What is wrong with it. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
    /// The reason why the file cannot be read, if it cannot.
    pub unread: Option<String>,
    /// Which key of `[rules]` gives a rule its severity, for each that has one; in the order of the file.
    pub rules: Vec<(&'static Rule, TextRange)>,
    /// The files that `[kernel] sample` names, sorted by path. Those that are Mangle join no program.
    pub samples: Vec<PathBuf>,
    /// The tools of the agent, where `[transcripts] tools` names a catalogue of them.
    pub tools: Option<Arc<Catalogue>>,
    places: Vec<ProgramPlaces>,
    sample_places: Vec<TextRange>,
    atom_places: Vec<TextRange>,
    grammar_places: Vec<TextRange>,
}

/// The files of one program of a project.
#[derive(Debug)]
pub(super) struct ProjectProgram {
    pub(super) name: String,
    pub(super) origin: ProgramOrigin,
    pub(super) declared: Option<usize>,
    pub(super) files: Vec<PathBuf>,
    pub(super) embedding: ProgramEnvironment,
}

impl Project {
    /// Reads the configuration file at `path`. One that cannot be read is a problem, and says
    /// nothing.
    pub(super) fn read(
        path: &Path,
        overlay: &Overlay,
        table: &FileTable,
        problems: &mut Vec<Problem>,
    ) -> Self {
        static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| registry::rules().collect());
        let (text, not_text, unread) = match read(path, overlay) {
            Ok(file) => (file.text, file.findings, None),
            Err(error) => {
                problems.push(Problem { path: path.into(), why: plain(&error), named: false });
                ("".into(), Vec::new(), Some(plain(&error)))
            }
        };
        let parsed = match not_text.into_iter().next() {
            Some(finding) => mangle_settings::Parsed {
                findings: vec![no_text(&finding, "TOML")],
                ..mangle_settings::Parsed::default()
            },
            None => mangle_settings::parse(&text, Vocabulary { rules: &RULES }),
        };
        let mut findings = parsed.findings;
        let root = path.parent().unwrap_or(path);
        let tools = parsed.settings.transcripts.tools.as_ref().and_then(|named| {
            let read = catalogue(root, named, overlay).map_err(|why| {
                let message = format!("unusable catalogue of tools `{}`", shorten(named, 32));
                let range = parsed.tools.unwrap_or_default();
                let finding = Finding::new(&CONFIG_BAD_VALUE, range, message).note(why);
                findings.push(finding.note("requests of tools are not checked"));
            });
            read.ok().map(Arc::new)
        });
        findings.sort_by_key(|finding| finding.range.start());
        Self {
            file: table.id(path),
            path: path.into(),
            root: root.into(),
            text,
            settings: Arc::new(parsed.settings),
            findings,
            unread,
            tools,
            rules: parsed.rules,
            samples: Vec::new(),
            atom_places: parsed.atoms,
            grammar_places: parsed.grammars,
            places: parsed.programs,
            sample_places: parsed.sample,
        }
    }

    /// What is wrong with the file for a command, which calls it `name`.
    #[must_use]
    pub fn problems(&self, name: &str) -> SettingsProblems {
        SettingsProblems { errors: self.errors(name), ignored: self.ignored(name) }
    }

    /// The errors because of which the settings do not hold: what cannot be read, and values that are none. `[rules]` cannot switch
    /// them off. Another required version is a [`Problem`] of its own.
    #[must_use]
    pub fn errors(&self, name: &str) -> LoadErrors {
        let lines = LineIndex::new(&self.text);
        let is_error = |finding: &&Finding| {
            finding.rule.severity == Some(Severity::Error) && finding.rule != &REQUIRED_VERSION
        };
        let placed = |finding: &Finding| {
            let place = lines.line_col(&self.text, finding.range.start(), Encoding::Utf32);
            LoadError {
                file: name.to_owned(),
                line: place.line as usize + 1,
                column: place.col as usize + 1,
                code: finding.rule.code,
                message: finding.message.to_string(),
                engine: String::new(),
                names_engine: false,
            }
        };
        let unread = self.unread.iter().map(|why| LoadError::unreadable(name.to_owned(), why));
        LoadErrors::new(unread.chain(self.findings.iter().filter(is_error).map(placed)).collect())
    }

    /// The lines of the settings that are ignored, each as a sentence with its place: unknown keys and rules.
    fn ignored(&self, name: &str) -> Vec<String> {
        let lines = LineIndex::new(&self.text);
        let is_ignored = |finding: &&Finding| {
            [&CONFIG_UNKNOWN_KEY, &CONFIG_UNKNOWN_RULE].contains(&finding.rule)
                && self.settings.rules.severity(finding.rule).is_some()
        };
        let text = |finding: &Finding| {
            let line = lines.line_of(finding.range.start()) + 1;
            format!("{name}:{line}: {}, which is ignored", finding.message)
        };
        self.findings.iter().filter(is_ignored).map(text).collect()
    }

    /// Takes those of the files below the root that are the sample. A pattern that matches none of them is a finding.
    pub(super) fn take_samples(&mut self, files: &[&WalkEntry]) {
        let sample = &self.settings.kernel.sample;
        let paths: Vec<_> = files.iter().map(|found| relative(&self.root, &found.path)).collect();
        for at in sample.unmatched(paths.iter().map(String::as_str)) {
            let Some(&range) = self.sample_places.get(at) else { continue };
            let pattern = sample.patterns().get(at).map_or("", String::as_str);
            let ends = FACT_EXTENSIONS.map(|extension| format!("`.{extension}`")).join(", ");
            self.findings.push(unmatched_pattern("sample", pattern, range, &ends));
        }
        let is_sample = |(_, path): &(&&WalkEntry, &String)| sample.matches(path);
        self.samples =
            files.iter().zip(&paths).filter(is_sample).map(|(found, _)| found.path.clone()).collect();
        self.samples.sort_unstable();
        self.findings.sort_by_key(|finding| finding.range.start());
    }

    /// Reports the patterns of `[prompt] atoms`, by index, that match no file.
    pub(super) fn report_atoms(&mut self, unmatched: &[usize]) {
        for at in unmatched {
            let Some(&range) = self.atom_places.get(*at) else { continue };
            let pattern = self.settings.prompt.atoms.patterns().get(*at).map_or("", String::as_str);
            self.findings.push(unmatched_pattern("atoms", pattern, range, "`.yaml` or `.yml`"));
        }
        self.findings.sort_by_key(|finding| finding.range.start());
    }

    /// Reports the patterns of `[decoding] files`, by index, that match no file.
    pub(super) fn report_grammars(&mut self, unmatched: &[usize]) {
        for at in unmatched {
            let Some(&range) = self.grammar_places.get(*at) else { continue };
            let pattern = self.settings.decoding.files.patterns().get(*at).map_or("", String::as_str);
            let ends = "`.json`, `.gbnf`, `.ebnf`, `.lark` or `.regex`";
            self.findings.push(unmatched_pattern("files", pattern, range, ends));
        }
        self.findings.sort_by_key(|finding| finding.range.start());
    }

    /// Deals the files below the root (those of folders with their own configuration are not among
    /// `files`) to the programs. A program without any is a finding.
    pub(super) fn deal(&mut self, files: &[&WalkEntry], table: &FileTable) -> Vec<ProjectProgram> {
        let settings = Arc::clone(&self.settings);
        if settings.programs.is_empty() {
            return vec![self.program(&ProgramSettings::default(), files, table)];
        }
        let mut dealt = Vec::new();
        for (index, program) in settings.programs.iter().enumerate() {
            let dealt_now = ProjectProgram { declared: Some(index), ..self.program(program, files, table) };
            let places = self.places.get(index).cloned().unwrap_or_default();
            if dealt_now.files.is_empty() {
                let range = places.start;
                let message = format!("program `{}` has no files", shorten(&dealt_now.name, 32));
                let finding = Finding::new(&EMPTY_PROGRAM, range, message)
                    .label("nothing is checked")
                    .note("a program consists of `.mg` and `.gl` files that git does not ignore");
                self.findings.push(finding);
            } else {
                self.check_patterns(program, &places, files);
            }
            dealt.push(dealt_now);
        }
        self.findings.sort_by_key(|finding| finding.range.start());
        dealt
    }

    /// Reports the patterns that match no file. Those of `exclude` may: what they keep out need not be there.
    fn check_patterns(&mut self, program: &ProgramSettings, places: &ProgramPlaces, files: &[&WalkEntry]) {
        let paths: Vec<_> = files.iter().map(|found| relative(&self.root, &found.path)).collect();
        let mut check = |key: &str, globs: &Globs, places: &[TextRange], paths: &[&str]| {
            // What is at its default has no place, and promises nothing.
            let unmatched = globs.unmatched(paths.iter().copied()).into_iter();
            for (at, &range) in unmatched.filter_map(|at| Some((at, places.get(at)?))) {
                let pattern = globs.patterns().get(at).map_or("", String::as_str);
                self.findings.push(unmatched_pattern(key, pattern, range, "`.mg` or `.gl`"));
            }
        };
        let all: Vec<&str> = paths.iter().map(String::as_str).collect();
        check("include", &program.include, &places.include, &all);
        let own: Vec<&str> = all.into_iter().filter(|path| program.includes(path)).collect();
        check("hybrid", &program.hybrid, &places.hybrid, &own);
    }

    fn program(&self, settings: &ProgramSettings, files: &[&WalkEntry], table: &FileTable) -> ProjectProgram {
        let is_member = |found: &&WalkEntry| {
            let path = relative(&self.root, &found.path);
            match self.settings.files.adds(&found.path) {
                true => settings.includes_added(&path),
                false => settings.includes(&path),
            }
        };
        let members: Vec<_> = files.iter().copied().filter(is_member).collect();
        let files = without_twins(&members);
        let is_hybrid = |path: &&PathBuf| settings.hybrid.matches(&relative(&self.root, path));
        let mut hybrid: Vec<_> = files.iter().filter(is_hybrid).map(|path| table.id(path)).collect();
        hybrid.sort_unstable();
        let predicates = settings.host_predicates.iter();
        let embedding = ProgramEnvironment {
            predicates: predicates.map(|&(name, arity)| PredicateKey { name, arity }).collect(),
            stores: self.settings.runtime.stores.clone(),
            files_with_directives: hybrid,
            ..ProgramEnvironment::default()
        };
        let name = settings.name.clone().unwrap_or_else(|| folder_name(&self.root));
        ProjectProgram { name, origin: ProgramOrigin::Configured, declared: None, files, embedding }
    }
}

/// A pattern that matches no file; `ends` are the ends of names of the files that it can match.
fn unmatched_pattern(key: &str, pattern: &str, range: TextRange, ends: &str) -> Finding {
    let message = format!("`{}` in `{key}` matches no file", shorten(pattern, 32));
    Finding::new(&UNMATCHED_PATTERN, range, message)
        .note("patterns are relative to the folder of this file")
        .note(format!("only files that end with {ends} and that git does not ignore count"))
}

/// Reads a catalogue of tools. A link must not lead out of the repository: anybody may have written the settings.
fn catalogue(root: &Path, named: &str, overlay: &Overlay) -> Result<Catalogue, String> {
    let path = root.join(named);
    let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    if overlay.get(&path).is_none() && !real.starts_with(boundary(root)) {
        return Err(if path.exists() {
            "it leads out of the repository".into()
        } else {
            "there is no such file".into()
        });
    }
    let text = read(&path, overlay).map_err(|error| plain(&error))?;
    match text.findings.first() {
        Some(finding) => Err(finding.message.trim_end_matches('.').to_owned()),
        None => Catalogue::parse(text.text.as_bytes()),
    }
}

/// The files without links to others of them: a file that is read twice declares everything twice.
pub(super) fn without_twins(files: &[&WalkEntry]) -> Vec<PathBuf> {
    let (links, real): (Vec<&WalkEntry>, Vec<&WalkEntry>) =
        files.iter().partition(|found| found.target.is_some());
    let mut paths: Vec<_> = real.iter().map(|found| found.path.clone()).collect();
    if !links.is_empty() {
        let mut seen: FxHashSet<_> = paths.iter().map(|path| canonical(path)).collect();
        let fresh =
            links.into_iter().filter(|link| link.target.clone().is_none_or(|target| seen.insert(target)));
        paths.extend(fresh.map(|link| link.path.clone()));
        paths.sort_unstable();
    }
    paths
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.into())
}

/// The nearest configuration file in `folder` or above it, as far up as this process reads. One that is no file counts, so that
/// reading it says so.
pub(super) fn nearest(folder: &Path, overlay: &Overlay) -> Option<PathBuf> {
    folder
        .ancestors()
        .take_while(|folder| disk::is_allowed(folder))
        .map(|folder| folder.join(FILE_NAME))
        .find(|path| overlay.get(path).is_some() || is_taken(path))
}

/// The last part of a folder's path.
pub(super) fn folder_name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned())
}

/// Why files are analysed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOrigin {
    /// A configuration file says so.
    Configured,
    /// There is none: they were named together, or lie in one folder of the workspace.
    Together,
    /// A file that is in no program, and the schemas beside it.
    Lone,
}
