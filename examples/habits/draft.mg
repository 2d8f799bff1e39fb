# A first policy, written by habit.

safe_action(/read_file).
safe_action(/list_files).
safe_action(/search_code).
safe_action(/run_tests).
write_action(/write_file).
write_action(/edit_file).
blocked_pattern("rm -rf").
blocked_pattern("sudo ").
workspace_root("src/").
workspace_root("tests/").

// Permissions
permitted(Action, Target, Payload) :-
    pending_action(ID, Action, Target, Payload, _),
    safe_action(Action),
    not dangerous(ID).

permitted(Action, Target, Payload) :-
    pending_action(ID, Action, Target, Payload, _),
    write_action(Action),
    in_workspace(ID) and approved(ID).

request(ID, Action) :- pending_action(ID, Action, _, _, _).

dangerous(ID) :-
    pending_action(ID, _, Target, _, _),
    blocked_pattern(Text),
    contains(Target, Text).

dangerous(ID) :-
    pending_action(ID, _, _, Payload, _),
    blocked_pattern(Text),
    :string:contains(Payload, Text).

in_workspace(ID) :-
    pending_action(ID, _, Target, _, _),
    workspace_root(Prefix),
    startswith(Target, Prefix).

approved(ID) :- approval(ID, User, _), user(User, "reviewers").
approved(ID) :- recent_approval(ID).

recent_approval(ID) :-
    approval(ID, _, At),
    current_time(Now),
    Age is Now - At,
    Age < 3600.

failures(Action, N) :- action_failed(_, Action, _), N = COUNT(*).

frozen(Action) :- failures(Action, N), N >= 3.

has_approval(ID) :- approval(ID, _, _).
open_request(ID) :- request(ID, _), \+ has_approval(ID).

reviewed(ID) :- approval(ID, _, _); tagged(ID, /reviewed).

late(ID) :-
    pending_action(ID, _, _, _, At),
    current_time(Now),
    Limit = At + 86400,
    Limit < Now.

tagged(ID, Tag) :- tags(ID, Tags), member(Tag, Tags).
urgent(ID) :- tagged(ID, /urgent), open_request(ID).

team_size(Team, N) :- user(User, Team) |> do fn:group_by(Team), let N = fn:Count().
small_team(Team) :- team_size(Team, N), N =< 2.

next_minute(At) :- current_time(Now), At = fn:plus(Now, 60).

reason(ID, "dangerous") :- dangerous(ID).
reason(ID, "frozen") :- request(ID, Action), frozen(Action).
reason(ID, "late") :- late(ID)
reason(ID, "halted") :- request(ID, _), halted().

permission_denied(Action, Reason) :- request(ID, Action), reason(ID, Reason).
permission_denied(Action, "not approved") :-
    request(ID, Action),
    write_action(Action),
    !approval(ID, _, _).

other_team(User, Other) :- user(User, Team), user(Other, OtherTeam), Team <> OtherTeam.

label(ID, Text) :- request(ID, _), Text = fn:string:concat("request ", ID).

# Work of the reviewers
reviewer(User) :- user(User, /reviewers).
waiting(ID) :- open_request(ID), !urgent(ID).
review_first(ID) :- urgent(ID), !dangerous(ID).
reviews(User, N) :-
    approval(ID, User, At),
    reviewer(User)
    |> do fn:group_by(User), let N = fn:count().
busy(User) :- reviews(User, N), 10 < N.
can_review(User) :- reviewer(User), !busy(User).
stuck(ID) :- waiting(ID), late(ID).
blocked(ID) :- reason(ID, _).
free(ID) :- request(ID, _), !blocked(ID).
same_team(A, B) :- user(A, Team), user(B, Team), A != B.
frozen_read(Action) :- frozen(Action), safe_action(Action).
review_team(Team) :- user(_, Team), small_team(Team).
