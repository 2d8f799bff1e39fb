# Recovery: from what was seen, to what may be wrong, to what to try next.

# --- Hypotheses -------------------------------------------------------------------

hypothesis(TaskID, Cause, Weight) :-
    symptom(TaskID, Kind),
    cause_of(Kind, Cause, Weight),
    !is_refuted(TaskID, Cause).

is_refuted(TaskID, Cause) :- refuted(TaskID, Cause, _).

top_weight(TaskID, Weight) :-
    hypothesis(TaskID, _, Weight)
    |> do fn:max(Weight).

best_hypothesis(TaskID, Cause) :-
    hypothesis(TaskID, Cause, Weight),
    top_weight(TaskID, Weight).

# --- What to try next ---------------------------------------------------------------

was_tried(TaskID, Action) :- attempt(TaskID, Action, _).

open_remedy(TaskID, Action, Position) :-
    best_hypothesis(TaskID, Cause),
    remedy(Cause, Action, Position),
    !was_tried(TaskID, Action).

has_open_remedy(TaskID) :- open_remedy(TaskID, _, _).

first_open(TaskID, Position) :-
    open_remedy(TaskID, _, Each)
    |> do fn:group_by(TaskID),
       let Position = fn:min(Each).

next_recovery(TaskID, Action) :-
    first_open(TaskID, Position),
    open_remedy(TaskID, Action, Position),
    !is_exhausted(TaskID).

attempt_count(TaskID, Count) :-
    attempt(TaskID, _, _)
    |> do fn:group_by(TaskID),
       let Count = fn:count().

is_exhausted(TaskID) :-
    attempt_count(TaskID, Count),
    limit(/attempts, Most),
    Count >= Most.

# --- When to stop -------------------------------------------------------------------

needs_person(TaskID) :- is_exhausted(TaskID).

needs_person(TaskID) :-
    symptom(TaskID, _),
    !has_open_remedy(TaskID).

# --- Self-correction: the model says in its own words what went wrong ---------------

suspected_cause(Cause) :-
    abductive_hypothesis(Text),
    cause_phrase(Phrase, Cause),
    :string:contains(Text, Phrase).

# The first remedy only: a self-correction is one step, not a plan.
recovery_action(Action) :-
    suspected_cause(Cause),
    remedy(Cause, Action, 1).

recovery_action(/ask_user) :-
    abductive_hypothesis("I do not know").
