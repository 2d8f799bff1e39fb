//! The set of valid envelopes: values of all fields, and constraints that no grammar enforces.

use mangle_settings::Profile;
use piggyback::envelope::secrets;
use piggyback::envelope::table::{CONTROL, ENVELOPE, MemberField, Requirement};
use thiserror::Error;

use crate::argument::UnenforcedConstraint;
use crate::expr::Expr;
use crate::fields::Fields;
use crate::policy::Policy;
use crate::update::{Omitted, Predicate, Updates};
use crate::value::{Member, Value};

/// The set of valid envelopes.
#[derive(Debug)]
pub struct EnvelopeSet {
    /// The protocol version.
    pub profile: Profile,
    /// The consumer of the updates.
    pub consumer: String,
    /// The values of the whole envelope.
    pub value: Value,
    /// The text of one update; `None` if no updates are allowed.
    pub update: Option<Expr>,
    /// The predicates of the updates, most relevant first.
    pub predicates: Vec<Predicate>,
    /// The predicates that were considered and omitted.
    pub omitted: Vec<Omitted>,
    /// The constraints that must be checked for each generated envelope.
    pub remaining: Vec<Remaining>,
}

/// The number of characters of a credential to show in an error.
const SHOWN: usize = 4;

/// The reason why no envelope is valid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EnvelopeError {
    /// The version requires an update, and no update is allowed.
    #[error("version {profile} requires an update, and consumer `{consumer}` accepts no declared predicate")]
    NoUpdate {
        /// The protocol version.
        profile: Profile,
        /// The consumer.
        consumer: String,
    },
    /// The settings name a field that the version does not have.
    #[error("version {profile} has no field `{field}`")]
    UnknownField {
        /// The protocol version.
        profile: Profile,
        /// The field, from `[decoding] fields`.
        field: String,
    },
    /// A name looks like a credential. Masking it would change the grammar.
    #[error("{what} looks like {kind}, and a grammar would show it: rename it, or use `--no-redact`")]
    Credential {
        /// The name, shortened.
        what: String,
        /// The kind of credential.
        kind: &'static str,
    },
}

impl EnvelopeSet {
    /// Checks that no name looks like a credential. Generated files must not contain credentials,
    /// and masking a name would change the grammar.
    ///
    /// # Errors
    ///
    /// [`EnvelopeError::Credential`] for the first predicate or constant that looks like a
    /// credential.
    pub fn check_names(&self) -> Result<(), EnvelopeError> {
        let predicates =
            self.predicates.iter().map(|one| ("predicate", one.name.as_str(), format!("/{}", one.arity)));
        let literals = self.update.iter().flat_map(Expr::literals);
        let constants = literals.map(|text| ("constant", text, String::new()));
        for (what, name, end) in predicates.chain(constants) {
            if let Some(found) = secrets::keys(name).first() {
                let start: String = name.get(found.range.start..).unwrap_or("").chars().take(SHOWN).collect();
                let before = name.get(..found.range.start).unwrap_or("");
                let what = format!("{what} `{before}{start}…{end}`");
                return Err(EnvelopeError::Credential { what, kind: found.kind });
            }
        }
        Ok(())
    }

    /// The envelopes that a policy allows.
    ///
    /// # Errors
    ///
    /// If no envelope is allowed, or the settings contradict the protocol version.
    pub fn from_policy(policy: &Policy<'_>) -> Result<Self, EnvelopeError> {
        let updates = Updates::from_policy(policy);
        let profile = policy.profile;
        if profile == Profile::V1_1Bnf && updates.expr.is_none() {
            return Err(EnvelopeError::NoUpdate { profile, consumer: policy.consumer().to_owned() });
        }
        check_fields(policy)?;
        let value = envelope(policy, &updates);
        let remaining = unenforced_constraints(&value, &updates);
        let Updates { expr: update, predicates, omitted, .. } = updates;
        Ok(Self {
            profile,
            consumer: policy.consumer().to_owned(),
            value,
            update,
            predicates,
            omitted,
            remaining,
        })
    }

    /// The JSON of all envelopes, without white space.
    #[must_use]
    pub fn json(&self) -> Expr {
        self.value.json("root")
    }
}

/// The envelope, with its two channels in the order of its version.
fn envelope(policy: &Policy<'_>, updates: &Updates) -> Value {
    let fields = Fields { policy: *policy, updates };
    let channel = |name: &str| {
        let field = ENVELOPE.field(name)?;
        let value = match name {
            "control_packet" => Value::Object(control(&fields)),
            _ => fields.value(field)?,
        };
        Some(Member { name: field.name, value })
    };
    let mut channels: Vec<_> =
        ["control_packet", "surface_response"].into_iter().filter_map(channel).collect();
    if !policy.profile.is_control_first() {
        channels.reverse();
    }
    Value::Object(channels)
}

fn control(fields: &Fields<'_>) -> Vec<Member> {
    let mut members = fields.members(&CONTROL);
    members.retain(|member| CONTROL.field(member.name).is_some_and(|field| is_wanted(field, &fields.policy)));
    members
}

/// The fields that are always generated, because their absence is reported in recent versions.
const ALWAYS: [&str; 3] = ["intent_classification", "mangle_updates", "memory_operations"];

/// True if a field of the control packet is generated. By default, the top-level hypothesis of 1.1
/// is omitted because the self-correction also contains it.
fn is_wanted(field: &MemberField, policy: &Policy<'_>) -> bool {
    match &policy.decoding.fields {
        _ if field.need(policy.profile) == Requirement::Required || ALWAYS.contains(&field.name) => true,
        Some(fields) => fields.iter().any(|name| name == field.name),
        None => field.name != "abductive_hypothesis",
    }
}

/// Checks that the version has all configured fields.
fn check_fields(policy: &Policy<'_>) -> Result<(), EnvelopeError> {
    let profile = policy.profile;
    let is_known = |name: &str| CONTROL.field(name).is_some_and(|field| field.is_in(profile));
    let unknown = policy.decoding.fields.iter().flatten().find(|name| !is_known(name));
    unknown.map_or(Ok(()), |field| Err(EnvelopeError::UnknownField { profile, field: field.clone() }))
}

/// A constraint that must be checked for each envelope of a grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remaining {
    /// The unenforced constraint, as a sentence without a period.
    pub what: String,
    /// The code of the rule that checks the constraint.
    pub rule: &'static str,
}

impl Remaining {
    pub(crate) fn new(what: impl Into<String>, rule: &'static str) -> Self {
        Self { what: what.into(), rule }
    }
}

/// The unenforced constraints of these fields.
const OF_FIELDS: [(&str, &str, &str); 10] = [
    ("mangle_updates", "an update may occur twice", "PB227"),
    ("mangle_updates", "updates may have no reasoning trace", "PB130"),
    ("surface_response", "the surface may repeat parts of the control packet", "PB138"),
    ("verb", "a category may not fit its verb", "PB133"),
    ("triggered", "a self-correction may have a hypothesis without being triggered, or none", "PB401"),
    ("memory_operations", "operations on one key may contradict each other", "PB309"),
    ("tool_requests", "ids of tool requests may be equal", "PB420"),
    ("tool_args", "keys of `tool_args` may be equal", "PB012"),
    ("tool_args", "arguments that a tool requires may be missing", "PB423"),
    ("helpful_facts", "context feedback may name predicates that do not exist", "PB441"),
];

/// The unenforced constraints of a set of envelopes.
fn unenforced_constraints(envelope: &Value, updates: &Updates) -> Vec<Remaining> {
    let mut names = Vec::new();
    collect(envelope, &mut names);
    let fields = OF_FIELDS.iter().filter(|(field, ..)| names.contains(field));
    let mut all: Vec<_> = fields.map(|(_, what, rule)| Remaining::new(*what, rule)).collect();
    all.extend(updates.gaps.iter().map(|(gap, predicate)| {
        let name = format!("`{}/{}`", predicate.name, predicate.arity);
        let what = match gap {
            UnenforcedConstraint::ManyNames => {
                format!("{name} may have names that its declaration does not list")
            }
            UnenforcedConstraint::Flips => {
                format!("the runtime stores some arguments of {name} as values of another kind")
            }
            UnenforcedConstraint::Parts => {
                format!("some values of the declared types of {name} are not generated")
            }
        };
        Remaining::new(what, gap.rule())
    }));
    all
}

/// Collects the names of all fields. Verbs that are split by category are omitted.
fn collect(value: &Value, names: &mut Vec<&'static str>) {
    match value {
        Value::Either(values) => {
            values.iter().for_each(|value| collect(value, names));
            names.retain(|name| *name != "verb");
        }
        Value::Object(members) => members.iter().for_each(|Member { name, value }| {
            names.push(name);
            collect(value, names);
        }),
        Value::List(_, _, 0) => {}
        Value::List(inner, ..) | Value::Nullable(inner) => collect(inner, names),
        _ => {}
    }
}
