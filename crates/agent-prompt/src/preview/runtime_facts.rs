//! Facts that the runtime asserts in the kernel of a preview: the active shard, the user's intent, the
//! budget, and the situation of the prompt compiler. Facts that already exist are not added.
//!
//! Sticky previews show the consequences for later prompts: they are compiled one after the other in a
//! kernel that is never cleaned, and each compilation sees the situations, atoms and search hits of earlier
//! compilations.

use std::sync::Arc;

use super::preview_facts::PreviewFacts;
use super::{PreviewState, PreviewedPrompt};
use crate::answers::KernelAnswers;
use crate::context::DerivedContext;
use crate::jit::Residue;
use crate::origin::FactOriginKind;
use crate::sections::Mode;
use mangle_engine::kernel::{Fact, ValueId, Values};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::text::Symbol;

/// A fact to add: its predicate and its arguments.
type SyntheticFact = (&'static str, Vec<Value>);

enum Value {
    Text(String),
    Name(String),
    Number(i64),
}

impl Value {
    /// A name if the text starts with `/`, like the runtime.
    fn name_or_text(text: &str) -> Self {
        if text.len() > 1 && text.starts_with('/') {
            Self::Name(text.to_owned())
        } else {
            Self::Text(text.to_owned())
        }
    }

    fn intern(&self, values: &mut Values) -> ValueId {
        match self {
            Self::Text(text) => values.string(text),
            Self::Name(name) => values.name(name),
            Self::Number(number) => values.number(*number),
        }
    }
}

/// Adds the facts of a shard.
pub(super) fn add_synthetic(given: &mut PreviewFacts, common: &PreviewState, shown: &mut PreviewedPrompt) {
    let program = &common.evaluated;
    let wishes = synthetic_facts(shown);
    let values = shown.kernel.values();
    for (name, args) in wishes {
        let key =
            PredicateKey { name: Symbol::new(name), arity: u16::try_from(args.len()).unwrap_or(u16::MAX) };
        let Some(predicate) = program.id(key) else { continue };
        let tuple: Box<[ValueId]> = args.iter().map(|value| value.intern(values)).collect();
        let Some(&first) = tuple.first() else { continue };
        if !given.has_first(predicate, first) && !states(common, predicate, first) {
            given.add(predicate, key.name, tuple, FactOriginKind::Synthetic, None, values);
        }
    }
}

/// Adds the situation facts of the prompt compiler, for example `compile_context(/shard_type,
/// /coder)`.
pub(super) fn add_situation(given: &mut PreviewFacts, common: &PreviewState, shown: &mut PreviewedPrompt) {
    let key = PredicateKey { name: Symbol::new(SITUATION), arity: 2 };
    let Some(predicate) = common.evaluated.id(key) else { return };
    let facts = situation(&shown.derived);
    let values = shown.kernel.values();
    for (dimension, value) in facts {
        let tuple = Box::new([values.name(dimension), value.intern(values)]);
        given.add(predicate, key.name, tuple, FactOriginKind::Synthetic, None, values);
    }
}

/// The predicates of the runtime that are used but not declared, each with the synthetic fact.
#[must_use]
pub fn undeclared_of_runtime(
    common: &PreviewState,
    shown: &PreviewedPrompt,
) -> Vec<(&'static str, Option<String>)> {
    let situation = (SITUATION, 2);
    let of_shard = synthetic_facts(shown).into_iter().map(|(name, args)| (name, args.len()));
    let used = |&(name, arity): &(&str, usize)| {
        let key = PredicateKey { name: Symbol::new(name), arity: u16::try_from(arity).unwrap_or(u16::MAX) };
        let predicate = common.evaluated.predicate(key);
        predicate.is_some_and(|found| found.signature.declared.is_none() && !found.signature.host)
    };
    let used = of_shard.chain([situation]).filter(used);
    used.map(|(name, _)| (name, shown.given.synthetic(name).map(str::to_owned))).collect()
}

/// The predicate of the situation: dimension, value.
const SITUATION: &str = "compile_context";

/// The values of the situation by dimension. Empty values are omitted.
fn situation(derived: &DerivedContext) -> Vec<(&'static str, Value)> {
    let one = [
        ("/operational_mode", derived.operational_mode),
        ("/campaign_phase", &derived.campaign_phase),
        ("/build_layer", &derived.build_layer),
        ("/init_phase", &derived.init_phase),
        ("/northstar_phase", &derived.northstar_phase),
        ("/ouroboros_stage", &derived.ouroboros_stage),
        ("/intent_verb", &derived.intent_verb),
        ("/shard_type", &derived.shard_type),
        ("/language", &derived.language),
    ];
    let several = derived.frameworks.iter().map(|name| ("/framework", name.as_str()));
    let said = one.into_iter().chain(several).filter(|(_, value)| !value.is_empty());
    let said = said.map(|(dimension, value)| (dimension, Value::name_or_text(value)));
    let states = derived.world_states.iter().map(|state| ("/world_state", Value::Text((*state).to_owned())));
    said.chain(states).collect()
}

/// True if a clause outside of the sample's plain facts states a fact with this first argument.
fn states(common: &PreviewState, predicate: PredicateId, first: ValueId) -> bool {
    let is_it = |fact: &&Fact| fact.predicate == predicate && fact.tuple.first() == Some(&first);
    common.compiled.facts().iter().filter(is_it).any(|fact| !common.is_of_sample(fact.rule))
}

fn synthetic_facts(shown: &PreviewedPrompt) -> Vec<SyntheticFact> {
    let context = &shown.request.context;
    let id = || Value::Text(context.shard_id.clone());
    let mut wishes = vec![
        ("active_shard", vec![id(), Value::Name(format!("/{}", context.shard_type.trim_start_matches('/')))]),
        ("context_budget", vec![id(), Value::Number(i64::from(shown.derived.available()))]),
    ];
    if let Some(intent) = &context.intent {
        let said = [&intent.category, &intent.verb, &intent.target, &intent.constraint];
        let mut args = vec![Value::Name("/current_intent".to_owned())];
        args.extend(said.iter().map(|said| Value::name_or_text(said.as_str())));
        wishes.push(("user_intent", args));
    }
    wishes
}

/// The effects of earlier compilations on a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StickyChanges {
    /// The names of the earlier previews.
    pub after: Vec<String>,
    /// The atoms that are included because of earlier compilations.
    pub gained: Vec<String>,
    /// The atoms that are excluded because of earlier compilations.
    pub lost: Vec<String>,
}

/// Assembles prompts again, each with the residue of earlier compilations.
pub(super) fn stick(common: &PreviewState, all: &mut [PreviewedPrompt]) {
    if !common.settings.sticky {
        return;
    }
    let (mut left, mut after) = (Residue::default(), Vec::new());
    for shown in all.iter_mut() {
        let Some(compiler) = common.compiler(&shown.request) else { continue };
        if shown.prompt.mode != Mode::Jit {
            continue;
        }
        if !after.is_empty() {
            let alone = atoms(shown);
            shown.left = left.clone();
            let mut querier = KernelAnswers::new(
                &common.evaluated,
                &common.compiled,
                shown.kernel.model(),
                &shown.marks,
                common.settings.order,
            );
            shown.prompt = common.assembled(shown, &mut querier);
            let together = atoms(shown);
            let without = |one: &[String], other: &[String]| {
                one.iter().filter(|id| !other.contains(id)).cloned().collect()
            };
            let (gained, lost) = (without(&together, &alone), without(&alone, &together));
            shown.sticky_changes = Some(StickyChanges { after: Vec::clone(&after), gained, lost });
        }
        let model = shown.kernel.model();
        let mut querier = KernelAnswers::new(
            &common.evaluated,
            &common.compiled,
            model,
            &shown.marks,
            common.settings.order,
        );
        compiler.add_residue(&shown.request.context, &shown.derived, &mut querier, &mut left);
        after.push(shown.request.name.clone());
    }
}

fn atoms(shown: &PreviewedPrompt) -> Vec<String> {
    let Some(made) = shown.prompt.compilation.as_ref() else { return Vec::new() };
    let atoms = made.included.iter().filter_map(|at| made.atoms.get(*at).map(Arc::as_ref));
    atoms.map(|atom| atom.id.text.clone()).collect()
}
