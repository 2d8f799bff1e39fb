# A sample: facts as the runtime gives them at some moment. Editors show what follows from them.
# @preview name: coder
# @preview shard: coder-1 coder

pending_action("a1", /read_file, "src/main.rs", "{}", 100).
test_state(/failing).
