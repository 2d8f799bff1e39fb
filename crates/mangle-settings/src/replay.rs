//! `[replay]`: queries against the constitution for captured sessions, and the names of its
//! predicates.

use super::declare::settings;
use super::declare::words;
use super::pattern::GatePattern;

settings! {
    /// `[replay]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReplaySettings("replay") {
        /// The text for the user if a part of a reply is refused. `runtime`: a notice before the reply if
        /// updates are refused or the policy blocks the reply, as in the reference runtime. `prepend`: also a
        /// notice for denied requests. `replace`: a refusal instead of the reply in all three cases; a
        /// blocked reply asserts no facts and runs no tools.
        style "override": Override;
        /// The predicate that represents a tool request during its evaluation: id, action, target, payload,
        /// seconds since 1970.
        pending: String = "pending_action";
        /// The predicate that permits a request: action, target, payload.
        permit: String = "permitted";
        /// Predicates with the reason for a denial. They do not decide: a request is denied unless it is
        /// permitted.
        deny: Vec<String> = ["permission_denied", "action_denied", "forbidden", "security_violation"];
        /// The predicate that denies a whole reply because of its updates. It also gives the reason for a
        /// denied request.
        block: String = "blocked_action";
        /// The predicate of actions that are permitted unless something forbids them.
        safe: String = "safe_action";
        /// The predicate of dangerous actions, which need the approval of the user.
        dangerous: String = "dangerous_action";
        /// The predicate of texts that no request may contain.
        content: String = "blocked_pattern";
        /// Predicates that cancel a ban. Requests that only these predicates permit are reported.
        overrides: Vec<String> = [
            "admin_override",
            "signed_approval",
            "temporary_override",
            "appeal_granted",
            "active_override",
            "has_active_override",
            "permission_check_result",
        ];
        /// The predicate of the domains in the policy.
        domain: String = "allowed_domain";
        /// Domains that the runtime's second gate permits for `network`, `fetch` and `browse`, regardless of
        /// the policy.
        domains: Vec<String> =
            ["github.com", "golang.org", "pkg.go.dev", "docs.anthropic.com", "developer.mozilla.org"];
        /// Go regular expressions for targets that the runtime's second gate refuses, regardless of the
        /// policy. Empty: no check.
        patterns: Vec<String> as Vec<GatePattern> = [
            r"rm\s+-rf",
            "mkfs",
            r"dd\s+if=",
            r"chmod\s+777",
            r"curl.*\|.*sh",
            r"wget.*\|.*sh",
            r">.*\/etc\/",
            r"sudo\s+rm",
        ];
        /// The path from a self-correction to a recovery action.
        abduction: AbductionSettings;
    }
}

settings! {
    /// `[replay.abduction]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AbductionSettings("replay.abduction") {
        /// The predicate of an asserted hypothesis.
        predicate: String = "abductive_hypothesis";
        /// The value of the hypothesis: a string, a name if possible, or both.
        form "as": HypothesisForm;
        /// The predicate of recovery actions.
        action: String = "recovery_action";
    }
}

words! {
    /// The text for the user if a part of a reply is refused.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Override {
        /// A notice before the surface if updates are refused or the policy blocks the reply. A denied
        /// request does not change the text, as in the reference runtime.
        #[default]
        Runtime = "runtime",
        /// Like `runtime`, and also a notice for denied requests.
        Prepend = "prepend",
        /// A refusal instead of the surface if the policy blocks the reply, the filter refuses an update, or
        /// a request is denied. A blocked reply asserts no facts and runs no tools.
        Replace = "replace",
    }
}

words! {
    /// The value of an asserted hypothesis.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum HypothesisForm {
        /// As a string.
        #[default]
        String = "string",
        /// As a name, if possible.
        Name = "name",
        /// As either.
        Both = "both",
    }
}
