# The constitution: what the agent may do. Whatever is not permitted here is denied.

safe_action(/read_file).
safe_action(/search_files).
safe_action(/run_tests).

blocked_pattern("rm -rf").
blocked_pattern("/etc/passwd").

permitted(Action, Target, Payload) :-
    pending_action(ActionID, Action, Target, Payload, _),
    safe_action(Action),
    !dangerous_request(ActionID).

dangerous_request(ActionID) :-
    pending_action(ActionID, _, Target, _, _),
    blocked_pattern(Text),
    :string:contains(Target, Text).

dangerous_request(ActionID) :-
    pending_action(ActionID, _, _, Payload, _),
    blocked_pattern(Text),
    :string:contains(Payload, Text).

permission_denied(Action, "The request contains a blocked pattern.") :-
    pending_action(ActionID, Action, _, _, _),
    dangerous_request(ActionID).

permission_denied(Action, "The action is not in the list of safe actions.") :-
    pending_action(_, Action, _, _, _),
    !safe_action(Action).
