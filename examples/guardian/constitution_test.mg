# What the constitution permits and denies. Run with `mangle-ls test examples/guardian`.

# --- Permits ----------------------------------------------------------------------

# @test name: reading is permitted without further ado
pending_action("a1", /read_file, "src/main.rs", "", 100).
# @expect permitted(/read_file, "src/main.rs", "")
# @exact permitted/3
# @forbid permission_denied(_, _)

# @test name: writing is permitted below a workspace root
pending_action("a1", /write_file, "src/lib.rs", "fn main() {}", 100).
pending_action("a2", /edit_file, "docs/index.md", "Hello", 101).
# @expect is_permitted("a1")
# @expect is_permitted("a2")
# @forbid blocked_action(_, _)

# @test name: fetching is permitted from known domains
pending_action("a1", /fetch_url, "https://docs.rs/ropey", "", 100).
# @expect permitted(/fetch_url, "https://docs.rs/ropey", "")

# @test name: an override and a signature together permit a dangerous action
pending_action("a1", /git_push, "origin main", "", 100).
admin_override("ann", /git_push, 200).
current_time(150).
signed_approval("a1").
# @expect permitted(/git_push, "origin main", "")
# @forbid blocked_action("a1", _)

# --- Denials ----------------------------------------------------------------------

# @test name: a blocked pattern is denied, however safe the action
pending_action("a1", /run_command, "", "rm -rf target", 100).
# @forbid permitted(_, _, _)
# @expect danger_found("a1", "rm -rf")
# @expect permission_denied(/run_command, "The request contains a blocked pattern.")
# @exact permission_denied/2

# @test name: writing outside the workspace is denied
pending_action("a1", /write_file, "/etc/passwd", "root", 100).
pending_action("a2", /write_file, "src/../../etc/passwd", "root", 101).
# @forbid permitted(_, _, _)
# @expect blocked_action("a1", /outside_workspace)
# @expect blocked_action("a2", /danger)
# @exact blocked_action/2

# @test name: a domain that only looks like a known one is denied
pending_action("a1", /fetch_url, "https://crates.io.evil.example/x", "", 100).
# @forbid permitted(_, _, _)
# @expect blocked_action("a1", /foreign_domain)

# @test name: an override alone is not enough
pending_action("a1", /deploy, "production", "", 100).
admin_override("ann", /deploy, 200).
current_time(150).
# @forbid is_permitted("a1")
# @expect blocked_action("a1", /needs_signature)
# @exact blocked_action/2

# @test name: an override that has ended does not count
pending_action("a1", /deploy, "production", "", 100).
admin_override("ann", /deploy, 200).
current_time(200).
signed_approval("a1").
# @forbid is_permitted("a1")
# @expect blocked_action("a1", /needs_override)
# @exact blocked_action/2

# @test name: an action that keeps failing is frozen
pending_action("a4", /run_tests, "", "", 100).
action_failed("a1", /run_tests, 10).
action_failed("a2", /run_tests, 20).
action_failed("a3", /run_tests, 30).
# @expect failure_count(/run_tests, 3)
# @expect blocked_action("a4", /frozen)
# @forbid is_permitted("a4")

# @test name: nothing runs once the operator has stopped the agent
pending_action("a1", /read_file, "src/main.rs", "", 100).
halted().
# @forbid permitted(_, _, _)
# @expect permission_denied(/read_file, "The operator has stopped the agent.")

# @test name: what the constitution does not know is denied, with a reason
pending_action("a1", /launch, "rocket", "", 100).
# @forbid permitted(_, _, _)
# @expect blocked_action("a1", /unknown_action)
# @exact unexplained_block/1

# --- What holds in every world --------------------------------------------------------

# @never name: nothing is permitted once the operator has stopped the agent
#   permitted(_, _, _), halted()

# @never name: a blocked pattern is never permitted
#   pending_action(ActionID, Action, Target, Payload, _), permitted(Action, Target, Payload),
#   danger_found(ActionID, _)
# @assume never name: one request under two identifiers
#   pending_action(One, A, T, P, _), pending_action(Other, A, T, P, _), One != Other

# @never name: a dangerous action without an override is never permitted
#   permitted(Action, _, _), dangerous_action(Action), !has_admin_override(Action)
#   unless safe_action(Action) or write_action(Action) or network_action(Action)

# @always name: whatever is not permitted has a reason
#   request(ActionID, _) then is_permitted(ActionID) or has_reason(ActionID)

# @never name: no request is denied without a reason
#   unexplained_block(_)

# @possible name: a deployment can still be permitted
#   permitted(/deploy, _, _)
