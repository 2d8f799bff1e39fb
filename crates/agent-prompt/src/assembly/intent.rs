//! Intent section: the user's request.

use crate::intent::Intent;
use crate::origin::LineOrigin;
use crate::sections::{Section, SectionKind, SectionSource};
use crate::sourced_text::SourcedText;
use crate::wording::Wording;

pub(super) fn section(intent: &Intent, wording: Wording<'_>) -> Section {
    let mut section = Section::new(SectionKind::Intent, SectionSource::Intent, "INTENT");
    section.push_banner(wording, "intent.title");
    let parts = [
        ("id", "intent.id", &intent.id),
        ("category", "intent.category", &intent.category),
        ("verb", "intent.verb", &intent.verb),
        ("target", "intent.target", &intent.target),
        ("constraint", "intent.constraint", &intent.constraint),
    ];
    for (part, phrase, said) in parts {
        // Only the constraint is omitted if it is empty.
        if part != "constraint" || !said.is_empty() {
            let value = [("value", said.as_str())];
            section.lines.push(wording.line(phrase, &value, Some(part), origin(part, said)));
        }
    }
    section.push_blank();
    section
}

fn origin(part: &'static str, said: &SourcedText) -> LineOrigin {
    LineOrigin::Intent { part, source: said.source, pointer: said.pointer.clone(), range: said.range }
}
