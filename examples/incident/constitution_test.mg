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
