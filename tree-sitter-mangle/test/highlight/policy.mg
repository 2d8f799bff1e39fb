# Carets stand under what the comment's last word names.
Package depot!
# <- keyword.import
#       ^ module
Decl van(Name, Seats) descr [doc("A van.")] bound [/name, /number].
# <- keyword
#    ^ function
#        ^ variable.parameter
#                            ^ attribute
#                                ^ string
#                                                    ^ type
van(/v/one, 9).
# <- function
#   ^ constant
#           ^ number
free(V) :- van(V, _), !taken(V), :lt(1, 2), X = fn:plus(1, 2.5).
#       ^ operator
#          ^ function
#              ^ variable
#                 ^ variable.builtin
#                     ^ keyword.operator
#                                ^ function.builtin
#                                               ^ function.call
#                                                          ^ number.float
seats(N) :- van(_, S) |> do fn:group_by(), let N = fn:sum(S).
#                     ^ operator
#                        ^ keyword
#                           ^ function.call
#                                          ^ keyword
