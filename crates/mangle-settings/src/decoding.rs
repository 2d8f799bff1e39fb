//! `[decoding]`: what a model may generate, and which files say so to an engine.

use super::Globs;
use super::declare::settings;
use super::kinds::Integer;

settings! {
    /// `[decoding]`. Lengths count characters of the decoded text.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DecodingSettings("decoding") {
        /// Files of grammars and schemas that `check` compares with the declarations: `.json`, `.gbnf`, `.ebnf`,
        /// `.lark` and `.regex`.
        files: Globs;
        /// Predicates that are generated first, in this order, before those that replies commonly assert and those
        /// that rules read.
        predicates: Vec<String>;
        /// How many predicates are generated. `schema` and the commands of grammars report the rest.
        max_predicates: usize as Integer<0, 100_000> = 100;
        /// Which fields of the control packet are generated beside `intent_classification`, `mangle_updates`,
        /// `memory_operations` and those that its version requires. Without it, all that the version knows.
        fields: Option<Vec<String>> => Means("all that the version of the protocol knows");
        /// How many updates an envelope may have.
        updates: u32 as Integer<0, 2_000> = 16;
        /// How many elements any other list may have.
        elements: u32 as Integer<0, 500> = 4;
        /// The length of the surface.
        surface: u32 as Integer<1, 50_000> = 1_000;
        /// The length of any other text of an envelope.
        text: u32 as Integer<1, 50_000> = 200;
        /// The length of a string in an update.
        string: u32 as Integer<1, 1_000> = 80;
        /// The length of each part of a name that is not one of a list.
        name: u32 as Integer<1, 1_000> = 32;
        /// The digits of an integer, and those before and after the point of a float.
        digits: u32 as Integer<1, 18> = 9;
        /// How many names a list may have that is generated name by name; a longer one becomes any name.
        max_names: usize as Integer<1, 100_000> = 1_000;
    }
}
