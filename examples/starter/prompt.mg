# The system prompt. Preview it with `mangle-ls preview coder.kernel.mg`.

shard_prompt_base(/coder, "You change the code of this project.\nTouch one file at a time.").

injectable_context("*", "Run the tests after every change.").

injectable_context("*", "The tests fail: repair them first.") :-
    test_state(/failing).
