//! The built-in predicates and functions of the engine.
