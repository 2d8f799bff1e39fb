//! One envelope of a reply: what the rules about its members look at.

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
    /// The reply that the envelope is in.
    pub reply: &'a Reply<'a>,
    /// The envelope as one of its objects.
    pub object: &'a Object<'a>,
    /// What it is judged by.
    pub context: &'a ReplyContext<'a>,
    /// It, read as far as it can be.
    pub json: &'a Json<'a>,
    /// The version of the protocol that it is judged by.
    pub profile: Profile,
    /// What tells the version.
    pub origin: ProfileOrigin,
    /// Its members.
    pub envelope: View<'a>,
    /// Its control packet; of several what the runtime makes of them.
    pub control: View<'a>,
    /// The envelope and all objects in it that are known, and whether the profile knows their members.
    pub views: Vec<(View<'a>, bool)>,
    /// Whether the reply ends in it.
    pub is_truncated: bool,
    /// Whether it is the one that the runtime takes.
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
        let envelope = View::of(json, &ENVELOPE, [json.root()]);
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

    /// Whether it is JSON to its end, so that what is not there is missing indeed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_truncated && self.json.problems.is_empty()
    }

    /// What its updates are judged by.
    #[must_use]
    pub fn judge(&self) -> UpdateContext<'a> {
        let ReplyContext { settings, declarations, .. } = *self.context;
        UpdateContext { settings, declarations, profile: self.profile }
    }

    /// Whether it is judged as the strict schema does.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.context.settings.strict == Strictness::Schema
    }

    /// The brace that opens it.
    #[must_use]
    pub fn brace(&self) -> TextRange {
        self.envelope.brace()
    }

    /// Where something about the control packet as a whole is shown: its key, else the brace of the envelope.
    #[must_use]
    pub fn control_range(&self) -> TextRange {
        self.envelope.key_range("control_packet").unwrap_or_else(|| self.brace())
    }

    /// Whether it names a version that nobody knows yet.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        matches!(self.origin, ProfileOrigin::NewerVersion(_))
    }
}
