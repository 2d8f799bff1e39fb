//! Sample kernel of a fixture with its environment: an adjacent session file, prompt atoms in
//! folders of `*.yaml`, and settings in `mangle-ls.toml`.

use std::sync::Arc;

use super::super::previews::findings;
use agent_prompt::jit::{AtomFile, AtomKind, Corpus, JitCompiler};
use agent_prompt::rules::PREVIEW_PATH;
use agent_prompt::session::{SessionFile, SessionForm};
use agent_prompt::{
    CapturedPrompt, Header, Preview, PreviewGroup, PreviewSettings, PromptRequest, Provenance,
};
use mangle_engine::kernel::{Clock, Limits};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_settings::{RuleSettings, Settings, Vocabulary, parse};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use piggyback::transcript;

pub(crate) struct Sample {
    pub(crate) program: Arc<Program>,
    pub(crate) kernel: FileId,
    pub(crate) header: Header,
    pub(crate) wanted: Vec<(PromptRequest, Option<FileId>)>,
    paths: Vec<Finding>,
    pub(crate) settings: Settings,
}

impl Sample {
    /// Finds `main.mg`, or a file named like a kernel. `None` if missing.
    pub(crate) fn new(names: &[String], texts: &[String], rules: &RuleSettings) -> Option<Self> {
        let files = Files { names, texts };
        let kernel = names.iter().position(|name| name.ends_with(".kernel.mg") || name == "main.mg")?;
        let settings = files.settings(rules);
        let limits = files.at(transcript::settings::PATH);
        let limits = limits.map(|at| Arc::new(transcript::Limits::from_config(texts[at].as_bytes())));
        let header = Header::read(&texts[kernel]);
        let mut paths = Vec::new();
        let groups = header.groups.iter();
        let wanted = groups.filter_map(|group| {
            let (wanted, session) = files.wanted(group, &settings, &mut paths)?;
            Some((wanted.within(limits.as_ref()), session))
        });
        let (wanted, program) = (wanted.collect(), files.program(&settings));
        Some(Self { program, kernel: id(kernel), header, wanted, paths, settings })
    }

    /// Returns the findings of the previews.
    pub(super) fn findings(self) -> Vec<(FileId, Vec<Diagnostic>)> {
        let (mut preview, sessions) = self.preview();
        findings(&mut preview, &self.header, &sessions, &self.paths, &self.settings)
    }

    /// Returns the sources of the prompts.
    pub(crate) fn provenance(self) -> Provenance {
        let (mut preview, sessions) = self.preview();
        preview.provenance(&sessions)
    }

    /// Returns the previews, and the session file of each.
    fn preview(&self) -> (Preview, Vec<Option<FileId>>) {
        let kernel = &self.settings.kernel;
        let (limits, clock) = (Limits::from_settings(kernel), Clock::from_settings(kernel));
        let settings = PreviewSettings::from_settings(&self.settings.prompt, kernel.reading, limits, clock)
            .in_version(self.settings.transcripts.profile);
        let (wanted, sessions): (Vec<_>, Vec<_>) = self.wanted.iter().cloned().unzip();
        let program = Arc::clone(&self.program);
        (Preview::new(program, Some(self.kernel), wanted, settings, &Cancel::new()), sessions)
    }
}

/// Files of a fixture. Their IDs are 0, 1, … in order.
#[derive(Clone, Copy)]
struct Files<'f> {
    names: &'f [String],
    texts: &'f [String],
}

fn id(at: usize) -> FileId {
    FileId(u32::try_from(at).unwrap())
}

impl Files<'_> {
    fn at(self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    fn settings(self, rules: &RuleSettings) -> Settings {
        let toml = self.at("mangle-ls.toml").map_or("", |at| &self.texts[at]);
        let mut settings = parse(toml, Vocabulary { rules: &[] }).settings;
        settings.rules = rules.clone();
        settings.kernel.now = Some(0);
        settings
    }

    fn program(self, settings: &Settings) -> Arc<Program> {
        let is_mangle = |at: &usize| [".mg", ".gl"].iter().any(|end| self.names[*at].ends_with(end));
        let is_hybrid = |at: &usize| settings.programs.iter().any(|own| own.hybrid.matches(&self.names[*at]));
        let mangle: Vec<usize> = (0..self.names.len()).filter(is_mangle).collect();
        let hybrid = mangle.iter().copied().filter(is_hybrid).map(id).collect();
        let kernels = mangle.iter().filter(|at| super::is_kernel(&self.names[**at]));
        let kernels = kernels.map(|at| FileId(u32::try_from(*at).unwrap())).collect();
        let embedding =
            ProgramEnvironment { files_with_directives: hybrid, kernels, ..ProgramEnvironment::default() };
        let summary = |at: usize| {
            Arc::new(FileSummary::new(id(at), &SourceFile::parse(self.texts[at].as_str().into())))
        };
        Arc::new(Program::embedded(mangle.into_iter().map(summary).collect(), Arc::new(embedding)))
    }

    /// Returns the prompt compiler with the atoms of a folder, if any.
    fn compiler(self, folder: &str) -> Option<Arc<JitCompiler>> {
        let of_it = |at: &usize| self.names[*at].starts_with(folder) && self.names[*at].ends_with(".yaml");
        let file = |at: usize| {
            let text = self.texts[at].as_str().into();
            AtomFile { file: id(at), kind: AtomKind::Corpus, agent: None, text }
        };
        let files: Vec<_> = (0..self.names.len()).filter(of_it).map(file).collect();
        let corpus = Arc::new(Corpus::read(&files, &mut |_, _| None));
        (!files.is_empty()).then(|| Arc::new(JitCompiler::new(corpus)))
    }

    /// Returns the request of a header group, and its session file.
    fn wanted(
        self,
        group: &PreviewGroup,
        settings: &Settings,
        paths: &mut Vec<Finding>,
    ) -> Option<(PromptRequest, Option<FileId>)> {
        let session = group.session.as_ref().and_then(|named| {
            let at = self.at(&named.text);
            if at.is_none() {
                let message = format!("session file `{}` cannot be used", named.text);
                let finding = Finding::new(&PREVIEW_PATH, named.range, message);
                paths.push(finding.note("the file does not exist"));
            }
            at
        });
        let read = session.map(|at| SessionFile::read(&self.texts[at], SessionForm::Yaml));
        let configured = (!settings.prompt.atoms.patterns().is_empty()).then_some("atoms");
        let folder = group.atoms.as_ref().map(|folder| &*folder.text).or(configured);
        let compiler = folder.and_then(|folder| self.compiler(folder));
        let captured = group.captured.as_ref().and_then(|named| {
            let at = self.at(&named.text)?;
            let (_, kind) = group.shard.as_ref()?;
            CapturedPrompt::read(id(at), &self.names[at], &self.texts[at], &kind.text).map(Arc::new)
        });
        let wanted = PromptRequest { compiler, captured, ..PromptRequest::from_group(group, read, "main")? };
        Some((wanted, session.map(id)))
    }
}
