//! A session under way: the kernel that holds what was asserted so far, and the steps of a turn in their order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::awaited::{Awaited, Outcome};
use super::batch::{Batch, Filter};
use super::constitution::Constitution;
use super::coverage::Coverage;
use super::gate::{self, Gate, Request};
use super::prefill::Prefill;
use super::rules::{self, Scene};
use super::state::Change;
use super::turn::{Atom, Correction, Effect, Fate, Operation, Origin, Rewritten, Turn};
use super::verdict::{Lock, Verdict};
use super::{correction, time};
use crate::config::{Override, TranscriptSettings};
use crate::envelope::Reply;
use crate::envelope::runtime::Picked;
use crate::kernel::{Clock, Fact, Kernel, RuleId, Stop};
use crate::program::PredicateId;
use crate::text::{Cancel, Symbol, TextRange, TextSize};
use crate::transcript::{self, Found, Kind, Limits, Record, Role};

/// How much of what the user said is kept, in characters.
const ASKED: usize = 300;

/// How many facts that block a reply are looked at, of those that are new with it, and of those before it.
const MOST_BLOCKS: usize = 100;

/// Why the reference runtime puts a notice in front of a surface.
const NOTICE: &str = "blocked unsafe mangle_updates";

/// How a session is replayed.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The settings of the transcript.
    pub transcript: &'a TranscriptSettings,
    /// The limits of the runtime's configuration.
    pub runtime: &'a Limits,
    /// The time, as long as no record tells it.
    pub clock: Clock,
    /// Whether a hypothesis stays a fact.
    pub abduce: bool,
    /// Whether permissions are findings.
    pub show_permits: bool,
    /// Whether it is kept which rules held.
    pub coverage: bool,
    /// The last turn that is replayed.
    pub until: Option<u64>,
    /// What perception had filled in.
    pub prefill: &'a Prefill,
    /// Whether somebody still wants the answer.
    pub cancel: &'a Cancel,
}

/// Something that came of a record.
#[derive(Debug)]
pub enum Event {
    /// A reply was replayed.
    Turn(Box<Turn>),
    /// Something was found. What stands in front of a reply belongs to its turn as well.
    Found {
        /// The turn.
        turn: u64,
        /// What.
        found: Found,
    },
}

/// A session that is replayed, record by record.
#[derive(Debug)]
pub struct Replay<'a> {
    constitution: &'a Constitution,
    options: Options<'a>,
    kernel: Kernel,
    clock: Clock,
    number: u64,
    asked: Option<String>,
    /// Whether something that was said to the model since its last answer looks like an envelope.
    is_injected: bool,
    /// Where each fact of the session comes from, by its text.
    origins: FxHashMap<String, Origin>,
    awaited: Awaited,
    /// What is said once: actions that only overrides permit, limits.
    told: FxHashSet<String>,
    coverage: Coverage,
    /// Why nothing is evaluated any more.
    dead: Option<Stop>,
}

impl<'a> Replay<'a> {
    /// The start of a session. Nothing of any other is in it.
    #[must_use]
    pub fn new(constitution: &'a Constitution, options: Options<'a>) -> Self {
        Self {
            constitution,
            options,
            kernel: constitution.begin(),
            clock: options.clock,
            number: 0,
            asked: None,
            is_injected: false,
            origins: FxHashMap::default(),
            awaited: Awaited::default(),
            told: FxHashSet::default(),
            coverage: Coverage::default(),
            dead: constitution.stopped().filter(gate::is_final),
        }
    }

    /// Whether the last turn that is wanted was replayed.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.options.until.is_some_and(|until| self.number >= until)
    }

    /// The kernel as it is by now.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Where a fact of the session comes from.
    #[must_use]
    pub fn origin(&self, fact: &str) -> Option<Origin> {
        self.origins.get(fact).copied()
    }

    /// Whether it is kept which rules held.
    #[must_use]
    pub fn is_covering(&self) -> bool {
        self.options.coverage
    }

    /// Which rules held so far.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Replays the turns of a record.
    pub fn record(&mut self, record: &Record<'_>, each: &mut dyn FnMut(&Self, Event)) {
        for turn in &record.turns {
            if self.is_done() {
                return;
            }
            match turn.kind {
                Kind::Prompt => self.prompt(record, turn, each),
                Kind::Reply | Kind::Object => self.reply(record, turn, each),
                Kind::Surface => self.surface(record, turn, each),
                Kind::Atom | Kind::Skipped(_) => {}
            }
        }
    }

    /// What somebody else said: the user, or a tool.
    fn prompt(&mut self, record: &Record<'_>, turn: &transcript::Turn, each: &mut dyn FnMut(&Self, Event)) {
        let text = turn.text(record.bytes);
        let next = self.number + 1;
        if turn.role == Role::User {
            self.asked = Some(excerpt(&String::from_utf8_lossy(text)));
            self.awaited.user();
        }
        if matches!(turn.role, Role::User | Role::Tool)
            && let Some(found) = rules::injection(record, turn)
        {
            self.is_injected = true;
            each(self, Event::Found { turn: next, found });
        }
        let call = turn.details.as_ref().and_then(|details| details.call.as_deref());
        let asked = call.and_then(|call| Some((call, self.awaited.take(call)?)));
        if let Some((call, asked)) = asked {
            let outcome = Outcome::of(&String::from_utf8_lossy(text));
            if let Some(found) = rules::outcome(record, turn, call, &asked, outcome) {
                each(self, Event::Found { turn: asked.turn, found });
            }
        }
    }

    /// A turn of which nothing but the surface is known.
    fn surface(&mut self, record: &Record<'_>, turn: &transcript::Turn, each: &mut dyn FnMut(&Self, Event)) {
        let mut report = self.begin(record, turn);
        report.surface = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
        each(self, Event::Turn(Box::new(report)));
    }

    fn begin(&mut self, record: &Record<'_>, turn: &transcript::Turn) -> Turn {
        self.number += 1;
        let written = turn.details.as_ref().and_then(|details| details.timestamp.as_deref());
        let told = written.and_then(time::instant);
        self.clock.now_ns = told.unwrap_or(self.clock.now_ns);
        Turn {
            number: self.number,
            record: record.number,
            place: turn.place(TextRange::empty(TextSize::new(0))),
            now_ns: self.clock.now_ns,
            is_dated: told.is_some(),
            asked: self.asked.take(),
            stage: None,
            surface: String::new(),
            rewritten: None,
            atoms: Vec::new(),
            memory: Vec::new(),
            correction: None,
            envelope: None,
            verdicts: Vec::new(),
            change: Change::default(),
            stopped: None,
        }
    }

    fn reply(&mut self, record: &Record<'_>, turn: &transcript::Turn, each: &mut dyn FnMut(&Self, Event)) {
        let mut report = self.begin(record, turn);
        let text = turn.text(record.bytes);
        let reply = Reply::new(text, &self.options.transcript.caps);
        self.kernel.mark();
        let mut scene = Scene::new(self.constitution, self.options, record, turn, &reply);
        scene.is_quoting = std::mem::take(&mut self.is_injected);
        if let Ok(reading) = &reply.reading {
            report.stage = Some(reading.stage);
            report.surface = String::from_utf8_lossy(&reading.surface).into_owned();
            if let Some(picked) = &reading.picked {
                scene.before(&self.kernel);
                self.packet(picked, &mut report);
            }
        }
        scene.places(&mut report);
        scene.counts(&self.kernel, &mut self.told);
        for verdict in &report.verdicts {
            self.awaited.add(report.number, verdict);
        }
        let found = scene.findings(&report, &self.kernel, &mut self.told);
        each(self, Event::Turn(Box::new(report)));
        let number = self.number;
        found.into_iter().for_each(|found| each(self, Event::Found { turn: number, found }));
    }

    /// A packet, step by step in the runtime's order.
    fn packet(&mut self, picked: &Picked, report: &mut Turn) {
        let mut batch = self.batch(picked);
        self.assert(&batch);
        self.evaluate(report);
        let denied = self.blocked(&batch, report.number);
        let is_replaced = denied.is_some() && self.constitution.settings.style == Override::Replace;
        if is_replaced {
            self.withdraw(&mut batch, report);
        }
        report.rewritten = self.rewritten(&batch, denied.as_ref(), &report.surface);
        report.atoms = std::mem::take(&mut batch.atoms);
        report.envelope = denied;
        if !is_replaced {
            self.memory(picked, report);
            self.correct(picked, report);
        }
        report.change = Change::of(&self.kernel);
        let requests = picked.packet.tools.as_slice().iter().enumerate();
        let requests: Vec<_> = requests.map(|(index, tool)| Request::new(index, tool)).collect();
        report.verdicts = match is_replaced {
            true => {
                requests.into_iter().map(|request| request.refused("the whole reply is denied")).collect()
            }
            false => self.requests(requests, report),
        };
    }

    fn batch(&mut self, picked: &Picked) -> Batch {
        let filled = self.options.prefill.of(self.number);
        let (constitution, settings, turn) = (self.constitution, self.options.transcript, self.number);
        let filter = Filter { constitution, settings, turn };
        let updates = filled.map_or(&[][..], |filled| &filled.updates);
        let values = self.kernel.values();
        let mut batch = filter.batch(picked, updates, values);
        let category = match (picked.packet.intent.category.as_str(), filled) {
            ("", Some(filled)) => filled.category.as_str(),
            (category, _) => category,
        };
        let intent = filter.intent(picked, category, values);
        batch.facts.extend(intent.map(|fact| (fact, Origin::Intent(turn))));
        batch
    }

    /// Gives the facts of a batch to the kernel, from the next evaluation on.
    fn assert(&mut self, batch: &Batch) {
        for (fact, origin) in &batch.facts {
            self.know(fact, *origin);
            self.kernel.assert(fact);
        }
    }

    /// Remembers where a fact comes from: what said it first.
    fn know(&mut self, fact: &Fact, origin: Origin) {
        let text = self.kernel.model().fact(&self.constitution.compiled, fact.predicate, &fact.tuple);
        self.origins.entry(text).or_insert(origin);
    }

    fn evaluate(&mut self, report: &mut Turn) {
        if self.dead.is_none() {
            self.kernel.evaluate(self.constitution.limits, self.clock, self.options.cancel);
            let stopped = self.kernel.model().stopped.clone();
            self.dead = stopped.clone().filter(gate::is_final);
            report.stopped = stopped;
        } else {
            report.stopped = self.dead.clone();
        }
    }

    /// The verdict about the whole reply: a fact that blocks it, which its own updates brought about.
    fn blocked(&mut self, batch: &Batch, turn: u64) -> Option<Verdict> {
        if batch.facts.is_empty() || self.constitution.roles.block.is_empty() {
            return None;
        }
        let compiled = &self.constitution.compiled;
        let own: FxHashSet<String> = batch
            .facts
            .iter()
            .map(|(fact, _)| self.kernel.model().fact(compiled, fact.predicate, &fact.tuple))
            .collect();
        let mut new: FxHashMap<_, _> =
            self.kernel.differences().into_iter().map(|one| (one.predicate, one.added)).collect();
        for predicate in &self.constitution.roles.block {
            let new = new.remove(predicate).unwrap_or_default();
            let count = self.kernel.model().relation(*predicate).map_or(0, crate::kernel::Relation::len);
            // What a reply says again may block it by facts that are older: those of the policy itself come first.
            let known: FxHashSet<u32> = new.iter().copied().collect();
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let old = (0..count).rev().filter(|number| !known.contains(number));
            let numbers: Vec<u32> =
                new.iter().copied().take(MOST_BLOCKS).chain(old.take(MOST_BLOCKS)).collect();
            for number in numbers {
                let proof = self.kernel.model_mut().explain(compiled, self.clock, *predicate, number);
                if proof.nodes.iter().any(|node| own.contains(&node.fact)) {
                    let why = format!("the policy says {}", gate::head(&proof));
                    return Some(Verdict {
                        index: None,
                        place: None,
                        id: format!("turn {turn}"),
                        action: String::new(),
                        target: String::new(),
                        payload: String::new(),
                        is_permitted: false,
                        lock: Lock::Constitution,
                        why,
                        rule: proof.nodes.first().map(|node| node.rule),
                        because: vec![proof],
                        why_not: Vec::new(),
                        granted: Vec::new(),
                    });
                }
            }
        }
        None
    }

    /// Takes back what a reply asserted that is denied as a whole.
    fn withdraw(&mut self, batch: &mut Batch, report: &mut Turn) {
        let new: FxHashSet<(PredicateId, Box<[crate::kernel::ValueId]>)> = self
            .kernel
            .differences()
            .into_iter()
            .flat_map(|one| one.added.into_iter().map(move |number| (one.predicate, number)))
            .filter_map(|(predicate, number)| {
                let tuple = self.kernel.model().relation(predicate)?.tuple(number);
                Some((predicate, tuple.into()))
            })
            .collect();
        for (fact, _) in &batch.facts {
            if new.contains(&(fact.predicate, fact.tuple.clone())) {
                let compiled = &self.constitution.compiled;
                let text = self.kernel.model().fact(compiled, fact.predicate, &fact.tuple);
                self.origins.remove(&text);
                self.kernel.retract(fact.predicate, &fact.tuple);
            }
        }
        for Atom { fate, .. } in &mut batch.atoms {
            if let Fate::Asserted(fact) = fate {
                *fate = Fate::Withdrawn(std::mem::take(fact));
            }
        }
        self.evaluate(report);
    }

    /// What the user sees instead of the surface.
    fn rewritten(&self, batch: &Batch, denied: Option<&Verdict>, surface: &str) -> Option<Rewritten> {
        match (denied, self.constitution.settings.style) {
            (Some(verdict), Override::Replace) => {
                let reason = verdict.why.clone();
                Some(Rewritten { shown: format!("I cannot do that: {reason}."), reason })
            }
            (denied, style) => {
                let blocked = batch.blocked().next().is_some().then(|| NOTICE.to_owned());
                let reason = blocked.filter(|_| style == Override::Prepend);
                let reason = reason.or_else(|| denied.map(|verdict| verdict.why.clone()))?;
                Some(Rewritten { shown: format!("[SAFETY NOTICE: {reason}]\n\n{surface}"), reason })
            }
        }
    }

    /// What the memory operations do to the kernel.
    fn memory(&mut self, picked: &Picked, report: &mut Turn) {
        let mut is_other = false;
        for operation in picked.packet.memory.as_slice() {
            let effect = match operation.op.as_str() {
                "promote_to_long_term" | "store_vector" => Effect::Stored,
                "forget" => {
                    let count = self.forget(&operation.key);
                    is_other |= count > 0;
                    Effect::Forgot(count)
                }
                _ => Effect::Nothing,
            };
            report.memory.push(Operation { op: operation.op.clone(), key: operation.key.clone(), effect });
        }
        if is_other {
            self.evaluate(report);
        }
    }

    /// Takes all facts of a predicate away that somebody asserted, whatever their number of arguments.
    fn forget(&mut self, name: &str) -> usize {
        let program = &self.constitution.program;
        let named: Vec<PredicateId> =
            program.named(Symbol::new(name)).filter_map(|predicate| program.id(predicate.key)).collect();
        let mut count = 0;
        for predicate in named {
            let model = self.kernel.model();
            let rows = model.relation(predicate).map_or(0, crate::kernel::Relation::len);
            let is_asserted = |number: &u32| {
                let reason = model.derivation(predicate, *number);
                reason.is_some_and(|reason| reason.rule == RuleId::ASSERTED)
            };
            let asserted = (0u32..).take(rows).filter(is_asserted).count();
            if asserted > 0 {
                count += asserted;
                self.kernel.forget(predicate);
            }
        }
        count
    }

    /// What a self-correction leads to. Unless hypotheses are wanted, they are taken back again.
    fn correct(&mut self, picked: &Picked, report: &mut Turn) {
        let correction = picked.packet.self_correction.as_deref();
        let Some(correction) = correction.filter(|it| it.triggered && !it.hypothesis.is_empty()) else {
            return;
        };
        let facts = correction::hypotheses(self.constitution, &mut self.kernel, &correction.hypothesis);
        let is_new = |fact: &Fact| {
            let relation = self.kernel.model().relation(fact.predicate);
            relation.is_none_or(|relation| relation.find(&fact.tuple).is_none())
        };
        let new: Vec<Fact> = facts.into_iter().filter(is_new).collect();
        for fact in &new {
            self.know(fact, Origin::Hypothesis(self.number));
            self.kernel.assert(fact);
        }
        self.evaluate(report);
        let actions = correction::actions(self.constitution, &mut self.kernel, self.clock);
        if !self.options.abduce && !new.is_empty() {
            for fact in &new {
                let compiled = &self.constitution.compiled;
                let text = self.kernel.model().fact(compiled, fact.predicate, &fact.tuple);
                self.origins.remove(&text);
                self.kernel.retract(fact.predicate, &fact.tuple);
            }
            self.evaluate(report);
        }
        let (hypothesis, is_kept) = (correction.hypothesis.clone(), self.options.abduce);
        report.correction = Some(Correction { hypothesis, is_kept, actions });
    }

    /// One request after the other through the gate. Behind the last the kernel is as it was.
    fn requests(&mut self, requests: Vec<Request>, report: &mut Turn) -> Vec<Verdict> {
        if let Some(stop) = &self.dead {
            let why = format!("the evaluation stopped: {}", stop.reason);
            let refuse = |request: Request| Verdict { rule: stop.rule, ..request.refused(&why) };
            return requests.into_iter().map(refuse).collect();
        }
        let mut verdicts = Vec::with_capacity(requests.len());
        let mut asserted = None;
        for request in requests {
            let mut gate = Gate {
                constitution: self.constitution,
                kernel: &mut self.kernel,
                clock: self.clock,
                cancel: self.options.cancel,
                turn: self.number,
                origins: &mut self.origins,
            };
            verdicts.push(gate.judge(request, &mut asserted));
            if self.options.coverage {
                self.coverage.take(self.constitution, gate.kernel, self.clock);
            }
            gate.retract(&mut asserted);
        }
        if !verdicts.is_empty() {
            self.evaluate(report);
        }
        verdicts
    }
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(ASKED) {
        Some((at, _)) => format!("{}…", words.get(..at).unwrap_or_default()),
        None => words,
    }
}
