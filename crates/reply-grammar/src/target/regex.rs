//! One regular expression for the whole envelope, as Outlines compiles it.

use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;
use crate::pattern::{PatternStyle, pattern};

pub(super) static TARGET: Target = Target {
    name: "regex",
    readers: "Outlines",
    extension: "regex",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write,
};

/// The file is the expression and nothing else, so that a program can read it as it is.
fn write(_: &Target, set: &EnvelopeSet, _: Dialect, _: &str) -> Output {
    let text = pattern(&set.json(), PatternStyle::default()) + "\n";
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}
