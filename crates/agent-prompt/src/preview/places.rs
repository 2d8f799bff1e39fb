//! Where the origin of a line can be opened, and what is written there.

use super::{Common, PreviewedPrompt};
use crate::origin::{FactOrigin, FactOriginKind, LineOrigin};
use crate::sourced_text::TextSource;
use mangle_engine::kernel::{Proof, RuleId};
use mangle_engine::program::Program;
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize, slice};

/// Where an origin can be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginPlace {
    /// In a file of the program.
    File(FileId, TextRange),
    /// In the session file of the preview.
    Session(TextRange),
    /// In the sample kernel.
    Header(TextRange),
}

/// What stands at a place that a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedPlace {
    /// The place; `None` for what stands in no file.
    pub place: Option<OriginPlace>,
    /// What is written there.
    pub text: String,
}

impl Common {
    /// Where the origin of a line can be opened: for a derived fact, its rule. `None` for what stands in no file.
    #[must_use]
    pub fn place(&self, shown: &PreviewedPrompt, origin: &LineOrigin) -> Option<OriginPlace> {
        match origin {
            LineOrigin::Fact(held) => self.place_of_fact(shown, held),
            LineOrigin::Session { range, .. } if !range.is_empty() => Some(OriginPlace::Session(*range)),
            LineOrigin::Intent { source: TextSource::Session, range, .. } => {
                Some(OriginPlace::Session(*range))
            }
            LineOrigin::Intent { source: TextSource::Header, range, .. } => Some(OriginPlace::Header(*range)),
            LineOrigin::Atom { file: Some(file), range, .. } => Some(OriginPlace::File(*file, *range)),
            _ => None,
        }
    }

    fn place_of_fact(&self, shown: &PreviewedPrompt, held: &FactOrigin) -> Option<OriginPlace> {
        if held.rule != RuleId::ASSERTED {
            let (file, range) = self
                .place_of_rule(held.rule, (held.kind == FactOriginKind::Stated).then_some(held.argument))?;
            return Some(OriginPlace::File(file, range));
        }
        let (_, place) = shown.marks.of(&held.fact)?;
        let (file, start) = place?;
        let summary = self.current.file(file)?;
        let item = summary.items.iter().find(|item| item.start == start);
        let whole = match item {
            Some(item) => argument(item, Some(held.argument)),
            // A directive is a line.
            None => {
                let rest = summary.text.get(usize::from(start)..)?;
                TextRange::at(start, mangle_syntax::text::text_len(rest.lines().next().unwrap_or_default()))
            }
        };
        Some(OriginPlace::File(file, whole))
    }

    /// Where a clause stands by now, or one argument of its head.
    pub(super) fn place_of_rule(&self, rule: RuleId, shows: Option<usize>) -> Option<(FileId, TextRange)> {
        let rule = self.compiled.rule(rule)?;
        let was = self.evaluated.file(rule.file)?.items.get(rule.item as usize)?;
        let file = self.current.file(rule.file)?;
        let says_it =
            |item: &&mangle_syntax::syntax::ast::Item| item.statement.digest == was.statement.digest;
        let at = file.items.get(rule.item as usize).filter(says_it);
        let item = at.or_else(|| file.items.iter().find(says_it))?;
        Some((rule.file, argument(item, shows)))
    }

    /// Where a clause stands by now; `None` for what no clause gave.
    #[must_use]
    pub fn range_of_rule(&self, rule: RuleId) -> Option<(FileId, TextRange)> {
        self.place_of_rule(rule, None)
    }

    /// The statement that a clause is by now, with its bytes from its own start.
    pub(crate) fn statement_of_rule(&self, rule: RuleId) -> Option<(FileId, StatementId, TextRange)> {
        let (file, range) = self.place_of_rule(rule, None)?;
        let summary = self.current.file(file)?;
        let item = summary.items.get(summary.item_at(range.start())?)?;
        Some((file, item.statement.id, item.statement.range()))
    }

    /// What is written where the words of a line come from: at its origin and, for a derived fact, at all that it follows
    /// from.
    #[must_use]
    pub fn opened(&self, shown: &mut PreviewedPrompt, origin: &LineOrigin) -> Vec<OpenedPlace> {
        let mut all = Vec::new();
        let place = self.place(shown, origin);
        if let Some(place) = place {
            all.push(OpenedPlace {
                place: Some(place),
                text: self.text_at(place).unwrap_or_default().to_owned(),
            });
        }
        if let LineOrigin::Fact(held) = origin {
            // What stands in no file is at least a fact.
            if place.is_none() {
                all.push(OpenedPlace { place: None, text: held.fact.clone() });
            }
            for proof in self.proofs(shown, held, 1) {
                all.extend(self.opened_proof(shown, &proof));
            }
        }
        all
    }

    fn opened_proof(&self, shown: &PreviewedPrompt, proof: &Proof) -> Vec<OpenedPlace> {
        let opened = |node: &mangle_engine::kernel::ProofNode| {
            let held = FactOrigin {
                fact: node.fact.clone(),
                key: None,
                rule: node.rule,
                kind: FactOriginKind::Derived,
                argument: 0,
            };
            let place = if node.rule == RuleId::ASSERTED {
                let (_, place) = shown.marks.of(&node.fact)?;
                place.and_then(|(file, start)| {
                    let file = self.current.file(file)?;
                    let item = file.items.iter().find(|item| item.start == start)?;
                    Some(OriginPlace::File(file.id, item.statement.range() + item.start))
                })
            } else {
                self.place_of_fact(shown, &held)
            };
            let text = place.and_then(|place| self.text_at(place)).unwrap_or(&node.fact).to_owned();
            Some(OpenedPlace { place, text })
        };
        proof.nodes.iter().filter_map(opened).collect()
    }

    /// What is written at a place of the program.
    fn text_at(&self, place: OriginPlace) -> Option<&str> {
        match place {
            OriginPlace::File(file, range) => Some(slice(&self.current.file(file)?.text, range)),
            OriginPlace::Header(range) => Some(slice(&self.current.file(self.sample?)?.text, range)),
            OriginPlace::Session(_) => None,
        }
    }

    /// File and line of a fact that was given, counted from 1; `None` for one that the preview added.
    #[must_use]
    pub fn place_of_given(&self, shown: &PreviewedPrompt, fact: &str) -> Option<(FileId, usize)> {
        let (file, start) = shown.marks.of(fact)?.1?;
        Some((file, line_of(&self.current, file, TextRange::empty(start))))
    }

    /// Where the statement of a fact starts that was given; `None` for one that the preview added.
    pub(crate) fn place_of_asserted(
        &self,
        shown: &PreviewedPrompt,
        fact: &str,
    ) -> Option<(FileId, TextSize)> {
        shown.marks.of(fact)?.1
    }

    /// The file of the sample kernel.
    #[must_use]
    pub fn sample(&self) -> Option<FileId> {
        self.sample
    }
}

/// The bytes of an argument of a fact, else of the whole statement.
fn argument(item: &mangle_syntax::syntax::ast::Item, shows: Option<usize>) -> TextRange {
    let clause = item.statement.clause();
    let arg = shows.and_then(|at| clause?.head.args.get(at)).map(|term| term.range);
    arg.unwrap_or(item.statement.range()) + item.start
}

/// The line of a place, counted from 1.
pub(super) fn line_of(program: &Program, file: FileId, range: TextRange) -> usize {
    let text = program.file(file).map_or("", |file| &file.text);
    text.get(..usize::from(range.start())).unwrap_or_default().matches('\n').count() + 1
}
