//! XGrammar grammars for vLLM and SGLang.

use super::rules::GrammarStyle;
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;

pub(super) static TARGET: Target = Target {
    name: "ebnf",
    readers: "XGrammar: vLLM, SGLang",
    extension: "ebnf",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write,
};

const STYLE: GrammarStyle = GrammarStyle { separator: '_', most_repetitions: 100_000 };

fn write(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let text = STYLE.write(&set.json(), origin);
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}
