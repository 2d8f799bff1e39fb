# Tests of the policy. They pass when the habits are gone.

# @test name: a reviewed write inside the workspace is permitted
pending_action("a1", /write_file, "src/main.rs", "{}", 100).
approval("a1", "ann", 90).
user("ann", /reviewers).
current_time(120).
# @expect permitted(/write_file, "src/main.rs", "{}")
# @forbid permission_denied(_, _)

# @test name: a write without approval is denied
pending_action("a1", /write_file, "src/main.rs", "{}", 100).
current_time(120).
# @forbid permitted(_, _, _)
# @expect permission_denied(/write_file, "not approved")

# @test name: a dangerous command is denied
pending_action("a1", /run_tests, "sudo make", "{}", 100).
current_time(120).
# @forbid permitted(_, _, _)
# @expect permission_denied(/run_tests, "dangerous")
