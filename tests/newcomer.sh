#!/bin/sh
# The first steps of a newcomer, without a configuration: each command with its expected exit status and text.
#
# Usage: tests/newcomer.sh [MANGLE_LS]
set -u

mangle_ls=$(command -v "${1:-mangle-ls}") || { echo "no program ${1:-mangle-ls}" >&2; exit 2; }
case "$mangle_ls" in /*) ;; *) mangle_ls=$PWD/$mangle_ls ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
steps=0
failures=0

# step PURPOSE STATUS TEXT ARGUMENT...: runs mangle-ls; its output has to contain TEXT.
step() {
    purpose=$1 status=$2 text=$3
    shift 3
    steps=$((steps + 1))
    "$mangle_ls" --color never "$@" >"$work/.output" 2>&1 </dev/null
    found=$?
    if [ "$found" -eq "$status" ] && { [ -z "$text" ] || grep -qF -- "$text" "$work/.output"; }; then
        echo "ok $steps - $purpose"
    else
        failures=$((failures + 1))
        echo "not ok $steps - $purpose: mangle-ls $*"
        echo "  expected exit status $status and \"$text\", found exit status $found and"
        sed 's/^/    /' "$work/.output"
    fi
}

# A captured reply that requests a tool: reply FILE TOOL
reply() {
    cat >"$1" <<END
{"control_packet": {"intent_classification": {"category": "/mutation", "verb": "/fix", "target": "shop", "constraint": "none", "confidence": 0.9}, "mangle_updates": ["note(\"begun\")."], "memory_operations": [], "tool_requests": [{"id": "1", "tool_name": "$2", "tool_args": {"path": "src/main.rs"}}]}, "surface_response": "I start."}
END
}

# --- What is this program? ---------------------------------------------------

step "the help has groups" 0 "Agent logs:" --help
step "the help of a command has examples" 0 "Examples:" check --help
step "a word of another tool is answered" 2 "mangle-ls check --fix" fix
step "a rule is explained" 0 "negation-wildcard" explain negation-wildcard
step "the versions are shown" 0 "codenerd-2026-09" version

# --- A first policy ----------------------------------------------------------

mkdir empty && cd empty || exit 2
step "an empty folder is not a clean result" 0 "Nothing to check" check
cd "$work" || exit 2

step "a project is written" 0 "schemas.gl" init first --ci none
cd first || exit 2
rm mangle-ls.toml
step "the project has no findings" 0 "No findings" check
step "its tests pass" 0 "passed" test
step "a query lists facts" 0 "/run_tests" query "safe_action(Action)"
step "a fact has a proof" 0 "constitution.mg" query "safe_action(/run_tests)" --why
step "the predicates have a graph" 0 "permitted" graph
step "the files are formatted" 0 "" format --check
step "the prompt has the line of the rule" 0 "Run the tests after every change." preview coder.kernel.mg
cd "$work" || exit 2

# --- A mistake ---------------------------------------------------------------

mkdir mistake && cd mistake || exit 2
cat >policy.mg <<'END'
Decl request(Tool) bound [/name].
Decl blocked(Tool, Reason) bound [/name, /string].
request(/deploy).
blocked(/deploy, "frozen").
allowed(Tool) :- request(Tool), !blocked(Tool, _).
END
step "an ignored negation is an error" 1 "negation-wildcard" check
cat >dead.mg <<'END'
Decl safe_tool(Tool) bound [/name].
safe_tool("read_file").
usable(Tool) :- request(Tool), safe_tool(Tool).
END
step "a dead allow-list is an error" 1 "type-fact-mismatch" check
cd "$work" || exit 2

# --- A log -------------------------------------------------------------------

mkdir agent && cd agent || exit 2
cat >schemas.gl <<'END'
Decl pending_action(ID, Action, Target, Payload, Time) bound [/string, /name, /string, /string, /number].
Decl permitted(Action, Target, Payload) bound [/name, /string, /string].
Decl safe(Action) bound [/name].
Decl note(Text) bound [/string].
END
cat >constitution.mg <<'END'
safe(/read_file).
permitted(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _), safe(Action).
END
reply captured.json read_file
step "the policy beside a log is found" 0 "policy: 2 files (schemas.gl, constitution.mg)" replay captured.json
step "the request is permitted" 0 "PERMIT" replay captured.json
: >mangle-ls.toml
step "an empty configuration changes no verdict" 0 "PERMIT" replay captured.json
rm mangle-ls.toml
reply captured.json delete_file
step "another request is denied" 1 "DENY" replay captured.json
echo '{"name": "shop", "version": 1}' >other.json
step "JSON without replies is counted" 0 "1 JSON file without model replies" check --fail-on never
sed 's/begun/begun/; s/note(/unknown_predicate(/' captured.json >wrong.json
step "a log is recognized by its content" 0 "wrong.json" check --fail-on never
rm wrong.json other.json
step "a log is a conversation" 0 "I start." transcript show captured.json
step "a log has statistics" 0 "answers" transcript stats captured.json
echo 'safe(/read_file).' >constitution.mg
step "a policy without a verdict gives none" 2 "permitted" replay captured.json
cat >constitution.mg <<'END'
Decl blocked_action(Action, Reason) bound [/name, /string].
blocked_action(/delete_file, "never").
END
step "blocked actions alone are a constitution" 1 "DENY" replay captured.json
cd "$work" || exit 2

# --- A property --------------------------------------------------------------

mkdir property && cd property || exit 2
cat >policy.mg <<'END'
Decl request(Tool) bound [/name].
run(Tool) :- request(Tool).
END
echo '# @never run(/deploy)' >policy_test.mg
step "a violated property has a world" 1 "request(/deploy)" verify
echo 'request(/read).' >facts.mg
step "a property of constant facts is vacuous" 2 "vacuous" verify
echo '# @never run(' >policy_test.mg
step "a damaged property is a finding" 1 "policy_test.mg" check

echo "$steps steps, $failures failed"
[ "$failures" -eq 0 ]
