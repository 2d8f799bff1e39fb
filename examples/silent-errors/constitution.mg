# The constitution: what the agent may do. Default deny.
# An action runs only if `permitted` can be derived for exactly its name, target and payload.

# --- Permission -----------------------------------------------------------------

# Reading, searching, testing: fine unless something speaks against it.
permitted(Action, Target, Payload) :-
    pending_action(ActionID, Action, Target, Payload, _),
    safe_action(Action),
    clear_action(ActionID).

# Writing: only below a workspace root.
permitted(Action, Target, Payload) :-
    pending_action(ActionID, Action, Target, Payload, _),
    write_action(Action),
    in_workspace(ActionID),
    clear_action(ActionID).

# Fetching: only from known domains.
permitted(Action, Target, Payload) :-
    pending_action(ActionID, Action, Target, Payload, _),
    network_action(Action),
    in_allowed_domain(ActionID),
    clear_action(ActionID).

# Dangerous actions: an override for the kind of action and a signature under the request.
permitted(Action, Target, Payload) :-
    pending_action(ActionID, Action, Target, Payload, _),
    dangerous_action(Action),
    has_admin_override(Action),
    signed_approval(ActionID),
    clear_action(ActionID).

request(ActionID, Action) :- pending_action(ActionID, Action, _, _, _).

is_permitted(ActionID) :-
    pending_action(ActionID, Action, Target, Payload, _),
    permitted(Action, Target, Payload).

# --- What speaks against a request ------------------------------------------------

clear_action(ActionID) :-
    request(ActionID, Action),
    !danger_found(ActionID, _),
    !is_frozen(Action),
    !halted().

danger_found(ActionID, Pattern) :-
    pending_action(ActionID, _, _, Payload, _),
    blocked_pattern(Pattern),
    :string:contains(Payload, Pattern).

danger_found(ActionID, Pattern) :-
    pending_action(ActionID, _, Target, _, _),
    blocked_pattern(Pattern),
    :string:contains(Target, Pattern).

has_danger(ActionID) :- danger_found(ActionID, _).

# An action that keeps failing is taken away until a person looks at it.
failure_count(Action, Count) :-
    action_failed(_, Action, _)
    |> do fn:group_by(Action),
       let Count = fn:count().

is_frozen(Action) :-
    failure_count(Action, Count),
    limit(/failures, Most),
    Count >= Most.

# --- Kinds of actions -------------------------------------------------------------

dangerous_action(Action) :- requires_permission(Action).

is_known(Action) :- safe_action(Action).
is_known(Action) :- write_action(Action).
is_known(Action) :- network_action(Action).
is_known(Action) :- dangerous_action(Action).

in_workspace(ActionID) :-
    pending_action(ActionID, _, Target, _, _),
    workspace_root(Prefix),
    :string:starts_with(Target, Prefix).

# The slash after the domain matters: "crates.io.evil.example" also starts with "crates.io".
in_allowed_domain(ActionID) :-
    pending_action(ActionID, _, Target, _, _),
    allowed_domain(Domain),
    Prefix = fn:string:concat("https://", Domain, "/"),
    :string:starts_with(Target, Prefix).

has_admin_override(Action) :-
    admin_override(_, Action, Until),
    current_time(Now),
    Now < Until.

# --- Denial, with reasons -----------------------------------------------------------

blocked_action(ActionID, /halted) :-
    request(ActionID, _),
    halted().

blocked_action(ActionID, /danger) :-
    has_danger(ActionID).

blocked_action(ActionID, /frozen) :-
    request(ActionID, Action),
    is_frozen(Action).

blocked_action(ActionID, /unknown_action) :-
    request(ActionID, Action),
    !is_known(Action).

blocked_action(ActionID, /outside_workspace) :-
    request(ActionID, Action),
    write_action(Action),
    !in_workspace(ActionID).

blocked_action(ActionID, /foreign_domain) :-
    request(ActionID, Action),
    network_action(Action),
    !in_allowed_domain(ActionID).

blocked_action(ActionID, /needs_override) :-
    request(ActionID, Action),
    dangerous_action(Action),
    !admin_override(_, Action, _).

blocked_action(ActionID, /needs_signature) :-
    request(ActionID, Action),
    dangerous_action(Action),
    !signed_approval(ActionID).

has_reason(ActionID) :- blocked_action(ActionID, _).

permission_denied(Action, Text) :-
    request(ActionID, Action),
    blocked_action(ActionID, Reason),
    reason_text(Reason, Text).

# Must stay empty. A row here means that a request was denied and nobody can say why.
unexplained_block(ActionID) :-
    request(ActionID, _),
    !is_permitted(ActionID),
    !has_reason(ActionID).
