//! What the examples of the rules are made of: a small constitution, and sessions.

/// A policy: what all examples have, and more.
macro_rules! policy {
    ($($more:expr),* $(,)?) => {
        concat!(
            "#- policy.mg\n",
            "Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]\n",
            "  bound [/string, /name, /string, /string, /number].\n",
            "Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\n",
            "safe_action(/read_file).\nsafe_action(/run_command).\n",
            "permitted(Action, Target, Payload) :-\n    pending_action(_, Action, Target, Payload, _),\n",
            "    safe_action(Action).\n",
            $($more),*
        )
    };
}

/// A session: records, a line each.
macro_rules! session {
    ($($line:expr),* $(,)?) => { concat!("#- session.jsonl\n", $($line),*) };
}

/// An answer of the model: its updates, what else is in its packet, what it says.
macro_rules! reply {
    ($updates:expr, $rest:expr, $surface:expr) => {
        concat!(
            "{\"role\":\"assistant\",\"content\":{\"control_packet\":{\"intent_classification\":{\"category\":",
            "\"/mutation\",\"verb\":\"/fix\",\"target\":\"src/old.go\",\"constraint\":\"none\",\"confidence\":0.9},",
            "\"mangle_updates\":[",
            $updates,
            "],\"memory_operations\":[]",
            $rest,
            "},\"surface_response\":\"",
            $surface,
            "\"}}\n"
        )
    };
}

/// What else is in a packet: a request for a tool, with its arguments.
macro_rules! asks {
    ($tool:expr, $args:expr) => {
        concat!(
            ",\"tool_requests\":[{\"id\":\"r1\",\"tool_name\":\"",
            $tool,
            "\",\"tool_args\":",
            $args,
            "}]"
        )
    };
}

/// What the tool says.
macro_rules! result {
    ($text:expr) => {
        concat!("{\"role\":\"tool\",\"tool_call_id\":\"r1\",\"content\":\"", $text, "\"}\n")
    };
}

pub(super) use {asks, policy, reply, result, session};

/// The path of a file, as arguments.
macro_rules! old_file {
    () => {
        "{\"path\":\"src/old.go\"}"
    };
}

pub(super) use old_file;

/// A session in which nothing is wrong.
pub(super) const GOOD: &str = concat!(
    session!(reply!("", asks!("read_file", old_file!()), "I am looking at the old file.")),
    policy!()
);
