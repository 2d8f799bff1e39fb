# The workshop's manual: declarations with long documentation, indented statements, tables.

Decl machine(ID, Name)
  descr [
    doc("A machine of the workshop.
Its name is what people call it."),
    arg(ID, "inventory number"),
    arg(Name, "what people call it")
  ]
  bound [/machine, /string].

Decl step(Machine, Number, Text)
  descr [doc("One step of an instruction.

Numbers start at 1. A text may have several lines;
the first is the heading.")]
  bound [/machine, /number, /string].

Decl hazard(Machine, Text) descr [doc('What may go wrong,
and what "wrong" looks like.')] bound [/machine, /string].

Decl trained(Person, Machine) temporal bound [/person, /machine].
Decl needs(Machine, Item) bound [/machine, /item] inclusion [machine(Machine, _)].

machine(/machine/lathe, "lathe").
machine(/machine/saw, "band saw").
machine(/machine/press, "the old press").

step(/machine/lathe, 1, "Clamp the work.
Turn it once by hand: nothing may touch.").
step(/machine/lathe, 2, "Set the speed.
Small work runs fast, large work slow; the table is on the lid.
When in doubt, slower.").
step(/machine/lathe, 3, "Guard down, then start.").
step(/machine/saw, 1, "Tension the blade.
It rings like a low bell when it is right (try it).").
step(/machine/saw, 2, "Set the guide
a finger above the work,
no more.").
step(/machine/press, 1, "Call Maria.
She knows.").

  # Indented statements are statements.
  hazard(/machine/lathe, "Long hair, loose sleeves, rings.
Swarf is sharp and hot.").
  hazard(/machine/saw, "A dull blade wanders.
Then people push. Don't push.").
  hazard(/machine/press, 'It "remembers": a stroke may come late.
Keep the key in your pocket.').

trained(/person/ann, /machine/lathe)@[2024-01-10, 2026-01-10].
trained(/person/bo, /machine/saw)@[2023-05-02, _].
trained(/person/cy, /machine/press)@[2020-02-29T08:00:00Z, _].

needs(/machine/lathe, /item/goggles).
needs(/machine/saw, /item/gloves).
needs(/machine/saw, /item/goggles).
needs(/machine/press, /item/key).

may_use(P, M) :-
  trained(P, M)@[S, _],
  machine(M, _),
  !banned(P, M).

may_use(P, M) :-
  <-[0d, 365d] trained(P, M),
  supervised(P).

banned(P, M) :-
  incident(P, M, Text),
  :string:contains(Text, "careless
or worse").

instruction(M, Text) :-
  machine(M, Name),
  step(M, 1, First),
  Text = fn:string:concat("How to use the ", Name, ":
", First).

checklist(M, Items) :-
  needs(M, Item)
  |> do fn:group_by(M), let Items = fn:collect(Item).

label(M, Label) :-
  machine(M, Name),
  hazard(M, H),
  Label = {/name : Name, /hazard : H, /footer : "Read this
before you switch on."}.

pairs(["one
line" : 1, "two
lines" : 2, 'three' : 3]).

numbers([1, 2.5, -3, 1.0e5, .5]).
nested([[1, [2, ["deep
down"]]], {/a : {/b : "x"}}]).
kinds(.Struct</name : /string, opt /note : .List</string>>).

ready().
stopped() :- !ready().
