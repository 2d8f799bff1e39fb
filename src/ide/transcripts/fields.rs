//! Documentation of envelope members, including their treatment by the runtime.

use super::outline::is_key;
use crate::ide::markup::Markup;
use mangle_settings::Profile;
use piggyback::envelope::table::{ENVELOPE, Requirement, Shape, Table};
use piggyback::envelope::{CATEGORIES, OPERATIONS, VERBS, Verb};

/// A known member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    /// Keys from the outermost object, without array indexes.
    path: &'static [&'static str],
    /// Purpose of the member, and its treatment by the runtime.
    says: &'static str,
}

/// Maximum depth of known members.
pub(super) const DEEPEST: usize = 3;

macro_rules! fields {
    ($($($key:literal).+ => $says:literal,)*) => { &[$(Field { path: &[$($key),+], says: $says }),*] };
}

/// Known members.
#[rustfmt::skip] // One row a member.
static FIELDS: &[Field] = fields! {
    "control_packet" => "What the kernel is told. The runtime reads it; without it the packet is empty.",
    "surface_response" => "What a person is shown. The runtime refuses an envelope in which it is empty or missing.",
    "piggyback_version" => "The version of the protocol. The runtime passes it over; this tool judges the envelope by it.",
    "control_packet"."intent_classification" => "What is to be done. In strict mode the runtime refuses an envelope without a category and a verb.",
    "control_packet"."mangle_updates" => "Atoms for the kernel. Each passes two filters; what is left is asserted.",
    "control_packet"."memory_operations" => "What is to be remembered and forgotten. The runtime reads a limited number of them.",
    "control_packet"."self_correction" => "The model takes something back. The runtime counts it and warns; nothing else follows.",
    "control_packet"."reasoning_trace" => "What the model thought. The runtime keeps it, cut where it is too long.",
    "control_packet"."knowledge_requests" => "Questions to specialists. They are asked side by side, and the model is called again.",
    "control_packet"."context_feedback" => "What the model thinks of its context. The runtime raises or lowers the rating of each predicate.",
    "control_packet"."tool_requests" => "Tools that are to be run. The runtime runs those that are allowed and permitted.",
    "control_packet"."abductive_hypothesis" => "A guess that would explain what went wrong. Only 1.1 has it here; the runtime passes it over.",
    "control_packet"."execution_metadata" => "How the shard ran. The runtime passes it over.",
    "control_packet"."state_transitions" => "Which facts became which. The runtime passes it over.",
    "control_packet"."impact_analysis" => "What the change touches. The runtime passes it over.",
    "control_packet"."safety_gates" => "What was asked for and refused. The runtime passes it over.",
    "control_packet"."learning_signals" => "What is to be learned. The runtime passes it over.",
    "control_packet"."dependencies_added" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."security_review" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."performance_profile" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."test_coverage_delta" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."git_metadata" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."collaboration_hints" => "Planned for 1.3. The runtime passes it over.",
    "control_packet"."intent_classification"."category" => "`/query`, `/mutation` or `/instruction`.",
    "control_packet"."intent_classification"."verb" => "What is to be done, a name. It chooses the shard.",
    "control_packet"."intent_classification"."target" => "What it is done to; may be empty.",
    "control_packet"."intent_classification"."constraint" => "Under which condition; may be empty.",
    "control_packet"."intent_classification"."confidence" => "How sure the model is, from 0 to 1.",
    "control_packet"."memory_operations"."op" => "Which operation.",
    "control_packet"."memory_operations"."key" => "What it is about: `namespace:item`; for `forget` the name of a predicate.",
    "control_packet"."memory_operations"."value" => "What is to be remembered.",
    "control_packet"."self_correction"."triggered" => "Whether the model takes something back. Missing, it is false.",
    "control_packet"."self_correction"."hypothesis" => "What it thinks went wrong.",
    "control_packet"."tool_requests"."id" => "Its name in this packet.",
    "control_packet"."tool_requests"."tool_name" => "The tool.",
    "control_packet"."tool_requests"."tool_args" => "The arguments. Numbers become floating-point numbers.",
    "control_packet"."tool_requests"."purpose" => "What for.",
    "control_packet"."tool_requests"."required" => "Whether nothing goes on without it.",
    "control_packet"."knowledge_requests"."specialist" => "Who is asked.",
    "control_packet"."knowledge_requests"."query" => "What is asked.",
    "control_packet"."knowledge_requests"."purpose" => "What for.",
    "control_packet"."knowledge_requests"."priority" => "`required` or `optional`. The runtime does not look at it.",
    "control_packet"."context_feedback"."overall_usefulness" => "From 0 to 1.",
    "control_packet"."context_feedback"."helpful_facts" => "Predicates that helped. Their rating rises.",
    "control_packet"."context_feedback"."noise_facts" => "Predicates that did not help. Their rating falls.",
    "control_packet"."context_feedback"."missing_context" => "What was missing.",
};

/// Returns the member at a path.
pub(super) fn find(path: &[&str]) -> Option<&'static Field> {
    let is_it = |field: &&Field| {
        field.path.len() == path.len() && field.path.iter().zip(path).all(|(name, key)| is_key(key, name))
    };
    FIELDS.iter().find(is_it)
}

pub(super) fn says(field: &Field) -> &'static str {
    field.says
}

/// Returns the hover of a member.
pub(super) fn markup(field: &Field) -> Markup {
    let name = field.path.last().copied().unwrap_or_default();
    Markup::default().text(format!("`{name}`")).text(field.says).text(needs(field.path))
}

/// Lists the profiles with a member, and its requirement level.
fn needs(path: &[&str]) -> String {
    let Some((last, before)) = path.split_last() else { return String::new() };
    let mut table: &'static Table = &ENVELOPE;
    for key in before {
        match table.find(key).map(|(field, _)| field.shape) {
            Some(Shape::Object(inner)) => table = inner,
            Some(Shape::List(Shape::Object(inner))) => table = *inner,
            _ => return String::new(),
        }
    }
    let Some((field, _)) = table.find(last) else { return String::new() };
    let word = |profile: &Profile| {
        let need = match field.need(*profile) {
            Requirement::Required => "required",
            Requirement::Recommended => "recommended",
            Requirement::Optional => "optional",
            Requirement::Schema => "required by the strict schema",
            Requirement::Unknown => return None,
        };
        Some(format!("{profile} {need}"))
    };
    let known: Vec<_> = Profile::ALL.iter().filter_map(word).collect();
    format!("Profiles: {}.", known.join(", "))
}

/// Lists the profiles selected by `has`.
fn profiles(has: impl Fn(Profile) -> bool) -> String {
    let known: Vec<_> =
        Profile::ALL.iter().filter(|profile| has(**profile)).map(|one| one.as_str()).collect();
    format!("Profiles: {}.", known.join(", "))
}

/// Returns the hover of an enumerated value.
pub(super) fn word(path: &[&str], value: &str) -> Option<Markup> {
    let (last, before) = path.split_last()?;
    let parent = before.last()?;
    if is_key(last, "verb") && is_key(parent, "intent_classification") {
        let name = value.strip_prefix('/').unwrap_or(value);
        let verb: &Verb = VERBS.iter().find(|verb| verb.name == name)?;
        let shard = verb.shard.map_or_else(|| "no shard".to_owned(), |shard| format!("shard `{shard}`"));
        let says = format!("Category `/{}`, {shard}, priority {}.", verb.category, verb.priority);
        return Some(Markup::default().text(format!("Verb `/{}`", verb.name)).text(says));
    }
    if is_key(last, "op") && is_key(parent, "memory_operations") {
        let operation = OPERATIONS.iter().find(|operation| operation.name == value)?;
        let title = format!("Memory operation `{}`: {}.", operation.name, operation.effect);
        return Some(Markup::default().text(title).text(profiles(|profile| operation.is_in(profile))));
    }
    let is_category = is_key(last, "category") && is_key(parent, "intent_classification");
    let name = value.strip_prefix('/').unwrap_or(value);
    (is_category && CATEGORIES.contains(&name)).then(|| {
        let says = match name {
            "query" => "Something is to be found out; nothing changes.",
            "mutation" => "Something is to be changed.",
            _ => "The agent is to behave differently from now on.",
        };
        Markup::default().text(format!("Category `/{name}`")).text(says)
    })
}

/// Returns the names of all members of the object at a path.
#[cfg(test)]
pub(super) fn names(path: &[&str]) -> Vec<&'static str> {
    let inside =
        FIELDS.iter().filter(|field| field.path.len() == path.len() + 1 && field.path.starts_with(path));
    inside.filter_map(|field| field.path.last().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_found_whatever_its_case() {
        assert!(find(&["Control_Packet", "mangle_updates"]).is_some());
        assert!(find(&["mangle_updates"]).is_none());
        assert!(names(&["control_packet"]).len() > 15);
        assert!(FIELDS.iter().all(|field| field.path.len() <= DEEPEST && field.says.ends_with('.')));
    }
}
