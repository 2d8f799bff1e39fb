# Prompt fragments of a harbour assistant: long texts in every kind of quote.
Package harbour.prompts!

Decl fragment(ID, Section, Weight, Text)
  descr [doc("One piece of a prompt.

A fragment is chosen by its section and put in by its weight; the text goes out
as it stands, line ends and all."),
         arg(ID, "which fragment"), arg(Text, "what is said")]
  bound [/name, /name, /number, /string].

Decl chosen(ID, Text) bound [/name, /string].
Decl topic(Name) bound [/name].
Decl enabled(ID) bound [/name].
Decl greeting(Language, Text) bound [/name, /string].

topic(/tides).
topic(/berths).
topic(/pilots).

fragment(/f/intro, /identity, 100, "You are the duty officer of a small harbour.
Answer in plain words. Never guess a depth: look it up.

If the caller is in distress, say so at once and stop everything else.").

fragment(/f/tides, /knowledge, 90, "Tide tables:
  - high water is given in local time,
  - heights are metres above chart datum (not the quay!),
  - a surge adds up to 0.8 m; see notice(7).
").

fragment(/f/berths, /knowledge, 80, `Berths are numbered from the sea.
Berth 1 is for pilots, 2-5 for fishing boats; the rest is "first come, first served".
assign(Boat, Berth) :- free(Berth), fits(Boat, Berth).
The line above is an example, not a rule.`).

fragment(/f/pilots, /knowledge, 70, 'A pilot boards two miles out.
They speak "Seaspeak": short sentences, one fact each.
Do not paraphrase a pilot; quote.').

fragment(/f/rules, /policy, 95, "1. Deny what you do not know.
2. Log each refusal with refuse(Reason).
3. Three refusals in an hour wake the harbour master.

Example:
refused(/boat/anna, \"too deep\").
refused(/boat/anna, \"no papers\").
"). # the quotes above are escaped

fragment(/f/empty, /misc, 0, "").
fragment(/f/blank, /misc, 1, "
").

greeting(/en, "Good morning,
harbour office, how can we help?").
greeting(/de, 'Guten Morgen,
Hafenamt, was koennen wir tun?').
greeting(/nl, `Goedemorgen,
havenkantoor.`).

chosen(ID, Text) :-
    fragment(ID, /identity, _, Text),
    enabled(ID).

chosen(ID, Text) :-
    fragment(ID, /knowledge, W, Text),
    enabled(ID),
    W >= 70.

chosen(/f/fallback, Text) :-
    topic(T),
    T != /tides ,
    Text = "Nothing is known of this topic.
Say so, and offer to ask the harbour master.".

note(/n1, "Short note."). note(/n2, "Two lines,
one note."). note(/n3, "Last on the line.").

summary(Text) :-
    chosen(_, Part)
    |> do fn:group_by(), let Parts = fn:collect(Part), let Text = fn:string:concat("Parts:
", Parts, "
(end)").

warn(Boat, Message) :-
    berth_depth(Berth, Depth),
    draught(Boat, Draught),
    at(Boat, Berth),
    Draught > Depth,
    Message = fn:string:concat("Boat ", Boat, " sits on the mud.
Move it before the next low water, or tell the owner why not.").

banner(b"raw
bytes", 'single').
banner(b'', `back
tick`).

# A table with long cells.
advice(/fog, "Sound the horn every two minutes.
Keep to the buoyed channel.", 3).
advice(/storm, "Double all lines.
Small craft leave berths 6 to 9.
No departures.", 5).
advice(/ice, "Bubble system on.", 2).
advice(/heat, "Check the gangways: steel grows.
Water for the crews.", 1).

urgent(Kind) :- advice(Kind, _, Level), Level > 3.
calm() :- !any_urgent().
any_urgent() :- urgent(_).
