//! Rule arrows of other languages.

/// The note about the engine's reading of a foreign arrow.
pub(in crate::syntax) fn arrow_note(written: &str) -> &'static str {
    match written {
        "<=" => "the engine reads `<=` as less or equal",
        "<-" => "the engine reads `<-` as a temporal operator",
        _ => "a rule is written `head :- body`",
    }
}
