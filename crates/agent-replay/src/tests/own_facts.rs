//! Tests of verdicts that depend on facts that replies asserted or removed.

use super::*;
use mangle_syntax::lint::Severity;

/// A dependence finding: turn, rule, severity, and the facts that the verdict names.
type Owed = (u64, &'static str, Severity, Vec<String>);

fn owed(case: &Case) -> Vec<Owed> {
    let (turns, found) = case.run(&case.constitution());
    let facts = |turn: u64, rule: &str| {
        let turn = turns.iter().find(|one| one.number == turn).unwrap();
        let of_requests = turn.verdicts.iter().flat_map(|verdict| match rule {
            "self-granted" => verdict.reliance.granting.clone(),
            _ => verdict.reliance.overriding.clone(),
        });
        let of_reply = turn.unblocked.iter().flat_map(|one| one.facts.clone());
        let of_reply = of_reply.filter(|_| rule == "self-lifted-block");
        of_requests.chain(of_reply).map(|(fact, _)| fact).collect()
    };
    let ours = found.iter().filter(|(_, one)| one.rule.name.starts_with("self-"));
    let owed = ours.map(|(turn, one)| {
        let severity = one.severity.or(one.rule.severity).unwrap();
        let facts: Vec<String> = facts(*turn, one.rule.name);
        let is_named = |fact: &String| one.notes[0].contains(&format!("`{fact}`"));
        assert!(facts.iter().all(is_named), "{}", one.notes[0]);
        (*turn, one.rule.name, severity, facts)
    });
    owed.collect()
}

/// A policy for deployments that requires an authorized approval and no open alarm.
const DEPLOY: &str = "Decl approval(Who, What) bound [/string, /string].
Decl may_approve(Who) bound [/string].
Decl confirmed(What) bound [/string].
Decl alarm(What) bound [/string].
permitted(/deploy, T, P) :- pending_action(_, /deploy, T, P, _), approved(T), !stopped(T).
approved(T) :- approval(Who, T), may_approve(Who).
stopped(T) :- alarm(T), !confirmed(T).
";

fn deploy(updates: &[&[&str]], more: &str) -> Vec<Owed> {
    let request = asks("deploy", "{\"path\":\"prod\"}");
    let last = updates.len() - 1;
    let rest = |at: usize| if at == last { request.as_str() } else { "" };
    let lines: Vec<_> =
        updates.iter().enumerate().map(|(at, updates)| reply(updates, rest(at), "ok")).collect();
    owed(&case(&lines, &format!("{DEPLOY}{more}")))
}

const APPROVAL: &str = "approval(\"me\", \"prod\").";
const POWER: &str = "may_approve(\"me\").";

fn facts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn all_facts_of_the_replies_are_named() {
    let both = facts(&["approval(\"me\",\"prod\")", "may_approve(\"me\")"]);
    let error = Severity::Error;
    assert_eq!(deploy(&[&[APPROVAL, POWER]], ""), [(1, "self-granted", error, both.clone())]);
    assert_eq!(deploy(&[&[POWER], &[], &[APPROVAL]], "").len(), 1);
    let granted = deploy(&[&[APPROVAL]], "may_approve(\"me\").\n");
    assert_eq!(granted, [(1, "self-granted", error, both[..1].to_vec())]);
    assert_eq!(deploy(&[&["task_status(\"a\", /open)."]], &format!("{APPROVAL}\n{POWER}\n")), []);
}

#[test]
fn an_asserted_fact_that_lifts_a_block() {
    let given = format!("{APPROVAL}\n{POWER}\nalarm(\"prod\").\n");
    let lifted = facts(&["confirmed(\"prod\")"]);
    let error = Severity::Error;
    assert_eq!(
        deploy(&[&["confirmed(\"prod\")."]], &given),
        [(1, "self-lifted-block", error, lifted.clone())]
    );
    let others = ["confirmed(\"dev\").", "confirmed(\"prod\").", "confirmed(\"test\").", "confirmed(\"a\")."];
    assert_eq!(deploy(&[&others], &given), [(1, "self-lifted-block", error, lifted.clone())]);
    // An alarm that is raised and confirmed in the session also overrides a block.
    let given = format!("{APPROVAL}\n{POWER}\n");
    let own = deploy(&[&["alarm(\"prod\")."], &["confirmed(\"prod\")."]], &given);
    assert_eq!(own, [(2, "self-lifted-block", error, lifted)]);
    assert_eq!(deploy(&[&["confirmed(\"prod\")."]], &given), []);
}

#[test]
fn granting_and_lifting_are_told_apart() {
    let found = deploy(&[&[APPROVAL, "confirmed(\"prod\")."]], &format!("{POWER}\nalarm(\"prod\").\n"));
    let rules: Vec<_> = found.iter().map(|(_, rule, _, facts)| (*rule, facts.len())).collect();
    assert_eq!(rules, [("self-granted", 1), ("self-lifted-block", 1)]);
}

#[test]
fn a_block_that_is_forgotten_is_lifted() {
    let forget = ",\"memory_operations\":[{\"op\":\"forget\",\"key\":\"alarm\",\"value\":\"\"}]";
    let line = reply(&[], &format!("{forget}{}", asks("deploy", "{\"path\":\"prod\"}")), "ok");
    let mut case = case(&[line], &format!("{DEPLOY}{APPROVAL}\n{POWER}\n"));
    assert_eq!(owed(&case), []);
    case.given = vec!["alarm(\"prod\").".to_owned()];
    assert_eq!(owed(&case), [(1, "self-lifted-block", Severity::Error, facts(&["alarm(\"prod\")"]))]);
}

#[test]
fn what_the_runtime_knew_is_not_the_replies() {
    let line = reply(&[APPROVAL], &asks("deploy", "{\"path\":\"prod\"}"), "ok");
    let mut case = case(&[line], &format!("{DEPLOY}{POWER}\n"));
    assert_eq!(owed(&case).len(), 1);
    case.given = vec![APPROVAL.to_owned()];
    assert_eq!(owed(&case), []);
}

#[test]
fn a_consumer_with_a_list_makes_it_a_warning() {
    let severity = |settings: &str| {
        let more = format!("{POWER}\n#- mangle-ls.toml\n[transcripts]\nconsumer = {settings}");
        deploy(&[&[APPROVAL]], &more).into_iter().map(|(_, _, severity, _)| severity).collect::<Vec<_>>()
    };
    let own = |list: &str| format!("\"own\"\n[transcripts.consumers.own]\n{list}\n");
    assert_eq!(severity("\"open\"\n"), [Severity::Error]);
    assert_eq!(severity("\"compressor\"\n"), [Severity::Error]);
    assert_eq!(severity(&own("predicates = [\"approval\"]")), [Severity::Warning]);
    assert_eq!(severity(&own("prefixes = [\"appro\"]")), [Severity::Warning]);
    assert_eq!(severity(&own("predicates = []")), [Severity::Error]);
    assert_eq!(severity(&own("predicates = [\"confirmed\"]")), [] as [Severity; 0]);
}

#[test]
fn a_reason_for_a_denial_that_is_lifted() {
    let policy = "Decl waived(What) bound [/string].\n\
        permission_denied(Action, \"It needs a review.\") :- pending_action(_, Action, T, _, _), sensitive(T), !waived(T).\n\
        sensitive(\"a.go\").\n";
    let line = reply(&["waived(\"a.go\")."], &asks("read_file", "{\"path\":\"a.go\"}"), "ok");
    let found = owed(&case(&[line], policy));
    assert_eq!(found, [(1, "self-lifted-block", Severity::Error, facts(&["waived(\"a.go\")"]))]);
}

#[test]
fn a_reply_that_unblocks_itself() {
    let policy = "Decl waived(What) bound [/string].\n\
        blocked_action(What) :- intent(/mutation, What), precious(What), !waived(What).\nprecious(\"prod.db\").\n";
    let update = "intent(/mutation, \"prod.db\").";
    let lines = |first: &str| [reply(&[first, update], "", "ok"), reply(&[update], "", "ok")];
    let lifted = facts(&["waived(\"prod.db\")"]);
    let error = Severity::Error;
    let found = owed(&case(&lines("waived(\"prod.db\")."), policy));
    assert_eq!(
        found,
        [(1, "self-lifted-block", error, lifted.clone()), (2, "self-lifted-block", error, lifted)]
    );
    let found = owed(&case(&lines("waived(\"test.db\")."), policy));
    assert_eq!(found, []);
}

/// A random policy without arguments: facts, and the premises of each predicate.
#[derive(Debug)]
struct Random {
    /// The numbers of facts of the policy, and of facts that the reply asserts.
    given: Vec<usize>,
    own: Vec<usize>,
    /// The premises of each rule: the sign, and a fact or a predicate of a lower layer.
    rules: Vec<(usize, Vec<(bool, String)>)>,
}

const FACTS: usize = 6;
const LAYERS: usize = 4;

impl Random {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % bound
        };
        let given = (0..FACTS).filter(|_| below(4) == 0).collect::<Vec<_>>();
        let own = (0..FACTS).filter(|fact| !given.contains(fact)).filter(|_| below(3) > 0).collect();
        let mut rules = Vec::new();
        for layer in 0..LAYERS {
            for _ in 0..=below(2) {
                let mut premise = || {
                    let is_fact = layer == 0 || below(2) == 0;
                    let name =
                        if is_fact { format!("f{}", below(FACTS)) } else { format!("d{}", below(layer)) };
                    (below(3) > 0, name)
                };
                let mut premises = vec![premise(), premise()];
                premises.truncate(1 + below(2));
                rules.push((layer, premises));
            }
        }
        Self { given, own, rules }
    }

    fn policy(&self) -> String {
        let mut out: String = (0..FACTS).map(|fact| format!("Decl f{fact}().\n")).collect();
        self.given.iter().for_each(|fact| out.push_str(&format!("f{fact}().\n")));
        for (layer, premises) in &self.rules {
            let premises: Vec<_> = premises
                .iter()
                .map(|(sign, name)| format!("{}{name}()", if *sign { "" } else { "!" }))
                .collect();
            out.push_str(&format!("d{layer}() :- {}.\n", premises.join(", ")));
        }
        let last = LAYERS - 1;
        out + &format!("permitted(/deploy, T, P) :- pending_action(_, /deploy, T, P, _), d{last}().\n")
    }

    /// True if the request is permitted when the reply asserts only these facts.
    fn permits(&self, own: &[usize]) -> bool {
        let mut holds: Vec<String> = self.given.iter().chain(own).map(|fact| format!("f{fact}")).collect();
        for layer in 0..LAYERS {
            let of_layer = self.rules.iter().filter(|(of, _)| *of == layer);
            let is_held = |(_, premises): &(usize, Vec<(bool, String)>)| {
                premises.iter().all(|(sign, name)| holds.contains(name) == *sign)
            };
            if of_layer.into_iter().any(is_held) {
                holds.push(format!("d{layer}"));
            }
        }
        holds.contains(&format!("d{}", LAYERS - 1))
    }
}

/// Verdicts under random policies name exactly the facts that decide.
#[test]
fn what_is_named_is_what_decides() {
    let (mut granted, mut lifted, mut free) = (0, 0, 0);
    for seed in 0..400 {
        let random = Random::new(seed);
        let updates: Vec<_> = random.own.iter().map(|fact| format!("f{fact}().")).collect();
        let updates: Vec<&str> = updates.iter().map(String::as_str).collect();
        let line = reply(&updates, &asks("deploy", "{\"path\":\"prod\"}"), "ok");
        let case = case(&[line], &random.policy());
        let (turns, found) = case.run(&case.constitution());
        let verdict = &turns[0].verdicts[0];
        assert_eq!(verdict.is_permitted, random.permits(&random.own), "{random:?}");
        if !verdict.is_permitted {
            continue;
        }
        let reliance = &verdict.reliance;
        let texts = |facts: &'_ [(String, crate::SessionOrigin)]| -> Vec<String> {
            facts.iter().map(|(fact, _)| fact.clone()).collect()
        };
        let (grants, lifts) = (texts(&reliance.granting), texts(&reliance.overriding));
        let named = [grants.clone(), lifts.clone()].concat();
        let is_permitted_without = |named: &[String]| {
            let is_left = |fact: &usize| !named.contains(&format!("f{fact}()"));
            random.permits(&random.own.iter().copied().filter(is_left).collect::<Vec<_>>())
        };
        let errors = found.iter().filter(|(_, one)| one.rule.name.starts_with("self-")).count();
        assert_eq!(errors > 0, !named.is_empty());
        if named.is_empty() {
            free += 1;
            assert!(random.permits(&[]), "{random:?}");
        }
        // The granting facts, the overriding facts, or both together decide.
        for facts in [&grants, &lifts].into_iter().filter(|facts| !facts.is_empty()) {
            let decides = !is_permitted_without(facts) || !is_permitted_without(&named);
            assert!(decides, "{facts:?} {random:?}");
        }
        granted += usize::from(!grants.is_empty());
        lifted += usize::from(!lifts.is_empty());
    }
    assert!(granted > 20 && lifted > 10 && free > 20, "{granted} {lifted} {free}");
}
