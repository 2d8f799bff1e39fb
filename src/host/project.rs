//! Configuration files: finding the nearest upward, reading it, dealing its files to programs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use super::resolve::Problem;
use super::walk::{Found, plain};
use super::{FileTable, Overlay, read, relative};
use crate::config::{self, EMPTY_PROGRAM, FILE_NAME, ProgramSettings, Settings};
use crate::ide::registry;
use crate::lint::{Finding, Rule};
use crate::program::PredicateKey;
use crate::text::{FileId, TextRange};

/// A configuration file and what it says.
#[derive(Debug)]
pub struct Project {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: PathBuf,
    /// The folder that it is about.
    pub root: PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// What it says.
    pub settings: Arc<Settings>,
    /// What is wrong with it. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
    program_ranges: Vec<TextRange>,
}

/// The files of one program of a project.
#[derive(Debug)]
pub(super) struct Dealt {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) host_predicates: Vec<PredicateKey>,
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
        let (text, mut findings) = match read(path, overlay) {
            Ok(file) => (file.text, file.findings),
            Err(error) => {
                problems.push(Problem { path: path.into(), why: plain(&error), named: false });
                ("".into(), Vec::new())
            }
        };
        let parsed = config::parse(&text, &RULES);
        findings.extend(parsed.findings);
        Self {
            file: table.id(path),
            path: path.into(),
            root: path.parent().unwrap_or(path).into(),
            text,
            settings: Arc::new(parsed.settings),
            findings,
            program_ranges: parsed.program_ranges,
        }
    }

    /// Deals the files below the root (those of folders with their own configuration are not among
    /// `files`) to the programs. A program without any is a finding.
    pub(super) fn deal(&mut self, files: &[&Found]) -> Vec<Dealt> {
        let settings = Arc::clone(&self.settings);
        if settings.programs.is_empty() {
            return vec![self.program(&ProgramSettings::default(), files)];
        }
        let mut dealt = Vec::new();
        for (index, program) in settings.programs.iter().enumerate() {
            let dealt_now = self.program(program, files);
            if dealt_now.files.is_empty() {
                let range = self.program_ranges.get(index).copied().unwrap_or_default();
                let message = format!(
                    "No file belongs to the program `{}`, so nothing is checked. Only `.mg` and `.gl` files \
                     that git does not ignore can.",
                    dealt_now.name
                );
                self.findings.push(Finding::new(&EMPTY_PROGRAM, range, message));
            }
            dealt.push(dealt_now);
        }
        dealt
    }

    fn program(&self, settings: &ProgramSettings, files: &[&Found]) -> Dealt {
        let members: Vec<_> = files
            .iter()
            .copied()
            .filter(|found| settings.includes(&relative(&self.root, &found.path)))
            .collect();
        Dealt {
            name: settings.name.clone().unwrap_or_else(|| folder_name(&self.root)),
            files: without_twins(&members),
            host_predicates: settings
                .host_predicates
                .iter()
                .map(|&(name, arity)| PredicateKey { name, arity })
                .collect(),
        }
    }
}

/// The files without links to others of them: a file that is read twice declares everything twice.
pub(super) fn without_twins(files: &[&Found]) -> Vec<PathBuf> {
    let (links, real): (Vec<&Found>, Vec<&Found>) = files.iter().partition(|found| found.target.is_some());
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

/// The nearest configuration file in `folder` or above it.
pub(super) fn nearest(folder: &Path, overlay: &Overlay) -> Option<PathBuf> {
    folder
        .ancestors()
        .map(|folder| folder.join(FILE_NAME))
        .find(|path| overlay.get(path).is_some() || path.is_file())
}

/// The last part of a folder's path.
pub(super) fn folder_name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned())
}
