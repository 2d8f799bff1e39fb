//! Configuration files: upward search, parsing, and assignment of files to programs. Findings about
//! unreadable files and incompletely scanned folders have the severities of their configuration.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use super::disk::plain;
use super::read::{no_text, read};
use super::resolve::{PartialScan, Problem};
use super::walk::{WalkEntry, boundary};
use super::{FileTable, Overlay, disk, exists, relative};
use mangle_engine::program::{PredicateKey, ProgramEnvironment};
use mangle_ide::file_findings::file_findings;
use mangle_ide::registry;
use mangle_report::{LoadError, LoadErrors};
use mangle_settings::{
    CONFIG_BAD_VALUE, CONFIG_UNKNOWN_KEY, CONFIG_UNKNOWN_RULE, EMPTY_PROGRAM, FACT_EXTENSIONS, FILE_NAME,
    Globs, ProgramRanges, ProgramSettings, REQUIRED_VERSION, RuleSettings, SCAN_LIMIT, Settings,
    UNMATCHED_PATTERN, UNREADABLE_FILE, Vocabulary,
};
use mangle_syntax::lint::{Diagnostic, Finding, Rule, Severity};
use mangle_syntax::text::{Encoding, FileId, LineIndex, TextRange, shorten};
use piggyback::envelope::Catalogue;

/// A parsed configuration file.
#[derive(Debug)]
pub struct Project {
    pub file: FileId,
    pub path: PathBuf,
    /// The folder that the configuration applies to.
    pub root: PathBuf,
    pub text: Arc<str>,
    pub settings: Arc<Settings>,
    /// Problems of the configuration. Ranges are relative to the start of the file.
    pub findings: Vec<Finding>,
    /// The reason if the file cannot be read.
    pub unread: Option<String>,
    /// The key in `[rules]` that sets the severity of a rule, in file order.
    pub rules: Vec<(&'static Rule, TextRange)>,
    /// The files of `[kernel] sample`, sorted by path. The Mangle files among them are not members
    /// of a program.
    pub samples: Vec<PathBuf>,
    /// The tools of the agent, if `[transcripts] tools` names a tool catalog.
    pub tools: Option<Arc<Catalogue>>,
    places: Vec<ProgramRanges>,
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
    /// Reads the configuration file at `path`. An unreadable file is a problem and has default
    /// settings.
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
            Some(finding) => mangle_settings::ParsedConfig {
                findings: vec![no_text(&finding, "TOML")],
                ..mangle_settings::ParsedConfig::default()
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

    /// Returns the problems of the configuration, for a command. `name` is the file name in
    /// output.
    #[must_use]
    pub fn problems(&self, name: &str) -> SettingsProblems {
        SettingsProblems { errors: self.errors(name), ignored: self.ignored(name) }
    }

    /// Returns the errors that make the settings invalid: an unreadable file, and invalid values.
    /// `[rules]` cannot disable them. A mismatch of the required version is a separate
    /// [`Problem`].
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

    /// Returns the ignored lines (unknown keys and rules), each as a sentence with its position.
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

    /// Selects the sample files among the files below the root. A pattern without matches is a
    /// finding.
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

    /// Reports the patterns of `[prompt] atoms` without matches, by index.
    pub(super) fn report_atoms(&mut self, unmatched: &[usize]) {
        for at in unmatched {
            let Some(&range) = self.atom_places.get(*at) else { continue };
            let pattern = self.settings.prompt.atoms.patterns().get(*at).map_or("", String::as_str);
            self.findings.push(unmatched_pattern("atoms", pattern, range, "`.yaml` or `.yml`"));
        }
        self.findings.sort_by_key(|finding| finding.range.start());
    }

    /// Reports the patterns of `[decoding] files` without matches, by index.
    pub(super) fn report_grammars(&mut self, unmatched: &[usize]) {
        for at in unmatched {
            let Some(&range) = self.grammar_places.get(*at) else { continue };
            let pattern = self.settings.decoding.files.patterns().get(*at).map_or("", String::as_str);
            let ends = "`.json`, `.gbnf`, `.ebnf`, `.lark` or `.regex`";
            self.findings.push(unmatched_pattern("files", pattern, range, ends));
        }
        self.findings.sort_by_key(|finding| finding.range.start());
    }

    /// Assigns the files below the root to programs. `files` excludes folders with a configuration
    /// of their own. A program without files is a finding.
    pub(super) fn assign_files(&mut self, files: &[&WalkEntry], table: &FileTable) -> Vec<ProjectProgram> {
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

    /// Reports the patterns without matches, except `exclude` patterns: the excluded files may be
    /// missing.
    fn check_patterns(&mut self, program: &ProgramSettings, places: &ProgramRanges, files: &[&WalkEntry]) {
        let paths: Vec<_> = files.iter().map(|found| relative(&self.root, &found.path)).collect();
        let mut check = |key: &str, globs: &Globs, places: &[TextRange], paths: &[&str]| {
            // Default values have no place in the file and are not checked.
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
        let files = without_linked_duplicates(&members);
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

/// The finding for a pattern without matches. `ends` lists the file name extensions that the
/// pattern can match.
fn unmatched_pattern(key: &str, pattern: &str, range: TextRange, ends: &str) -> Finding {
    let message = format!("`{}` in `{key}` matches no file", shorten(pattern, 32));
    Finding::new(&UNMATCHED_PATTERN, range, message)
        .note("patterns are relative to the folder of this file")
        .note(format!("only files that end with {ends} and that git does not ignore count"))
}

/// Reads a tool catalog. Links that lead out of the repository are not followed, because the
/// settings are not trusted.
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

/// Removes links to other files of the list, because a file that is read twice has duplicate
/// declarations.
pub(super) fn without_linked_duplicates(files: &[&WalkEntry]) -> Vec<PathBuf> {
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

/// Returns the nearest configuration file in `folder` or above it, limited to the folders that
/// this process may read. An entry that is not a regular file also counts, so that reading it
/// reports the problem.
pub(super) fn nearest(folder: &Path, overlay: &Overlay) -> Option<PathBuf> {
    folder
        .ancestors()
        .take_while(|folder| disk::is_allowed(folder))
        .map(|folder| folder.join(FILE_NAME))
        .find(|path| overlay.get(path).is_some() || exists(path))
}

/// The last component of a folder's path.
pub(super) fn folder_name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned())
}

/// The reason why files form a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOrigin {
    /// Declared in a configuration file.
    Configured,
    /// No configuration. The files were given together, or are in one folder of the workspace.
    Together,
    /// A file that is in no program, with the schemas in its folder.
    Lone,
}

#[derive(Debug, Clone, Default)]
pub struct SettingsProblems {
    /// Errors that make the settings of a configuration file invalid.
    pub errors: LoadErrors,
    /// The ignored lines, each as a sentence with its position.
    pub ignored: Vec<String>,
}

/// Returns the findings for an unreadable file or folder. Severities come from the enclosing
/// project, with `base` as default.
pub(super) fn unreadable(
    file: FileId,
    problem: &Problem,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("file or folder cannot be read: {}", problem.why);
    let finding = Finding::new(&UNREADABLE_FILE, TextRange::default(), message)
        .note("what it defines is missing from the program");
    found_around(file, &problem.path, finding, projects, base)
}

/// Returns the diagnostics for a finding about a whole file or folder. Severities come from the
/// enclosing project, with `base` as default.
pub(super) fn found_around(
    file: FileId,
    path: &Path,
    finding: Finding,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let project = around(path, projects);
    let rules = project.map_or_else(|| base.clone(), |project| project.settings.rules.overriding(base));
    file_findings(file, vec![finding], &rules)
}

/// Returns the diagnostics for an incompletely scanned folder.
pub(super) fn scan_limit(
    file: FileId,
    cut: &PartialScan,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("folder {}", cut.reason());
    let finding = Finding::new(&SCAN_LIMIT, TextRange::default(), message)
        .note("files beyond the limit are not checked")
        .help(cut.help());
    found_around(file, &cut.folder, finding, projects, base)
}

/// Returns the project with the innermost root that contains a path.
pub(super) fn around<'p>(path: &Path, projects: &'p [Project]) -> Option<&'p Project> {
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.max_by_key(|project| project.root.components().count())
}
