//! Assembly of the prompt text: categories in order, atoms in order, separated by blank lines, with
//! values for placeholders. Also the manifest of the compiled prompt, and the base section without
//! the prompt compiler.

use std::cell::Cell;
use std::sync::Arc;

use super::atom::{AtomKind, Category, PromptAtom, Variant};
use super::budget;
use super::budget::{FittedAtom, order};
use super::select::ScoredAtom;
use super::situation::Situation;
use crate::context::DerivedContext;
use crate::origin::LineOrigin;
use crate::sections::{PromptLine, Section, SectionKind, SectionSource};
use mangle_syntax::text::{FileId, TextRange};

/// The sections of the atoms that fit. `origins` returns the origins of the lines of injected
/// atoms, by atom number and line.
///
/// The runtime prints the whole content of each atom, even if the budget used a shorter variant.
pub(super) fn assemble(
    atoms: &[&PromptAtom],
    fitted: &[FittedAtom],
    placeholders: &Placeholders,
    origins: &dyn Fn(usize, usize) -> Option<LineOrigin>,
) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for category in Category::ALL {
        let here = || {
            let atom_of = |fitted: &FittedAtom| {
                atoms.get(fitted.selection.atom).map(|atom| (fitted.selection.atom, *atom))
            };
            fitted.iter().filter_map(atom_of).filter(|(_, atom)| atom.category == category)
        };
        let kind = SectionKind::Category(category.as_str().to_owned());
        let mut section = Section::new(kind, SectionSource::Atoms, category.as_str());
        for (number, (at, atom)) in here().enumerate() {
            if number > 0 {
                section.push_blank();
            }
            push(&mut section, at, atom, placeholders, origins);
        }
        // A section is skipped if its only atom has no text after the replacement of placeholders.
        let is_nothing = match &section.lines[..] {
            [] => true,
            [line] => line.text.is_empty(),
            _ => false,
        };
        if is_nothing {
            continue;
        }
        if let Some(before) = sections.last_mut() {
            before.push_blank();
        }
        sections.push(section);
    }
    sections
}

/// Adds the lines of an atom. A placeholder with a value of several lines splits a line.
fn push(
    section: &mut Section,
    at: usize,
    atom: &PromptAtom,
    placeholders: &Placeholders,
    origins: &dyn Fn(usize, usize) -> Option<LineOrigin>,
) {
    for (number, line) in atom.content.text.split('\n').enumerate() {
        let origin = origins(at, number).unwrap_or_else(|| LineOrigin::Atom {
            id: atom.id.text.clone(),
            file: atom.content.file,
            range: atom.content.lines.get(number).copied().unwrap_or_default(),
        });
        let text = placeholders.apply(line);
        section.lines.extend(text.split('\n').map(|part| PromptLine::plain(part, origin.clone())));
    }
}

/// The base. `None` if no atom matches or the dependencies have a cycle.
#[allow(clippy::cast_precision_loss)] // Priorities are small.
pub(super) fn baseline(corpus: &[Arc<PromptAtom>], derived: &DerivedContext) -> Option<Section> {
    let situation = Situation::new(derived);
    let is_wanted = |atom: &&PromptAtom| {
        atom.kind == AtomKind::Corpus
            && atom.is_mandatory
            && !super::budget::is_left_out(atom, derived)
            && situation.unmatched(atom).is_none()
    };
    let mut atoms: Vec<&PromptAtom> = corpus.iter().map(|atom| &**atom).filter(is_wanted).collect();
    atoms.sort_by_key(|atom| std::cmp::Reverse(atom.priority));
    let chosen: Vec<ScoredAtom> = (0..)
        .zip(&atoms)
        .map(|(at, atom)| ScoredAtom {
            atom: at,
            logic: 1.0,
            vector: 0.0,
            score: atom.priority as f64 / 100.0,
        })
        .collect();
    let ordered = order(&atoms, &chosen).ok()?;
    let available = super::budget::available(derived).unwrap_or(budget::DEFAULT);
    let fitted = match budget::fit(&atoms, &ordered, available) {
        Ok(fit) => fit.fitted,
        Err(_) => unfitted(&atoms, &ordered),
    };
    let sections = assemble(&atoms, &fitted, &Placeholders::new(derived), &|_, _| None);
    let mut base = Section::new(SectionKind::Base, SectionSource::Atoms, "baseline");
    base.lines = sections.into_iter().flat_map(|section| section.lines).collect();
    (!base.lines.is_empty()).then_some(base)
}

/// All atoms, for a prompt without a budget.
fn unfitted(atoms: &[&PromptAtom], ordered: &[ScoredAtom]) -> Vec<FittedAtom> {
    let tokens = |chosen: &ScoredAtom| atoms.get(chosen.atom).map_or(0, |atom| atom.tokens);
    let fitted = |(order, chosen): (usize, &ScoredAtom)| FittedAtom {
        selection: *chosen,
        order,
        variant: Variant::Standard,
        tokens: tokens(chosen),
    };
    ordered.iter().enumerate().map(fitted).collect()
}

/// The names that the reference runtime recognizes.
pub(super) const PLACEHOLDERS: [&str; 9] = [
    "language",
    "shard_type",
    "operational_mode",
    "campaign_phase",
    "intent_verb",
    "frameworks",
    "token_budget",
    "world_states",
    "available_specialists",
];

/// The default list of specialists.
const SPECIALISTS: &str = "- **researcher**: finds knowledge and checks it\n- **reviewer**: reviews code";

/// The maximum growth of a prompt by placeholders, in bytes. Nested placeholders could expand a few
/// words to gigabytes.
pub(super) const MAX_GROWTH: usize = 4 << 20;

/// The values of the placeholders.
#[derive(Debug, Clone)]
pub(super) struct Placeholders {
    values: [(&'static str, String); 9],
    /// The remaining growth in bytes.
    room: Cell<usize>,
}

impl Placeholders {
    pub(super) fn new(derived: &DerivedContext) -> Self {
        let bare = |value: &str, unset: &str| {
            if value.is_empty() {
                unset.to_owned()
            } else {
                value.strip_prefix('/').unwrap_or(value).to_owned()
            }
        };
        let frameworks: Vec<String> = derived.frameworks.iter().map(|name| bare(name, "")).collect();
        let states = derived.world_states.join(", ");
        let values = PLACEHOLDERS.map(|name| {
            let value = match name {
                "language" => bare(&derived.language, "unknown"),
                "shard_type" => bare(&derived.shard_type, "agent"),
                "operational_mode" => bare(derived.operational_mode, "active"),
                "campaign_phase" => bare(&derived.campaign_phase, ""),
                "intent_verb" => bare(&derived.intent_verb, ""),
                "frameworks" => frameworks.join(", "),
                "token_budget" => derived.token_budget.saturating_sub(derived.reserved).to_string(),
                "world_states" if states.is_empty() => "normal".to_owned(),
                "world_states" => states.clone(),
                _ => SPECIALISTS.to_owned(),
            };
            (name, value)
        });
        Self { values, room: Cell::new(MAX_GROWTH) }
    }

    /// True if the growth limit was reached.
    pub(super) fn is_full(&self) -> bool {
        self.room.get() == 0
    }

    /// The names with values that contain placeholders.
    pub(super) fn nested(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let values = self.values.iter().map(|(name, value)| (*name, value.as_str()));
        values.filter(|(_, value)| placeholder_names(value).any(|(_, name)| PLACEHOLDERS.contains(&name)))
    }

    /// Replaces the placeholders of a line in two passes, like the runtime: once per atom, once for
    /// the whole prompt. Inserted values are therefore expanded once more.
    ///
    /// The runtime replaces names in random order. At the growth limit, placeholders are left
    /// unchanged.
    fn apply(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for _ in 0..2 {
            for (name, value) in &self.values {
                if !line.contains("{{") {
                    return line;
                }
                let written = format!("{{{{{name}}}}}");
                let growth = value.len().saturating_sub(written.len());
                let growth = growth.saturating_mul(line.matches(&written).count());
                if growth > self.room.get() {
                    self.room.set(0);
                    return line;
                }
                self.room.set(self.room.get() - growth);
                line = line.replace(&written, value);
            }
        }
        line
    }
}

/// The value of each placeholder in a situation.
pub(crate) fn placeholder_values(derived: &DerivedContext) -> Vec<(&'static str, String)> {
    Placeholders::new(derived).values.into()
}

/// The names between double braces in a text, with the byte offset of the braces.
pub(super) fn placeholder_names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let open = at + text.get(at..)?.find("{{")?;
            let inside = text.get(open + 2..)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let len = inside.bytes().take_while(|&byte| is_name(byte)).count();
            at = open + 1;
            if let Some((name, "}}")) = inside.get(..len).zip(inside.get(len..len + 2)).filter(|_| len > 0) {
                return Some((open, name));
            }
        }
    })
}

/// The decisions of the compiler about the candidate atoms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// The included atoms, in the order of the prompt.
    pub selected: Vec<IncludedAtom>,
    /// The excluded atoms.
    pub dropped: Vec<ExcludedAtom>,
}

/// An included atom.
#[derive(Debug, Clone, PartialEq)]
pub struct IncludedAtom {
    /// The id of the atom.
    pub id: String,
    /// The category of the atom, which determines its share of the budget.
    pub category: String,
    /// The source of the atom: `embedded`, `shard`, `evolved`, `directive`, `kernel`.
    pub source: String,
    /// The priority of the atom.
    pub priority: i64,
    /// The score of the rules.
    pub logic: f64,
    /// The score of the search.
    pub vector: f64,
    /// The variant that the budget chose: `standard`, `concise`, `min`. The runtime always prints
    /// the standard text.
    pub variant: String,
    /// The tokens of that variant, and the tokens of the printed text.
    pub tokens: (usize, usize),
}

/// An excluded atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedAtom {
    /// The id of the atom.
    pub id: String,
    /// The reason as text.
    pub reason: String,
    /// The file and the range of the id; `None` for an atom without a file.
    pub place: Option<(FileId, TextRange)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_looked_at_again() {
        let mut derived = DerivedContext {
            shard_type: "/coder".into(),
            language: "/{{intent_verb}}".into(),
            ..DerivedContext::default()
        };
        derived.intent_verb = "/fix".into();
        let placeholders = Placeholders::new(&derived);
        let line =
            placeholders.apply("{{shard_type}} {{language}} {{world_states}} {{nobody}} {{ language }}");
        assert_eq!(line, "coder fix normal {{nobody}} {{ language }}");
        assert_eq!(placeholders.apply("{{available_specialists}}").lines().count(), 2);
    }

    #[test]
    fn values_that_ask_for_values_come_to_an_end() {
        let many = |name: &str| format!("{{{{{name}}}}}").repeat(2_000);
        let derived = DerivedContext {
            language: many("intent_verb"),
            intent_verb: many("frameworks"),
            frameworks: vec![many("language")],
            ..DerivedContext::default()
        };
        let placeholders = Placeholders::new(&derived);
        let line = placeholders.apply("{{language}} {{language}}");
        assert!(placeholders.is_full() && line.len() < 2 * MAX_GROWTH, "{}", line.len());
        let nested: Vec<_> = placeholders.nested().map(|(name, _)| name).collect();
        assert_eq!(nested, ["language", "intent_verb", "frameworks"]);
        assert_eq!(Placeholders::new(&DerivedContext::default()).nested().count(), 0);
    }

    #[test]
    fn names_are_found() {
        let found: Vec<_> = placeholder_names("{{a}} {{ b }} {{{c_d}}} {{}} {{e").collect();
        assert_eq!(found, [(0, "a"), (15, "c_d")]);
    }
}
