//! `[decoding]`: limits for grammars and schemas that constrain the output of a model.

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
        /// Predicates to generate first, in this order, before the usual predicates of replies and the
        /// predicates in rule bodies.
        predicates: Vec<String>;
        /// Maximum number of generated predicates. Commands that write grammars report the rest.
        max_predicates: usize as Integer<0, 100_000> = 100;
        /// Fields of the control packet to generate, besides `intent_classification`, `mangle_updates`,
        /// `memory_operations` and required fields. Default: all fields of the protocol version.
        fields: Option<Vec<String>> => Means("all fields of the protocol version");
        /// Maximum number of updates in an envelope.
        updates: u32 as Integer<0, 2_000> = 16;
        /// Maximum number of elements in any other list.
        elements: u32 as Integer<0, 500> = 4;
        /// Maximum length of the surface.
        surface: u32 as Integer<1, 50_000> = 1_000;
        /// Maximum length of any other text of an envelope.
        text: u32 as Integer<1, 50_000> = 200;
        /// Maximum length of a string in an update.
        string: u32 as Integer<1, 1_000> = 80;
        /// Maximum length of each part of a name, unless the name is from a list.
        name: u32 as Integer<1, 1_000> = 32;
        /// Maximum number of digits of an integer, and of a float before and after the point.
        digits: u32 as Integer<1, 18> = 9;
        /// Maximum number of names in a list to generate name by name. Longer lists become any name.
        max_names: usize as Integer<1, 100_000> = 1_000;
    }
}
