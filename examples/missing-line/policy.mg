# What a reviewer reads of migrations that wait.

shard_prompt_base(/reviewer, "You review migrations.").

injectable_context("*", "Migrations run at night.").

# A migration gets a line when a role on duty may approve it.
injectable_context("*", Line) :-
    waits(Migration, Role),
    approver(Role),
    Line = fn:string:concat("Migration ", Migration, " needs the approval of ", Role, ".").

approver(Role) :-
    on_duty(Role),
    !away(Role).
