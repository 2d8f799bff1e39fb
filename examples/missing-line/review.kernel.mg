# @preview name: review
# @preview shard: reviewer-1 reviewer
# @preview mode: section

waits("42", /dba).
on_duty(/sre).
