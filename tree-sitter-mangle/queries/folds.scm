[
  (clause)
  (declaration)
  (query)
  (atom_list)
  (list)
  (map)
  (struct)
  (string)
] @fold

(comment)+ @fold
