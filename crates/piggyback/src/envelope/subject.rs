//! One envelope of a reply, the input of the rules about members.

use super::atoms::UpdateContext;
use super::context::ReplyContext;
use super::json::Json;
use super::profile::{self, ProfileOrigin};
use super::reply::{Object, Reply};
use super::table::ENVELOPE;
use super::view::View;
use mangle_settings::{Profile, Strictness};
use mangle_syntax::text::TextRange;

/// An envelope of a reply.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The reply that contains the envelope.
    pub reply: &'a Reply<'a>,
    /// The envelope as an object of the reply.
    pub object: &'a Object<'a>,
    /// The context of the check.
    pub context: &'a ReplyContext<'a>,
    /// The parsed envelope, possibly damaged.
    pub json: &'a Json<'a>,
    /// The protocol version for the check.
    pub profile: Profile,
    /// The source of the protocol version.
    pub origin: ProfileOrigin,
    /// The members of the envelope.
    pub envelope: View<'a>,
    /// The control packet. If there are several, the result of merging them as in the runtime.
    pub control: View<'a>,
    /// The envelope and all known nested objects. The flag is true if the profile has their
    /// members.
    pub views: Vec<(View<'a>, bool)>,
    /// True if the envelope is cut off at the end of the reply.
    pub is_truncated: bool,
    /// True if the runtime uses this envelope.
    pub is_picked: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        reply: &'a Reply<'a>,
        context: &'a ReplyContext<'a>,
        object: &'a Object<'a>,
        is_truncated: bool,
    ) -> Self {
        let json = &object.json;
        let envelope = View::new(json, &ENVELOPE, [json.root()]);
        let (profile, origin) =
            profile::choose(&envelope, context.profile, context.settings.profile, context.session);
        let control = envelope.object("control_packet");
        let mut views = Vec::new();
        envelope.visit(profile, true, &mut |view, is_known| views.push((view.clone(), is_known)));
        let is_picked = reply.picked_object().is_some_and(|picked| std::ptr::eq(picked, object));
        Self {
            reply,
            object,
            context,
            json,
            profile,
            origin,
            envelope,
            control,
            views,
            is_truncated,
            is_picked,
        }
    }

    /// True if the envelope is valid JSON, so that absent members are really missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_truncated && self.json.problems.is_empty()
    }

    /// The context for checks of updates.
    #[must_use]
    pub fn judge(&self) -> UpdateContext<'a> {
        let ReplyContext { settings, declarations, .. } = *self.context;
        UpdateContext { settings, declarations, profile: self.profile }
    }

    /// True if the strict schema applies.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.context.settings.strict == Strictness::Schema
    }

    /// The range of the opening brace.
    #[must_use]
    pub fn brace(&self) -> TextRange {
        self.envelope.brace()
    }

    /// The range for findings about the whole control packet: its key, or the opening brace of the
    /// envelope.
    #[must_use]
    pub fn control_range(&self) -> TextRange {
        self.envelope.key_range("control_packet").unwrap_or_else(|| self.brace())
    }

    /// True if the envelope names an unknown newer version.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        matches!(self.origin, ProfileOrigin::NewerVersion(_))
    }
}
