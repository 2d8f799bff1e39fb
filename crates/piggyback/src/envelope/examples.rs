//! What the examples of rules have in common.

/// An envelope whose control packet has these members beside a sound intent.
macro_rules! packet {
    ($($members:literal),*) => {
        crate::envelope::examples::envelope!(
            "    \"intent_classification\": {\"category\": \"/mutation\", \"verb\": \"/fix\", \"target\": \"src/auth.go\", ",
            "\"constraint\": \"none\", \"confidence\": 0.9}", $(",\n    ", $members),*
        )
    };
}

/// An envelope with this member in its packet, beside a sound intent, empty lists and a trace.
macro_rules! asking {
    ($member:literal) => {
        crate::envelope::examples::packet!(
            "\"mangle_updates\": []",
            "\"memory_operations\": []",
            "\"reasoning_trace\": \"I need to see more.\"",
            $member
        )
    };
}

/// An envelope whose control packet has these lines.
macro_rules! envelope {
    ($($lines:literal),*) => {
        concat!(
            "{\n  \"control_packet\": {\n", $($lines),*,
            "\n  },\n  \"surface_response\": \"I am looking at the login now.\"\n}\n"
        )
    };
}

/// An envelope whose intent is this, with empty lists.
macro_rules! intent {
    ($intent:literal) => {
        crate::envelope::examples::envelope!(
            "    \"intent_classification\": ",
            $intent,
            ",\n    \"mangle_updates\": [],\n    \"memory_operations\": []"
        )
    };
}

/// A whole envelope on one line.
macro_rules! line {
    ($surface:literal) => {
        concat!(
            "{\"control_packet\": {\"intent_classification\": {\"category\": \"/query\", \"verb\": \"/explain\", ",
            "\"target\": \"src/auth.go\", \"constraint\": \"none\", \"confidence\": 0.9}, ",
            "\"mangle_updates\": [], \"memory_operations\": []}, \"surface_response\": \"",
            $surface,
            "\"}"
        )
    };
}

pub(super) use {asking, envelope, intent, line, packet};
