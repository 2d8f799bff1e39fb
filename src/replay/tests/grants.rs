//! Models that permit themselves, and appeals.

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
              permitted: `/delete_file` on `a.go` is permitted by the constitution
              self-granted: this is permitted only because of `admin_override("me")`, which the model asserted itself (turn 1, update 1)
              override-only: `/delete_file` is listed nowhere as safe: only an override permits it
        "#]],
    );
}

const APPEALS: &str = r#"Decl active_override(Action, Who, Until) bound [/name, /string, /number].
Decl has_active_override(Action) bound [/name].
"#;

/// What an appeal allows the gate to let through, the constitution still has to permit; one that has run out allows nothing.
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
          DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the target matches `mkfs`, which the gate refuses
          denied: `/run_command` on `rm -fr x; mkfs y` is denied: the target matches `mkfs`, which the gate refuses
    "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 1).\n",
        expect![[r#"
            turn 1
              PERMIT 2 r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: permitted by the constitution; the gate would refuse it, but for an appeal
              permitted: `/run_command` on `rm -fr x; mkfs y` is permitted by the constitution; the gate would refuse it, but for an appeal
        "#]],
    );
    told(
        &mkfs,
        "active_override(/run_command, \"ann\", 0).\n",
        expect![[r#"
        turn 1
          DENY gate r1 /run_command rm -fr x; mkfs y {"path":"rm -fr x; mkfs y"}: the target matches `mkfs`, which the gate refuses
          denied: `/run_command` on `rm -fr x; mkfs y` is denied: the target matches `mkfs`, which the gate refuses
    "#]],
    );
    told(
        &asks("delete_file", "{\"path\":\"x\"}"),
        "has_active_override(/delete_file).\n",
        expect![[r#"
        turn 1
          DENY 2 r1 /delete_file x {"path":"x"}: It needs an override
          denied: `/delete_file` on `x` is denied: It needs an override
    "#]],
    );
}

/// An appeal that the model grants itself is seen in the proof.
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
              permitted: `/git_push` on `x` is permitted by the constitution
              self-granted: this is permitted only because of `has_active_override(/git_push)`, which the model asserted itself (turn 1, update 1)
              override-only: `/git_push` is listed nowhere as safe: only an override permits it
        "#]],
    );
    let pattern = asks("run_command", "{\"path\":\"mkfs y\"}");
    check(
        &[reply(&["has_active_override(/run_command)."], &pattern, "ok")],
        &policy.replace("permitted(A", "allowed(A"),
        expect![[r#"
            turn 1
              has_active_override(/run_command). asserted
              PERMIT 2 r1 /run_command mkfs y {"path":"mkfs y"}: permitted by the constitution; the gate would refuse it, but for an appeal
              + has_active_override(/run_command)
              permitted: `/run_command` on `mkfs y` is permitted by the constitution; the gate would refuse it, but for an appeal
              self-granted: this is permitted only because of `has_active_override(/run_command)`, which the model asserted itself (turn 1, update 1)
        "#]],
    );
}

/// A model that asserts requests itself: with the request of that id all of them are taken back, as in the runtime.
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
              permitted: `/delete_file` on `a.go` is permitted by the constitution
              self-granted: this is permitted only because of `admin_override("me")`, which the model asserted itself (turn 1, update 3)
              override-only: `/delete_file` is listed nowhere as safe: only an override permits it
        "#]],
    );
}
