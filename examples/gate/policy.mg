Decl pending_action(ID, Action, Target, Payload, Time)
  bound [/string, /name, /string, /string, /number].
Decl approved(Action) bound [/name].
Decl frozen(Action, Reason) bound [/name, /string].

frozen(/deploy, "release week").

request(Action, Target, Payload) :-
    pending_action(_, Action, Target, Payload, _).

# An approved action is permitted, unless it is frozen.
permitted(Action, Target, Payload) :-
    request(Action, Target, Payload),
    approved(Action),
    !frozen(Action, _).
