[
  (clause)
  (declaration)
  (comment)
] @fold
