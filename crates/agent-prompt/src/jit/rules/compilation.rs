//! Findings about a compiled prompt: atoms whose inclusion or exclusion is probably unintended.

use rustc_hash::FxHashSet;

use super::{
    AtomFinding, CONFLICT_BOTH_MANDATORY, CONFLICT_ONE_SIDED, EXCLUSIVE_UNENFORCED, INJECTED_BLOCKED,
    MANDATORY_OVERFLOW, MATCH_DIVERGENCE, NESTED_PLACEHOLDER, SKELETON_GAP, UNREACHABLE_ATOM,
    VARIANT_IGNORED, VECTOR_ONLY,
};
use crate::context::DerivedContext;
use crate::jit::Compilation;
use crate::jit::assemble::{MAX_GROWTH, Placeholders};
use crate::jit::atom::{AtomKind, Category, PromptAtom};
use crate::jit::select::{Exclusion, ExclusionReason};
use crate::jit::situation::Situation;
use crate::names::quoted;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::text::TextRange;

/// Checks a compiled prompt. The first list has findings for the file of the preview, the second
/// for the files of atoms.
///
/// `preview` is the name in messages. `header` is the range of findings about the whole prompt.
/// `has_budget` is true if the token budget is enforced.
#[must_use]
pub fn check_compilation(
    compilation: &Compilation,
    derived: &DerivedContext,
    preview: &str,
    header: TextRange,
    has_budget: bool,
) -> (Vec<Finding>, Vec<AtomFinding>) {
    let about = CompilationSubject { compilation, derived, preview, header, has_budget };
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

/// The headline of an unresolvable conflict between two atoms.
fn conflict(one: &str, other: &str) -> String {
    format!("conflict between {} and {} cannot be resolved", quoted(one), quoted(other))
}

struct CompilationSubject<'a> {
    compilation: &'a Compilation,
    derived: &'a DerivedContext,
    preview: &'a str,
    header: TextRange,
    has_budget: bool,
}

impl<'a> CompilationSubject<'a> {
    fn whole(&self, rule: &'static Rule, message: String) -> Finding {
        Finding::new(rule, self.header, message)
    }

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
            let message = format!("injected prompt atoms are blocked for {}", quoted(name));
            self.whole(&INJECTED_BLOCKED, message).note(format!(
                "{}, the runtime compares the name of the shard with its type, {}",
                self.here(),
                quoted(kind)
            ))
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
        // A search never finds atoms of the skeleton.
        let count = left_out.filter(|dropped| !is_skeleton(dropped)).count();
        (count > 0).then(|| {
            let atoms = if count == 1 {
                "1 prompt atom needs".to_owned()
            } else {
                format!("{count} prompt atoms need")
            };
            self.whole(&VECTOR_ONLY, format!("{atoms} a search to be selected"))
                .note(format!(
                    "{}, {} left out, because a preview has no search",
                    self.here(),
                    if count == 1 { "it is" } else { "they are" }
                ))
                .help("add scores under `vectors:` in the session file")
        })
    }

    fn overflow(&self) -> Option<Finding> {
        if !self.has_budget {
            return None;
        }
        let (mandatory, usable) = (self.compilation.mandatory, self.compilation.usable);
        (mandatory > usable).then(|| {
            let message =
                format!("mandatory prompt atoms have {mandatory} tokens, over the budget of {usable}");
            self.whole(&MANDATORY_OVERFLOW, message)
                .note(format!("{}, all of them are in the prompt, and no other prompt atom is", self.here()))
        })
    }

    fn nested(&self) -> Option<Finding> {
        let placeholders = Placeholders::new(self.derived);
        let (name, _) = placeholders.nested().next()?;
        let placeholder = quoted(&format!("{{{{{name}}}}}"));
        let finding = self
            .whole(&NESTED_PLACEHOLDER, format!("value of {placeholder} contains placeholders"))
            .note(format!("{}, the runtime replaces them as well", self.here()));
        Some(match self.compilation.exceeds_growth_limit {
            true => {
                let most = MAX_GROWTH >> 20;
                finding.note(format!("the text grows beyond {most} MiB, where only the preview stops"))
            }
            false => finding,
        })
    }

    fn gaps(&self) -> Option<Finding> {
        let is_empty = |category: &Category| self.included().all(|atom| atom.category != *category);
        let names = Category::SKELETON.into_iter().filter(is_empty);
        let names: Vec<_> = names.map(|category| format!("`{}`", category.as_str())).collect();
        let which = match &names[..] {
            [] => return None,
            [one] => format!("category {one}"),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        let finding = self.whole(&SKELETON_GAP, format!("no prompt atom of {which}"));
        Some(finding.note(format!("{}, the runtime only logs the gap", self.here())))
    }

    fn exclusive(&self) -> Vec<AtomFinding> {
        let mut found = Vec::new();
        let groups: Vec<_> =
            self.included().filter_map(|atom| Some((atom, atom.exclusive.as_ref()?))).collect();
        for (at, (atom, group)) in groups.iter().enumerate() {
            let before = groups.iter().take(at).find(|(_, other)| other.text == group.text);
            if let (Some((before, _)), Some(file)) = (before, atom.file) {
                let message = format!("two prompt atoms of exclusive group {} are used", quoted(&group.text));
                let finding = Finding::new(&EXCLUSIVE_UNENFORCED, group.range, message)
                    .note(format!(
                        "{}, they are {} and {}",
                        self.here(),
                        quoted(&before.id.text),
                        quoted(&atom.id.text)
                    ))
                    .note("the runtime ignores `is_exclusive`; only `conflicts_with` excludes prompt atoms");
                found.push((file, finding));
            }
        }
        found
    }

    /// The skeleton is chosen without a search, from mandatory atoms and their dependencies.
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
            let help = match atom.kind {
                AtomKind::Directive => {
                    "put it into another category, or write it as a mandatory atom in YAML"
                }
                _ => "make it mandatory, or put it into another category",
            };
            let message = format!("prompt atom {} is in no prompt", quoted(&atom.id.text));
            let finding = Finding::new(&UNREACHABLE_ATOM, atom.id.range, message).note(format!(
                "the compiler selects only mandatory prompt atoms of `{category}` and what they need"
            ));
            Some((atom.file?, finding.help(help)))
        });
        found.collect()
    }

    fn divergence(&self) -> Vec<AtomFinding> {
        let situation = Situation::new(self.derived);
        let corpus = self
            .compilation
            .atoms
            .iter()
            .map(|atom| &**atom)
            .filter(|atom| atom.kind == AtomKind::Corpus && atom.is_mandatory);
        let differs =
            |atom: &&PromptAtom| situation.blocked(&[atom]).is_some() != situation.unmatched(atom).is_some();
        let found = corpus.filter(differs).filter_map(|atom| {
            let (which, dimension) = match situation.unmatched(atom) {
                Some(dimension) => ("with", dimension),
                None => ("without", situation.blocked(&[atom])?),
            };
            let message = format!("mandatory prompt atom is used only {which} the compiler");
            let range = atom.selector(dimension).first().map_or(atom.id.range, |word| word.range);
            let finding = Finding::new(&MATCH_DIVERGENCE, range, message)
                .note(format!("{}, the two ways differ about its `{}`", self.here(), dimension.key()))
                .note("the prompt without the compiler is used when the compiler fails");
            Some((atom.file?, finding))
        });
        found.collect()
    }

    fn shortened(&self) -> Vec<AtomFinding> {
        let atoms = self.compilation.shortened.iter().filter_map(|&at| self.compilation.atoms.get(at));
        let found = atoms.filter_map(|atom| {
            let message = format!("all {} tokens of the prompt atom are used", atom.tokens);
            let finding = Finding::new(&VARIANT_IGNORED, atom.id.range, message)
                .note(format!("{}, the budget counts a shorter text of it", self.here()));
            Some((atom.file?, finding))
        });
        found.collect()
    }

    /// Conflicts that need a comparison of scores that the engine cannot compare.
    fn compared(&self) -> Vec<AtomFinding> {
        let atom = |at: usize| self.compilation.atoms.get(at).map(|atom| &**atom);
        let found = self.compilation.incomparable_hits.iter().filter_map(|&(one, other)| {
            let (one, other) = (atom(one)?, atom(other)?);
            let word = one.conflicts_with.iter().find(|word| word.text == other.id.text)?;
            let message = conflict(&one.id.text, &other.id.text);
            let finding = Finding::new(&CONFLICT_ONE_SIDED, word.range, message)
                .note(format!(
                    "{}, a search finds both; the engine cannot compare their scores, so the selection fails",
                    self.here()
                ))
                .note(
                    "the runtime then uses every prompt atom whose selectors all hold; the preview does not",
                );
            Some((one.file?, finding))
        });
        found.collect()
    }

    fn both_mandatory(&self) -> Vec<AtomFinding> {
        let mandatory: Vec<&PromptAtom> = self.included().filter(|atom| atom.is_mandatory).collect();
        let mut found = Vec::new();
        for (at, atom) in mandatory.iter().enumerate() {
            for word in &atom.conflicts_with {
                let other = mandatory.iter().position(|other| other.id.text == word.text);
                // A mutual conflict is reported once.
                let is_told = other.is_some_and(|other| {
                    let back = mandatory.get(other).is_some_and(|other| {
                        other.conflicts_with.iter().any(|word| word.text == atom.id.text)
                    });
                    other < at && back
                });
                if let (Some(_), false, Some(file)) = (other, is_told, atom.file) {
                    let message =
                        format!("mandatory prompt atom conflicts with mandatory {}", quoted(&word.text));
                    let finding = Finding::new(&CONFLICT_BOTH_MANDATORY, word.range, message)
                        .note(format!("{}, both are in the prompt", self.here()))
                        .help("make one of the two prompt atoms optional");
                    found.push((file, finding));
                }
            }
        }
        found
    }
}
