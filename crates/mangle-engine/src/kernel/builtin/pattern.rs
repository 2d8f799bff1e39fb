//! Regular expressions of `:string:matches`, with a cache per thread.

use std::cell::RefCell;
use std::rc::Rc;

use mangle_settings::gate_pattern;
use regex::Regex;
use rustc_hash::FxHashMap;

/// The maximum number of cached patterns per thread. Programs have few patterns, but facts can
/// contain any number.
const MAX_PATTERNS: usize = 256;

thread_local! {
    static PATTERNS: RefCell<FxHashMap<Box<str>, Rc<Regex>>> = RefCell::default();
}

/// Compiles a pattern in Go syntax.
///
/// # Errors
/// If the pattern is invalid. For frequent mistakes, the text is the error message of the engine.
pub(super) fn compiled_pattern(pattern: &str) -> Result<Rc<Regex>, String> {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(known) = patterns.get(pattern) {
            return Ok(Rc::clone(known));
        }
        let compiled = Rc::new(gate_pattern(pattern).map_err(|error| fault(pattern, &error))?);
        if patterns.len() == MAX_PATTERNS {
            patterns.clear();
        }
        patterns.insert(pattern.into(), Rc::clone(&compiled));
        Ok(compiled)
    })
}

/// The error message for an invalid pattern.
fn fault(pattern: &str, error: &regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let engine = match reason {
        "unclosed character class" => pattern
            .rfind('[')
            .and_then(|at| pattern.get(at..))
            .map(|rest| format!("missing closing ]: `{rest}`")),
        "unclosed group" => Some(format!("missing closing ): `{pattern}`")),
        "unopened group" => Some(format!("unexpected ): `{pattern}`")),
        _ => None,
    };
    match engine {
        Some(engine) => format!("error parsing regexp: {engine}"),
        None => reason.to_owned(),
    }
}
