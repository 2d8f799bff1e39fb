; What belongs to a statement stands further in, until its full stop.
(clause) @indent
(declaration) @indent

(_ "(" ")" @end) @indent
(_ "[" "]" @end) @indent
(_ "{" "}" @end) @indent
