//! `[replay]`: how the constitution is asked about captured sessions, and what its predicates are called.

use super::words::words;

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

/// `[replay.abduction]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbductionSettings {
    /// `predicate`: what a hypothesis is asserted as.
    pub predicate: String,
    /// `as`
    pub form: HypothesisForm,
    /// `action`: what says how to recover.
    pub action: String,
}

impl Default for AbductionSettings {
    fn default() -> Self {
        Self {
            predicate: "abductive_hypothesis".to_owned(),
            form: HypothesisForm::default(),
            action: "recovery_action".to_owned(),
        }
    }
}

/// `[replay]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySettings {
    /// `override`
    pub style: Override,
    /// `pending`: what a request is asserted as: its id, action, target, payload and time.
    pub pending: String,
    /// `permit`: what permits a request: its action, target and payload.
    pub permit: String,
    /// `deny`: what says why a request is denied.
    pub deny: Vec<String>,
    /// `block`: what denies a whole reply.
    pub block: String,
    /// `safe`: the actions that are permitted unless something speaks against them.
    pub safe: String,
    /// `dangerous`: the actions that need more than that.
    pub dangerous: String,
    /// `content`: texts that no request may have in it.
    pub content: String,
    /// `overrides`: what lifts a ban.
    pub overrides: Vec<String>,
    /// `domain`: the policy's own list of domains.
    pub domain: String,
    /// `domains`: those that the second gate lets through.
    pub domains: Vec<String>,
    /// `patterns`: regular expressions for targets that the second gate refuses.
    pub patterns: Vec<String>,
    /// `[replay.abduction]`
    pub abduction: AbductionSettings,
}

/// What the second gate of the reference runtime refuses.
const PATTERNS: [&str; 8] = [
    r"rm\s+-rf",
    "mkfs",
    r"dd\s+if=",
    r"chmod\s+777",
    r"curl.*\|.*sh",
    r"wget.*\|.*sh",
    r">.*\/etc\/",
    r"sudo\s+rm",
];

/// Where its network actions may go.
const DOMAINS: [&str; 5] =
    ["github.com", "golang.org", "pkg.go.dev", "docs.anthropic.com", "developer.mozilla.org"];

impl Default for ReplaySettings {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            style: Override::default(),
            pending: "pending_action".to_owned(),
            permit: "permitted".to_owned(),
            deny: owned(&["permission_denied", "action_denied", "forbidden", "security_violation"]),
            block: "blocked_action".to_owned(),
            safe: "safe_action".to_owned(),
            dangerous: "dangerous_action".to_owned(),
            content: "blocked_pattern".to_owned(),
            overrides: owned(&[
                "admin_override",
                "signed_approval",
                "temporary_override",
                "appeal_granted",
                "active_override",
                "has_active_override",
                "permission_check_result",
            ]),
            domain: "allowed_domain".to_owned(),
            domains: owned(&DOMAINS),
            patterns: owned(&PATTERNS),
            abduction: AbductionSettings::default(),
        }
    }
}
