//! The keys of `[replay]` and of `[replay.abduction]`.

use super::{Key, Kind, Section};
use crate::{HypothesisForm, Override};

/// `[replay]`
pub const REPLAY: Section = Section {
    name: "replay",
    keys: &[
        Key {
            name: "override",
            kind: Kind::Word(&Override::WORDS),
            default: "\"runtime\"",
            doc: "What the user reads of a reply of which something is refused. `runtime`, as the reference runtime does it: a \
                  notice before the surface where updates are refused or the policy blocks the reply; a denied request changes \
                  nothing. `prepend`: a denied request adds the notice as well. `replace`: a refusal in place of the surface in all \
                  three cases, and of a reply that the policy blocks nothing is asserted and no tool is run.",
        },
        Key {
            name: "pending",
            kind: Kind::Text,
            default: "\"pending_action\"",
            doc: "The predicate that a tool request is asserted as, while it is judged: id, action, target, payload, \
                  seconds since 1970.",
        },
        Key {
            name: "permit",
            kind: Kind::Text,
            default: "\"permitted\"",
            doc: "The predicate that permits a request: action, target, payload.",
        },
        Key {
            name: "deny",
            kind: Kind::Texts,
            default: "[\"permission_denied\", \"action_denied\", \"forbidden\", \"security_violation\"]",
            doc: "Predicates that say why a request is denied. They decide nothing: what is not permitted is denied.",
        },
        Key {
            name: "block",
            kind: Kind::Text,
            default: "\"blocked_action\"",
            doc: "The predicate that denies a whole reply, where the facts of its own updates make it hold. It also says why \
                  a request is denied.",
        },
        Key {
            name: "safe",
            kind: Kind::Text,
            default: "\"safe_action\"",
            doc: "The predicate of actions that are permitted unless something speaks against them.",
        },
        Key {
            name: "dangerous",
            kind: Kind::Text,
            default: "\"dangerous_action\"",
            doc: "The predicate of actions that need more than that.",
        },
        Key {
            name: "content",
            kind: Kind::Text,
            default: "\"blocked_pattern\"",
            doc: "The predicate of texts that no request may have in it.",
        },
        Key {
            name: "overrides",
            kind: Kind::Texts,
            default: "[\"admin_override\", \"signed_approval\", \"temporary_override\", \"appeal_granted\", \
                      \"active_override\", \"has_active_override\", \"permission_check_result\"]",
            doc: "Predicates that lift a ban. What only they permit is reported.",
        },
        Key {
            name: "domain",
            kind: Kind::Text,
            default: "\"allowed_domain\"",
            doc: "The predicate of the domains that the policy knows.",
        },
        Key {
            name: "domains",
            kind: Kind::Texts,
            default: "[\"github.com\", \"golang.org\", \"pkg.go.dev\", \"docs.anthropic.com\", \"developer.mozilla.org\"]",
            doc: "The domains that the runtime's second gate lets `network`, `fetch` and `browse` go to, whatever the policy \
                  says.",
        },
        Key {
            name: "patterns",
            kind: Kind::Texts,
            default: "[\"rm\\\\s+-rf\", \"mkfs\", \"dd\\\\s+if=\", \"chmod\\\\s+777\", \"curl.*\\\\|.*sh\", \
                      \"wget.*\\\\|.*sh\", \">.*\\\\/etc\\\\/\", \"sudo\\\\s+rm\"]",
            doc: "Regular expressions of Go for targets that the runtime's second gate refuses, whatever the policy says. An empty \
                  list switches that off.",
        },
        Key {
            name: "abduction",
            kind: Kind::Table,
            default: "",
            doc: "How a self-correction leads to a recovery action.",
        },
    ],
};

/// `[replay.abduction]`
pub const ABDUCTION: Section = Section {
    name: "replay.abduction",
    keys: &[
        Key {
            name: "predicate",
            kind: Kind::Text,
            default: "\"abductive_hypothesis\"",
            doc: "The predicate that a hypothesis is asserted as.",
        },
        Key {
            name: "as",
            kind: Kind::Word(&HypothesisForm::WORDS),
            default: "\"string\"",
            doc: "As which value: a string, a name where it can be one, or both.",
        },
        Key {
            name: "action",
            kind: Kind::Text,
            default: "\"recovery_action\"",
            doc: "The predicate that says how to recover.",
        },
    ],
};
