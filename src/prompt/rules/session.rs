//! Rules about what a session file says and no prompt shows.

use super::subject::{Found, Subject, within};
use crate::lint::{Finding, FixKind, Group, Rule, Severity};
use crate::prompt::assembly::HISTORY;
use crate::prompt::preview::Part;
use crate::prompt::sections::Mode;
use crate::prompt::session::keys::SESSION;

/// `active_files: [a.go]`
pub(super) static UNRENDERED_FIELD: Rule = Rule {
    code: "PP021",
    name: "unrendered-field",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "A session file has a value that the prompt never shows.",
    rationale: "The runtime keeps these values, and its assembler prints none of them: active files, what is in the editor, \
                symbols, dependencies, allowed actions, gathered knowledge. A shard does not learn them from its prompt.",
    bad: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          #- fix.session.yaml\nactive_files:\n  - auth.go\n",
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.session.yaml\nimpacted_files:\n  - auth.go\n",
    fix: FixKind::None,
};

/// A history of 1,500 bytes.
pub(super) static HISTORY_DROPPED: Rule = Rule {
    code: "PP023",
    name: "history-dropped",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "The conversation in short is too long, and left out.",
    rationale: "From 1,500 bytes on the runtime leaves `compressed_history` out of the prompt without a word: the shard \
                remembers nothing.",
    bad: concat!(
        "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
        "#- fix.session.yaml\ncompressed_history: \"1234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "\"\n",
    ),
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.session.yaml\ncompressed_history: The clock was frozen.\n",
    fix: FixKind::None,
};

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
    for (shown, file) in subject.shown.iter().zip(subject.sessions) {
        let (Some(session), Some(file), Mode::Legacy, Part::System) =
            (&shown.wanted.session, *file, shown.prompt.mode, &shown.wanted.part)
        else {
            continue;
        };
        for given in session.session.given.iter().filter(|given| !given.is_empty) {
            let name = given.field.name;
            let is_of_session = SESSION.iter().any(|field| field.name == name);
            // From further values the prompt compiler derives tags.
            if given.field.shown.is_none() && is_of_session && name != "extra_context" {
                let message = format!("`{name}` is never shown {}.", within(shown));
                found.push(Found { file, finding: Finding::new(&UNRENDERED_FIELD, given.range, message) });
            }
            let bytes = session.session.compressed_history.text.len();
            if name == "compressed_history" && bytes >= HISTORY {
                let message = format!(
                    "This is {bytes} bytes long, and from {HISTORY} on the runtime leaves it out without a word ({}).",
                    within(shown)
                );
                found.push(Found { file, finding: Finding::new(&HISTORY_DROPPED, given.range, message) });
            }
        }
    }
}
