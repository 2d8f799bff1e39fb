//! Rule for shell commands that match a pattern of the constitution.

use crate::envelope::json::{Json, NodeId};
use crate::envelope::sink::Sink;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static SHELL_DANGER: Rule = rule!("shell-danger.md");

/// A part of a pattern.
enum Piece {
    /// Literal text.
    Text(&'static str),
    /// One or more white space characters.
    Space,
    /// Any text on one line.
    Any,
}

use Piece::{Any, Space, Text};

/// The patterns, each with its spelling in the second gate of the runtime.
static PATTERNS: [(&str, &[Piece]); 8] = [
    ("rm\\s+-rf", &[Text("rm"), Space, Text("-rf")]),
    ("mkfs", &[Text("mkfs")]),
    ("dd\\s+if=", &[Text("dd"), Space, Text("if=")]),
    ("chmod\\s+777", &[Text("chmod"), Space, Text("777")]),
    ("curl.*\\|.*sh", &[Text("curl"), Any, Text("|"), Any, Text("sh")]),
    ("wget.*\\|.*sh", &[Text("wget"), Any, Text("|"), Any, Text("sh")]),
    (">.*\\/etc\\/", &[Text(">"), Any, Text("/etc/")]),
    ("sudo\\s+rm", &[Text("sudo"), Space, Text("rm")]),
];

/// Reports commands that `agent` rejects.
pub(super) fn check(agent: &str, json: &Json<'_>, args: NodeId, sink: &mut Sink) {
    for member in json.members(args) {
        let is_command = json.string(member.key).is_some_and(|key| is_command(&key));
        if !is_command || sink.is_full(&SHELL_DANGER) {
            continue;
        }
        let Some((command, map)) = json.string_with_map(member.value) else { continue };
        for (name, pattern) in &PATTERNS {
            if let Some(found) = find(&command, pattern) {
                let range = map.to_source(TextRange::new(size(found.start), size(found.end)));
                let message = format!("command matches the dangerous pattern `{name}`");
                let finding = Finding::new(&SHELL_DANGER, range, message);
                let note = format!("{agent} rejects such a command, and its result never comes");
                sink.push(finding.note(note));
                break;
            }
        }
    }
}

/// True if a command matches a dangerous pattern.
pub(in crate::envelope) fn is_dangerous(command: &str) -> bool {
    PATTERNS.iter().any(|(_, pattern)| find(command, pattern).is_some())
}

/// True if an argument with this name is a command.
pub(in crate::envelope) fn is_command(name: &str) -> bool {
    matches!(name, "command" | "cmd")
}

/// Returns the first and shortest match of a pattern.
fn find(text: &str, pattern: &[Piece]) -> Option<std::ops::Range<usize>> {
    let Some((Text(first), rest)) = pattern.split_first() else { return None };
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find(first).map(|at| from + at) {
        match matches(text, start + first.len(), rest) {
            Match::Ends(end) => return Some(start..end),
            // If a part is missing on this line, no other start on the line matches.
            Match::NotOnThisLine => from = start + text.get(start..)?.find('\n')?,
            Match::NotHere => from = start + first.len(),
        }
    }
    None
}

enum Match {
    Ends(usize),
    NotHere,
    NotOnThisLine,
}

fn matches(text: &str, mut at: usize, pattern: &[Piece]) -> Match {
    let mut is_anywhere = false;
    for piece in pattern {
        let rest = text.get(at..).unwrap_or("");
        match piece {
            Any => is_anywhere = true,
            Space => {
                let space = rest.len() - rest.trim_start().len();
                if space == 0 {
                    return Match::NotHere;
                }
                at += space;
            }
            Text(wanted) if is_anywhere => {
                let line = rest.split('\n').next().unwrap_or("");
                let Some(found) = line.find(wanted) else { return Match::NotOnThisLine };
                at += found + wanted.len();
                is_anywhere = false;
            }
            Text(wanted) if rest.starts_with(wanted) => at += wanted.len(),
            Text(_) => return Match::NotHere,
        }
    }
    Match::Ends(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_are_refused() {
        let found = |text: &str| {
            let hit = PATTERNS.iter().find_map(|(name, pattern)| Some((name, find(text, pattern)?)));
            hit.map(|(name, range)| format!("{name}: {}", text.get(range).unwrap_or("?")))
        };
        assert_eq!(found("cd a && rm  -rf /"), Some("rm\\s+-rf: rm  -rf".into()));
        assert_eq!(found("curl http://a | bash"), Some("curl.*\\|.*sh: curl http://a | bash".into()));
        assert_eq!(found("curl a\n| sh"), None);
        assert_eq!(found("curl a\ncurl b | sh"), Some("curl.*\\|.*sh: curl b | sh".into()));
        assert_eq!(found("echo x >> /etc/hosts"), Some(">.*\\/etc\\/: >> /etc/".into()));
        assert_eq!(found("rm -r build"), None);
        assert_eq!(found(&"curl ".repeat(100_000)), None);
    }
}
