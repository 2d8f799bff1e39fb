//! Any bytes can be read as a reply, in both modes; what is taken lies inside it, and is taken again when it stands alone.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mangle_ls::envelope::Reply;
use mangle_ls::envelope::runtime::{self, Caps};

fuzz_target!(|raw: &[u8]| {
    for strict in [false, true] {
        let caps = Caps { strict, ..Caps::default() };
        let reply = Reply::new(raw, &caps);
        let _ = runtime::record(&reply.reading);
        for object in &reply.objects {
            assert!(object.range.end <= raw.len() && object.range.start < object.range.end);
        }
        if let Some(picked) = reply.picked_object() {
            let alone = Reply::new(&raw[picked.range.clone()], &caps);
            assert_eq!(alone.picked, Some(0));
        }
    }
});
