//! What the examples of rules about sessions have in common: the lines of a chat.

/// A file of such lines.
macro_rules! session {
    ($($line:expr),* $(,)?) => { concat!("#- session.jsonl\n", $($line),*) };
}

/// A turn of the user.
macro_rules! user {
    ($text:literal) => {
        concat!("{\"role\":\"user\",\"content\":\"", $text, "\"}\n")
    };
}

/// A turn of the model: its updates, what else is in its packet behind them, what it says.
macro_rules! reply {
    ($updates:literal, $rest:literal, $surface:literal) => {
        concat!(
            "{\"role\":\"assistant\",\"content\":{\"control_packet\":{\"intent_classification\":{\"category\":",
            "\"/mutation\",\"verb\":\"/fix\",\"target\":\"src/auth.go\",\"constraint\":\"none\",\"confidence\":0.9},",
            "\"mangle_updates\":[",
            $updates,
            "],",
            $rest,
            "},\"surface_response\":\"",
            $surface,
            "\"}}\n"
        )
    };
    ($updates:literal) => {
        crate::transcript::session::examples::reply!(
            $updates,
            "\"memory_operations\":[]",
            "I am on it: the login is what I look at first, and I say so when there is more to tell about it."
        )
    };
}

pub(super) use {reply, session, user};
