//! `[replay]`: how the constitution is asked about captured sessions, and what its predicates are called.

use super::declare::settings;
use super::pattern::GatePattern;
use super::words::words;

settings! {
    /// `[replay]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReplaySettings("replay") {
        /// What the user reads of a reply of which something is refused. `runtime`, as the reference runtime does
        /// it: a notice before the surface where updates are refused or the policy blocks the reply; a denied
        /// request changes nothing. `prepend`: a denied request adds the notice as well. `replace`: a refusal in
        /// place of the surface in all three cases, and of a reply that the policy blocks nothing is asserted and
        /// no tool is run.
        style "override": Override;
        /// The predicate that a tool request is asserted as, while it is evaluated: id, action, target, payload,
        /// seconds since 1970.
        pending: String = "pending_action";
        /// The predicate that permits a request: action, target, payload.
        permit: String = "permitted";
        /// Predicates that say why a request is denied. They decide nothing: what is not permitted is denied.
        deny: Vec<String> = ["permission_denied", "action_denied", "forbidden", "security_violation"];
        /// The predicate that denies a whole reply, where the facts of its own updates make it hold. It also says
        /// why a request is denied.
        block: String = "blocked_action";
        /// The predicate of actions that are permitted unless something speaks against them.
        safe: String = "safe_action";
        /// The predicate of actions that need more than that.
        dangerous: String = "dangerous_action";
        /// The predicate of texts that no request may have in it.
        content: String = "blocked_pattern";
        /// Predicates that lift a ban. What only they permit is reported.
        overrides: Vec<String> = [
            "admin_override",
            "signed_approval",
            "temporary_override",
            "appeal_granted",
            "active_override",
            "has_active_override",
            "permission_check_result",
        ];
        /// The predicate of the domains that the policy has.
        domain: String = "allowed_domain";
        /// The domains that the runtime's second gate lets `network`, `fetch` and `browse` go to, whatever the
        /// policy says.
        domains: Vec<String> =
            ["github.com", "golang.org", "pkg.go.dev", "docs.anthropic.com", "developer.mozilla.org"];
        /// Regular expressions of Go for targets that the runtime's second gate refuses, whatever the policy
        /// says. An empty list switches that off.
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
        /// How a self-correction leads to a recovery action.
        abduction: AbductionSettings;
    }
}

settings! {
    /// `[replay.abduction]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AbductionSettings("replay.abduction") {
        /// The predicate that a hypothesis is asserted as.
        predicate: String = "abductive_hypothesis";
        /// As which value: a string, a name where it can be one, or both.
        form "as": HypothesisForm;
        /// The predicate that says how to recover.
        action: String = "recovery_action";
    }
}

words! {
    /// What becomes of a reply of which something is refused.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Override {
        /// Its surface gets a notice in front where updates are refused, or the policy blocks the reply. A denied request
        /// changes nothing that the user reads, as in the reference runtime.
        #[default]
        Runtime = "runtime",
        /// The same, and a denied request puts a notice in front as well.
        Prepend = "prepend",
        /// Its surface is replaced where the policy blocks the reply, the filter refuses an update, or a request is denied. Of a
        /// reply that the policy blocks nothing is asserted, and no tool is run.
        Replace = "replace",
    }
}

words! {
    /// As which value a hypothesis is asserted.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum HypothesisForm {
        /// As a string.
        #[default]
        String = "string",
        /// As a name, where it can be one.
        Name = "name",
        /// As either.
        Both = "both",
    }
}
