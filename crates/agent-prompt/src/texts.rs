//! Built-in texts of previews.
//!
//! The wording is not copied from the runtime; previews reproduce only order, conditions and data.
//! A workspace can replace the texts (`[prompt.templates]`).

use mangle_settings::{Profile, Reasoning};
use piggyback::envelope::OPERATIONS;
use piggyback::envelope::table::CONTROL;

/// The blocks of the session section, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Block {
    /// Dream mode: no real actions are allowed.
    Dream,
    /// Build errors.
    Diagnostics,
    /// Failing tests.
    Tests,
    /// Recent findings.
    Findings,
    /// Remembered reflections.
    Reflection,
    /// Files that the change affects.
    Impacted,
    /// Dependents of the change.
    Dependencies,
    /// The state of the repository.
    Git,
    /// The campaign, its phase and its goal.
    Campaign,
    /// Results of other shards.
    Prior,
    /// Recent actions.
    Actions,
    /// Knowledge about the domain.
    Knowledge,
    /// Available tools.
    Tools,
    /// Forbidden actions and warnings.
    Safety,
    /// The summary of the conversation.
    History,
    /// The mark of a truncation.
    Cut,
    /// The rest of a block after a truncation.
    Rest,
}

impl Block {
    /// The name in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dream => "dream",
            Self::Diagnostics => "diagnostics",
            Self::Tests => "tests",
            Self::Findings => "findings",
            Self::Reflection => "reflection",
            Self::Impacted => "impacted",
            Self::Dependencies => "dependencies",
            Self::Git => "git",
            Self::Campaign => "campaign",
            Self::Prior => "prior",
            Self::Actions => "actions",
            Self::Knowledge => "knowledge",
            Self::Tools => "tools",
            Self::Safety => "safety",
            Self::History => "history",
            Self::Cut => "cut",
            Self::Rest => "rest",
        }
    }
}

/// The title of the injected context.
pub const CONTEXT_TITLE: &str = "KERNEL CONTEXT";

/// The title of specialist knowledge.
pub const KNOWLEDGE_TITLE: &str = "SPECIALIST KNOWLEDGE";

/// The envelope instructions of the newest protocol version.
pub const SUFFIX: &str = "\
== REPLY FORMAT ==
Reply with a single JSON object and nothing around it. Write \"control_packet\" first and finish it before \"surface_response\".
control_packet:
  intent_classification {category: /query | /mutation | /instruction, verb, target, constraint, confidence 0..1}
  mangle_updates       list of ground facts, each closed by a period, e.g. task_status(\"build-3\", /in_progress).
  memory_operations    list of {op: promote_to_long_term | forget | store_vector | note, key, value}
  self_correction      {triggered, hypothesis}
  reasoning_trace      how you got there
  knowledge_requests   list of {specialist | \"researcher\" | \"_any_specialist\", query, purpose, priority: required | optional}
  context_feedback     {overall_usefulness 0..1, helpful_facts, noise_facts, missing_context}
  tool_requests        list of {id, tool_name, tool_args, purpose, required}
surface_response: what the person should read.
Leave nothing out: an unused list is [], an unused text is \"\". Avoid ` $ ; | inside facts.";

/// The envelope instructions of a protocol version: [`SUFFIX`] without unsupported members.
#[must_use]
pub fn suffix(profile: Profile) -> String {
    let lines = SUFFIX.split('\n').filter_map(|line| match line.strip_prefix("  ") {
        Some(member) => member_in(member, profile).map(|member| format!("  {member}")),
        None if profile.is_control_first() => Some(line.to_owned()),
        None => Some(line.replace(CONTROL_FIRST, SURFACE_FIRST)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

const CONTROL_FIRST: &str = "Write \"control_packet\" first and finish it before \"surface_response\".";
const SURFACE_FIRST: &str = "Write \"surface_response\" first and \"control_packet\" behind it.";

/// The description of a member of the control packet in a protocol version. `None` if the version
/// lacks the member.
fn member_in(member: &str, profile: Profile) -> Option<String> {
    let name = member.split(' ').next().unwrap_or_default();
    CONTROL.fields.iter().find(|field| field.name == name && field.is_in(profile))?;
    let operations = OPERATIONS.iter().filter(|operation| operation.is_in(profile));
    let operations: Vec<_> = operations.map(|operation| operation.name).collect();
    let member =
        member.replace("promote_to_long_term | forget | store_vector | note", &operations.join(" | "));
    // Names for categories were introduced together with the leading control packet.
    let (names, words) = ("/query | /mutation | /instruction", "query | mutation | instruction");
    Some(if profile.is_control_first() { member } else { member.replace(names, words) })
}

/// The preamble if `inception` is set.
pub const INCEPTION: &str = "\
You speak on two channels at once. The visible one is a courteous conversation. The other one keeps a logic store exact.
Every answer carries both, as one JSON object; free text alone is never acceptable.
Politeness must not bend the store: when a wish cannot be met, say so kindly and record an ambiguity flag there.";

/// The reasoning request if `reasoning` is set.
#[must_use]
pub fn reasoning(wanted: Reasoning) -> &'static str {
    match wanted {
        Reasoning::Full => REASONING,
        Reasoning::Short => {
            "Add a member `reasoning`: in a few words, how you went about it and how sure you are."
        }
    }
}

const REASONING: &str = "\
== REASONS ==
Reply with a JSON object of two members.
  reasoning_trace  what was asked, how you went about it, what limited you, how sure you are and why
  result           what was asked for";

/// The built-in base for a type of shard: its name and its text. Used if neither the kernel nor a
/// corpus has a base. The type is case-sensitive.
#[must_use]
pub fn role(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "coder" => ("coder", CODER),
        "tester" => ("tester", TESTER),
        "reviewer" => ("reviewer", REVIEWER),
        "researcher" => ("researcher", RESEARCHER),
        _ => ("generic", GENERIC),
    }
}

const CODER: &str = "You write and change code. Keep behaviour outside the request intact, handle every error, follow the \
    project's idiom, return whole files, and state why each change is needed.";
const TESTER: &str = "You write and judge tests. Cover normal, edge and failing paths, never assert nothing, follow the \
    project's layout, and explain each failure.";
const REVIEWER: &str = "You review code. Report only defects you can point to by file and line, rank them, propose a \
    remedy, and separate danger from taste.";
const RESEARCHER: &str = "You gather knowledge. Cite where facts come from, check that they are current, and deliver \
    findings that can be acted on.";
const GENERIC: &str = "You are a specialist. Do the task that was given, completely, handle errors, and keep to the reply \
    format.";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_version_is_asked_for_what_it_has() {
        assert_eq!(suffix(Profile::Current), SUFFIX);
        expect![[r#"
            == REPLY FORMAT ==
            Reply with a single JSON object and nothing around it. Write "surface_response" first and "control_packet" behind it.
            control_packet:
              intent_classification {category: query | mutation | instruction, verb, target, constraint, confidence 0..1}
              mangle_updates       list of ground facts, each closed by a period, e.g. task_status("build-3", /in_progress).
              memory_operations    list of {op: promote_to_long_term | forget | archive | rehydrate, key, value}
              self_correction      {triggered, hypothesis}
            surface_response: what the person should read.
            Leave nothing out: an unused list is [], an unused text is "". Avoid ` $ ; | inside facts."#]].assert_eq(&suffix(Profile::V1_1));
        let members = |profile| suffix(profile).lines().filter(|line| line.starts_with("  ")).count();
        assert_eq!([Profile::V1_1Bnf, Profile::V1_2, Profile::V1_2Go].map(members), [2, 5, 5]);
    }
}
