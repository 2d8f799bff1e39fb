//! `config show`: the settings that hold for a folder or a file.

use expect_test::expect;

use super::support::{GOOD, check, folder, render, run};

const SETTINGS: &str = "fail_on = 'warning'\n[[program]]\nname = 'guardian'\ninclude = ['policy']\nhybrid = ['policy/b.mg']\n\
    host_predicates = ['now/1']\ntarget = '0.4.0'\n[rules]\nnegation-wildcard = 'warning'\n'MG92*' = 'off'\nlone-cr = 'error'\n";

/// A program with a hybrid file, and a file apart.
pub(super) const PROJECT: &[(&str, &str)] = &[
    ("mangle-ls.toml", SETTINGS),
    ("policy/a.mg", GOOD),
    ("policy/b.mg", "TAXONOMY: a > b\n"),
    ("x.mg", GOOD),
];

#[test]
fn what_applies_to_a_file() {
    check(
        PROJECT,
        &["config", "show", "policy/b.mg"],
        expect![[r#"
            policy/b.mg
              configuration     mangle-ls.toml
              fail_on           warning
              program           guardian in .: part of the program (2 files)
                                engine 2026-06 (no `go.mod` above the files requires another one)
                                runtime none (no predicate of the policy belongs to a known runtime)
                                hybrid: directives of codeNERD are passed over
              rules that are not at their defaults
                MG210 negation-wildcard  warning instead of error, by mangle-ls.toml:9: negation-wildcard = 'warning'
                MG920 required-version   off instead of error, by mangle-ls.toml:10: 'MG92*' = 'off'
                MG921 unmatched-pattern  off instead of warning, by mangle-ls.toml:10: 'MG92*' = 'off'
            warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
            exit 0
        "#]],
    );
    check(
        PROJECT,
        &["config", "show", "x.mg"],
        expect![[r#"
            x.mg
              configuration     mangle-ls.toml
              fail_on           warning
              program           x.mg in .: left out by its configuration; with the schemas beside it (1 file)
                                engine 2026-06 (no `go.mod` above the files requires another one)
                                runtime none (no predicate of the policy belongs to a known runtime)
              rules that are not at their defaults
                MG210 negation-wildcard  warning instead of error, by mangle-ls.toml:9: negation-wildcard = 'warning'
                MG920 required-version   off instead of error, by mangle-ls.toml:10: 'MG92*' = 'off'
                MG921 unmatched-pattern  off instead of warning, by mangle-ls.toml:10: 'MG92*' = 'off'
            warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
            exit 0
        "#]],
    );
    check(
        PROJECT,
        &["config", "show", "gone.mg"],
        expect![[r#"
        error: gone.mg: there is no such file
        exit 2
    "#]],
    );
    check(
        &[("a.mg", GOOD)],
        &["config", "show", "a.mg"],
        expect![[r#"
            a.mg
              configuration     none here or above; everything is at its default
              fail_on           error
              program           the given paths in .: part of what was named (1 file)
                                engine 2026-06 (no `go.mod` above the files requires another one)
                                runtime none (no predicate of the policy belongs to a known runtime)
              rules             all at their defaults
            exit 0
        "#]],
    );
    check(
        PROJECT,
        &["config", "show", "policy/a.mg", "--format", "json"],
        expect![[r#"
            {
              "file": "policy/a.mg",
              "configuration": "mangle-ls.toml",
              "fail_on": "warning",
              "required_version": null,
              "programs": [
                {
                  "name": "guardian",
                  "root": ".",
                  "role": "part of the program",
                  "files": 2,
                  "engine": {
                    "version": "2026-06",
                    "reason": "no `go.mod` above the files requires another one"
                  },
                  "runtime": {
                    "version": "none",
                    "reason": "no predicate of the policy belongs to a known runtime"
                  },
                  "hybrid": false
                }
              ],
              "rules": [
                {
                  "code": "MG210",
                  "name": "negation-wildcard",
                  "severity": "warning",
                  "default": "error",
                  "file": "mangle-ls.toml",
                  "line": 9,
                  "text": "negation-wildcard = 'warning'"
                },
                {
                  "code": "MG920",
                  "name": "required-version",
                  "severity": "off",
                  "default": "error",
                  "file": "mangle-ls.toml",
                  "line": 10,
                  "text": "'MG92*' = 'off'"
                },
                {
                  "code": "MG921",
                  "name": "unmatched-pattern",
                  "severity": "off",
                  "default": "warning",
                  "file": "mangle-ls.toml",
                  "line": 10,
                  "text": "'MG92*' = 'off'"
                }
              ]
            }
            warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
            exit 0
        "#]],
    );
}

#[test]
fn settings_that_differ_from_their_defaults() {
    check(
        PROJECT,
        &["config", "show"],
        expect![[r##"
        # The settings of mangle-ls.toml that differ from the defaults; --all shows all settings.
        fail_on = "warning"

        [[program]] # 2 files
        name = "guardian"
        include = ["policy"]
        hybrid = ["policy/b.mg"]
        host_predicates = ["now/1"]

        [rules]
        negation-wildcard = "warning" # instead of error, by mangle-ls.toml:9: negation-wildcard = 'warning'
        required-version = "off" # instead of error, by mangle-ls.toml:10: 'MG92*' = 'off'
        unmatched-pattern = "off" # instead of warning, by mangle-ls.toml:10: 'MG92*' = 'off'
        warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
        exit 0
    "##]],
    );
    check(
        &[("a.mg", GOOD)],
        &["config", "show"],
        expect![[r##"
        # No mangle-ls.toml here or above: all settings have their defaults; --all shows them.

        [[program]] # 1 file
        name = "the given paths"
        exit 0
    "##]],
    );
    let folder = folder(PROJECT);
    let output = run(folder.path(), &["config", "show", "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // A list would say that nothing is protected.
    assert_eq!(shown.get("protected"), None, "{shown}");
    assert_eq!((&shown["fail_on"], shown.get("max_findings")), (&"warning".into(), None), "{shown}");
}

#[test]
fn all_settings() {
    check(
        PROJECT,
        &["config", "show", "--all"],
        expect![[r##"
            # The settings of mangle-ls.toml, with all defaults.
            fail_on = "warning"
            max_findings = 100
            # required_version: any

            [files]
            extensions = []
            max_scan_bytes = 67108864
            max_scan_entries = 100000
            max_scan_files = 5000

            [format]
            indent = 4
            width = 100

            [kernel]
            sample = []
            engine = "auto"
            reading = "engine"
            max_facts = 5000000
            max_derived = 2000000
            max_steps = 500000000
            timeout_ms = 10000
            # now: the start of a run

            [runtime]
            # stores: one store

            [transcripts]
            include = ["**/transcripts/**", "**/*.piggyback.{json,jsonl,ndjson,md,txt,log}"]
            profile = "auto"
            consumer = "open"
            runtime = "auto"
            strict = "struct"
            require_valid_json = false
            envelope_select = "runtime"
            # container: detected
            # turn_separator: the built-in separators
            # tools: any tool
            # specialists: any agent
            success_phrases = ["done", "deleted", "fixed", "completed", "finished", "removed", "erased", "created", "wrote", "saved", "updated", "applied", "renamed", "moved", "committed", "pushed", "merged", "reverted", "installed", "deployed", "published", "uploaded", "restarted", "okay, deleting", "ok, deleting", "okay, removing", "ok, removing", "deleting…", "removing…", "erasing…", "overwriting…", "writing…", "creating…", "updating…", "applying…", "fixing…", "committing…", "pushing…", "merging…", "installing…", "deploying…"]
            # target_compression_ratio: 100, without a check of single turns
            min_trace_words = 50
            closed_limit = 4194304

            [transcripts.atoms]
            # trailing_period: from the protocol version
            types = "warning"
            allow_escaped_metachars = false
            # protected: the built-in list
            protected_extra = []
            # sensitive: the built-in list

            [transcripts.caps]
            allow_markdown_wrapped = true
            # max_surface_length: the limit of the runtime
            # max_depth: the limit of the runtime
            # max_candidate: the limit of the runtime
            # max_updates: the limit of the runtime
            # max_update_length: the limit of the runtime
            # max_memory_operations: the limit of the runtime
            # max_reasoning_trace: the limit of the runtime
            # max_tool_requests: the limit of the runtime
            # max_knowledge_requests: the limit of the runtime

            [prompt]
            shards = []
            templates = {}
            atoms = []
            # mode: jit with prompt atoms, otherwise legacy
            inception = false
            # reasoning: no request for reasons
            synthetic = true
            similarity = 90
            tokenizer = "bytes4"

            [prompt.context_block]
            predicates = ["user_intent", "file_topology", "test_state", "retry_count", "diagnostic", "task_status", "campaign_progress"]
            max_facts = 60
            max_tokens = 2000

            [replay]
            override = "runtime"
            pending = "pending_action"
            permit = "permitted"
            deny = ["permission_denied", "action_denied", "forbidden", "security_violation"]
            block = "blocked_action"
            safe = "safe_action"
            dangerous = "dangerous_action"
            content = "blocked_pattern"
            overrides = ["admin_override", "signed_approval", "temporary_override", "appeal_granted", "active_override", "has_active_override", "permission_check_result"]
            domain = "allowed_domain"
            domains = ["github.com", "golang.org", "pkg.go.dev", "docs.anthropic.com", "developer.mozilla.org"]
            patterns = ["rm\\s+-rf", "mkfs", "dd\\s+if=", "chmod\\s+777", "curl.*\\|.*sh", "wget.*\\|.*sh", ">.*\\/etc\\/", "sudo\\s+rm"]

            [replay.abduction]
            predicate = "abductive_hypothesis"
            as = "string"
            action = "recovery_action"

            [verify]
            inputs = []
            facts = 5
            seconds = 10
            solver = "auto"

            [decoding]
            files = []
            predicates = []
            max_predicates = 100
            # fields: all fields of the protocol version
            updates = 16
            elements = 4
            surface = 1000
            text = 200
            string = 80
            name = 32
            digits = 9
            max_names = 1000

            # Predicates that no reply should assert, and why:
            # action_denied: built-in list of protected predicates
            # action_type: built-in list of what the agent derives
            # activation: built-in list of predicates that shape prompts
            # activation_spread: built-in list of what the agent derives
            # active_override: built-in list of protected predicates
            # admin_override: built-in list of protected predicates
            # allowed_domain: built-in list of protected predicates
            # appeal_granted: built-in list of protected predicates
            # atom_tag: built-in list of predicates that shape prompts
            # blocked: built-in list of what the agent derives
            # blocked_pattern: built-in list of protected predicates
            # campaign_prompt_policy: built-in list of predicates that shape prompts
            # context_atom: built-in list of what the agent derives
            # current_time: built-in list of protected predicates
            # current_user: built-in list of protected predicates
            # dangerous_action: built-in list of protected predicates
            # dangerous_content: built-in list of protected predicates
            # detected_framework: built-in list of what the agent derives
            # execution_result: built-in list of protected predicates
            # final_action: built-in list of protected predicates
            # forbidden: built-in list of protected predicates
            # has_active_override: built-in list of protected predicates
            # injectable_context: built-in list of predicates that shape prompts
            # is_mandatory: built-in list of predicates that shape prompts
            # learned_exemplar: built-in list of predicates that shape prompts
            # mutation_approved: built-in list of protected predicates
            # network_permitted: built-in list of protected predicates
            # pending_action: built-in list of protected predicates
            # permission_check_result: built-in list of protected predicates
            # permitted: built-in list of protected predicates
            # permitted_action: built-in list of protected predicates
            # policy_allows: built-in list of what the agent derives
            # policy_denies: built-in list of what the agent derives
            # prompt_atom: built-in list of predicates that shape prompts
            # prompt_customization: built-in list of predicates that shape prompts
            # prompt_exemplar: built-in list of predicates that shape prompts
            # relevant_fact: built-in list of what the agent derives
            # requires_permission: built-in list of protected predicates
            # route_to_shard: built-in list of what the agent derives
            # route_to_tool: built-in list of what the agent derives
            # routing_result: built-in list of protected predicates
            # safe_action: built-in list of protected predicates
            # safety_check: built-in list of protected predicates
            # security_violation: built-in list of protected predicates
            # shard_context_atom: built-in list of predicates that shape prompts
            # shard_prompt_base: built-in list of predicates that shape prompts
            # signed_approval: built-in list of protected predicates
            # specialist_knowledge: built-in list of predicates that shape prompts
            # system_shard_state: built-in list of protected predicates
            # temporary_override: built-in list of protected predicates
            # test_framework: built-in list of what the agent derives
            # unsafe_action: built-in list of what the agent derives

            [[program]] # 2 files
            name = "guardian"
            include = ["policy"]
            exclude = []
            hybrid = ["policy/b.mg"]
            host_predicates = ["now/1"]

            [rules]
            negation-wildcard = "warning" # instead of error, by mangle-ls.toml:9: negation-wildcard = 'warning'
            required-version = "off" # instead of error, by mangle-ls.toml:10: 'MG92*' = 'off'
            unmatched-pattern = "off" # instead of warning, by mangle-ls.toml:10: 'MG92*' = 'off'
            warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
            exit 0
        "##]],
    );
    let config = |files: &[(&str, &str)]| render(&run(folder(files).path(), &["config", "show", "--all"]));
    let (set, defaults) = (config(PROJECT), config(&[("a.mg", GOOD)]));
    let diff = similar::TextDiff::from_lines(&set, &defaults);
    let changes = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    let changes: String = changes.map(|change| format!("{}{}", change.tag(), change.value())).collect();
    expect![[r#"
        -# The settings of mangle-ls.toml, with all defaults.
        -fail_on = "warning"
        +# No mangle-ls.toml here or above: the default settings.
        +fail_on = "error"
        -[[program]] # 2 files
        -name = "guardian"
        -include = ["policy"]
        +[[program]] # 1 file
        +name = "the given paths"
        +include = ["**/*.mg", "**/*.gl"]
        -hybrid = ["policy/b.mg"]
        -host_predicates = ["now/1"]
        +hybrid = []
        +host_predicates = []
        -negation-wildcard = "warning" # instead of error, by mangle-ls.toml:9: negation-wildcard = 'warning'
        -required-version = "off" # instead of error, by mangle-ls.toml:10: 'MG92*' = 'off'
        -unmatched-pattern = "off" # instead of warning, by mangle-ls.toml:10: 'MG92*' = 'off'
        -warning: mangle-ls.toml:7: unknown setting `target` in `program`, which is ignored
        +# All rules have their defaults; `mangle-ls explain` lists them.
    "#]]
    .assert_eq(&changes);
    check(
        &[("a.mg", GOOD)],
        &["config", "show", "--all", "--format", "json"],
        expect![[r#"
            {
              "configuration": null,
              "fail_on": "error",
              "max_findings": 100,
              "required_version": null,
              "files": {
                "extensions": [],
                "max_scan_bytes": 67108864,
                "max_scan_entries": 100000,
                "max_scan_files": 5000
              },
              "format": {
                "indent": 4,
                "width": 100
              },
              "kernel": {
                "sample": [],
                "engine": "auto",
                "reading": "engine",
                "max_facts": 5000000,
                "max_derived": 2000000,
                "max_steps": 500000000,
                "timeout_ms": 10000,
                "now": null
              },
              "runtime": {
                "stores": null
              },
              "transcripts": {
                "include": [
                  "**/transcripts/**",
                  "**/*.piggyback.{json,jsonl,ndjson,md,txt,log}"
                ],
                "profile": "auto",
                "consumer": "open",
                "runtime": "auto",
                "strict": "struct",
                "require_valid_json": false,
                "envelope_select": "runtime",
                "container": null,
                "turn_separator": null,
                "tools": null,
                "specialists": null,
                "success_phrases": [
                  "done",
                  "deleted",
                  "fixed",
                  "completed",
                  "finished",
                  "removed",
                  "erased",
                  "created",
                  "wrote",
                  "saved",
                  "updated",
                  "applied",
                  "renamed",
                  "moved",
                  "committed",
                  "pushed",
                  "merged",
                  "reverted",
                  "installed",
                  "deployed",
                  "published",
                  "uploaded",
                  "restarted",
                  "okay, deleting",
                  "ok, deleting",
                  "okay, removing",
                  "ok, removing",
                  "deleting…",
                  "removing…",
                  "erasing…",
                  "overwriting…",
                  "writing…",
                  "creating…",
                  "updating…",
                  "applying…",
                  "fixing…",
                  "committing…",
                  "pushing…",
                  "merging…",
                  "installing…",
                  "deploying…"
                ],
                "target_compression_ratio": null,
                "min_trace_words": 50,
                "closed_limit": 4194304,
                "atoms": {
                  "trailing_period": null,
                  "types": "warning",
                  "allow_escaped_metachars": false,
                  "protected": null,
                  "protected_extra": [],
                  "sensitive": null
                },
                "caps": {
                  "allow_markdown_wrapped": true,
                  "max_surface_length": null,
                  "max_depth": null,
                  "max_candidate": null,
                  "max_updates": null,
                  "max_update_length": null,
                  "max_memory_operations": null,
                  "max_reasoning_trace": null,
                  "max_tool_requests": null,
                  "max_knowledge_requests": null
                },
                "consumers": {},
                "shape": [],
                "override": []
              },
              "prompt": {
                "shards": [],
                "templates": {},
                "atoms": [],
                "mode": null,
                "inception": false,
                "reasoning": null,
                "synthetic": true,
                "similarity": 90,
                "tokenizer": "bytes4",
                "context_block": {
                  "predicates": [
                    "user_intent",
                    "file_topology",
                    "test_state",
                    "retry_count",
                    "diagnostic",
                    "task_status",
                    "campaign_progress"
                  ],
                  "max_facts": 60,
                  "max_tokens": 2000
                }
              },
              "replay": {
                "override": "runtime",
                "pending": "pending_action",
                "permit": "permitted",
                "deny": [
                  "permission_denied",
                  "action_denied",
                  "forbidden",
                  "security_violation"
                ],
                "block": "blocked_action",
                "safe": "safe_action",
                "dangerous": "dangerous_action",
                "content": "blocked_pattern",
                "overrides": [
                  "admin_override",
                  "signed_approval",
                  "temporary_override",
                  "appeal_granted",
                  "active_override",
                  "has_active_override",
                  "permission_check_result"
                ],
                "domain": "allowed_domain",
                "domains": [
                  "github.com",
                  "golang.org",
                  "pkg.go.dev",
                  "docs.anthropic.com",
                  "developer.mozilla.org"
                ],
                "patterns": [
                  "rm\\s+-rf",
                  "mkfs",
                  "dd\\s+if=",
                  "chmod\\s+777",
                  "curl.*\\|.*sh",
                  "wget.*\\|.*sh",
                  ">.*\\/etc\\/",
                  "sudo\\s+rm"
                ],
                "abduction": {
                  "predicate": "abductive_hypothesis",
                  "as": "string",
                  "action": "recovery_action"
                }
              },
              "verify": {
                "inputs": [],
                "facts": 5,
                "seconds": 10,
                "solver": "auto"
              },
              "decoding": {
                "files": [],
                "predicates": [],
                "max_predicates": 100,
                "fields": null,
                "updates": 16,
                "elements": 4,
                "surface": 1000,
                "text": 200,
                "string": 80,
                "name": 32,
                "digits": 9,
                "max_names": 1000
              },
              "protected": [
                {
                  "predicate": "action_denied",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "action_type",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "activation",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "activation_spread",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "active_override",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "admin_override",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "allowed_domain",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "appeal_granted",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "atom_tag",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "blocked",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "blocked_pattern",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "campaign_prompt_policy",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "context_atom",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "current_time",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "current_user",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "dangerous_action",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "dangerous_content",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "detected_framework",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "execution_result",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "final_action",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "forbidden",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "has_active_override",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "injectable_context",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "is_mandatory",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "learned_exemplar",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "mutation_approved",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "network_permitted",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "pending_action",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "permission_check_result",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "permitted",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "permitted_action",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "policy_allows",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "policy_denies",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "prompt_atom",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "prompt_customization",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "prompt_exemplar",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "relevant_fact",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "requires_permission",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "route_to_shard",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "route_to_tool",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "routing_result",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "safe_action",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "safety_check",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "security_violation",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "shard_context_atom",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "shard_prompt_base",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "signed_approval",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "specialist_knowledge",
                  "why": "built-in list of predicates that shape prompts",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "system_shard_state",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "temporary_override",
                  "why": "built-in list of protected predicates",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "test_framework",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                },
                {
                  "predicate": "unsafe_action",
                  "why": "built-in list of what the agent derives",
                  "rule": null,
                  "refused": true
                }
              ],
              "programs": [
                {
                  "name": "the given paths",
                  "include": [
                    "**/*.mg",
                    "**/*.gl"
                  ],
                  "exclude": [],
                  "hybrid": [],
                  "host_predicates": [],
                  "files": [
                    "a.mg"
                  ]
                }
              ],
              "rules": []
            }
            exit 0
        "#]],
    );
}
