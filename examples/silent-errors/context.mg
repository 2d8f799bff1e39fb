# Context: which lines a running shard finds in its prompt.

# What was refused, so that it is not asked for again.
shard_context_atom(ShardID, Line, 95) :-
    active_shard(ShardID, _),
    permission_denied(Action, Text),
    Line = fn:string:concat("Refused: ", Action, ". ", Text).

# What comes next in the campaign.
shard_context_atom(ShardID, Line, 70) :-
    active_shard(ShardID, _),
    next_task(_, TaskID),
    campaign_task(TaskID, _, Title, _),
    Line = fn:string:concat("Next task: ", Title).

# What was learned about the user's taste.
shard_context_atom(ShardID, Text, 75) :-
    active_shard(ShardID, _),
    promote_to_long_term(_, Text).

injectable_context(ShardID, Text) :-
    shard_context_atom(ShardID, Text, Score),
    limit(/context_score, Least),
    Score > Least.
