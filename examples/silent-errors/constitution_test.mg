# A dangerous request, as a test that would have told of the ignored negation. `mangle-ls test examples/silent-errors` fails: the engine
# ignores the negation that should have kept the request from being clear. `--reading intended` passes: each negation is evaluated,
# as its author meant.

# @test name: a dangerous request is not permitted
pending_action("a1", /run_command, "", "rm -rf target", 100).
# @expect danger_found("a1", "rm -rf")
# @forbid permitted(_, _, _)

# @test name: a harmless one is
pending_action("a1", /run_command, "", "ls", 100).
# @expect permitted(/run_command, "", "ls")

# Properties that do not hold, found without a request: `mangle-ls verify examples/silent-errors`.

# @never name: a blocked pattern is never permitted
#   pending_action(ActionID, Action, Target, Payload, _), permitted(Action, Target, Payload),
#   danger_found(ActionID, _)
# @assume never name: one request under two identifiers
#   pending_action(One, A, T, P, _), pending_action(Other, A, T, P, _), One != Other

# @never name: an action with an override is not denied for the lack of one
#   blocked_action(ActionID, /needs_override), request(ActionID, Action), admin_override(_, Action, _)
# @assume never name: two requests under one identifier
#   request(ActionID, One), request(ActionID, Other), One != Other

# @always name: what a needed task needs is needed as well
#   task_dependency(TaskID, Middle), task_dependency(Middle, Needed) then depends_on(TaskID, Needed)
