//! Hover on keys of comment directives: `@expect` and others in policy tests, `@preview` settings
//! in samples.

use super::Hover;
use crate::Place;
use crate::markup::Markup;
use crate::vocabulary;
use agent_prompt::PreviewSetting;
use mangle_check::policy_test::comment_at;
use mangle_syntax::text::TextRange;

pub(super) fn hover(place: Place<'_>) -> Option<Hover> {
    let (key, range) = key_at(place)?;
    let known = vocabulary::directive(place.program().embedding.is_test(place.file.id), key)?;
    Some(Hover { range, markup: Markup::default().excerpt(known.usage).text(known.description) })
}

/// Returns the key at a place with its range.
fn key_at<'a>(place: Place<'a>) -> Option<(&'a str, TextRange)> {
    let embedding = &place.program().embedding;
    let key = if embedding.is_test(place.file.id) {
        let comment = comment_at(place.file, place.offset)?;
        (comment.key, comment.key_range)
    } else if embedding.is_kernel(place.file.id) {
        let setting = PreviewSetting::at(place.text(), place.offset)?;
        (setting.key, setting.key_range)
    } else {
        return None;
    };
    Some(key).filter(|(_, range)| range.contains_inclusive(place.offset))
}
