# What an editor colours. The lines below each line of code point at its columns.
# <- comment
Package depot.rail [owner("night")]!
# <- keyword.import
#       ^ module
#                  ^ punctuation.bracket
#                   ^ attribute
#                         ^ string
Use depot.crew!
# <- keyword.import
#   ^ module
Decl fare(Line, Cents) temporal
# <- keyword
#    ^ function
#        ^ punctuation.bracket
#         ^ variable
#             ^ punctuation.delimiter
#                      ^ keyword
  descr [doc("What it costs.")]
# ^ keyword
#        ^ attribute
#            ^ string
  bound [/line, .Struct</x : /number, opt /y : /string>]
# ^ keyword
#        ^ type
#               ^ type
#                      ^ punctuation.bracket
#                       ^ property
#                            ^ type
#                          ^ punctuation.delimiter
#                                     ^ keyword
  inclusion [line(Line)].
# ^ keyword
#            ^ attribute
#                       ^ punctuation.delimiter
fare(/line/7, 250, 2.5, /true, b"x", 'y').
# <- function
#    ^ constant
#             ^ number
#                  ^ number.float
#                       ^ boolean
#                              ^ string.special
#                                    ^ string
open(/gate)@[2024-03-01, _].
#          ^ punctuation.special
#            ^ string.special
#                        ^ variable.builtin
ready.
# <- function
cheap(L) :- fare(L, C), C <= 250, C > 1, !closed(L), not late(L), :lt(C, 9).
# <- function
#        ^ operator
#           ^ function.call
#                       ^ variable
#                         ^ operator
#                                   ^ operator
#                                        ^ keyword.operator
#                                         ^ function.call
#                                                    ^ keyword.operator
#                                                        ^ function.call
#                                                                 ^ function.builtin
recent(L) ⟸ <-[0d, 30d] seen(L)@[now, _].
#         ^ operator
#           ^ operator
#              ^ number
#                       ^ function.call
#                                ^ constant.builtin
total(L, S) :- fare(L, C) |> do fn:group_by(L), let S = fn:sum(C).
#                         ^ operator
#                            ^ keyword
#                               ^ function.builtin
#                                               ^ keyword
#                                                   ^ variable
#                                                     ^ operator
// not Mangle
# <- comment
wrong(X + 1, mode).
#       ^ operator
Decl old(A.Type<string>) descr [public].
#         ^ type
#              ^ punctuation.bracket
#                               ^ attribute
?fare(L, C).
# <- operator
Package p!
// a comment before a declaration
p({/a : /b}, ["k" : /true]) :- /c = X, /d, p(X, Y), Z = [X | Y]; q(X)
  , r(X).
many(.List</number>) <- many({/a : /true}).
#          ^ type
#                    ^ operator
#                              ^ property
#                                   ^ boolean
