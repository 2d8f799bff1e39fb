//! GBNF grammars for llama.cpp.

use super::rules::GrammarStyle;
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
    name: "gbnf",
    readers: "llama.cpp",
    extension: "gbnf",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write,
};

/// Names have no underscores, and llama.cpp rejects long repetitions.
const STYLE: GrammarStyle = GrammarStyle { separator: '-', most_repetitions: 1_000 };

fn write(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let text = STYLE.write(&set.json(), origin);
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}
