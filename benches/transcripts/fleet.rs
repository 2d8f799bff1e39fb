//! Many sessions in memory: what a check of them costs beside a check of the same lines in one file.

use mangle_ls::sessions::{Checker, Session, SessionTurn, TurnLabels};
use serde_json::Value;

use super::rounds::Rounds;
use super::{Random, chat};

/// How many turns a session has.
const TURNS: usize = 20;

/// Prints the table of sessions.
pub(crate) fn check(bytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("mangle-ls.toml", "[transcripts]\nprofile = \"current\"\n");
    file("schemas.gl", chat::SCHEMAS);
    let lines = chat::lines(bytes, &mut 0, &mut Random(5), true);
    let turns: Vec<(String, String)> = lines.lines().map(message).collect();
    let turns: Vec<SessionTurn<'_>> = (0..)
        .zip(&turns)
        .map(|(turn, (role, text))| SessionTurn {
            turn,
            role,
            text: text.as_bytes(),
            labels: TurnLabels::default(),
        })
        .collect();
    let many: Vec<Session<'_>> = turns.chunks(TURNS).enumerate().map(session).collect();
    let one: Vec<Session<'_>> = turns.chunks(turns.len()).enumerate().map(session).collect();
    let checker = Checker::load(Some(folder.path()), &[], None).unwrap();
    println!("{} sessions", many.len());
    let mut rounds = Rounds::default();
    rounds.add("one session", || checker.check(&one).len());
    rounds.add("sessions of twenty turns (budget 0.8)", || checker.check(&many).len());
    rounds.run();
}

/// The role and the text of a message.
fn message(line: &str) -> (String, String) {
    let message: Value = serde_json::from_str(line).unwrap();
    let text = |field: &str| message[field].as_str().unwrap().to_owned();
    (text("role"), text("content"))
}

/// A session of these turns.
fn session<'a>((number, turns): (usize, &[SessionTurn<'a>])) -> Session<'a> {
    Session { id: number.to_string(), turns: turns.to_vec() }
}
