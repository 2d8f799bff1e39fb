//! `[runtime]`: the program around the engine.

use std::sync::Arc;

use super::Stores;
use super::declare::settings;
use super::stores::StoreTable;

settings! {
    /// `[runtime]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RuntimeSettings("runtime") {
        /// The stores of facts of a runtime that evaluates the whole program once per store, over the facts of that store
        /// only: `"codenerd"`, or a table `[runtime.stores]` with a list of predicates for each store. Its key `shared`
        /// lists the predicates whose facts every store has. Its key `default` names the store that keeps all other
        /// predicates. Queries, tests and replays evaluate each store and combine the results.
        stores: Option<Arc<Stores>> as Option<StoreTable> => Means("one store");
    }
}
