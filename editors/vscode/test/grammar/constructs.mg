# SYNTAX TEST "source.mangle" "one example of every construct"

  Package depot.rail [owner("night shift")]!   # attributes are optional
# ^^^^^^^ keyword.control.import.mangle
#         ^^^^^^^^^^ entity.name.namespace.mangle
#                     ^^^^^ entity.name.function.call.mangle
#                           ^^^^^^^^^^^^^ string.quoted.double.mangle
#                                          ^ punctuation.terminator.statement.mangle
#                                              ^^^^^^^^ comment.line.number-sign.mangle
  Use depot.crew!
# ^^^ keyword.control.import.mangle
#     ^^^^^^^^^^ entity.name.namespace.mangle
  Decl stop(Line, Name)
# ^^^^ keyword.declaration.mangle
#      ^^^^ entity.name.function.mangle
#           ^^^^ variable.other.mangle
    descr [doc("Stops served by a line.")]
#   ^^^^^ storage.modifier.mangle
#          ^^^ entity.name.function.call.mangle
    bound [/line, /string].
#   ^^^^^ storage.modifier.mangle
#          ^^^^^ constant.other.symbol.mangle
#                 ^^^^^^^ support.type.primitive.mangle
#                        ^ punctuation.section.brackets.end.mangle
#                         ^ punctuation.terminator.statement.mangle - meta.bound.mangle
  Decl shift(Person) temporal bound [.Struct</x : /number, opt /note : .List</string>>] inclusion [p(Person)].
#                    ^^^^^^^^ storage.modifier.mangle
#                                    ^^^^^^^ entity.name.type.mangle
#                                           ^ punctuation.definition.typeparameters.begin.mangle
#                                            ^^ constant.other.symbol.mangle
#                                                 ^^^^^^^ support.type.primitive.mangle
#                                                          ^^^ storage.modifier.mangle
#                                                                            ^^^^^^^ support.type.primitive.mangle
#                                                                                   ^^ punctuation.definition.typeparameters.end.mangle
#                                                                                       ^^^^^^^^^ storage.modifier.mangle
line(/line/7-a).
# <---- entity.name.function.mangle
#    ^^^^^^^^^ constant.other.symbol.mangle
#             ^ punctuation.section.parens.mangle
shift(/p/ann)@[2024-03-01T06:00:00Z, now].
#            ^ keyword.operator.temporal.mangle
#              ^^^^^^^^^^^^^^^^^^^^ constant.numeric.timestamp.mangle
#                                    ^^^ constant.language.now.mangle
idle(L) ⟸ line(L), !served(L, _).
#       ^ keyword.operator.rule.mangle
#         ^^^^ entity.name.function.call.mangle
#                  ^ keyword.control.negation.mangle
#                   ^^^^^^ entity.name.function.call.mangle
#                             ^ variable.language.anonymous.mangle
cheap(L) :- fare(L, C), C <= -250, C != 1.0e5, :lt(C, 7) .
#        ^^ keyword.operator.rule.mangle
#                         ^^ keyword.operator.comparison.mangle
#                            ^^^^ constant.numeric.integer.mangle
#                                    ^^ keyword.operator.comparison.mangle
#                                       ^^^^^ constant.numeric.float.mangle
#                                              ^^^ support.function.builtin.mangle
#                                                        ^ punctuation.terminator.statement.mangle
total(L, Sum) :- fare(L, C) |> do fn:group_by(L), let Sum = fn:sum(C).
#                           ^^ keyword.operator.pipe.mangle
#                              ^^ keyword.control.transform.mangle
#                                 ^^^^^^^^^^^ support.function.builtin.mangle
#                                                 ^^^ keyword.control.transform.mangle
#                                                     ^^^ variable.other.mangle
#                                                           ^^^^^^ support.function.builtin.mangle
pos({/x : 3}, ["a" : .5]).
#   ^ punctuation.section.braces.mangle
#       ^ punctuation.separator.colon.mangle
#                    ^^ constant.numeric.float.mangle
on_duty(P) :- <-[0d, 30d] shift(P), [-[1ms, 2h] shift(P).
#             ^^ keyword.operator.temporal.mangle
#                ^^ constant.numeric.duration.mangle
#                    ^^^ constant.numeric.duration.mangle
#                                   ^^ keyword.operator.temporal.mangle
#                                      ^^^ constant.numeric.duration.mangle
