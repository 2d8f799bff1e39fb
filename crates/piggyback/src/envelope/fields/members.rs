//! Rules for members that are duplicate, `null` or of the wrong kind, and for keys that the profile
//! does not have.

use rustc_hash::FxHashSet;

use super::missing::bare;
use crate::envelope::Sink;
use crate::envelope::edits::{self, quoted};
use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use crate::envelope::pointer::{pointer, shortened};
use crate::envelope::runtime::{self, fits_leniently};
use crate::envelope::survey::Subject;
use crate::envelope::table::{MemberField, Shape};
use crate::envelope::view::{View, number};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) static DUPLICATE_MEMBER: Rule = rule!("duplicate-member.md");

pub(super) static NULL_MEMBER: Rule = rule!("null-member.md");

pub(super) static WRONG_KIND: Rule = rule!("wrong-kind.md");

pub(super) static ABBREVIATED_KEYS: Rule = rule!("abbreviated-keys.md");

pub(super) static UNKNOWN_FIELD: Rule = rule!("unknown-field.md");

pub(super) static FOREIGN_FIELD: Rule = rule!("foreign-field.md");

pub(super) static CASE_VARIANT: Rule = rule!("case-variant.md");

pub(super) static NEAR_MISS: Rule = rule!("near-miss.md");

pub(super) static EXTRA_FORBIDDEN: Rule = rule!("extra-forbidden.md");

/// Members whose `null` values other rules report.
const REPORTED_BY_OTHER_RULES: [&str; 13] = [
    "surface_response",
    "intent_classification",
    "category",
    "verb",
    "self_correction",
    "context_feedback",
    "tool_args",
    "tool_name",
    "op",
    "key",
    "value",
    "specialist",
    "query",
];

pub(super) fn check_kinds(subject: &Subject<'_>, sink: &mut Sink) {
    let is_lenient = subject.context.settings.caps.runtime.lenient_types;
    for (view, _) in &subject.views {
        duplicates(view, view.nodes.first() != subject.envelope.nodes.first(), sink);
        for entry in view.entries.iter().filter(|entry| entry.field.is_read) {
            let is_null = subject.json.kind(entry.value) == JsonKind::Null;
            if is_null && entry.field.name == "control_packet" {
                no_packet(subject, entry.value, sink);
            } else if is_null {
                null(view.json, entry.field.name, &entry.field.shape, entry.value, sink);
            } else if !is_lenient || !fits_leniently(entry.field.name, view.json, entry.value) {
                value(view.json, &entry.field.shape, entry.value, sink);
            }
        }
    }
}

fn duplicates(view: &View<'_>, is_inside: bool, sink: &mut Sink) {
    for (at, entry) in view.entries.iter().enumerate() {
        let name = entry.field.name;
        if sink.is_full(&DUPLICATE_MEMBER) {
            return;
        }
        // Linear search, because objects have few members unless keys are repeated, and then the
        // limit of findings is reached soon.
        let Some(earlier) = view.entries.iter().take(at).rev().find(|earlier| earlier.field.name == name)
        else {
            continue;
        };
        let how = match entry.field.shape {
            Shape::Object(_) => "the runtime merges both objects, field by field",
            Shape::Map => "the runtime merges both objects and uses the last of equal keys",
            Shape::List(_) => "the runtime writes the second list over the first, so parts of both remain",
            _ if !entry.field.is_read => "each reader decides which one counts",
            _ => "the runtime uses the last one",
        };
        let range = view.json.range(entry.key);
        let mut finding = Finding::new(&DUPLICATE_MEMBER, range, format!("duplicate field `{name}`"))
            .related(Span::here(view.json.range(earlier.key)), "first one")
            .note(how);
        if !is_inside && name != "control_packet" {
            finding = finding.severity(Severity::Warning);
        }
        let is_scalar = matches!(entry.field.shape, Shape::Text | Shape::Number | Shape::Flag);
        let is_equal = view.json.raw(entry.value) == view.json.raw(earlier.value);
        if view.json.problems.is_empty()
            && (is_scalar && view.json.kind(entry.value) != JsonKind::Null || is_equal && entry.is_exact)
        {
            let item = edits::member_range(view.json, earlier.key, earlier.value);
            let fix = Fix::safe("delete the first one");
            finding = finding.fix(fix.replace(edits::with_comma(view.json, item), ""));
        }
        sink.push(finding);
    }
    for entry in view.entries.iter().filter(|entry| matches!(entry.field.shape, Shape::Map)) {
        arguments(view.json, entry.value, sink);
    }
}

/// Reports duplicate arguments of a tool.
fn arguments(json: &Json<'_>, node: NodeId, sink: &mut Sink) {
    let mut seen = FxHashSet::default();
    for member in json.members(node) {
        let Some(key) = json.string(member.key) else { continue };
        let shown = shortened(&key);
        if !seen.insert(key) && !sink.is_full(&DUPLICATE_MEMBER) {
            let message = format!("duplicate argument `{shown}`");
            let finding = Finding::new(&DUPLICATE_MEMBER, json.range(member.key), message);
            sink.push(finding.note("the runtime uses the last one"));
        }
    }
}

fn no_packet(subject: &Subject<'_>, node: NodeId, sink: &mut Sink) {
    let note = "the runtime accepts the envelope, but asserts nothing";
    let range = subject.json.range(node);
    let fix = Fix::guess("write an empty packet").replace(range, bare(subject));
    let finding = Finding::new(&NULL_MEMBER, range, "control packet is `null`").note(note).fix(fix);
    sink.push(finding.severity(Severity::Warning));
}

fn null(json: &Json<'_>, name: &str, shape: &Shape, node: NodeId, sink: &mut Sink) {
    if REPORTED_BY_OTHER_RULES.contains(&name) || sink.is_full(&NULL_MEMBER) {
        return;
    }
    let (zero, text) = match shape {
        Shape::List(_) => ("an empty list", "[]"),
        Shape::Object(_) | Shape::Map => ("an empty object", "{}"),
        Shape::Number | Shape::Count => ("0", "0"),
        Shape::Flag => ("`false`", "false"),
        _ => ("an empty text", "\"\""),
    };
    let range = json.range(node);
    let mut finding = Finding::new(&NULL_MEMBER, range, format!("runtime reads this `null` as {zero}"));
    finding.fix = match shape {
        // An object in a list has required members.
        Shape::Object(_) if name.is_empty() => json
            .problems
            .is_empty()
            .then(|| Fix::guess("delete the `null`").replace(edits::with_comma(json, range), "")),
        _ => Some(Fix::safe(format!("write {zero}")).replace(range, text)),
    };
    sink.push(finding);
}

/// Checks a value that is not `null`, and the elements of a list.
fn value(json: &Json<'_>, shape: &Shape, node: NodeId, sink: &mut Sink) {
    let kind = json.kind(node);
    let fits = match shape {
        Shape::Text => matches!(kind, JsonKind::Plain | JsonKind::Escaped),
        Shape::Number => kind == JsonKind::Number && number(json, node).is_some(),
        Shape::Flag => matches!(kind, JsonKind::Bool(_)),
        Shape::Object(_) => kind == JsonKind::Object,
        Shape::List(_) => kind == JsonKind::Array,
        Shape::Map => kind == JsonKind::Object,
        _ => true,
    };
    // PB010 or PB026 reports damaged values.
    if !fits && kind != JsonKind::Broken && !sink.is_full(&WRONG_KIND) {
        wrong(json, shape, node, sink);
    }
    match shape {
        Shape::List(of) => {
            for element in json.elements(node) {
                if json.kind(element) == JsonKind::Null {
                    null(json, "", of, element, sink);
                } else {
                    value(json, of, element, sink);
                }
            }
        }
        Shape::Map if kind == JsonKind::Object => numbers(json, node, sink),
        _ => {}
    }
}

/// Reports numbers in arguments that are too large for a float. The runtime rejects an envelope
/// with such numbers.
fn numbers(json: &Json<'_>, node: NodeId, sink: &mut Sink) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if json.kind(node) == JsonKind::Number && number(json, node).is_none() && !sink.is_full(&WRONG_KIND) {
            wrong(json, &Shape::Number, node, sink);
        }
        open.extend(json.elements(node));
        open.extend(json.members(node).map(|member| member.value));
    }
}

fn wrong(json: &Json<'_>, shape: &Shape, node: NodeId, sink: &mut Sink) {
    let range = json.range(node);
    let found = match json.kind(node) {
        JsonKind::Number => "number",
        JsonKind::Bool(_) => "boolean",
        JsonKind::Plain | JsonKind::Escaped => "string",
        JsonKind::Array => "list",
        JsonKind::Object => "object",
        JsonKind::Null | JsonKind::Broken => "null",
    };
    let wanted = match shape {
        Shape::Number | Shape::Count => "number",
        Shape::Flag => "boolean",
        Shape::Object(_) | Shape::Map => "object",
        Shape::List(_) => "list",
        _ => "string",
    };
    let pointer = shortened(&pointer(json, node));
    let message = match (json.kind(node), shape) {
        (JsonKind::Number, Shape::Number) => {
            let written = shortened(&String::from_utf8_lossy(json.raw(node)));
            format!("number `{written}` at `{pointer}` is too large for a float")
        }
        _ => format!("expected {wanted} at `{pointer}`, found {found}"),
    };
    // The range of a whole object would be too large.
    let shown = match json.kind(node) {
        JsonKind::Array | JsonKind::Object => crate::envelope::view::first_byte(range),
        _ => range,
    };
    let mut finding =
        Finding::new(&WRONG_KIND, shown, message).note("the runtime rejects the whole envelope");
    if json.problems.is_empty() {
        finding.fix = cast(json, shape, node).map(|(title, text)| Fix::safe(title).replace(range, text));
    }
    sink.push(finding);
}

/// Converts a value to the expected kind if the conversion is lossless.
fn cast(json: &Json<'_>, shape: &Shape, node: NodeId) -> Option<(&'static str, String)> {
    let raw = std::str::from_utf8(json.raw(node)).ok()?;
    let text = json.string(node);
    let is_json = |text: &str, is_kind: fn(JsonKind) -> bool| {
        let inner = Json::parse(text.as_bytes());
        inner.is_valid_to_the_end() && is_kind(inner.kind(inner.root()))
    };
    match (shape, json.kind(node), text) {
        (Shape::Number, _, Some(text)) => {
            let text = text.trim();
            let fits = is_json(text, |kind| kind == JsonKind::Number)
                && text.parse::<f64>().is_ok_and(f64::is_finite);
            fits.then(|| ("write it as a number", text.to_owned()))
        }
        (Shape::Flag, _, Some(text)) => {
            let word = text.trim().to_ascii_lowercase();
            ["true", "false"].contains(&word.as_str()).then_some(("write it without quotes", word))
        }
        (Shape::List(Shape::Text), _, Some(_)) | (Shape::List(Shape::Object(_)), JsonKind::Object, _) => {
            Some(("put it in a list", format!("[{raw}]")))
        }
        (Shape::Object(_) | Shape::Map, _, Some(text)) => is_json(&text, |kind| kind == JsonKind::Object)
            .then(|| ("take the JSON out of the string", text.into_owned())),
        (Shape::Text, JsonKind::Number | JsonKind::Bool(_), _) => Some(("write it as a string", quoted(raw))),
        _ => None,
    }
}

/// The member that suppresses findings, specific to mangle-ls.
const SILENCING: &str = "x_mangle_ls_ignore";

pub(super) fn check_keys(subject: &Subject<'_>, sink: &mut Sink) {
    for (at, (view, is_known)) in subject.views.iter().enumerate() {
        if *is_known {
            unknown_members(subject, view, at == 0, sink);
        }
    }
}

fn unknown_members(subject: &Subject<'_>, view: &View<'_>, is_top: bool, sink: &mut Sink) {
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
