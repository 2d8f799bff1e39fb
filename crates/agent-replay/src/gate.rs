//! Request gate: each request is asserted, judged and retracted.

use super::constitution::{Constitution, find, text};
use super::facts;
use super::origins::{Origins, ReplyFact};
use super::turn::{Authority, Reliance, Verdict};
use mangle_engine::kernel::{
    Clock, Datum, Fact, Ground, Kernel, Miss, Model, Obstacle, Proof, Relation, RuleId, Stop, StopReason,
    ValueId,
};
use mangle_engine::program::PredicateId;
use mangle_settings::Runtime;
use mangle_syntax::text::Cancel;
use piggyback::envelope::runtime::{self, GateCall, Tool, is_constant, lower_case};

/// The maximum number of facts to show against a request.
const MAX_REASONS: usize = 3;

/// The prefix of the reason of each permission.
pub(super) const PERMITTED: &str = "permitted by the constitution";

/// The prefix of the note about negations that the engine ignores in the proof of a permission.
pub(super) const IGNORES: &str = "the engine ignores ";

/// The actions with network access.
const NETWORK: [&str; 3] = ["/network", "/fetch", "/browse"];

/// A request in the form that the gate judges.
#[derive(Debug, Clone)]
pub(super) struct GateRequest {
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) action: String,
    pub(super) target: String,
    pub(super) payload: String,
    /// The reason why the runtime rejects the command of the request.
    pub(super) shell: Option<String>,
    /// The action and the reason of a denial before the rules are evaluated.
    pub(super) denied: Option<(String, String)>,
}

impl GateRequest {
    pub(super) fn new(index: usize, tool: &Tool, runtime: Runtime) -> Self {
        let GateCall { id, action, target, payload, denied } = GateCall::new(tool, runtime);
        let shell =
            runtime.shell_effects.then(|| runtime::shell_refusal(&tool.name, tool.args.as_ref())).flatten();
        Self { index, id, action, target, payload, shell, denied }
    }

    /// The leading arguments of a permission.
    pub(super) fn texts(&self) -> [&str; 3] {
        [&self.action, &self.target, &self.payload]
    }

    /// The action and the reason in a denial of the request.
    pub(super) fn denial_of(&self) -> (String, String) {
        let usual = || (self.action.clone(), format!("action not permitted: target={}", self.target));
        self.denied.clone().unwrap_or_else(usual)
    }

    /// The rejection by the runtime before any rule is evaluated.
    fn refusal(&self) -> Option<(Authority, String)> {
        let shell = self.shell.clone().map(|why| (Authority::Gate, why));
        shell.or_else(|| self.denied.clone().map(|(_, why)| (Authority::Filter, why)))
    }

    /// A denial without an evaluation.
    pub(super) fn refused(self, why: &str) -> Verdict {
        self.verdict(false, Authority::Constitution, why)
    }

    fn verdict(self, is_permitted: bool, lock: Authority, why: impl Into<String>) -> Verdict {
        let Self { index, id, action, target, payload, .. } = self;
        Verdict {
            index: Some(index),
            place: None,
            id,
            action,
            target,
            payload,
            is_permitted,
            lock,
            why: why.into(),
            because: Vec::new(),
            why_not: Vec::new(),
            rule: None,
            store: None,
            appeal: None,
            is_lifted: false,
            reliance: Reliance::default(),
        }
    }
}

/// Judges requests against the kernel.
pub(super) struct Gate<'a> {
    pub(super) constitution: &'a Constitution,
    pub(super) kernel: &'a mut Kernel,
    pub(super) clock: Clock,
    pub(super) cancel: &'a Cancel,
    pub(super) turn: u64,
    pub(super) origins: &'a mut Origins,
}

impl Gate<'_> {
    /// Judges a request. The request stays asserted until [`Gate::retract`] is called. `None` if no
    /// rule permits requests and nothing blocks this request.
    pub(super) fn judge(&mut self, request: GateRequest, asserted: &mut Option<Fact>) -> Option<Verdict> {
        if let Some((lock, why)) = request.refusal() {
            return Some(request.verdict(false, lock, why));
        }
        let pending = self.pending(&request);
        let (Some(fact), true) = (pending, is_constant(&request.action)) else {
            if !self.constitution.permits {
                return None;
            }
            let why = match self.constitution.roles.pending {
                Some(_) => format!("`{}` is not a name, so the request reaches no rule", request.action),
                None => "the policy has no predicate for pending requests".to_owned(),
            };
            return Some(request.verdict(false, Authority::Filter, why));
        };
        let compiled = std::sync::Arc::clone(self.kernel.compiled());
        let shown = self.kernel.model().fact(&compiled, fact.predicate, &fact.tuple);
        self.origins.record_request(shown, &fact, self.turn);
        self.kernel.assert(&fact);
        self.kernel.evaluate(self.constitution.limits, self.clock, self.cancel);
        // The runtime retracts requests only after a successful evaluation. Other requests stay,
        // and every later evaluation fails.
        if let Some(stop) = &self.kernel.model().stopped {
            let why = format!("the evaluation stopped: {}", stop.reason);
            return Some(Verdict { rule: stop.rule, ..request.verdict(false, Authority::Constitution, why) });
        }
        *asserted = Some(fact);
        self.gated(request)
    }

    /// Judges an asserted request: first by the gate before the constitution, then by the
    /// constitution.
    fn gated(&mut self, request: GateRequest) -> Option<Verdict> {
        let Some(why) = self.second_gate(&request) else { return self.constitutional(request, None) };
        match self.appeal(&request.action) {
            None => Some(request.verdict(false, Authority::Gate, why)),
            // The constitution must also permit the action. In the runtime, both have to agree.
            Some((appeal, number)) => {
                let model = self.kernel.model_mut();
                let proof = model.explain(&self.constitution.compiled, self.clock, appeal, number);
                let fact = proof.nodes.first().map(|node| node.fact.clone());
                let mut verdict = self.constitutional(request, Some(proof))?;
                if verdict.is_permitted {
                    verdict.why.push_str("; an appeal overrides the gate, which rejects it");
                }
                Some(Verdict { appeal: fact, ..verdict })
            }
        }
    }

    /// Retracts a request and all asserted requests with the same id. Takes effect at the next
    /// evaluation.
    pub(super) fn retract(&mut self, request: &Fact) {
        let compiled = std::sync::Arc::clone(self.kernel.compiled());
        let model = self.kernel.model();
        let id = |tuple: &[ValueId]| tuple.first().and_then(|id| text(model, *id)).map(str::to_owned);
        let wanted = id(&request.tuple);
        let is_asserted = |number: u32| {
            let reason = model.derivation(request.predicate, number);
            reason.is_some_and(|reason| reason.rule == RuleId::ASSERTED)
        };
        let relation = model.relation(request.predicate).into_iter();
        let all = (0u32..).zip(relation.flat_map(Relation::tuples));
        let gone = all.filter(|(number, tuple)| is_asserted(*number) && id(tuple) == wanted);
        let gone: Vec<Box<[ValueId]>> = gone.map(|(_, tuple)| tuple.into()).collect();
        for tuple in gone {
            self.origins.mark_retracted(self.kernel.model().fact(&compiled, request.predicate, &tuple));
            self.kernel.retract(request.predicate, &tuple);
        }
    }

    /// The request as a fact.
    fn pending(&mut self, request: &GateRequest) -> Option<Fact> {
        let predicate = self.constitution.roles.pending?;
        let values = self.kernel.values();
        let args = vec![
            facts::value(values, &request.id),
            values.name(&request.action),
            facts::value(values, &request.target),
            values.string(&request.payload),
            values.number(self.clock.now_ns.div_euclid(1_000_000_000)),
        ];
        Some(facts::asserted(values, &self.constitution.program, predicate, args))
    }

    /// The reason for a rejection by the gate before the constitution.
    pub(super) fn second_gate(&self, request: &GateRequest) -> Option<String> {
        let constitution = self.constitution;
        if let Some((pattern, _)) =
            constitution.patterns.iter().find(|(_, regex)| regex.is_match(&request.target))
        {
            return Some(format!("the gate rejects targets that match `{pattern}`"));
        }
        let target = lower_case(&request.target);
        let is_known = |domain: &String| target.contains(&lower_case(domain));
        let goes_out = NETWORK.contains(&request.action.as_str());
        (goes_out && !constitution.settings.domains.iter().any(is_known))
            .then(|| "the gate's list of domains lacks that of the target".to_owned())
    }

    /// The fact of a granted and unexpired appeal for an action.
    ///
    /// Forms: `has_active_override(Action)`, or `active_override(Action, Approver, ExpiresAt)` with
    /// a future time in seconds.
    pub(super) fn appeal(&self, action: &str) -> Option<(PredicateId, u32)> {
        let (constitution, model) = (self.constitution, self.kernel.model());
        let now = self.clock.now_ns.div_euclid(1_000_000_000);
        let lifts = |(_, tuple): &(u32, &[ValueId])| {
            let [of, rest @ ..] = *tuple else { return false };
            let of = text(model, *of);
            let is_over = |end: &ValueId| matches!(model.values.get(*end), Datum::Number(end) if *end <= now);
            of.is_some()
                && (of == Some(action) || of == action.strip_prefix('/'))
                && !rest.get(1).is_some_and(is_over)
        };
        constitution.roles.appeals.iter().find_map(|appeal| {
            let (number, _) = (0u32..).zip(model.relation(*appeal)?.tuples()).find(lifts)?;
            Some((*appeal, number))
        })
    }

    /// The verdict of the constitution. `appeal` is the proof of the appeal that overrides the
    /// gate.
    fn constitutional(&mut self, request: GateRequest, appeal: Option<Proof>) -> Option<Verdict> {
        let texts = request.texts();
        let permit = self.constitution.roles.permit;
        let found = permit.and_then(|permit| Some((permit, find(self.kernel.model(), permit, &texts)?)));
        match found {
            Some((permit, number)) => Some(self.permitted(request, permit, number, appeal)),
            None => {
                let denied = self.denied(request);
                (self.constitution.permits || !denied.because.is_empty()).then_some(denied)
            }
        }
    }

    fn permitted(
        &mut self,
        request: GateRequest,
        permit: PredicateId,
        number: u32,
        appeal: Option<Proof>,
    ) -> Verdict {
        let compiled = &self.constitution.compiled;
        let proof = self.kernel.model_mut().explain(compiled, self.clock, permit, number);
        let mut why = PERMITTED.to_owned();
        if let Some(dropped) = dropped(&proof) {
            why = format!("{PERMITTED}, in which {IGNORES}`{dropped}`");
        }
        why.push_str(&in_store(proof.store));
        let reliance = self.reliance(&request, &proof, appeal);
        let is_lifted = self.depends_on_override(&proof, permit, number);
        Verdict {
            rule: proof.nodes.first().map(|node| node.rule),
            store: proof.store,
            because: vec![proof],
            is_lifted,
            reliance,
            ..request.verdict(true, Authority::Constitution, why)
        }
    }

    /// True if all proofs of a permission contain an override.
    fn depends_on_override(&mut self, proof: &Proof, permit: PredicateId, number: u32) -> bool {
        let constitution = self.constitution;
        let names: Vec<_> =
            constitution.roles.overrides.iter().map(|role| constitution.compiled.name(*role)).collect();
        let begins =
            |fact: &str, name: &str| fact.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
        let lifts = |proof: &Proof| {
            proof.nodes.iter().any(|node| names.iter().any(|name| begins(&node.fact, name.as_str())))
        };
        lifts(proof) && {
            let model = self.kernel.model_mut();
            let others = model.other_proofs(&constitution.compiled, self.clock, permit, number, MAX_REASONS);
            others.iter().all(lifts)
        }
    }

    pub(super) fn denied(&mut self, request: GateRequest) -> Verdict {
        let compiled = &self.constitution.compiled;
        let because = self.reasons(&[request.id.as_str(), request.action.as_str()]);
        let mut why_not = Vec::new();
        if let Some(permit) = self.constitution.roles.permit {
            let values = self.kernel.values();
            let wanted = [
                Some(values.name(&request.action)),
                Some(facts::value(values, &request.target)),
                Some(values.string(&request.payload)),
            ];
            why_not = self.kernel.model_mut().why_not(compiled, self.clock, permit, &wanted);
            // Rules for other actions are irrelevant.
            why_not.retain(|miss| !matches!(miss.obstacle, Obstacle::Head { argument: 0, .. }));
        }
        let said = because.iter().find_map(|(_, words)| words.clone());
        let why = match (said, because.first()) {
            (Some(words), _) => words,
            (None, Some((proof, _))) => {
                format!("the policy derives {}{}", head(proof), in_store(proof.store))
            }
            (None, None) => nearest(&why_not),
        };
        let because: Vec<Proof> = because.into_iter().map(|(proof, _)| proof).collect();
        let rule = because.first().and_then(|proof| proof.nodes.first()).map(|node| node.rule);
        let store = because.first().and_then(|proof| proof.store);
        Verdict { because, why_not, rule, store, ..request.verdict(false, Authority::Constitution, why) }
    }

    /// The facts of the policy against a request that contain one of these texts: proofs, with a
    /// human-readable reason if present.
    fn reasons(&mut self, about: &[&str]) -> Vec<(Proof, Option<String>)> {
        let constitution = self.constitution;
        let mut found: Vec<(PredicateId, u32, Option<String>)> = Vec::new();
        for predicate in constitution.roles.deny.iter().chain(&constitution.roles.block) {
            let model = self.kernel.model();
            let Some(relation) = model.relation(*predicate) else { continue };
            let is_about = |tuple: &[ValueId]| {
                let mut texts = tuple.iter().filter_map(|value| text(model, *value));
                texts.any(|text| !text.is_empty() && about.contains(&text))
            };
            let numbered = (0u32..).zip(relation.tuples()).filter(|(_, tuple)| is_about(tuple));
            found.extend(numbered.map(|(number, tuple)| (*predicate, number, words(model, tuple, about))));
        }
        // Facts with a human-readable reason come first.
        found.sort_by_key(|(_, _, words)| words.is_none());
        found.truncate(2 * MAX_REASONS);
        let model = self.kernel.model_mut();
        let explain = |(predicate, number, words)| {
            (model.explain(&constitution.compiled, self.clock, predicate, number), words)
        };
        let mut all: Vec<(Proof, Option<String>)> = Vec::new();
        for (proof, words) in found.into_iter().map(explain) {
            let head = proof.nodes.first().map(|node| &node.fact);
            // A fact inside another proof is not repeated.
            let is_told =
                all.iter().any(|(other, _)| other.nodes.iter().any(|node| Some(&node.fact) == head));
            if !is_told {
                all.push((proof, words));
            }
        }
        all.truncate(MAX_REASONS);
        all
    }
}

/// The missing premise of the rule that is closest to a permission.
fn nearest(why_not: &[Miss]) -> String {
    let premises = why_not.iter().filter_map(|miss| match &miss.obstacle {
        Obstacle::Premise { premise, asked, near } => Some((*premise, asked, near, in_store(miss.store))),
        _ => None,
    });
    match premises.max_by_key(|(premise, ..)| *premise) {
        None => "no rule permits it".to_owned(),
        Some((_, asked, near, store)) => match (asked.strip_prefix('!'), near.first()) {
            (Some(_), Some(near)) => format!("no rule permits it, because `{near}` holds{store}"),
            _ => format!("no rule permits it, because no fact matches `{asked}`{store}"),
        },
    }
}

/// The store of a decision, as the end of a sentence.
pub(super) fn in_store(store: Option<&str>) -> String {
    store.map(|store| format!(" in store `{store}`")).unwrap_or_default()
}

/// The human-readable reason of a fact: its last string that does not identify the request.
fn words(model: &Model, tuple: &[ValueId], about: &[&str]) -> Option<String> {
    let strings = tuple.iter().rev().filter_map(|value| match model.values.get(*value) {
        Datum::String(text) => Some(&**text),
        _ => None,
    });
    let mut words = strings.filter(|text| !text.trim().is_empty() && !about.contains(text));
    words.next().map(|text| text.trim_end_matches('.').to_owned())
}

/// The root fact of a proof, quoted.
pub(super) fn head(proof: &Proof) -> String {
    proof.nodes.first().map(|node| format!("`{}`", node.fact)).unwrap_or_default()
}

/// The first negation of a proof that the engine ignores.
fn dropped(proof: &Proof) -> Option<&str> {
    let mut steps = proof.nodes.iter().flat_map(|node| &node.steps);
    steps.find_map(|step| match &step.ground {
        Ground::Dropped(written) => Some(written.as_str()),
        _ => None,
    })
}

/// Adds the facts of a proof that replies asserted, without duplicates.
pub(super) fn facts_of_replies(proof: &Proof, origins: &Origins, all: &mut Vec<ReplyFact>) {
    let asserted = proof.nodes.iter().filter(|node| node.rule == RuleId::ASSERTED);
    for own in asserted.filter_map(|node| origins.own(&node.fact)) {
        if !all.contains(&own) {
            all.push(own);
        }
    }
}

/// True if another evaluation after this stop is pointless.
pub(super) fn is_final(stop: &Stop) -> bool {
    !matches!(stop.reason, StopReason::Failed(_) | StopReason::Unordered(_))
}
