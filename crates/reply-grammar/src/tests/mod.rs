//! Tests of grammars and schemas against engines, a validator and the checks of replies.

mod declared_forms;
mod engine_table;
mod random_replies;
mod replies;
mod targets;
mod times;
