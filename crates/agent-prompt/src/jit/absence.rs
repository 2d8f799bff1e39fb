//! Reasons for the absence of an atom from a prompt, in each mode.

use super::atom::{AtomKind, Dimension, PromptAtom};
use super::budget::is_left_out;
use super::read::AtomFault;
use super::rules::fault_message;
use super::situation::Situation;
use super::{Compilation, JitCompiler};
use crate::context::DerivedContext;
use mangle_syntax::text::{FileId, TextRange, nearest};

/// An atom, or a faulty atom that the runtime skips, with the reason for its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomAbsence {
    /// The id in prompts and policies.
    pub id: String,
    /// The source location; `None` for an atom without a file.
    pub place: Option<(FileId, TextRange)>,
    /// The reason for the absence as text; `None` if the atom is in the prompt.
    pub reason: Option<String>,
}

/// The construction of a prompt from its atoms.
#[derive(Debug, Clone, Copy)]
pub enum AssemblyKind<'c> {
    /// By the prompt compiler.
    Compiler(&'c Compilation),
    /// From the mandatory atoms, without the compiler.
    Baseline,
    /// Without atoms, with the reason as text.
    WithoutAtoms(&'static str),
}

impl JitCompiler {
    /// The atoms with this id. Without a match, the faulty atoms that the runtime skips.
    #[must_use]
    pub fn atoms_called(
        &self,
        id: &str,
        derived: &DerivedContext,
        made: AssemblyKind<'_>,
    ) -> Vec<AtomAbsence> {
        let named = self.known(|atom| atom.id.text == id, derived, made);
        match named.is_empty() {
            true => self.corpus.faults.iter().filter(|found| found.atom == id).map(fault).collect(),
            false => named,
        }
    }

    /// The atoms with `text` in their content.
    #[must_use]
    pub fn atoms_with(
        &self,
        text: &str,
        derived: &DerivedContext,
        made: AssemblyKind<'_>,
    ) -> Vec<AtomAbsence> {
        self.known(|atom| atom.content.text.contains(text), derived, made)
    }

    fn known(
        &self,
        is_meant: impl Fn(&PromptAtom) -> bool,
        derived: &DerivedContext,
        made: AssemblyKind<'_>,
    ) -> Vec<AtomAbsence> {
        let known = |atom: &PromptAtom| AtomAbsence {
            id: atom.id.text.clone(),
            place: atom.file.map(|file| (file, atom.id.range)),
            reason: Self::reason(atom, derived, made),
        };
        self.corpus.atoms.iter().filter(|atom| is_meant(atom)).map(|atom| known(atom)).collect()
    }

    /// The known id with the smallest distance to an unknown id.
    #[must_use]
    pub fn id_near(&self, word: &str) -> Option<&str> {
        nearest(word, self.corpus.atoms.iter().map(|atom| atom.id.text.as_str()))
    }

    fn reason(atom: &PromptAtom, derived: &DerivedContext, made: AssemblyKind<'_>) -> Option<String> {
        match made {
            AssemblyKind::Compiler(compilation) => compilation.reason(&atom.id.text),
            AssemblyKind::Baseline => baseline_exclusion(atom, derived),
            AssemblyKind::WithoutAtoms(why) => Some(why.to_owned()),
        }
    }
}

impl Compilation {
    /// The reason for the absence of the atom with this id; `None` if the atom is in the prompt.
    fn reason(&self, id: &str) -> Option<String> {
        if self.manifest.selected.iter().any(|selected| selected.id == id) {
            return None;
        }
        self.manifest.dropped.iter().find(|dropped| dropped.id == id).map(|dropped| dropped.reason.clone())
    }
}

fn fault(fault: &AtomFault) -> AtomAbsence {
    let reason = Some(fault_message(fault));
    AtomAbsence { id: fault.atom.clone(), place: Some((fault.file, fault.range)), reason }
}

/// The reason for the absence of an atom from a base without the compiler.
fn baseline_exclusion(atom: &PromptAtom, derived: &DerivedContext) -> Option<String> {
    let unmatched = || Situation::new(derived).unmatched(atom).map(Dimension::key);
    if atom.kind != AtomKind::Corpus {
        Some(format!(
            "`legacy` takes atoms of the corpus alone, and it is of the kind `{}`",
            atom.kind.as_str()
        ))
    } else if !atom.is_mandatory {
        Some("`legacy` takes mandatory atoms alone, and it is not mandatory".to_owned())
    } else if is_left_out(atom, derived) {
        Some("this shard answers with structured output alone".to_owned())
    } else {
        unmatched().map(|key| format!("`legacy` takes it only where a value of its `{key}` holds"))
    }
}
