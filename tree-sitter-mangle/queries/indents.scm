; A body and the parts of a declaration stand one level in.

[
  (clause)
  (declaration)
  (list)
  (map)
  (struct)
  (atom_list)
] @indent.begin

["." "!"] @indent.end
["]" "}" ")"] @indent.branch
(comment) @indent.auto
