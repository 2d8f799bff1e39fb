//! Rules for the values of the intent: category, verb, target, constraint, confidence. Verbs are from
//! the program or from the default taxonomy.

use crate::envelope::Sink;
use crate::envelope::atoms::{Declarations, Verb};
use crate::envelope::edits::{insert_member, quoted};
use crate::envelope::pointer::shortened;
use crate::envelope::survey::Subject;
use crate::envelope::table::Requirement;
use crate::envelope::view::View;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};
use mangle_syntax::text::{TextRange, listed, nearest};

pub(super) static INTENT_MEMBER: Rule = rule!("intent-member.md");

pub(super) static EMPTY_FILLER: Rule = rule!("empty-filler.md");

pub(super) static BARE_CATEGORY: Rule = rule!("bare-category.md");

pub(super) static BAD_CATEGORY: Rule = rule!("bad-category.md");

pub(super) static UNKNOWN_VERB: Rule = rule!("unknown-verb.md");

pub(super) static BARE_VERB: Rule = rule!("bare-verb.md");

pub(super) static VERB_CATEGORY: Rule = rule!("verb-category.md");

pub(super) static UNIT_RANGE: Rule = rule!("unit-range.md");

pub(super) static ZERO_CONFIDENCE: Rule = rule!("zero-confidence.md");

pub(super) static TARGET_ESCAPE: Rule = rule!("target-escape.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let intent = subject.control.object("intent_classification");
    if intent.exists() {
        members(subject, &intent, sink);
        fillers(subject, &intent, sink);
        category(subject, &intent, sink);
        check_verb(subject, &intent, sink);
        target(&intent, sink);
        unit(&intent, "confidence", sink);
        zero(&intent, sink);
    }
    unit(&subject.control.object("self_correction"), "confidence", sink);
}

fn is_first_version(profile: Profile) -> bool {
    matches!(profile, Profile::V1_1 | Profile::V1_1Bnf)
}

/// Returns the placeholder for a missing member.
fn filler(name: &str, intent: &View<'_>) -> &'static str {
    let category = intent.text("category").unwrap_or_default();
    match (name, category.trim_start_matches('/')) {
        ("category", _) => "\"/query\"",
        ("verb", "mutation") => "\"/fix\"",
        ("verb", "instruction") => "\"/configure\"",
        ("verb", _) => "\"/explain\"",
        ("confidence", _) => "0.5",
        _ => "\"none\"",
    }
}

fn members(subject: &Subject<'_>, intent: &View<'_>, sink: &mut Sink) {
    let is_strict = subject.context.settings.caps.strict;
    let required =
        intent.table.fields.iter().filter(|field| field.need(subject.profile) == Requirement::Required);
    let is_missing = |name: &str| {
        subject.is_whole() && !intent.contains_key(name) && intent.misspelled_key(name).is_none()
    };
    let missing: Vec<_> = required.map(|field| field.name).filter(|name| is_missing(name)).collect();
    if !missing.is_empty() && !is_strict {
        let names = listed(missing.iter().copied());
        let range = subject.control.key_range("intent_classification").unwrap_or(intent.brace());
        let mut finding = Finding::new(&INTENT_MEMBER, range, format!("intent has no {names}"))
            .note("the runtime reads a missing field as an empty text or 0");
        let inserted: Option<Vec<_>> =
            missing.iter().map(|name| insert_member(intent, name, filler(name, intent), false)).collect();
        if let Some((place, _)) = inserted.as_ref().and_then(|all| all.first().cloned()) {
            let texts: Vec<_> = inserted.into_iter().flatten().map(|(_, text)| text).collect();
            let between = if intent.entries.is_empty() { ", " } else { "" };
            let title = format!("insert {names}");
            finding.fix = Some(Fix::guess(title).replace(place, texts.join(between)));
        }
        sink.push(finding);
    }
    for name in ["category", "verb"] {
        let is_empty = intent.text(name).is_some_and(|text| text.is_empty());
        let is_null = intent.contains_key(name) && !intent.has(name);
        let is_asked = intent
            .table
            .field(name)
            .is_some_and(|field| field.need(subject.profile) == Requirement::Required);
        if let Some(range) =
            intent.value_range(name).filter(|_| (is_empty || is_null) && is_asked && !is_strict)
        {
            let finding = Finding::new(&INTENT_MEMBER, range, format!("{name} of the intent is empty"));
            sink.push(finding.note("no rule that depends on an intent fires"));
        }
    }
}

fn fillers(subject: &Subject<'_>, intent: &View<'_>, sink: &mut Sink) {
    if !matches!(subject.profile, Profile::V1_2 | Profile::V1_2Go) {
        return;
    }
    for name in ["target", "constraint"] {
        if intent.text(name).is_some_and(|text| text.is_empty())
            && let Some(range) = intent.value_range(name)
        {
            let note = format!("the profile `{}` writes `none`, which policies can match", subject.profile);
            let fix = Fix::safe("write `none`").replace(range, "\"none\"");
            let finding = Finding::new(&EMPTY_FILLER, range, format!("{name} of the intent is empty"));
            sink.push(finding.note(note).fix(fix));
        }
    }
}

fn category(subject: &Subject<'_>, intent: &View<'_>, sink: &mut Sink) {
    let (Some(category), Some(range)) = (intent.text("category"), intent.value_range("category")) else {
        return;
    };
    if category.is_empty() {
        return;
    }
    let bare = category.strip_prefix('/').unwrap_or(&category);
    if !CATEGORIES.contains(&bare) {
        let near = nearest(bare, CATEGORIES);
        let message = format!("unknown category `{}`", shortened(&category));
        let mut finding = Finding::new(&BAD_CATEGORY, range, message)
            .note("rules match only `/query`, `/mutation` and `/instruction`");
        finding.fix = near.map(|near| {
            let slash = if is_first_version(subject.profile) && bare == category { "" } else { "/" };
            Fix::guess(format!("write `{slash}{near}`")).replace(range, quoted(&format!("{slash}{near}")))
        });
        sink.push(finding);
    } else if bare == category && !is_first_version(subject.profile) {
        let message = format!("category `{bare}` is not a name constant");
        sink.push(not_a_name(Finding::new(&BARE_CATEGORY, range, message), range, bare));
    }
}

/// Adds the reason for a required slash and the fix to a finding.
fn not_a_name(finding: Finding, range: TextRange, bare: &str) -> Finding {
    let fix = Fix::safe("add the slash").replace(range, quoted(&format!("/{bare}")));
    finding.note(format!("a rule that matches `/{bare}` does not match the text `{bare}`")).fix(fix)
}

fn check_verb(subject: &Subject<'_>, intent: &View<'_>, sink: &mut Sink) {
    let (Some(verb), Some(range)) = (intent.text("verb"), intent.value_range("verb")) else { return };
    if verb.is_empty() {
        return;
    }
    let bare = verb.strip_prefix('/').unwrap_or(&verb);
    let taxonomy = Taxonomy::new(subject.context.declarations);
    let known: Vec<_> = taxonomy.named(bare).collect();
    let Some(usual) = known.first() else {
        let near = nearest(bare, taxonomy.verbs.iter().map(|verb| verb.name));
        let verb = shortened(&verb);
        let (message, note) = match taxonomy.is_own {
            true => (format!("verb `{verb}` is in no `verb_def` of the policy"), "it is routed to no shard"),
            false => (format!("verb `{verb}` is not in the taxonomy"), "no shard is responsible for it"),
        };
        let mut finding = Finding::new(&UNKNOWN_VERB, range, message).note(note);
        finding.severity = taxonomy.is_own.then_some(Severity::Warning);
        finding.fix = near
            .map(|near| Fix::guess(format!("write `/{near}`")).replace(range, quoted(&format!("/{near}"))));
        sink.push(finding);
        return;
    };
    if bare == verb && !is_first_version(subject.profile) {
        let message = format!("verb `{bare}` is not a name constant");
        sink.push(not_a_name(Finding::new(&BARE_VERB, range, message), range, bare));
    }
    let category = intent.text("category").unwrap_or_default();
    let is_other =
        |category: &str| CATEGORIES.contains(&category) && known.iter().all(|verb| verb.category != category);
    if let Some(place) = intent.value_range("category").filter(|_| is_other(category.trim_start_matches('/')))
    {
        let message = format!("usual category of `/{bare}` is `/{}`, not `{category}`", usual.category);
        let note = format!("a policy that decides by the category treats this turn as `{category}`");
        let slash = if category.starts_with('/') { "/" } else { "" };
        let new = format!("{slash}{}", usual.category);
        let fix = Fix::guess(format!("write `{new}`")).replace(place, quoted(&new));
        sink.push(Finding::new(&VERB_CATEGORY, place, message).note(note).fix(fix));
    }
}

fn target(intent: &View<'_>, sink: &mut Sink) {
    let (Some(target), Some(range)) = (intent.text("target"), intent.value_range("target")) else { return };
    if leaves_workspace(&target) {
        let finding = Finding::new(&TARGET_ESCAPE, range, "target is outside the workspace");
        sink.push(finding.note("rules about paths usually match paths relative to the workspace"));
    }
}

/// True if a path is absolute or leaves the workspace.
pub(in crate::envelope) fn leaves_workspace(path: &str) -> bool {
    let is_drive = matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    // A name such as `/auth` is not a path.
    let is_absolute =
        is_drive || path.starts_with("~/") || path.starts_with('/') && path.matches('/').count() > 1;
    is_absolute || path.contains("..") && path.split(['/', '\\']).any(|part| part == "..")
}

/// Reports a number outside of the range from 0 to 1.
fn unit(view: &View<'_>, name: &str, sink: &mut Sink) {
    let (Some(value), Some(range)) = (view.number(name), view.value_range(name)) else { return };
    if (0.0..=1.0).contains(&value) {
        return;
    }
    let percent = value > 1.0 && value <= 100.0;
    let message = format!("{name} {} is not between 0 and 1", view.number_text(name));
    let mut finding = Finding::new(&UNIT_RANGE, range, message)
        .note("the strict schema rejects it, and the runtime compares it with thresholds from 0 to 1");
    if percent {
        let scaled = format!("{}", value / 100.0);
        finding.fix = Some(Fix::guess(format!("divide it by 100: {scaled}")).replace(range, scaled));
    }
    sink.push(finding);
}

fn zero(intent: &View<'_>, sink: &mut Sink) {
    let is_zero = intent.number("confidence") == Some(0.0);
    let has_verb = intent.text("verb").is_some_and(|verb| !verb.is_empty());
    if let Some(range) = intent.value_range("confidence").filter(|_| is_zero && has_verb) {
        let finding = Finding::new(&ZERO_CONFIDENCE, range, "intent with a verb has confidence 0");
        sink.push(finding.note("the number is usually left at its default by mistake"));
    }
}

/// The categories, without slash.
pub const CATEGORIES: [&str; 3] = ["query", "mutation", "instruction"];

/// The default taxonomy.
#[rustfmt::skip] // One row a verb.
pub static VERBS: [Verb; 37] = [
    verb("review", "query", "reviewer", 100),
    verb("review_enhance", "query", "reviewer", 102),
    verb("security", "query", "reviewer", 105),
    verb("analyze", "query", "reviewer", 95),
    verb("audit", "query", "reviewer", 90),
    verb("lint", "query", "reviewer", 83),
    verb("explain", "query", "", 80),
    verb("explore", "query", "researcher", 75),
    verb("search", "query", "researcher", 85),
    verb("research", "query", "researcher", 75),
    verb("debug", "query", "coder", 92),
    verb("benchmark", "query", "tester", 80),
    verb("profile", "query", "tester", 78),
    verb("read", "query", "", 82),
    verb("stats", "query", "", 85),
    verb("help", "query", "", 60),
    verb("greet", "query", "", 50),
    verb("knowledge", "query", "", 70),
    verb("dream", "query", "", 85),
    verb("shadow", "query", "", 75),
    verb("fix", "mutation", "coder", 90),
    verb("refactor", "mutation", "coder", 88),
    verb("create", "mutation", "coder", 85),
    verb("write", "mutation", "coder", 70),
    verb("delete", "mutation", "coder", 85),
    verb("migrate", "mutation", "coder", 85),
    verb("optimize", "mutation", "coder", 86),
    verb("document", "mutation", "coder", 72),
    verb("scaffold", "mutation", "coder", 75),
    verb("format", "mutation", "coder", 70),
    verb("git", "mutation", "coder", 90),
    verb("campaign", "mutation", "coder", 95),
    verb("assault", "mutation", "", 99),
    verb("test", "mutation", "tester", 88),
    verb("init", "mutation", "researcher", 70),
    verb("generate_tool", "mutation", "tool_generator", 95),
    verb("configure", "instruction", "", 65),
];

const fn verb(name: &'static str, category: &'static str, shard: &'static str, priority: u32) -> Verb {
    Verb { name, category, shard: if shard.is_empty() { None } else { Some(shard) }, priority }
}

/// The verbs of a program: from its facts `verb_def(Verb, Category, Shard, Priority)`, or from the
/// default taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Taxonomy<'a> {
    /// The verbs that packets may use.
    pub verbs: &'a [Verb],
    /// True if the program defines the verbs.
    pub is_own: bool,
}

impl<'a> Taxonomy<'a> {
    /// Returns the taxonomy for a program with these declarations.
    #[must_use]
    pub fn new(declarations: Option<&'a Declarations>) -> Self {
        match declarations.map(Declarations::verbs).filter(|verbs| !verbs.is_empty()) {
            Some(verbs) => Self { verbs, is_own: true },
            None => Self { verbs: &VERBS, is_own: false },
        }
    }

    /// Returns the verbs with a name, without slash. A program may define a verb in several
    /// categories.
    pub fn named(self, name: &str) -> impl Iterator<Item = &'a Verb> {
        self.verbs.iter().filter(move |verb| verb.name == name)
    }
}
