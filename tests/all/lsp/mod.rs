//! The language server over its protocol.

mod actions;
mod capabilities;
mod conversations;
mod damage;
mod disk_looks;
mod edits;
mod every_request;
mod extensions;
mod failing_disk;
mod features;
mod identity;
mod large;
mod many_findings;
mod navigation;
mod order;
mod protocol;
mod rename;
mod session;
mod sync;
mod transcripts;
mod workspace;
mod writing;
