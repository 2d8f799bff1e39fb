//! Redaction of findings, whose messages quote texts with secrets.

use std::borrow::Cow;

use super::{ReportEntry, Sources};
use mangle_syntax::text::FileId;
use piggyback::envelope::secrets::{SecretContext, are_shown, secrets};

/// The entry with all credentials masked, including parts of secrets in the referenced texts. A fix
/// with a credential is removed, because it would write the mask into the file.
#[must_use]
pub fn redacted<'e>(entry: &'e ReportEntry, sources: &Sources) -> Cow<'e, ReportEntry> {
    if are_shown() {
        return Cow::Borrowed(entry);
    }
    let places = entry.diagnostic.related.iter().map(|place| place.file);
    let files: Vec<FileId> = std::iter::once(entry.file).chain(places).collect();
    let contexts: Vec<&SecretContext> =
        files.iter().filter_map(|file| Some(sources.get(*file)?.secrets())).collect();
    let redact = |text: &str| {
        let mut text = text.to_owned();
        for context in &contexts {
            text = context.redacted(&text).into_owned();
        }
        text
    };
    let mut entry = entry.clone();
    let diagnostic = &mut entry.diagnostic;
    diagnostic.message = redact(&diagnostic.message).into();
    diagnostic.related.iter_mut().for_each(|place| place.message = redact(&place.message).into());
    diagnostic.label = diagnostic.label.as_deref().map(|label| redact(label).into());
    diagnostic.notes.iter_mut().for_each(|note| *note = redact(note).into());
    diagnostic.help = diagnostic.help.as_deref().map(|help| redact(help).into());
    diagnostic.path.iter_mut().for_each(|pointer| *pointer = redact(pointer));
    if let Some(fix) = &mut diagnostic.fix {
        fix.title = redact(&fix.title).into();
        let is_secret =
            |text: &str| !secrets(text).is_empty() || contexts.iter().any(|context| context.occurs_in(text));
        fix.alternative.iter_mut().for_each(|other| other.title = redact(&other.title).into());
        let others = fix.alternative.iter().flat_map(|other| &other.edits);
        if fix.edits.iter().chain(others).any(|edit| is_secret(&edit.text)) {
            diagnostic.help = Some(std::mem::take(&mut fix.title));
            diagnostic.fix = None;
        }
    }
    Cow::Owned(entry)
}
