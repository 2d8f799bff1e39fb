# What happened on Friday, as a test that would have told on Monday. `mangle-ls test examples/incident` fails: the engine
# drops the negation that should have kept the request from being clear. `--reading written` passes: what is written is
# what was meant.

# @test name: a dangerous request is not permitted
pending_action("a1", /run_command, "", "rm -rf target", 100).
# @expect danger_found("a1", "rm -rf")
# @forbid permitted(_, _, _)

# @test name: a harmless one is
pending_action("a1", /run_command, "", "ls", 100).
# @expect permitted(/run_command, "", "ls")

# What the engine makes of the week, found without the request of Friday: `mangle-ls verify examples/incident`.

# @never name: a blocked pattern is never permitted
#   pending_action(ActionID, Action, Target, Payload, _), permitted(Action, Target, Payload),
#   danger_found(ActionID, _)
# @assume never name: one request under two identifiers
#   pending_action(One, A, T, P, _), pending_action(Other, A, T, P, _), One != Other

# @never name: an action with an override is not denied for the lack of one
#   blocked_action(ActionID, /needs_override), request(ActionID, Action), admin_override(_, Action)
# @assume never name: two requests under one identifier
#   request(ActionID, One), request(ActionID, Other), One != Other

# @always name: what a needed task needs is needed as well
#   task_dependency(TaskID, Middle), task_dependency(Middle, Needed) then depends_on(TaskID, Needed)
