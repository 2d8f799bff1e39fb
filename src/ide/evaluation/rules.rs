//! The rules about what shows only when a program is evaluated.

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[&EVALUATION_FAILS, &EVALUATION_LIMIT];

/// A row for which a function has no value.
pub(super) static EVALUATION_FAILS: Rule = Rule {
    code: "MG620",
    name: "evaluation-fails",
    group: Group::Types,
    severity: Some(Severity::Error),
    summary: "A function, or a comparison, that has no value for a row of the facts.",
    rationale: "The engine does not skip such a row: it stops the whole evaluation, and whatever other rules would \
                have given is missing as well. This is found by evaluating the program with its own facts and with \
                its sample: in the editor, and by `check --evaluate`.",
    bad: "fare(/tram, 120).\nfare(/ferry, 0).\nper_euro(L, N) :- fare(L, F), N = fn:div(1000, F).\n",
    good: "fare(/tram, 120).\nfare(/ferry, 0).\nper_euro(L, N) :- fare(L, F), F > 0, N = fn:div(1000, F).\n",
    fix: FixKind::None,
};

/// A rule that gave more than can be held.
pub(super) static EVALUATION_LIMIT: Rule = Rule {
    code: "MG820",
    name: "evaluation-limit",
    group: Group::Quality,
    severity: Some(Severity::Warning),
    summary: "The evaluation meets a limit at this rule.",
    rationale: "The rule gives so many facts, or takes so long, that the evaluation was given up before it was done. \
                The engine that runs the policy has limits too, or runs out of memory. This is found by evaluating the \
                program with its own facts and with its sample: in the editor, and by `check --evaluate`.",
    bad: "digit(0). digit(1). digit(2). digit(3). digit(4).\ndigit(5). digit(6). digit(7). digit(8). digit(9).\n\
          code(A, B, C, D, E, F, G) :-\n    digit(A), digit(B), digit(C), digit(D), digit(E), digit(F), digit(G).\n",
    good: "digit(0). digit(1). digit(2). digit(3). digit(4).\ndigit(5). digit(6). digit(7). digit(8). digit(9).\n\
           code(A, B) :- digit(A), digit(B).\n",
    fix: FixKind::None,
};
