# Tests of the constitution. Run them with `mangle-ls test`.

# @test name: reading is permitted
pending_action("a1", /read_file, "src/main.rs", "{}", 100).
# @expect permitted(/read_file, "src/main.rs", "{}")
# @forbid permission_denied(_, _)

# @test name: an unknown action is denied
pending_action("a1", /delete_file, "src/main.rs", "{}", 100).
# @forbid permitted(_, _, _)
# @expect permission_denied(/delete_file, "The action is not in the list of safe actions.")

# @test name: a blocked pattern in the target is denied
pending_action("a1", /read_file, "/etc/passwd", "{}", 100).
# @forbid permitted(_, _, _)
# @expect permission_denied(/read_file, "The request contains a blocked pattern.")

# @test name: a blocked pattern in the payload is denied
pending_action("a1", /run_tests, "", "{\"command\":\"rm -rf target\"}", 100).
# @forbid permitted(_, _, _)

# @test name: failing tests are a line of the prompt
test_state(/failing).
# @expect injectable_context("*", "The tests fail: repair them first.")
