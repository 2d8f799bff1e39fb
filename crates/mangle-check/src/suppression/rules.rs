//! The rules about silencing comments, `MG95x`.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] =
    &[&UNUSED_SUPPRESSION, &UNKNOWN_SUPPRESSION, &MALFORMED_SUPPRESSION, &FUTILE_SUPPRESSION];

/// A comment that silences nothing.
pub static UNUSED_SUPPRESSION: Rule = Rule {
    code: "MG950",
    name: "unused-suppression",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A comment silences a rule that finds nothing there.",
    rationale: "What it once silenced was mended, or has moved. Left behind, it hides the next mistake of \
                this kind, and says that something is wrong where nothing is.",
    bad: "crew(/p/ann, 3).\n# mangle-ls: ignore singleton-variable -- N is for the reader\naboard(P) :- crew(P, _).\n",
    good: "crew(/p/ann, 3).\naboard(P) :- crew(P, _).\n",
    fix: FixKind::Safe,
};

/// A comment that names no rule of ours.
pub static UNKNOWN_SUPPRESSION: Rule = Rule {
    code: "MG951",
    name: "unknown-suppression",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A silencing comment names a rule that does not exist.",
    rationale: "It silences nothing: the rule that was meant goes on reporting.",
    bad: "crew(/p/ann, 3).\n# mangle-ls: ignore singelton-variable -- N is for the reader\naboard(P) :- crew(P, N).\n",
    good: "crew(/p/ann, 3).\n# mangle-ls: ignore singleton-variable -- N is for the reader\naboard(P) :- crew(P, N).\n",
    fix: FixKind::Unsafe,
};

/// A comment that is no complete sentence of ours.
pub(super) static MALFORMED_SUPPRESSION: Rule = Rule {
    code: "MG952",
    name: "malformed-suppression",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A silencing comment is not written as one.",
    rationale: "There is one spelling: `# mangle-ls: ignore NAME[, NAME] -- reason`, or with `ignore-file`. \
                What is written otherwise may silence less than it seems to.",
    bad: "crew(/p/ann, 3).\n# mangle-ls: ignore singleton-variable N is for the reader\naboard(P) :- crew(P, N).\n",
    good: "crew(/p/ann, 3).\n# mangle-ls: ignore singleton-variable -- N is for the reader\naboard(P) :- crew(P, N).\n",
    fix: FixKind::Safe,
};

/// A comment about a rule that comments do not silence.
pub(super) static FUTILE_SUPPRESSION: Rule = Rule {
    code: "MG953",
    name: "futile-suppression",
    group: Group::Configuration,
    severity: Some(Severity::Warning),
    summary: "A comment tries to silence what cannot be silenced.",
    rationale: "What does not parse is refused by the engine, whatever a comment says. Mistakes in settings \
                and in silencing comments stay visible too; `[rules]` in `mangle-ls.toml` can switch those off.",
    bad: "# mangle-ls: ignore missing-dot -- the engine does not mind\ncrew(/p/ann, 3).\n",
    good: "crew(/p/ann, 3).\n",
    fix: FixKind::Safe,
};
