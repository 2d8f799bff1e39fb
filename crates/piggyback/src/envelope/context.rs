//! What a reply is judged by, beside itself.

use super::atoms::Declarations;
use super::catalogue::Catalogue;
use mangle_settings::{Profile, RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Rule;

/// What a reply is judged by: settings, and what is known of the program and of the agent's tools.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// The settings that hold for the file.
    pub settings: &'a TranscriptSettings,
    /// The profile that the command line, or what holds the reply, prescribes. It counts more than what the envelope
    /// says of itself; that counts more than the settings.
    pub profile: Option<Profile>,
    /// The profile of most replies of the session, where envelopes and settings say nothing.
    pub session: Option<Profile>,
    /// What the program says of predicates; `None` where no program is loaded.
    pub declarations: Option<&'a Declarations>,
    /// The tools that there are, where somebody says so.
    pub tools: Option<&'a Catalogue>,
    /// When the reply was recorded, as what holds it says.
    pub recorded: Option<&'a str>,
    /// Whether the reply is an example in a text about envelopes: what stands around it does not matter then.
    pub is_documentation: bool,
    /// Which rules are wanted; `None` where somebody looks at all findings.
    pub rules: Option<&'a RuleSettings>,
}

impl<'a> ReplyContext<'a> {
    /// A reply of an agent of which nothing is known but the settings.
    #[must_use]
    pub fn new(settings: &'a TranscriptSettings) -> Self {
        Self {
            settings,
            profile: None,
            session: None,
            declarations: None,
            tools: None,
            recorded: None,
            is_documentation: false,
            rules: None,
        }
    }

    /// Whether anybody will see findings of a rule. What is expensive to find out asks first.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        self.rules.is_none_or(|rules| rules.severity(rule).is_some())
    }
}
