//! Rules for keys that the profile does not have.

use crate::envelope::edits::{self, quoted};
use crate::envelope::json::{JsonKind, Member};
use crate::envelope::runtime;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::table::MemberField;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};
use mangle_syntax::text::TextRange;

pub(super) static ABBREVIATED_KEYS: Rule = rule!("abbreviated-keys.md");

pub(super) static UNKNOWN_FIELD: Rule = rule!("unknown-field.md");

pub(super) static FOREIGN_FIELD: Rule = rule!("foreign-field.md");

pub(super) static CASE_VARIANT: Rule = rule!("case-variant.md");

pub(super) static NEAR_MISS: Rule = rule!("near-miss.md");

pub(super) static EXTRA_FORBIDDEN: Rule = rule!("extra-forbidden.md");

/// The member that suppresses findings, specific to mangle-ls.
const SILENCING: &str = "x_mangle_ls_ignore";

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    for (at, (view, is_known)) in subject.views.iter().enumerate() {
        if *is_known {
            members(subject, view, at == 0, sink);
        }
    }
}

fn members(subject: &Subject<'_>, view: &View<'_>, is_top: bool, sink: &mut Sink) {
    let is_known = |field: &MemberField, exact| exact && field.is_in(subject.profile);
    for member in view.nodes.iter().flat_map(|node| view.json.members(*node)) {
        let Some(key) = view.json.string(member.key) else { continue };
        // A key that is cut off at the end of the reply is not reported.
        let is_cut = subject.is_truncated && view.json.kind(member.value) == JsonKind::Broken;
        let found = view.table.find(&key);
        if is_cut || key == SILENCING || found.is_some_and(|(field, exact)| is_known(field, exact)) {
            continue;
        }
        let finding = UnknownMember { subject, view, member, key: &key, is_top }.finding(found, sink);
        finding.into_iter().for_each(|finding| sink.push(finding));
    }
}

/// A member that the profile does not have.
struct UnknownMember<'s> {
    subject: &'s Subject<'s>,
    view: &'s View<'s>,
    member: Member,
    key: &'s str,
    is_top: bool,
}

impl UnknownMember<'_> {
    fn finding(&self, found: Option<(&'static MemberField, bool)>, sink: &mut Sink) -> Option<Finding> {
        if self.subject.is_schema() {
            return (!sink.is_full(&EXTRA_FORBIDDEN)).then(|| self.forbidden(found, sink));
        }
        match (found, self.key) {
            (Some((field, _)), _) if !field.is_in(self.subject.profile) => {
                (!sink.is_full(&FOREIGN_FIELD)).then(|| self.foreign(field))
            }
            (Some((field, _)), _) => (!sink.is_full(&CASE_VARIANT)).then(|| self.case(field)),
            (None, "surface") if self.is_top => Some(self.short("surface_response", sink)),
            (None, "control") if self.is_top => Some(self.short("control_packet", sink)),
            // The search for similar keys is expensive.
            (None, _) if sink.is_full(&NEAR_MISS) => None,
            (None, key) => match self.view.table.similar_field(key) {
                Some(field) => Some(self.near(field, sink)),
                None if key.starts_with("x_") || key.starts_with(['_', '$']) => None,
                None if sink.is_full(&UNKNOWN_FIELD) => None,
                None => Some(self.unknown()),
            },
        }
    }

    fn range(&self) -> TextRange {
        self.view.json.range(self.member.key)
    }

    fn shown(&self) -> String {
        shortened(self.key)
    }

    fn forbidden(&self, found: Option<(&'static MemberField, bool)>, sink: &mut Sink) -> Finding {
        let message = format!("field `{}` is not in the strict schema", self.shown());
        let note = format!("the schema rejects unknown fields in {}", self.view.table.title);
        let mut finding = Finding::new(&EXTRA_FORBIDDEN, self.range(), message).note(note);
        let is_ours = |field: &&MemberField| field.is_in(self.subject.profile);
        let meant =
            found.map(|(field, _)| field).or_else(|| self.view.intended_field(self.key)).filter(is_ours);
        finding.fix = match meant {
            // Deletion would lose the value. If both keys exist, the author must choose.
            Some(field) => self.misnamed(field.name, sink),
            None => self.deletion(),
        };
        finding
    }

    /// Renames a misspelled key if the intended key is absent and the runtime can decode the value.
    fn misnamed(&self, name: &str, sink: &mut Sink) -> Option<Fix> {
        if self.view.all(name).any(|entry| entry.key != self.member.key) {
            return None;
        }
        let fix = self.rename(Fix::guess(format!("rename it to `{name}`")), name);
        let reply = self.subject.reply;
        let is_read = |new: Vec<u8>| {
            let reading = runtime::read(&new, &self.subject.context.settings.caps);
            reading.is_ok_and(|reading| reading.accepted.is_some())
        };
        // If the runtime does not use the reply, the fix cannot make it worse.
        let is_harmless = reply.accepted.is_none()
            || sink.may_read(reply.raw.len()) && edits::applied(reply.raw, &fix).is_some_and(is_read);
        is_harmless.then_some(fix)
    }

    fn deletion(&self) -> Option<Fix> {
        let json = self.view.json;
        let item = edits::member_range(json, self.member.key, self.member.value);
        let is_whole = json.problems.is_empty();
        is_whole.then(|| Fix::guess("delete the field").replace(edits::with_comma(json, item), ""))
    }

    fn foreign(&self, field: &MemberField) -> Finding {
        let effect =
            if field.is_read { "the runtime reads it all the same" } else { "the runtime ignores it" };
        let message = format!(
            "`{}` belongs to {}, this envelope is {}",
            field.name,
            field.newest_profile(),
            self.subject.profile
        );
        Finding::new(&FOREIGN_FIELD, self.range(), message).note(effect)
    }

    fn case(&self, field: &MemberField) -> Finding {
        let message = format!("key `{}` is not written in lower case", self.shown());
        let note = format!("the runtime reads it as `{}`, other readers do not", field.name);
        let mut finding = Finding::new(&CASE_VARIANT, self.range(), message).note(note);
        // If both keys exist, renaming changes the effective member.
        if self.view.all(field.name).nth(1).is_none() {
            finding.fix = Some(self.rename(Fix::safe(format!("rename it to `{}`", field.name)), field.name));
        }
        finding
    }

    fn rename(&self, fix: Fix, name: &str) -> Fix {
        fix.replace(self.range(), quoted(name))
    }

    fn short(&self, name: &'static str, sink: &mut Sink) -> Finding {
        let message = format!("`{}` is not a key of the protocol", self.key);
        self.lost(&ABBREVIATED_KEYS, message, name, sink)
    }

    fn near(&self, field: &'static MemberField, sink: &mut Sink) -> Finding {
        self.lost(&NEAR_MISS, format!("unknown key `{}`", self.shown()), field.name, sink)
    }

    /// Reports a key that is probably a misspelling of another key.
    fn lost(&self, rule: &'static Rule, message: String, name: &'static str, sink: &mut Sink) -> Finding {
        let mut finding = Finding::new(rule, self.range(), message)
            .note("the runtime ignores its value")
            .help(format!("did you mean `{name}`?"));
        finding.fix = self.misnamed(name, sink);
        if self.is_top && !self.view.contains_key(name) {
            finding = finding.severity(Severity::Error);
        }
        finding
    }

    fn unknown(&self) -> Finding {
        let message = format!("unknown field `{}` in profile `{}`", self.shown(), self.subject.profile);
        Finding::new(&UNKNOWN_FIELD, self.range(), message)
            .note("the runtime ignores it")
            .help("begin the key of a private field with `x_`")
    }
}
