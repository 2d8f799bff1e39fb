# Learning: three rejections make a preference. A preference never makes a permission.

rejection_count(Topic, Choice, Count, LastAt) :-
    rejection(Topic, Choice, At)
    |> do fn:group_by(Topic, Choice),
       let Count = fn:count(),
       let LastAt = fn:max(At).

# People change their minds: an acceptance after the last rejection wipes the slate clean.
accepted_after(Topic, Choice, LastAt) :-
    rejection_count(Topic, Choice, _, LastAt),
    acceptance(Topic, Choice, At),
    At > LastAt.

avoid_preference(Topic, Choice) :-
    rejection_count(Topic, Choice, Count, LastAt),
    limit(/rejections, Least),
    Count >= Least,
    !accepted_after(Topic, Choice, LastAt).

# What the constitution decides is not a matter of taste.
is_safety_topic(/permission).
is_safety_topic(Action) :- is_known(Action).

promote_to_long_term(Topic, Text) :-
    avoid_preference(Topic, Choice),
    !is_safety_topic(Topic),
    Name = fn:name:to_string(Topic),
    Text = fn:string:concat("avoid ", Choice, " for ", Name).
