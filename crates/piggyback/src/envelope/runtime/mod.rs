//! What the reference runtime makes of a reply, bug for bug, and apart from what we think of it.
//!
//! Takes the bytes of a reply; gives the stage that read it, what is kept and what is lost ([`read`]). The source of
//! every rule is the behaviour of the runtime, recorded in `tests/conformance/envelopes`.

mod caps;
mod decode;
mod fact;
mod filter;
mod go;
mod packet;
mod payload;
mod record;
mod scan;
mod stages;

pub use caps::{CappedPacket, DropReason, Warning, lacks_full_stop, reason, reason_in};
pub use decode::{AnyValue, List, Mismatch, names};
pub use fact::{RuntimeFact, Value, becomes_name, has_extension, is_constant, is_variable};
pub use filter::{
    CONSUMERS, FilterVerdict, ReadUpdate, built_in, consumer_of, is_asked_for, lists, parsed_text, refusal,
    stops_the_engine, takes,
};
pub use go::lower_case;
pub use mangle_settings::Caps;
pub use packet::{Envelope, Feedback, Intent, Knowledge, MemoryOperation, Packet, SelfCorrection, Tool};
pub use payload::{action, payload, target};
pub use record::{failure_record, record, update_record};
pub use scan::candidates;
pub(super) use scan::each_candidate;
pub use stages::{AcceptedEnvelope, Attempts, DecodeFailure, RuntimeReading, Stage, attempts, read};
pub(super) use stages::{decode, flaw, is_rich, read_keeping, read_tree};
