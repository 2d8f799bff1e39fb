//! Emulation of the reference runtime, including its bugs.
//!
//! Input: the bytes of a reply. Output: the parsing stage, the accepted parts and the dropped parts
//! ([`read`]). All rules follow the behavior recorded in `tests/conformance/envelopes`.

mod caps;
mod decode;
mod escape;
mod fact;
mod failure;
mod filter;
mod go;
mod lenient;
mod live;
mod packet;
mod payload;
mod placeholder;
mod record;
mod salvage;
mod scan;
mod shell;
mod stages;
mod strict_keys;

pub use caps::{CappedPacket, DropReason, Warning, lacks_full_stop, reason, reason_in, shell_characters};
pub use decode::{AnyValue, LenientMember, List, Mismatch, names};
pub use fact::{RuntimeFact, Value, becomes_name, has_extension, is_constant, is_variable};
pub use failure::DecodeFailure;
pub use filter::{
    FilterProgram, FilterVerdict, ReadUpdate, accepts, built_in, consumer_of, consumers, is_host_witness,
    is_requested, lists_predicate, parsed_text, refusal, shell_text, stops_the_engine,
};
pub use go::{go_quoted, lower_case};
pub use lenient::fits_leniently;
pub use live::{LiveChannel, live};
pub use mangle_settings::Caps;
pub use packet::{Envelope, Feedback, Intent, Knowledge, MemoryOperation, Packet, SelfCorrection, Tool};
pub use payload::{GateCall, action, go_float, payload, target};
pub use placeholder::{Placeholders, is_surface as is_placeholder};
pub use record::{failure_record, live_record, record, update_record};
pub use scan::candidates;
pub(super) use scan::each_candidate;
pub use shell::{ShellEffect, command, effect, is_shell_tool, shell_refusal};
pub use stages::{AcceptedEnvelope, Attempts, RuntimeReading, Stage, attempts, read};
pub(super) use stages::{decode, flaw, is_rich, read_keeping, read_tree};
