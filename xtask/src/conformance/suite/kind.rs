//! The kinds of cases: the file of each, the fields of its lines and the parts of its answers.

/// A kind of cases, which has a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Mangle programs, by version of the engine.
    Language,
    /// Replies of models, by version of the runtime.
    Replies,
    /// Single memory updates, by version of the runtime.
    Updates,
    /// Arguments of tool calls, by version of the runtime.
    ToolCalls,
}

impl Kind {
    /// All kinds, in the order of reports.
    pub(crate) const ALL: [Self; 4] = [Self::Language, Self::Replies, Self::Updates, Self::ToolCalls];

    /// The word in the member `suite` of an answer.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::Replies => "replies",
            Self::Updates => "updates",
            Self::ToolCalls => "tool-calls",
        }
    }

    /// The kind with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the file with its cases.
    pub(crate) fn file(self) -> String {
        format!("{}.jsonl", self.name())
    }

    /// The members of a case that are its input.
    pub(crate) fn inputs(self) -> &'static [&'static str] {
        match self {
            Self::Language => &["files"],
            Self::Replies => &["raw", "raw_base64"],
            Self::Updates => &["update"],
            Self::ToolCalls => &["tool", "args"],
        }
    }

    /// The members of an expectation that are compared with an answer, each on its own.
    pub(crate) fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Language => &["loads", "ill_typed", "stops", "facts"],
            Self::Replies => &["default", "strict", "whole", "stream", "candidates", "live"],
            Self::Updates | Self::ToolCalls => &["result"],
        }
    }

    /// The members of an expectation that are not compared.
    pub(crate) fn remarks(self) -> &'static [&'static str] {
        match self {
            Self::Language => &["stage", "message", "line", "column", "panics", "disputed"],
            Self::Replies | Self::Updates | Self::ToolCalls => &["disputed"],
        }
    }
}
