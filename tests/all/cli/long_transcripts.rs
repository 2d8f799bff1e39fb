//! Long transcripts, which several threads read: what is written is the same as with one.

use super::support::{command, folder, stdout};

/// Messages of a chat, more than one thread reads alone; some replies have faults, and some findings are about several turns.
fn chat() -> String {
    let mut out = String::new();
    let mut number = 0;
    while out.len() < 3 << 20 {
        number += 1;
        let update = match number % 11 {
            0 => r#"task_status(\\\"t\\\", /done)"#.to_owned(),
            1 => r#"task_status(\\\"t\\\", /open)."#.to_owned(),
            _ => format!(r#"task_status(\\\"t{number}\\\", /done)."#),
        };
        let surface = if number % 97 == 0 { "I don't know." } else { "All fine so far, naïve as it is." };
        let said = format!("{surface}{}", " It goes on.".repeat(number % 40));
        let envelope = format!(
            r#"{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"x\",\"constraint\":\"none\",\"confidence\":0.9}},\"mangle_updates\":[\"{update}\"],\"memory_operations\":[],\"reasoning_trace\":\"The tests say so.\"}},\"surface_response\":\"{said}\"}}"#
        );
        out.push_str(&format!("{{\"role\":\"user\",\"content\":\"go on with {number}\"}}\n"));
        out.push_str(&format!("{{\"role\":\"assistant\",\"content\":\"{envelope}\"}}\n"));
        if number % 501 == 0 {
            out.push_str("{\"role\":\n");
        }
    }
    out
}

#[test]
fn threads_make_no_difference() {
    let schemas = ("schemas.gl", "Decl task_status(Task, Status) bound [/string, /name].\n");
    let folder = folder(&[schemas, ("chat.jsonl", &chat())]);
    let commands: [&[&str]; 3] = [
        &["check", "--transcripts", "chat.jsonl", "--format", "json", "--statistics"],
        &["transcript", "parse", "chat.jsonl", "--format", "json"],
        &["transcript", "stats", "chat.jsonl", "--format", "json"],
    ];
    for arguments in commands {
        let with = |threads: &str| {
            let output =
                command(folder.path(), arguments).env("RAYON_NUM_THREADS", threads).output().unwrap();
            (stdout(&output), String::from_utf8(output.stderr).unwrap(), output.status.code())
        };
        let (one, four) = (with("1"), with("4"));
        assert!(one.0.len() > 10_000 || arguments.contains(&"stats"), "{}", one.0);
        assert!(one == four, "{arguments:?} differs between one thread and four");
    }
}
