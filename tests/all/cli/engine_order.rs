//! What the engine leaves to chance, aborts at, or a small stack allows: the commands say so.

use expect_test::expect;

use super::support::{check, command, folder};

const DERIVED: &str = "Decl active(U) temporal bound [/name].\nsession(/ann).\n\
    active(U)@[2026-01-01, 2026-02-01] :- session(U).\nalert(U) :- active(U)@[S, E].\n";

#[test]
fn a_result_that_depends_on_the_order_is_not_certain() {
    let now = ["--now", "2026-01-31T12:00:00Z"];
    check(
        &[("p.mg", DERIVED)],
        &[&["query", "alert(U)", "p.mg", "--reading", "engine"][..], &now].concat(),
        expect![[r#"
            alert(/ann)
            error: the evaluation stopped at p.mg:4: the result depends on the order of evaluation: the engine may evaluate `active` too late for this rule
            exit 2
        "#]],
    );
    check(
        &[("p.mg", DERIVED)],
        &[&["query", "alert(U)", "p.mg", "--reading", "intended"][..], &now].concat(),
        expect![[r#"
            alert(/ann)
            exit 0
        "#]],
    );
}

#[test]
fn a_bound_result_of_a_deferred_predicate_aborts() {
    let text = "Decl step(X, Y) descr [deferred(), mode(\"+\", \"-\")].\nstep(X, Y) :- e(X, Y).\n\
        e(1, 2). e(1, 3).\nq(A) :- e(A, B), step(A, B).\n";
    check(
        &[("p.mg", text)],
        &["query", "q(A)", "p.mg", "--reading", "engine"],
        expect![[r#"
        error: the evaluation stopped at p.mg:4: cannot unify 2 3
        exit 2
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn deep_lists_need_no_large_stack() {
    let deep = |open: &str, close: &str, levels: usize| {
        format!("p({}1{}).\nq(X) :- p(X).\n", open.repeat(levels), close.repeat(levels))
    };
    let texts = [deep("[", "]", 1000), deep("fn:pair(1, ", ")", 500), "l([]).\nl([X]) :- l(X).\n".to_owned()];
    for text in texts {
        let folder = folder(&[("p.mg", &text)]);
        for arguments in
            [&["check", "--evaluate", "p.mg"][..], &["query", "--dump", "p.mg"], &["format", "p.mg"]]
        {
            let program = command(folder.path(), arguments);
            let shell = "ulimit -s 256 && exec \"$@\"";
            let mut small = std::process::Command::new("sh");
            small.args(["-c", shell, "sh"]).arg(program.get_program()).args(arguments);
            let output = small.current_dir(folder.path()).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code().is_some_and(|code| code <= 2), "{arguments:?}: {errors}");
        }
    }
}
