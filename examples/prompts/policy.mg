# Which lines the prompts of shards get.

shard_prompt_base(/coder, "You change code of the lease service.\nTouch one file at a time.").

# What a specialist knows for this shard.
shard_context_atom(Shard, Text, 80) :-
    active_shard(Shard, _),
    specialist_knowledge(Shard, _, Text).

# A reminder when the tests fail.
shard_context_atom(Shard, "Tests are failing: mend them before anything else.", 90) :-
    active_shard(Shard, _),
    test_state(/failing).

# What the person wants is worth a line, too, but not much of one.
shard_context_atom(Shard, Target, 40) :-
    active_shard(Shard, _),
    user_intent(_, _, _, Target, _).

injectable_context(Shard, Atom) :-
    shard_context_atom(Shard, Atom, Score),
    50 < Score.
