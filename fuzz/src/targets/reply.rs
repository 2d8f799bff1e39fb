//! Any bytes can be read as a reply, in both modes; what is taken lies inside it, and is taken again when it stands alone.

use mangle_settings::TranscriptSettings;
use piggyback::envelope::runtime::{self, Caps};
use piggyback::envelope::{Reply, ReplyContext, check};

use crate::generate::reply;
use crate::oracle;
use crate::support::Random;

pub(crate) fn run(bytes: &[u8]) {
    let generated;
    let raw = match bytes.split_first() {
        Some((b'\x01', rest)) => {
            generated = reply(&mut Random::from_bytes(rest));
            generated.as_bytes()
        }
        _ => bytes,
    };
    let settings = TranscriptSettings::default();
    for strict in [false, true] {
        let caps = Caps { strict, ..Caps::default() };
        let reply = Reply::new(raw, &caps);
        let _ = runtime::record(&reply.reading, caps.runtime, None);
        for object in &reply.objects {
            assert!(object.range.end <= raw.len() && object.range.start < object.range.end);
        }
        if let Some(picked) = reply.picked_object() {
            let alone = Reply::new(&raw[picked.range.clone()], &caps);
            assert_eq!(alone.accepted, Some(0));
        }
        for found in check(&reply, &ReplyContext::new(&settings)) {
            oracle::finding(&found, raw);
        }
    }
}
