# @preview name: fix-auth
# @preview shard: coder-7 coder
# @preview intent: i1 /mutation /fix "auth.go" "no new deps"
# @preview session: fix-auth.session.yaml
# @preview name: test-auth
# @preview shard: tester-1 tester
# @preview mode: section

test_state(/failing).

specialist_knowledge("coder-7", /jwt, "Tokens expire after 15 minutes here.").
specialist_knowledge("tester-1", /go, "Run the tests of one package at a time.").

injectable_context("*", "Monorepo: each service has its own module.").
