# @never name: a frozen action is permitted
#   permitted(Action, _, _), frozen(Action, _)
