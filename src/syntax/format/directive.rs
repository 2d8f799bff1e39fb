//! The comments that switch the formatter off: `mangle-ls: format off`, `on`, `skip`.

/// What such a comment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// Nothing is formatted from here on.
    Off,
    /// Formatting starts again.
    On,
    /// The next statement is not formatted; behind code, the one that ends on this line.
    Skip,
}

/// The word behind `mangle-ls:` that all of them start with.
pub const VERB: &str = "format";

/// The words that may follow it.
pub const WORDS: [(&str, Directive); 3] =
    [("off", Directive::Off), ("on", Directive::On), ("skip", Directive::Skip)];

/// The mark of all comments that speak to this tool.
pub(super) const MARK: &str = "mangle-ls";

/// What a comment says, if it is such a comment. A reason may follow behind `--`.
pub(super) fn read(comment: &str) -> Option<Directive> {
    let words = comment.trim_start_matches('#').trim_start().strip_prefix(MARK)?.strip_prefix(':')?;
    let mut words = words.split_whitespace();
    let verb = words.next()?;
    let word = words.next()?;
    let rest = words.next();
    let known = WORDS.iter().find(|(known, _)| *known == word)?;
    (verb == VERB && rest.is_none_or(|rest| rest.starts_with("--"))).then_some(known.1)
}
