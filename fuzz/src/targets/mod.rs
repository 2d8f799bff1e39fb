//! The bodies, one file for each kind of thing that reads foreign bytes.

pub(crate) mod archive;
pub(crate) mod check;
pub(crate) mod commands;
pub(crate) mod derive;
pub(crate) mod edit;
pub(crate) mod facts;
pub(crate) mod fix;
pub(crate) mod format;
pub(crate) mod grammar;
pub(crate) mod kernel;
pub(crate) mod rename;
pub(crate) mod reply;
pub(crate) mod server;
pub(crate) mod settings;
pub(crate) mod transcript;
pub(crate) mod wire;
