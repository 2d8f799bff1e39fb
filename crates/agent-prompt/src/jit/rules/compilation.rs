//! What becomes of atoms in a prompt, where that is not what their authors mean.

use super::super::atom::{AtomKind, PromptAtom};
use super::super::category::Category;
use super::super::compile::Compilation;
use super::super::placeholders::{MOST_GROWTH, Placeholders};
use super::super::select::{Exclusion, ExclusionReason};
use super::super::situation::Situation;
use super::AtomFinding;
use super::table::{
    CONFLICT_BOTH_MANDATORY, CONFLICT_ONE_SIDED, EXCLUSIVE_UNENFORCED, INJECTED_BLOCKED, MANDATORY_OVERFLOW,
    MATCH_DIVERGENCE, NESTED_PLACEHOLDER, SKELETON_GAP, UNREACHABLE_ATOM, VARIANT_IGNORED, VECTOR_ONLY,
};
use rustc_hash::FxHashSet;

use crate::derived_context::DerivedContext;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::text::TextRange;

/// Checks a compiled prompt. `preview` is what it is called in messages; `header` is where findings go that are about
/// the prompt as a whole, in the file of the preview. The first list is about that file, the second about the atoms'.
#[must_use]
pub fn of_compilation(
    compilation: &Compilation,
    derived: &DerivedContext,
    preview: &str,
    header: TextRange,
) -> (Vec<Finding>, Vec<AtomFinding>) {
    let about = CompilationSubject { compilation, derived, preview, header };
    let whole = [about.injected(), about.vector_only(), about.overflow()].into_iter().flatten();
    let whole = whole.chain(about.gaps()).chain(about.nested()).collect();
    let mut placed = about.exclusive();
    placed.extend(about.divergence());
    placed.extend(about.shortened());
    placed.extend(about.both_mandatory());
    placed.extend(about.compared());
    placed.extend(about.unreachable());
    (whole, placed)
}

struct CompilationSubject<'a> {
    compilation: &'a Compilation,
    derived: &'a DerivedContext,
    preview: &'a str,
    header: TextRange,
}

impl<'a> CompilationSubject<'a> {
    fn whole(&self, rule: &'static Rule, message: String) -> Finding {
        Finding::new(rule, self.header, message)
    }

    /// Names the preview in a message.
    fn here(&self) -> String {
        format!("in preview `{}` ({})", self.preview, self.derived.instance)
    }

    fn included(&self) -> impl Iterator<Item = &'a PromptAtom> + '_ {
        self.compilation.included.iter().filter_map(|&at| self.compilation.atoms.get(at)).map(|atom| &**atom)
    }

    fn injected(&self) -> Option<Finding> {
        let is_injected =
            |at: usize| self.compilation.atoms.get(at).is_some_and(|atom| atom.kind == AtomKind::Kernel);
        let blocked = |reason: &ExclusionReason| matches!(reason, ExclusionReason::Blocked(_));
        let count = self
            .compilation
            .dropped
            .iter()
            .filter(|dropped| is_injected(dropped.atom) && blocked(&dropped.reason));
        (count.count() > 0).then(|| {
            let (name, kind) = (&self.derived.shard_id, self.derived.shard_type.trim_start_matches('/'));
            let message = format!(
                "What the kernel injects is blocked {}: the runtime compares the shard's name `{name}` with its type `{kind}`.",
                self.here()
            );
            self.whole(&INJECTED_BLOCKED, message)
        })
    }

    fn vector_only(&self) -> Option<Finding> {
        let is_skeleton = |dropped: &&Exclusion| {
            self.compilation.atoms.get(dropped.atom).is_some_and(|atom| atom.category.is_skeleton())
        };
        let left_out = self
            .compilation
            .dropped
            .iter()
            .filter(|dropped| dropped.reason == ExclusionReason::NotACandidate);
        // Those of the skeleton no search finds.
        let count = left_out.filter(|dropped| !is_skeleton(dropped)).count();
        (count > 0).then(|| {
            let atoms = if count == 1 { "1 atom is".to_owned() } else { format!("{count} atoms are") };
            let message = format!("{atoms} left out {}: only a search could find them.", self.here());
            self.whole(&VECTOR_ONLY, message)
        })
    }

    fn overflow(&self) -> Option<Finding> {
        let (mandatory, usable) = (self.compilation.mandatory, self.compilation.usable);
        (mandatory > usable).then(|| {
            let message = format!(
                "The mandatory atoms have {mandatory} tokens {}, and {usable} are to be had. All of them are printed.",
                self.here()
            );
            self.whole(&MANDATORY_OVERFLOW, message)
        })
    }

    fn nested(&self) -> Option<Finding> {
        let placeholders = Placeholders::of(self.derived);
        let (name, _) = placeholders.nested().next()?;
        let grown = match self.compilation.overgrown {
            true => {
                let most = MOST_GROWTH >> 20;
                format!(
                    " This asks for far more than {most} MiB; the preview stops there, and the runtime does not."
                )
            }
            false => String::new(),
        };
        let message = format!(
            "`{{{{{name}}}}}` stands for a text that has such names in it {}, and the runtime puts in what those stand for, \
             too: whoever gives the value reaches into the prompt.{grown}",
            self.here()
        );
        Some(self.whole(&NESTED_PLACEHOLDER, message))
    }

    fn gaps(&self) -> Option<Finding> {
        let is_empty = |category: &Category| self.included().all(|atom| atom.category != *category);
        let names = Category::SKELETON.into_iter().filter(is_empty);
        let names: Vec<_> = names.map(|category| format!("`{}`", category.as_str())).collect();
        let which = match &names[..] {
            [] => return None,
            [one] => format!("the category {one}"),
            [others @ .., last] => format!("the categories {} and {last}", others.join(", ")),
        };
        let message = format!(
            "There is no atom of {which} {}: the runtime only logs it, and the shard is not told what belongs there.",
            self.here()
        );
        Some(self.whole(&SKELETON_GAP, message))
    }

    fn exclusive(&self) -> Vec<AtomFinding> {
        let mut found = Vec::new();
        let groups: Vec<_> =
            self.included().filter_map(|atom| Some((atom, atom.exclusive.as_ref()?))).collect();
        for (at, (atom, group)) in groups.iter().enumerate() {
            let before = groups.iter().take(at).find(|(_, other)| other.text == group.text);
            if let (Some((before, _)), Some(file)) = (before, atom.file) {
                let message = format!(
                    "`{}` and `{}`, both of the exclusive group `{}`, are {}. The runtime does not look at the group.",
                    before.id.text,
                    atom.id.text,
                    group.text,
                    self.here()
                );
                found.push((file, Finding::new(&EXCLUSIVE_UNENFORCED, group.range, message)));
            }
        }
        found
    }

    /// The skeleton of a prompt is chosen without any search, among mandatory atoms and what those need.
    fn unreachable(&self) -> Vec<AtomFinding> {
        let skeleton = || self.compilation.atoms.iter().filter(|atom| atom.category.is_skeleton());
        let mut waiting: Vec<&PromptAtom> =
            skeleton().map(|atom| &**atom).filter(|atom| atom.is_mandatory).collect();
        let mut reached: FxHashSet<&str> = waiting.iter().map(|atom| &*atom.id.text).collect();
        while let Some(atom) = waiting.pop() {
            for need in &atom.depends_on {
                let found = skeleton().find(|other| other.id.text == need.text);
                waiting.extend(found.filter(|other| reached.insert(&other.id.text)).map(|other| &**other));
            }
        }
        let dropped =
            self.compilation.dropped.iter().filter(|one| one.reason == ExclusionReason::NotACandidate);
        let atoms = dropped.filter_map(|one| self.compilation.atoms.get(one.atom));
        let unreached = atoms.filter(|atom| atom.category.is_skeleton() && !reached.contains(&*atom.id.text));
        let found = unreached.filter_map(|atom| {
            let category = atom.category.as_str();
            let mend = match atom.kind {
                AtomKind::Directive => "put it into another category, or write it as a mandatory atom in YAML",
                _ => "make it mandatory, or put it into another category",
            };
            let message = format!(
                "`{}` can be in no prompt: of `{category}` the compiler takes mandatory atoms and what those need, and no \
                 search finds this one. To have it in prompts, {mend}.",
                atom.id.text
            );
            Some((atom.file?, Finding::new(&UNREACHABLE_ATOM, atom.id.range, message)))
        });
        found.collect()
    }

    fn divergence(&self) -> Vec<AtomFinding> {
        let situation = Situation::of(self.derived);
        let corpus = self
            .compilation
            .atoms
            .iter()
            .map(|atom| &**atom)
            .filter(|atom| atom.kind == AtomKind::Corpus && atom.is_mandatory);
        let differs =
            |atom: &&PromptAtom| situation.blocked(&[atom]).is_some() != situation.unmatched(atom).is_some();
        let found = corpus.filter(differs).filter_map(|atom| {
            let (is, is_not, dimension) = match situation.unmatched(atom) {
                Some(dimension) => ("with", "without", dimension),
                None => ("without", "with", situation.blocked(&[atom])?),
            };
            let message = format!(
                "This mandatory atom is in the prompt {is} the compiler and not in the one {is_not} it, because of its `{}`, {}.",
                dimension.key(),
                self.here()
            );
            let range = atom.selector(dimension).first().map_or(atom.id.range, |word| word.range);
            Some((atom.file?, Finding::new(&MATCH_DIVERGENCE, range, message)))
        });
        found.collect()
    }

    fn shortened(&self) -> Vec<AtomFinding> {
        let atoms = self.compilation.shortened.iter().filter_map(|&at| self.compilation.atoms.get(at));
        let found = atoms.filter_map(|atom| {
            let message = format!(
                "The budget was made with a shorter text of this atom {}, and its whole `content` of {} tokens is printed.",
                self.here(),
                atom.tokens
            );
            Some((atom.file?, Finding::new(&VARIANT_IGNORED, atom.id.range, message)))
        });
        found.collect()
    }

    /// Conflicts that the runtime's rules would settle by comparing what its engine does not compare.
    fn compared(&self) -> Vec<AtomFinding> {
        let atom = |at: usize| self.compilation.atoms.get(at).map(|atom| &**atom);
        let found = self.compilation.compared.iter().filter_map(|&(one, other)| {
            let (one, other) = (atom(one)?, atom(other)?);
            let word = one.conflicts_with.iter().find(|word| word.text == other.id.text)?;
            let message = format!(
                "A search finds both `{}` and `{}` {}, which do not go together. The runtime's rules compare their scores, and \
                 its engine orders whole numbers only: the selection fails, and every atom comes in that is wanted here by all \
                 its selectors. The preview shows what the rules mean.",
                one.id.text,
                other.id.text,
                self.here()
            );
            Some((one.file?, Finding::new(&CONFLICT_ONE_SIDED, word.range, message)))
        });
        found.collect()
    }

    fn both_mandatory(&self) -> Vec<AtomFinding> {
        let mandatory: Vec<&PromptAtom> = self.included().filter(|atom| atom.is_mandatory).collect();
        let mut found = Vec::new();
        for (at, atom) in mandatory.iter().enumerate() {
            for word in &atom.conflicts_with {
                let other = mandatory.iter().position(|other| other.id.text == word.text);
                // A pair that both declare is told once.
                let is_told = other.is_some_and(|other| {
                    let back = mandatory.get(other).is_some_and(|other| {
                        other.conflicts_with.iter().any(|word| word.text == atom.id.text)
                    });
                    other < at && back
                });
                if let (Some(_), false, Some(file)) = (other, is_told, atom.file) {
                    let message = format!(
                        "`{}` conflicts with `{}`, and both are mandatory and {}: the runtime prints both. Make one of them not \
                         mandatory.",
                        atom.id.text,
                        word.text,
                        self.here()
                    );
                    found.push((file, Finding::new(&CONFLICT_BOTH_MANDATORY, word.range, message)));
                }
            }
        }
        found
    }
}
