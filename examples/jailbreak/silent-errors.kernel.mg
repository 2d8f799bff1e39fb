# @preview name: next
# @preview use: ../silent-errors/*.gl, ../silent-errors/*.mg
# @preview shard: coder-1 coder
# What the shard reads in the turn after its command, under the constitution of examples/silent-errors.
pending_action("req_2", /run_command, "unknown", "{\"command\":\"rm -rf src/\"}", 1794069631).
task_status("slow-build", /running).
