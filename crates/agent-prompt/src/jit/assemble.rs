//! Assembly of the prompt text: categories in order, atoms in order, separated by blank lines.

use super::super::origin::LineOrigin;
use super::super::sections::{Section, SectionKind, SectionSource};
use super::atom::PromptAtom;
use super::budget::FittedAtom;
use super::category::Category;
use super::placeholders::Placeholders;
use crate::line::PromptLine;

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
