//! What the person wants.

use crate::prompt::context::Intent;
use crate::prompt::origin::Origin;
use crate::prompt::said::Said;
use crate::prompt::sections::{From, Line, Section, SectionKind};

pub(super) fn section(intent: &Intent) -> Section {
    let mut section = Section::new(SectionKind::Intent, From::Intent, "INTENT");
    section.push_banner();
    let parts = [
        ("id", "Intent: ", &intent.id),
        ("category", "Category: ", &intent.category),
        ("verb", "Verb: ", &intent.verb),
        ("target", "Target: ", &intent.target),
        ("constraint", "Constraint: ", &intent.constraint),
    ];
    for (part, label, said) in parts {
        // All but the constraint are there even when they are empty.
        if part != "constraint" || !said.is_empty() {
            section.lines.push(Line::labelled(label, said.as_str(), Some(part), origin(part, said)));
        }
    }
    section.push_blank();
    section
}

fn origin(part: &'static str, said: &Said) -> Origin {
    Origin::Intent { part, source: said.source, pointer: said.pointer.clone(), range: said.range }
}
