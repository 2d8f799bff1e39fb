//! Arrows of other languages.

/// What the engine makes of an arrow of another language.
pub(in crate::syntax) fn arrow_note(written: &str) -> &'static str {
    match written {
        "<=" => "the engine reads `<=` as less or equal",
        "<-" => "the engine reads `<-` as a temporal operator",
        _ => "a rule is written `head :- body`",
    }
}
