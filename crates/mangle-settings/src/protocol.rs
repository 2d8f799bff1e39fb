//! Values of `[transcripts]`: protocol versions, file shapes and strictness.

use std::fmt;

use super::words::words;

words! {
    /// A version of the protocol that envelopes are written in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Profile {
        /// Surface first, bare categories, memory operations `archive` and `rehydrate`.
        V1_1 = "1.1",
        /// The grammar of 1.1: exactly updates and memory operations.
        V1_1Bnf = "1.1-bnf",
        /// Control first, with the audit objects.
        V1_2 = "1.2",
        /// Control first, without the audit objects.
        V1_2Go = "1.2-go",
        /// The current format of the runtime: tools, knowledge, feedback.
        Current = "current",
        /// Everything in 1.2 and `current`, and planned additions.
        Draft1_3 = "1.3-draft",
    }
}

impl Profile {
    /// True if the control packet comes before the surface.
    #[must_use]
    pub fn is_control_first(self) -> bool {
        self >= Self::V1_2
    }

    /// True if the runtime of this version drops updates that do not end in a period.
    #[must_use]
    pub fn needs_full_stops(self) -> bool {
        matches!(self, Self::Current | Self::Draft1_3)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

words! {
    /// The shape of a file that replies are found in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Container {
        /// A single envelope (K1).
        Envelope = "envelope",
        /// A JSON array of envelopes or of chat records (K2).
        Array = "array",
        /// A single response of a model's API (K3, K6).
        Response = "response",
        /// An envelope a line (K4).
        EnvelopeLines = "envelope-lines",
        /// A chat record, or an answer of a model's API, a line (K5, K6).
        ChatLines = "chat-lines",
        /// A reply in pieces: server-sent events, or a delta a line (K7).
        Stream = "stream",
        /// A session that codeNERD has stored (K8).
        Session = "session",
        /// Rows of codeNERD's `reasoning_traces` (K9).
        Traces = "traces",
        /// A log of codeNERD (K10), its audit log included.
        Log = "log",
        /// Output of the tracer of codeNERD's context harness (K11).
        Harness = "harness",
        /// Both channels as `split --format log` writes them.
        Channels = "channels",
        /// Markdown with envelopes in its fences (K12).
        Markdown = "markdown",
        /// Only the text of the model: the whole file is one reply, unless lines separate turns (K12).
        Raw = "raw",
    }
}

words! {
    /// The strictness of the check of an envelope's shape.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Strictness {
        /// As the runtime's types do.
        #[default]
        Struct = "struct",
        /// As its small schema does: both keys, of the right kind.
        Simple = "simple",
        /// As its strict schema does: every member, and no other.
        Schema = "schema",
    }
}

words! {
    /// The envelope to use if a reply has several.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Select {
        /// The choice of the runtime.
        #[default]
        Runtime = "runtime",
        /// The last.
        Last = "last",
        /// The first.
        First = "first",
        /// None: several are an error.
        Error = "error",
    }
}

words! {
    /// The rule for a full stop at the end of an update.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Period {
        /// A full stop must be present.
        Required = "required",
        /// A full stop may be present.
        Optional = "optional",
        /// A full stop must be absent.
        Forbidden = "forbidden",
    }
}

words! {
    /// The severity of an argument of the wrong type.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum TypeSeverity {
        /// A warning.
        #[default]
        Warning = "warning",
        /// An error.
        Error = "error",
    }
}
