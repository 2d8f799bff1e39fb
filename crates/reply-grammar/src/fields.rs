//! Fields of an envelope as sets of values. The table of fields is shared with the checks of
//! replies.

use mangle_settings::Profile;
use piggyback::envelope::table::{INTENT, MemberField, Shape, Table};
use piggyback::envelope::{CATEGORIES, MemoryOperation, OPERATIONS, Taxonomy};

use crate::expr::Expr;
use crate::policy::Policy;
use crate::term;
use crate::update::{Predicate, Updates};
use crate::value::{Member, Value};

/// The memory operation with a predicate name as key.
const FORGET: &str = "forget";

/// The inputs for the values of fields.
pub(crate) struct Fields<'p> {
    pub(crate) policy: Policy<'p>,
    pub(crate) updates: &'p Updates,
}

impl Fields<'_> {
    /// The members of an object in this version. Optional members with unknown values are omitted.
    pub(crate) fn members(&self, table: &'static Table) -> Vec<Member> {
        let of_version = table.fields.iter().filter(|field| field.is_in(self.policy.profile));
        of_version.filter_map(|field| Some(Member { name: field.name, value: self.value(field)? })).collect()
    }

    /// The values of a field; `None` for any JSON.
    pub(crate) fn value(&self, field: &MemberField) -> Option<Value> {
        match field.name {
            "mangle_updates" => Some(self.update_list()),
            "intent_classification" => Some(self.intent()),
            _ => self.of_shape(&field.shape, field.name),
        }
    }

    fn of_shape(&self, shape: &Shape, name: &str) -> Option<Value> {
        Some(match shape {
            Shape::Text => self.text(name),
            Shape::TextOrNull => Value::Nullable(Box::new(self.text(name))),
            Shape::Word(words) => Value::Words(words.iter().map(|word| (*word).to_owned()).collect()),
            // The runtime reads a confidence of zero as a missing answer.
            Shape::Number if name == "confidence" => Value::Hundredths(1),
            Shape::Number => Value::Hundredths(0),
            Shape::Count => Value::Count(self.policy.decoding.digits),
            Shape::Flag => Value::Flag,
            Shape::FlagOrNull => Value::Nullable(Box::new(Value::Flag)),
            Shape::Object(table) if name == "memory_operations" => self.memory_operation(table),
            Shape::Object(table) => Value::Object(self.members(table)),
            Shape::List(element) => {
                Value::List(Box::new(self.of_shape(element, name)?), 0, self.max_elements(name))
            }
            Shape::Map => self.map(),
            Shape::Free => return None,
        })
    }

    /// The intent, with one alternative for each category and its verbs. If a verb has an unusual
    /// category, a single alternative.
    fn intent(&self) -> Value {
        let intent = self.members(&INTENT);
        let verbs = Taxonomy::new(Some(self.policy.declarations)).verbs;
        if !verbs.iter().all(|verb| CATEGORIES.contains(&verb.category)) {
            return Value::Object(intent);
        }
        let of_category = |(word, category): (String, &str)| {
            let verbs: Vec<_> = verbs.iter().filter(|verb| verb.category == category).collect();
            let verbs: Vec<_> = verbs.iter().map(|verb| format!("/{}", verb.name)).collect();
            let members = replace_member(&intent, "category", &Value::Words(vec![word]));
            (!verbs.is_empty()).then(|| Value::Object(replace_member(&members, "verb", &Value::Words(verbs))))
        };
        let categories = categories(self.policy.profile).into_iter().zip(CATEGORIES);
        alternatives(categories.filter_map(of_category).collect())
    }

    /// A memory operation: stores a value, forgets the facts of a predicate, or has only a key.
    fn memory_operation(&self, table: &'static Table) -> Value {
        let members = self.members(table);
        let stored = replace_member(
            &members,
            "value",
            &Value::Text("filled_text", term::filled_text(self.policy.decoding.text)),
        );
        let bare = replace_member(&members, "value", &Value::Text("nothing", Expr::literal("")));
        let forgettable = self.forgettable();
        let has_forgettable = !forgettable.is_empty();
        let forgotten = replace_member(&bare, "key", &Value::Words(forgettable));
        let of_version = |is_meant: &dyn Fn(&MemoryOperation) -> bool| {
            let known = OPERATIONS.iter().filter(|one| one.is_in(self.policy.profile) && is_meant(one));
            known.map(|one| one.name.to_owned()).collect::<Vec<_>>()
        };
        let kinds = [
            (stored, of_version(&|one| one.stores)),
            (forgotten, of_version(&|one| one.name == FORGET && has_forgettable)),
            (bare, of_version(&|one| one.name != FORGET && !one.stores)),
        ];
        let kinds = kinds.into_iter().filter(|(_, operations)| !operations.is_empty());
        alternatives(
            kinds
                .map(|(members, operations)| {
                    Value::Object(replace_member(&members, "op", &Value::Words(operations)))
                })
                .collect(),
        )
    }

    /// The generated predicates that no rule uses. For `forget`, the runtime retracts all facts of
    /// the predicate in the key.
    fn forgettable(&self) -> Vec<String> {
        let is_used = |name: &str| self.policy.declarations.named(name).any(|declared| declared.is_used);
        let mut names: Vec<String> = Vec::new();
        for Predicate { name, .. } in &self.updates.predicates {
            if !is_used(name) && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The maximum number of elements of a list. Without updates, no state transitions are allowed.
    fn max_elements(&self, name: &str) -> u32 {
        let caps = &self.policy.transcripts.caps;
        let cap = match name {
            "memory_operations" => caps.memory(),
            "tool_requests" => caps.tools(),
            "knowledge_requests" => caps.knowledge(),
            "state_transitions" if self.updates.expr.is_none() => return 0,
            _ => 0,
        };
        match u32::try_from(cap) {
            Ok(cap) if cap > 0 => self.policy.decoding.elements.min(cap),
            _ => self.policy.decoding.elements,
        }
    }

    fn update_list(&self) -> Value {
        let least = u32::from(self.policy.profile == Profile::V1_1Bnf);
        match &self.updates.expr {
            Some(update) => Value::List(
                Box::new(Value::Text("update", update.clone())),
                least,
                self.policy.most_updates().max(least),
            ),
            None => Value::List(Box::new(Value::Text("text", term::any_text(0))), 0, 0),
        }
    }

    /// The arguments of a tool.
    fn map(&self) -> Value {
        let limits = self.policy.decoding;
        let scalars = vec![self.text("argument"), Value::Count(limits.digits), Value::Flag];
        Value::Map(term::word(limits.name), Box::new(Value::Scalar(scalars)), limits.elements)
    }

    /// The values of a text field.
    fn text(&self, field: &str) -> Value {
        let Policy { decoding: limits, transcripts, profile, .. } = self.policy;
        match field {
            "category" => Value::Words(categories(profile)),
            "verb" => self.verbs(),
            "priority" => words(&["required", "optional"]),
            "key" => Value::Text("memory_key", term::memory_key(limits.name)),
            "timestamp" => Value::Text("timestamp", term::timestamp()),
            "recovery_action" => Value::Text("action", term::slashed_word(limits.name)),
            "helpful_facts" | "noise_facts" => Value::Text("predicate", term::word(limits.name)),
            "from" | "to" => self.transition_end(),
            "surface_response" => Value::Text(
                "surface",
                term::filled_text(self.policy.length(limits.surface, transcripts.caps.surface())),
            ),
            "reasoning_trace" => Value::Text(
                "trace",
                term::any_text(self.policy.length(limits.text, transcripts.caps.trace())),
            ),
            "tool_name" => self.tool(),
            "specialist" => self.specialist(),
            "id" | "query" => Value::Text("filled_text", term::filled_text(limits.text)),
            _ => Value::Text("text", term::any_text(limits.text)),
        }
    }

    fn transition_end(&self) -> Value {
        let none = || term::any_text(0);
        Value::Text("update", self.updates.expr.clone().unwrap_or_else(none))
    }

    fn verbs(&self) -> Value {
        let verbs = Taxonomy::new(Some(self.policy.declarations)).verbs;
        Value::Words(verbs.iter().map(|verb| format!("/{}", verb.name)).collect())
    }

    fn tool(&self) -> Value {
        match self.policy.tools.filter(|catalogue| !catalogue.tools.is_empty()) {
            Some(catalogue) => Value::Words(catalogue.tools.keys().cloned().collect()),
            None => Value::Text("tool", term::word(self.policy.decoding.name)),
        }
    }

    fn specialist(&self) -> Value {
        match &self.policy.transcripts.specialists {
            Some(specialists) if !specialists.is_empty() => Value::Words(specialists.clone()),
            _ => Value::Text("filled_text", term::filled_text(self.policy.decoding.text)),
        }
    }
}

fn categories(profile: Profile) -> Vec<String> {
    let slash = if profile < Profile::V1_2 { "" } else { "/" };
    CATEGORIES.iter().map(|category| format!("{slash}{category}")).collect()
}

/// The members with another value for one of them.
fn replace_member(members: &[Member], name: &str, value: &Value) -> Vec<Member> {
    let replaced = |member: &Member| match member.name == name {
        true => Member { value: value.clone(), ..*member },
        false => member.clone(),
    };
    members.iter().map(replaced).collect()
}

fn alternatives(mut objects: Vec<Value>) -> Value {
    if objects.len() == 1 { objects.remove(0) } else { Value::Either(objects) }
}

fn words(of: &[&str]) -> Value {
    Value::Words(of.iter().map(|word| (*word).to_owned()).collect())
}
