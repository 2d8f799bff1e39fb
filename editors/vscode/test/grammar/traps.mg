# SYNTAX TEST "source.mangle" "what looks like something else"

# The full stop belongs to the name constant: the engine reads it so, and the colour shows it.
q(X) :- p(X), X = /a.
#                 ^^^ constant.other.symbol.mangle
q(X) :- p(X), X = /a .
#                 ^^ constant.other.symbol.mangle
#                    ^ punctuation.terminator.statement.mangle
# A comment sign in a string, and strings in three quotes, over lines, with right and wrong escapes.
s("# not a comment", 'it\'s', `back\\slash`, b"\xff").
# ^^^^^^^^^^^^^^^^^ string.quoted.double.mangle - comment.line.number-sign.mangle
#                       ^^ constant.character.escape.mangle
#                                  ^^ constant.character.escape.mangle
#                                            ^ storage.type.string.mangle
#                                              ^^^^ constant.character.escape.mangle
s("\d \u{e9} \u{00e9}").
#  ^^ invalid.illegal.escape.mangle
#     ^^ invalid.illegal.escape.mangle
#            ^^^^^^^^ constant.character.escape.mangle
s("first line
  second line").
# ^^^^^^^^^^^ string.quoted.double.mangle
# An unclosed quote does not swallow the statements below it.
s("no end).
r(X) :- p(X).
# <- entity.name.function.mangle - string.quoted.double.mangle
# Names that start like keywords.
nowx(X) :- optional(X), now:x(X), lets(X), fn:do:it(X).
# <---- entity.name.function.mangle
#          ^^^^^^^^ entity.name.function.call.mangle
#                       ^^^^^ entity.name.function.call.mangle
#                                 ^^^^ entity.name.function.call.mangle
#                                          ^^^^^^^^ support.function.builtin.mangle
