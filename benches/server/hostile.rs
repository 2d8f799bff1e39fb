//! Keystrokes in a small policy while the server evaluates hostile ones that are open beside it.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::policies::policies;
use crate::session::{EDITED, open};
use crate::support::high_water;

/// How many keystrokes are measured.
const STROKES: usize = 400;

/// How long the server has for its evaluations between two keystrokes: it waits for a pause before it begins.
const PAUSE: Duration = Duration::from_millis(120);

/// What the longest keystroke may take, in milliseconds.
const BUDGET: u32 = 100;

/// Types into a document, asks for its diagnostics and hovers after each keystroke.
pub(crate) fn measure() {
    let hostile = policies();
    let (folder, mut client) = open(&hostile);
    let uri = folder.uri("edited.mg");
    client.did_open(&uri, 0, EDITED);
    client.pull(&uri);
    let (mut checks, mut hovers) = (Vec::new(), Vec::new());
    for stroke in 1..=STROKES {
        std::thread::sleep(PAUSE);
        let at = json!({ "line": 1, "character": 0 });
        let end = json!({ "line": 1, "character": 1 });
        let change = match stroke % 2 {
            1 => json!([{ "range": { "start": at, "end": at }, "text": "x" }]),
            _ => json!([{ "range": { "start": at, "end": end }, "text": "" }]),
        };
        let start = Instant::now();
        client.did_change(&uri, i32::try_from(stroke).unwrap(), change);
        client.pull(&uri);
        checks.push(start.elapsed());
        let start = Instant::now();
        let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 12 } });
        client.request("textDocument/hover", place).unwrap();
        hovers.push(start.elapsed());
    }
    let peak = high_water(client.process()).unwrap_or(0.0);
    println!("\nbeside {} hostile policies ({peak:.0} MB at most)", hostile.len());
    for (what, times) in [("didChange to diagnostics", &mut checks), ("hover after it", &mut hovers)] {
        times.sort_unstable();
        let at = |percent: usize| crate::ms(times[(times.len() - 1) * percent / 100]);
        println!("{what:<54} {:>9} {:>9} {:>9} {BUDGET:>6} ms", at(50), at(95), at(100));
    }
    drop(client);
}
