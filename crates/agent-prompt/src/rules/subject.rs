//! Input and reporting helpers of the rules.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::answers::Answer;
use crate::header::Header;
use crate::origin::{FactOrigin, LineOrigin};
use crate::preview::{OriginPlace, PreviewState, PreviewedPrompt};
use mangle_engine::program::{FileSummary, PredicateId, Program, Site};
use mangle_settings::{Consumer, PromptSettings, TranscriptSettings};
use mangle_syntax::lint::{Finding, Rule, SharedText};
use mangle_syntax::syntax::ast::{Clause, Item, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, Symbol, TextRange, slice};

/// Previews with their inputs.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The shared data of the prompts.
    pub common: &'a PreviewState,
    /// The prompts.
    pub shown: &'a mut [PreviewedPrompt],
    /// The header of the sample kernel.
    pub header: &'a Header,
    /// The session file of each prompt.
    pub sessions: &'a [Option<FileId>],
    /// The `[prompt]` settings for the kernel.
    pub settings: &'a PromptSettings,
    /// The transcript settings, which also apply to examples of replies.
    pub transcripts: &'a TranscriptSettings,
    /// The configured consumer of packet updates: its name, and the updates that it accepts.
    pub consumer: Option<(&'a str, &'a Consumer)>,
}

/// A finding with its file.
#[derive(Debug, Clone)]
pub struct PromptFinding {
    /// The file of the ranges.
    pub file: FileId,
    /// The finding, with ranges from the start of the file.
    pub finding: Finding,
}

impl PromptFinding {
    pub(super) fn note(self, note: impl Into<SharedText>) -> Self {
        Self { finding: self.finding.note(note), ..self }
    }

    pub(super) fn help(self, help: impl Into<SharedText>) -> Self {
        Self { finding: self.finding.help(help), ..self }
    }
}

impl Subject<'_> {
    /// The current program.
    pub(super) fn program(&self) -> &Program {
        self.common.program()
    }

    pub(super) fn sample(&self) -> Option<FileId> {
        self.common.sample()
    }

    /// Reports a finding in the file of the sample kernel.
    pub(super) fn at_header(&self, found: &mut Vec<PromptFinding>, finding: Finding) {
        found.extend(self.sample().map(|file| PromptFinding { file, finding }));
    }

    /// The clauses with a head of this name and at least `least` arguments.
    pub(super) fn heads<'p>(&'p self, name: &'static str, least: usize) -> impl Iterator<Item = Head<'p>> {
        let program = self.program();
        let named = program
            .named(Symbol::new(name))
            .filter(move |predicate| usize::from(predicate.key.arity) >= least);
        named.flat_map(move |predicate| program.clauses(predicate)).filter_map(Head::from_site)
    }

    /// The predicates that the given predicates depend on, including themselves.
    pub(super) fn feeding(&self, read: &[&str]) -> FxHashSet<PredicateId> {
        let (program, graph) = (self.program(), self.program().dependencies());
        let named = read.iter().flat_map(|name| program.named(Symbol::new(name)));
        let mut queue: VecDeque<PredicateId> =
            named.filter_map(|predicate| program.id(predicate.key)).collect();
        let mut seen: FxHashSet<PredicateId> = queue.iter().copied().collect();
        while let Some(at) = queue.pop_front() {
            let next = graph.edges_from(at).iter().map(|edge| edge.to);
            queue.extend(next.filter(|to| seen.insert(*to)));
        }
        seen
    }

    /// The location of the argument of a fact; for a derived fact, its rule.
    pub(super) fn place(
        &self,
        shown: &PreviewedPrompt,
        held: &FactOrigin,
        argument: usize,
    ) -> Option<(FileId, TextRange)> {
        match self.common.place(shown, &LineOrigin::Fact(held.showing(argument)))? {
            OriginPlace::File(file, range) => Some((file, range)),
            _ => None,
        }
    }

    /// The facts that a query finds for a shard.
    pub(super) fn facts(&self, shown: &PreviewedPrompt, predicate: &str, least: usize) -> Vec<Answer> {
        self.common.facts(shown, predicate, least)
    }
}

/// The preview as the beginning of a note: ``in preview `fix` (coder-7)``.
pub(super) fn within(shown: &PreviewedPrompt) -> String {
    format!("in preview `{}` ({})", shown.request.name, shown.request.context.shard_id)
}

/// A clause without syntax errors.
pub(super) struct Head<'p> {
    pub(super) file: &'p FileSummary,
    pub(super) item: &'p Item,
    pub(super) clause: &'p Clause,
}

impl<'p> Head<'p> {
    pub(super) fn from_site(site: Site<'p>) -> Option<Self> {
        let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
        Some(Self { file: site.file, item: site.item, clause })
    }

    pub(super) fn arg(&self, at: usize) -> Option<&'p Term> {
        self.clause.head.args.get(at)
    }

    /// The text of a name or string argument, and true for a name.
    pub(super) fn constant(&self, at: usize) -> Option<(String, bool)> {
        let term = self.arg(at)?;
        match term.kind {
            TermKind::Name(name) => Some((name.as_str().to_owned(), true)),
            TermKind::String => {
                let source = slice(self.file.statement_text(self.item), term.range);
                literal::string_value(source).map(|text| (text.into(), false))
            }
            _ => None,
        }
    }

    /// The range of an argument in the file. Default: the range of the head.
    pub(super) fn range(&self, at: usize) -> TextRange {
        self.arg(at).map_or(self.clause.head.range, |term| term.range) + self.item.start
    }

    /// A finding at an argument.
    pub(super) fn found(
        &self,
        rule: &'static Rule,
        at: usize,
        message: impl Into<SharedText>,
    ) -> PromptFinding {
        PromptFinding { file: self.file.id, finding: Finding::new(rule, self.range(at), message) }
    }
}
