//! The context for checks of a reply: settings, program, tools and metadata.

use super::atoms::Declarations;
use super::catalogue::Catalogue;
use mangle_settings::{Profile, RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Rule;

/// The context for checks of a reply.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// The settings of the file.
    pub settings: &'a TranscriptSettings,
    /// The profile from the command line or the container of the reply.
    ///
    /// This profile has precedence over the version in the envelope. The version has precedence
    /// over the settings.
    pub profile: Option<Profile>,
    /// The profile of most replies of the session, used if the envelope and the settings have none.
    pub session: Option<Profile>,
    /// The declarations of the program. `None` if no program is loaded.
    pub declarations: Option<&'a Declarations>,
    /// The tools of the agent, if a catalog is configured.
    pub tools: Option<&'a Catalogue>,
    /// The recording time of the reply, as text from its container.
    pub recorded: Option<&'a str>,
    /// True if the reply is an example in documentation, so that surrounding text is not reported.
    pub is_documentation: bool,
    /// The enabled rules. `None` enables all rules.
    pub rules: Option<&'a RuleSettings>,
}

impl<'a> ReplyContext<'a> {
    /// Creates a context without information other than the settings.
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

    /// True if findings of a rule are reported. Expensive checks test this first.
    #[must_use]
    pub fn wants(&self, rule: &Rule) -> bool {
        self.rules.is_none_or(|rules| rules.severity(rule).is_some())
    }
}
