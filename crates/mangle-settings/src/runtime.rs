//! `[runtime]`: the host program that runs the engine.

use std::sync::Arc;

use super::Stores;
use super::declare::settings;
use super::stores::StoreTable;

settings! {
    /// `[runtime]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RuntimeSettings("runtime") {
        /// The fact stores of a runtime that evaluates the program in each store separately: `"codenerd"`, or
        /// a table with a list of predicates per store. `shared` lists predicates whose facts are in every
        /// store. `default` names the store of all other predicates. Queries, tests and replays evaluate each
        /// store and combine the results.
        stores: Option<Arc<Stores>> as Option<StoreTable> => Means("one store");
    }
}
