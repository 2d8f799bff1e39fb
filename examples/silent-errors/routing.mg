# Routing: which shard gets the user's intent. First the specialist for the kind of
# file, then whoever does the verb, then whoever takes the category.

specialist(IntentID, Shard) :-
    user_intent(IntentID, /mutation, _, Target, _),
    file_specialist(Suffix, Shard),
    :string:ends_with(Target, Suffix),
    shard_online(Shard).

has_specialist(IntentID) :- specialist(IntentID, _).

verb_route(IntentID, Shard) :-
    user_intent(IntentID, _, Verb, _, _),
    verb_shard(Verb, Shard),
    shard_online(Shard).

has_verb_route(IntentID) :- verb_route(IntentID, _).

route(IntentID, Shard) :- specialist(IntentID, Shard).

route(IntentID, Shard) :-
    verb_route(IntentID, Shard),
    !specialist(IntentID, Other).

route(IntentID, Shard) :-
    user_intent(IntentID, Category, _, _, _),
    category_shard(Category, Shard),
    shard_online(Shard),
    !has_specialist(IntentID),
    !has_verb_route(IntentID).

has_route(IntentID) :- route(IntentID, _).

# Nobody is there for it: ask, and say what could not be placed.
ask_user(IntentID, Question) :-
    user_intent(IntentID, _, Verb, Target, _),
    !has_route(IntentID),
    Question = fn:string:concat("Nobody is free for ", Verb, " on ", Target, ". Who should do it?").
