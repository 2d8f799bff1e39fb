//! Regular expression of the whole envelope, for Outlines.

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

/// The file contains only the expression, so that programs can use it unchanged.
fn write(_: &Target, set: &EnvelopeSet, _: Dialect, _: &str) -> Output {
    let text = pattern(&set.json(), PatternStyle::default()) + "\n";
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}
