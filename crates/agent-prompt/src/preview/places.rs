//! Source locations of line origins, with the text at these locations.

use super::{PreviewState, PreviewedPrompt};
use crate::origin::{FactOrigin, FactOriginKind, LineOrigin, TextSource};
use mangle_engine::kernel::{Proof, RuleId};
use mangle_engine::program::Program;
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize, slice};

/// The source location of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginPlace {
    /// A file of the program.
    File(FileId, TextRange),
    /// The session file of the preview.
    Session(TextRange),
    /// The header of the sample kernel.
    Header(TextRange),
}

/// A source text of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedPlace {
    /// The location; `None` for a text without a file.
    pub place: Option<OriginPlace>,
    /// The text at the location.
    pub text: String,
}

impl PreviewState {
    /// The location of the origin of a line. For a derived fact, the location of its rule. `None`
    /// without a file.
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
        let (_, place) = shown.marks.kind_and_location(&held.fact)?;
        let (file, start) = place?;
        let summary = self.current.file(file)?;
        let item = summary.items.iter().find(|item| item.start == start);
        let whole = match item {
            Some(item) => argument(item, Some(held.argument)),
            // The range of a directive is its line.
            None => {
                let rest = summary.text.get(usize::from(start)..)?;
                TextRange::at(start, mangle_syntax::text::text_len(rest.lines().next().unwrap_or_default()))
            }
        };
        Some(OriginPlace::File(file, whole))
    }

    /// The current location of a clause, or of one argument of its head.
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

    /// The current location of a clause; `None` for [`RuleId::ASSERTED`].
    #[must_use]
    pub fn range_of_rule(&self, rule: RuleId) -> Option<(FileId, TextRange)> {
        self.place_of_rule(rule, None)
    }

    /// The current statement of a clause, with its range from the start of the statement.
    pub(crate) fn statement_of_rule(&self, rule: RuleId) -> Option<(FileId, StatementId, TextRange)> {
        let (file, range) = self.place_of_rule(rule, None)?;
        let summary = self.current.file(file)?;
        let item = summary.items.get(summary.item_at(range.start())?)?;
        Some((file, item.statement.id, item.statement.range()))
    }

    /// The source texts of a line: the text at its origin. For a derived fact, also the texts of
    /// its derivation.
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
            // Without a location, the text is the fact.
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
                let (_, place) = shown.marks.kind_and_location(&node.fact)?;
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

    /// The text at a location of the program.
    fn text_at(&self, place: OriginPlace) -> Option<&str> {
        match place {
            OriginPlace::File(file, range) => Some(slice(&self.current.file(file)?.text, range)),
            OriginPlace::Header(range) => Some(slice(&self.current.file(self.sample?)?.text, range)),
            OriginPlace::Session(_) => None,
        }
    }

    /// The file and the line (from 1) of an asserted fact; `None` for a fact that the preview
    /// added.
    #[must_use]
    pub fn place_of_given(&self, shown: &PreviewedPrompt, fact: &str) -> Option<(FileId, usize)> {
        let (file, start) = shown.marks.kind_and_location(fact)?.1?;
        Some((file, line_of(&self.current, file, TextRange::empty(start))))
    }

    /// The start of the statement of an asserted fact; `None` for a fact that the preview added.
    pub(crate) fn place_of_asserted(
        &self,
        shown: &PreviewedPrompt,
        fact: &str,
    ) -> Option<(FileId, TextSize)> {
        shown.marks.kind_and_location(fact)?.1
    }

    /// The file of the sample kernel.
    #[must_use]
    pub fn sample(&self) -> Option<FileId> {
        self.sample
    }
}

/// The range of an argument of a fact. Default: the whole statement.
fn argument(item: &mangle_syntax::syntax::ast::Item, shows: Option<usize>) -> TextRange {
    let clause = item.statement.clause();
    let arg = shows.and_then(|at| clause?.head.args.get(at)).map(|term| term.range);
    arg.unwrap_or(item.statement.range()) + item.start
}

/// The line of a location, from 1.
pub(super) fn line_of(program: &Program, file: FileId, range: TextRange) -> usize {
    let text = program.file(file).map_or("", |file| &file.text);
    text.get(..usize::from(range.start())).unwrap_or_default().matches('\n').count() + 1
}
