//! Tests of self-granted permissions and appeals.

use super::*;

#[test]
fn the_model_may_grant_itself_what_the_compressor_believes() {
    check(
        &[reply(&["admin_override(\"me\")."], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok")],
        "#- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n",
        expect![[r#"
            turn 1
              admin_override("me"). asserted
              PERMIT 2 r1 /delete_file a.go {"path":"a.go"}: permitted by the constitution
              + admin_override("me")
              + has_override()
              permitted: `/delete_file` on `a.go` is permitted
              self-granted: `/delete_file` on `a.go` is permitted by facts of replies | the permission rests on `admin_override("me")` (turn 1, update 1) | without that: It needs an override
              override-only: only an override permits `/delete_file` | no fact of the policy lists the action as safe
        "#]],
    );
}

const APPEALS: &str = r#"Decl active_override(Action, Who, Until) bound [/name, /string, /number].
Decl has_active_override(Action) bound [/name].
"#;

/// The constitution must also permit a request with an appeal. An expired appeal has no effect.
#[test]
fn appeals_silence_the_gate_and_nothing_else() {
    let mkfs = asks("run_command", "{\"path\":\"rm -fr x; mkfs y\"}");
    let told = |request: &str, granted: &str, expected: Expect| {
        check(&[reply(&[], request, "ok")], &format!("{APPEALS}{granted}"), expected);
    };
    told(
        &mkfs,
        "",
        expect![[r#"
            turn 1
              DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the gate rejects targets that match `mkfs`
              denied: `/run_command` on `rm -fr x; mkfs y` is denied | reason: the gate rejects targets that match `mkfs`
        "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 1).\n",
        expect![[r#"
            turn 1
              PERMIT 2 r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: permitted by the constitution; an appeal overrides the gate, which rejects it
              permitted: `/run_command` on `rm -fr x; mkfs y` is permitted | an appeal overrides the gate, which rejects it
        "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 0).\n",
        expect![[r#"
            turn 1
              DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the gate rejects targets that match `mkfs`
              denied: `/run_command` on `rm -fr x; mkfs y` is denied | reason: the gate rejects targets that match `mkfs`
        "#]],
    );
    told(
        &asks("delete_file", "{\"path\":\"x\"}"),
        "has_active_override(/delete_file).\n",
        expect![[r#"
            turn 1
              DENY 2 r1 /delete_file x {"path":"x"}: It needs an override
              denied: `/delete_file` on `x` is denied | reason: It needs an override
        "#]],
    );
}

/// The proof shows an appeal that the model granted itself.
#[test]
fn who_grants_himself_an_appeal_is_told_of() {
    let policy = format!(
        "{APPEALS}permitted(A, T, P) :- has_active_override(A), pending_action(_, A, T, P, _).\n\
         #- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n"
    );
    check(
        &[reply(&["has_active_override(/git_push)."], &asks("git_push", "{\"path\":\"x\"}"), "ok")],
        &policy,
        expect![[r#"
            turn 1
              has_active_override(/git_push). asserted
              PERMIT 2 r1 /git_push x {"path":"x"}: permitted by the constitution
              + has_active_override(/git_push)
              permitted: `/git_push` on `x` is permitted
              self-granted: `/git_push` on `x` is permitted by facts of replies | the permission rests on `has_active_override(/git_push)` (turn 1, update 1) | without that: no rule permits it, because no fact matches `dangerous_action(/git_push)`
              override-only: only an override permits `/git_push` | no fact of the policy lists the action as safe
        "#]],
    );
    let pattern = asks("run_command", "{\"path\":\"mkfs y\"}");
    check(
        &[reply(&["has_active_override(/run_command)."], &pattern, "ok")],
        &policy.replace("permitted(A", "allowed(A"),
        expect![[r#"
            turn 1
              has_active_override(/run_command). asserted
              PERMIT 2 r1 /run_command mkfs y {"path":"mkfs y"}: permitted by the constitution; an appeal overrides the gate, which rejects it
              + has_active_override(/run_command)
              permitted: `/run_command` on `mkfs y` is permitted | an appeal overrides the gate, which rejects it
              self-granted: `/run_command` on `mkfs y` is permitted by facts of replies | the permission rests on `has_active_override(/run_command)` (turn 1, update 1) | without that: the gate rejects targets that match `mkfs`
        "#]],
    );
}

/// Requests that the model asserts itself are retracted together with the request of the same id,
/// as in the runtime.
#[test]
fn requests_that_the_model_asserts_itself() {
    let pending = |target: &str| {
        format!(
            "pending_action(\"r1\", /delete_file, \"{target}\", \"{{\\\"path\\\":\\\"{target}\\\"}}\", 0)."
        )
    };
    let (a, b) = (pending("a.go"), pending("b.go"));
    check(
        &[
            reply(&[&a, &b, "admin_override(\"me\")."], "", "ok"),
            reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok"),
        ],
        "#- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n",
        expect![[r#"
            turn 1
              pending_action("r1", /delete_file, "a.go", "{\"path\":\"a.go\"}", 0). asserted
              pending_action("r1", /delete_file, "b.go", "{\"path\":\"b.go\"}", 0). asserted
              admin_override("me"). asserted
              + pending_action("r1",/delete_file,"a.go","{\"path\":\"a.go\"}",0)
              + pending_action("r1",/delete_file,"b.go","{\"path\":\"b.go\"}",0)
              + admin_override("me")
              + permitted(/delete_file,"a.go","{\"path\":\"a.go\"}")
              + permitted(/delete_file,"b.go","{\"path\":\"b.go\"}")
              + has_override()
            turn 2
              PERMIT 2 r1 /delete_file a.go {"path":"a.go"}: permitted by the constitution
              permitted: `/delete_file` on `a.go` is permitted
              self-granted: `/delete_file` on `a.go` is permitted by facts of replies | the permission rests on `admin_override("me")` (turn 1, update 3) | without that: It needs an override
              override-only: only an override permits `/delete_file` | no fact of the policy lists the action as safe
        "#]],
    );
}

/// A permission by other rules does not depend on the reply. A permission by two facts of the reply
/// does.
#[test]
fn a_permission_that_holds_anyway_is_not_self_granted() {
    let granted = |rules: &[&str]| {
        let request = asks("write", "{\"path\":\"a.go\"}");
        let said = ["intent(/mutation, \"a.go\").", "task_status(\"a.go\", /done)."];
        let case = case(&[reply(&said, &request, "ok")], &rules.concat());
        let (turns, found) = case.run(&case.constitution());
        let verdict = &turns[0].verdicts[0];
        assert!(verdict.is_permitted);
        let is_found = found.iter().any(|(_, one)| one.rule.name == "self-granted");
        assert_eq!(is_found, !verdict.reliance.granting.is_empty());
        verdict.reliance.granting.iter().map(|(fact, _)| fact.clone()).collect::<Vec<_>>()
    };
    let by_intent = "permitted(A, T, P) :- pending_action(_, A, T, P, _), intent(/mutation, T).\n";
    let by_task = "permitted(A, T, P) :- pending_action(_, A, T, P, _), done(T).\n";
    let anyway = "permitted(/write, T, P) :- pending_action(_, /write, T, P, _).\n";
    let (intent, task) = ("intent(/mutation,\"a.go\")", "task_status(\"a.go\",/done)");
    assert_eq!(granted(&[by_intent]), [intent]);
    assert_eq!(granted(&[by_intent, by_task]), [intent, task]);
    assert_eq!(granted(&[by_intent, by_task, anyway]), <[&str; 0]>::default());
}

/// A fact that the runtime had before the reply is not self-granted.
#[test]
fn what_was_known_before_is_not_granted_by_the_model() {
    let mut case = case(
        &[reply(&["admin_override(\"me\")."], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok")],
        "#- mangle-ls.toml\n[transcripts]\nconsumer = \"compressor\"\n",
    );
    let granted = |case: &Case| {
        let (turns, _) = case.run(&case.constitution());
        assert!(turns[0].verdicts[0].is_permitted);
        turns[0].verdicts[0].reliance.granting.len()
    };
    assert_eq!(granted(&case), 1);
    case.given = vec!["admin_override(\"me\").".to_owned()];
    assert_eq!(granted(&case), 0);
}

/// A request that another rule also permits needs no override.
#[test]
fn an_override_that_is_not_needed() {
    let is_found = |rules: &str| {
        let case = case(&[reply(&[], &asks("delete_file", "{\"path\":\"a.go\"}"), "ok")], rules);
        let (turns, found) = case.run(&case.constitution());
        assert!(turns[0].verdicts[0].is_permitted);
        found.iter().any(|(_, one)| one.rule.name == "override-only")
    };
    let given = "admin_override(\"root\").\n";
    let other = "permitted(A, T, P) :- pending_action(_, A, T, P, _), mine(T).\nmine(\"a.go\").\n";
    assert!(is_found(given));
    assert!(!is_found(&format!("{given}{other}")));
    assert!(!is_found(other));
}
