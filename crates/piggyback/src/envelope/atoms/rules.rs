//! The rules about updates, `PB2xx`.

use mangle_syntax::lint::{rule, rules};

rules! {
    ATOM_TOO_LONG = rule!("atom-too-long.md"),
    ATOM_SYNTAX = rule!("atom-syntax.md"),
    NO_PERIOD = rule!("no-period.md"),
    HAS_PERIOD = rule!("has-period.md"),
    PROTECTED_HEAD = rule!("protected-head.md"),
    METACHAR = rule!("metachar.md"),
    ESCAPED_METACHAR = rule!("escaped-metachar.md"),
    NON_GROUND = rule!("non-ground.md"),
    FUNCTION_TERM = rule!("function-term.md"),
    UNDECLARED = rule!("undeclared.md"),
    ARITY = rule!("arity.md"),
    ARG_TYPE = rule!("arg-type.md"),
    NOT_ALLOWED = rule!("not-allowed.md"),
    MULTI_CLAUSE = rule!("multi-clause.md"),
    RULE_IN_UPDATE = rule!("rule-in-update.md"),
    PROMPT_SHAPING = rule!("prompt-shaping.md"),
    ARROW_IN_STRING = rule!("arrow-in-string.md"),
    PRED_STYLE = rule!("pred-style.md"),
    DERIVED_HEAD = rule!("derived-head.md"),
    UNKNOWN_NAME = rule!("unknown-name.md"),
    KIND_FLIP = rule!("kind-flip.md"),
    DECL_IN_UPDATE = rule!("decl-in-update.md"),
    DUPLICATE_ATOM = rule!("duplicate-atom.md"),
    BLANK_ATOM = rule!("blank-atom.md"),
    PADDED_ATOM = rule!("padded-atom.md"),
    HOST_WITNESS = rule!("host-witness.md"),
    PERMISSION_INPUT = rule!("permission-input.md"),
}
