//! Tests of whole sessions: time, end, coverage, and isolation between sessions.

use super::*;

#[test]
fn the_time_is_that_of_the_record() {
    let dated = |time: &str, args: &str| {
        reply(&[], &asks("read_file", args), "ok").replacen('{', &format!("{{\"timestamp\":{time:?},"), 1)
    };
    let lines = [dated("2026-03-01T12:00:00Z", "{}"), dated("2026-03-01T13:00:00Z", "{\"path\":\"b\"}")];
    let rule = "blocked_action(At) :- pending_action(_, _, _, _, At).\nlate() :- fn:time:now() = T, \
                fn:time:trunc(T, \"hour\") = T, T = T.\n";
    let turns = {
        let case = case(&lines, rule);
        let constitution = case.constitution();
        case.run(&constitution).0
    };
    let hours: Vec<_> = turns.iter().map(|turn| turn.now_ns / 3_600_000_000_000 % 24).collect();
    assert_eq!(hours, [12, 13]);
}

#[test]
fn nothing_leaks_from_one_replay_to_the_next() {
    let lines = [
        reply(&["task_status(\"t\", /done)."], &asks("read_file", "{\"path\":\"a.go\"}"), "ok"),
        reply(&["intent(/mutation, \"x\")."], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "");
    let constitution = case.constitution();
    let shown = || format!("{:?}", case.run(&constitution));
    let first = shown();
    assert_eq!(first, shown());
    assert_eq!(first, format!("{:?}", case.run(&case.constitution())));
}

#[test]
fn facts_of_proofs_are_in_the_model() {
    let lines = [
        reply(&["task_status(\"t\", /done).", "intent(/mutation, \"x\")."], &asks("read_file", "{}"), "ok"),
        reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "blocked_action(What) :- intent(/mutation, What).\n");
    let constitution = case.constitution();
    let (turns, _) = case.run(&constitution);
    let mut facts = 0;
    for turn in &turns {
        let mut known = std::collections::BTreeSet::new();
        // A full evaluation with the facts of that turn.
        let mut kernel = mangle_engine::kernel::Kernel::new(std::sync::Arc::clone(&constitution.compiled));
        for atom in turns.iter().take_while(|one| one.number <= turn.number).flat_map(|one| &one.atoms) {
            let read = piggyback::envelope::runtime::ReadUpdate::new(
                &atom.text,
                mangle_settings::Runtime::default(),
            );
            let fact = facts::fact(kernel.values(), &constitution.program, read.fact().unwrap()).unwrap();
            kernel.assert(&fact);
        }
        for verdict in turn.verdicts.iter().chain(&turn.envelope) {
            let mut kernel = kernel.fork();
            if verdict.index.is_some() {
                let values = kernel.values();
                let args = vec![
                    facts::value(values, &verdict.id),
                    values.name(&verdict.action),
                    facts::value(values, &verdict.target),
                    values.string(&verdict.payload),
                    values.number(turn.now_ns / 1_000_000_000),
                ];
                let pending = constitution.roles.pending.unwrap();
                let fact = facts::asserted(kernel.values(), &constitution.program, pending, args);
                kernel.assert(&fact);
            }
            kernel.evaluate(
                constitution.limits,
                mangle_engine::kernel::Clock { now_ns: turn.now_ns },
                &mangle_syntax::text::Cancel::new(),
            );
            known.clear();
            known.extend(kernel.model().dump(&constitution.compiled));
            for node in verdict.because.iter().flat_map(|proof| &proof.nodes) {
                assert!(known.contains(&node.fact), "{} is not in the model", node.fact);
                facts += 1;
            }
        }
    }
    assert!(facts > 5, "{facts}");
}

#[test]
fn coverage_tells_which_rules_ever_held() {
    let lines = [
        reply(&[], &asks("read_file", "{}"), "ok"),
        reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
    ];
    let case = case(&lines, "");
    let constitution = case.constitution();
    let cancel = mangle_syntax::text::Cancel::new();
    let runtime = piggyback::transcript::Limits::default();
    let (settings, prefill) = (mangle_settings::TranscriptSettings::default(), Prefill::default());
    let options = ReplayOptions {
        transcript: &settings,
        runtime: &runtime,
        clock: mangle_engine::kernel::Clock { now_ns: 0 },
        abduce: false,
        show_permits: false,
        coverage: true,
        until: None,
        end: None,
        prefill: &prefill,
        cancel: &cancel,
    };
    let mut replay = Replay::new(&constitution, options);
    let mut reader = piggyback::transcript::TranscriptReader::new(piggyback::transcript::TranscriptOptions {
        name: "a.jsonl".into(),
        ..Default::default()
    });
    let text = lines.concat();
    let mut each = |record: &piggyback::transcript::Record<'_>| replay.record(record, &mut |_, _| {});
    reader.feed(text.as_bytes(), &mut each);
    reader.finish(&mut each);
    let rules: Vec<(RuleId, bool)> = replay.coverage().rules(&constitution).collect();
    assert_eq!(rules.iter().map(|(_, held)| *held).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn until_ends_the_replay() {
    let lines = [reply(&[], "", "one"), reply(&[], "", "two"), reply(&[], "", "three")];
    let cut = Case { until: Some(2), ..case(&lines, "") };
    let constitution = cut.constitution();
    assert_eq!(cut.run(&constitution).0.len(), 2);
}

#[test]
fn a_program_that_is_no_constitution_has_no_findings_of_one() {
    let found = |policy: &str| {
        let case = Case::new(&format!("#- session.jsonl\n{policy}"));
        let constitution = case.constitution();
        let found = findings_of_program(&case.program, &constitution.compiled, &case.replay);
        found.iter().map(|found| found.finding.rule.name).collect::<Vec<_>>()
    };
    let policy = format!("{POLICY}blocked_pattern(\"a > b\").\n");
    assert_eq!(found(&policy), ["unmatchable-pattern"]);
    assert_eq!(found(&policy.replace("pending_action", "planned")), <[&str; 0]>::default());
    let reaching = format!("{POLICY}{REACHING}");
    assert_eq!(found(&reaching), ["prose-reaches-sink"]);
    let apart = reaching.replace("next_command(Text) :- summary(Text)", "next_command(Text) :- order(Text)");
    assert_eq!(found(&apart), <[&str; 0]>::default());
}

/// A policy with prose that reaches a command through another predicate.
const REACHING: &str = "Decl note(Text) bound [/string].
Decl order(Text) bound [/string].
Decl summary(Text) bound [/string].
Decl next_command(Text) bound [/string].
prose_only(/note).
exec_sink(/next_command).
summary(Text) :- note(Text).
next_command(Text) :- summary(Text).
";

#[test]
fn no_turn_is_begun_when_time_has_run_out() {
    let lines = [reply(&[], &asks("read_file", "{}"), "ok")];
    let late = Case { end: Some(std::time::Instant::now()), ..case(&lines, "") };
    let constitution = late.constitution();
    assert_eq!(late.run(&constitution).0.len(), 0);
    let early = Case { end: None, ..late };
    assert_eq!(early.run(&constitution).0.len(), 1);
}
