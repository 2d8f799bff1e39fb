# Tables: the enumerations and thresholds behind the policies.

safe_action(/read_file).
safe_action(/list_files).
safe_action(/search_code).
safe_action(/run_tests).
safe_action(/run_command).
safe_action(/ask_user).

write_action(/write_file).
write_action(/edit_file).

network_action(/fetch_url).

requires_permission(/delete_file).
requires_permission(/git_push).
requires_permission(/deploy).

blocked_pattern("rm -rf").
blocked_pattern("sudo ").
blocked_pattern("mkfs").
blocked_pattern("chmod 777").
blocked_pattern("git push --force").
blocked_pattern("../").
blocked_pattern(".ssh/").

workspace_root("src/").
workspace_root("tests/").
workspace_root("docs/").

allowed_domain("docs.rs").
allowed_domain("crates.io").
allowed_domain("pkg.go.dev").

reason_text(/halted, "The operator has stopped the agent.").
reason_text(/danger, "The request contains a blocked pattern.").
reason_text(/frozen, "This action has failed too often.").
reason_text(/unknown_action, "The constitution does not know this action.").
reason_text(/outside_workspace, "The target is outside the workspace.").
reason_text(/foreign_domain, "The address is not on the list of known domains.").
reason_text(/needs_override, "A dangerous action needs an admin's override.").
reason_text(/needs_signature, "A dangerous action needs a signature.").

limit(/failures, 3).
limit(/attempts, 4).
limit(/rejections, 3).
limit(/context_score, 50).

verb_shard(/fix, /coder).
verb_shard(/refactor, /coder).
verb_shard(/test, /tester).
verb_shard(/review, /reviewer).
verb_shard(/explain, /researcher).

category_shard(/query, /researcher).
category_shard(/mutation, /coder).
category_shard(/instruction, /planner).

file_specialist(".mg", /legislator).
file_specialist(".gl", /legislator).

cause_of(/build_error, /missing_import, 60).
cause_of(/build_error, /wrong_version, 40).
cause_of(/test_failure, /wrong_logic, 70).
cause_of(/test_failure, /flaky_test, 30).
cause_of(/timeout, /endless_loop, 50).
cause_of(/timeout, /flaky_test, 50).

remedy(/missing_import, /search_code, 1).
remedy(/missing_import, /edit_file, 2).
remedy(/wrong_version, /read_file, 1).
remedy(/wrong_logic, /read_file, 1).
remedy(/wrong_logic, /edit_file, 2).
remedy(/flaky_test, /run_tests, 1).
remedy(/endless_loop, /read_file, 1).

cause_phrase("import", /missing_import).
cause_phrase("version", /wrong_version).
cause_phrase("flaky", /flaky_test).
cause_phrase("loop", /endless_loop).
