//! Files with a reply in every container, for tests and for fuzzing. `fuzz/src/generate` includes
//! this file.
#![allow(clippy::unwrap_used)]

/// Deterministic source of choices.
pub(super) struct Choices(pub(super) Vec<u8>, pub(super) usize);

impl Choices {
    pub(super) fn next(&mut self, below: usize) -> usize {
        self.1 += 1;
        usize::from(self.0[self.1 % self.0.len()]).wrapping_add(self.1 / self.0.len()) % below
    }

    /// Escapes a text for a JSON string, with varying escape styles.
    pub(super) fn escaped(&mut self, text: &str) -> String {
        let mut out = String::new();
        for char in text.chars() {
            let must = matches!(char, '"' | '\\' | '\0'..='\u{1f}');
            match (must, self.next(6)) {
                (false, 1..) => out.push(char),
                (true, 2..) if short(char).is_some() => out.extend(['\\', short(char).unwrap()]),
                (false, 0) if char == '/' => out.push_str("\\/"),
                _ => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        let digits =
                            if self.next(2) == 0 { format!("{unit:04x}") } else { format!("{unit:04X}") };
                        out.push_str(&format!("\\u{digits}"));
                    }
                }
            }
        }
        out
    }

    pub(super) fn string(&mut self, text: &str) -> String {
        format!("\"{}\"", self.escaped(text))
    }

    /// Splits a text into pieces.
    fn split<'t>(&mut self, text: &'t str) -> Vec<&'t str> {
        let (mut parts, mut from) = (Vec::new(), 0);
        for (at, _) in text.char_indices().skip(1) {
            if self.next(9) == 0 {
                parts.push(&text[from..at]);
                from = at;
            }
        }
        parts.push(&text[from..]);
        parts
    }

    /// Returns an envelope with this surface and these updates.
    pub(super) fn envelope(&mut self, surface: &str, updates: &[String]) -> String {
        let updates: Vec<_> = updates
            .iter()
            .map(|text| {
                let atom = format!("p(\"{}\").", text.replace('\\', "\\\\").replace('"', "\\\""));
                self.string(&atom)
            })
            .collect();
        let surface = self.string(&format!("x{surface}"));
        let space = ["", " ", "\n  ", "\r\n\t"][self.next(4)];
        format!(
            "{{{space}\"control_packet\":{space}{{\"mangle_updates\":[{}]}},{space}\"surface_response\":{space}{surface}}}",
            updates.join(",")
        )
    }
}

fn short(char: char) -> Option<char> {
    match char {
        '"' | '\\' => Some(char),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    }
}

/// Number of formats that [`wrap`] supports.
pub(super) const CONTAINERS: usize = 42;

/// Returns the name and text of a file that contains the reply.
pub(super) fn wrap(kind: usize, reply: &str, choices: &mut Choices) -> (&'static str, String) {
    let eol = ["\n", "\r\n"][choices.next(2)];
    let one_line = !reply.contains(['\n', '\r']);
    let user = r#"{"role":"user","content":"go é"}"#;
    let string = |choices: &mut Choices| choices.string(reply);
    match kind {
        0 => ("a.json", format!("{eol}{reply}{eol}")),
        1 if one_line => ("a.jsonl", format!("{reply}{eol}")),
        2 => ("a.json", format!("[{user}, {reply} ]")),
        3 => {
            let content = string(choices);
            ("a.jsonl", format!("{user}{eol}{{\"role\":\"assistant\",\"content\":{content}}}{eol}"))
        }
        4 => {
            let parts: Vec<_> = choices
                .split(reply)
                .into_iter()
                .map(|part| format!("{{\"type\":\"text\",\"text\":{}}}", choices.string(part)))
                .collect();
            (
                "a.json",
                format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{}]}}", parts.join(",")),
            )
        }
        5 => ("a.json", format!("{{\"choices\":[{{\"message\":{{\"content\":{}}}}}]}}", string(choices))),
        6 => ("a.json", format!("{{\"content\":[{{\"type\":\"tool_use\",\"input\":{reply}}}]}}")),
        7 | 8 => {
            let mut out = String::new();
            for part in choices.split(reply) {
                let delta = choices.string(part);
                out.push_str(&match kind {
                    7 => format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{delta}}}}}]}}{eol}{eol}"),
                    _ => format!("event: content_block_delta{eol}data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{delta}}}}}{eol}{eol}"),
                });
            }
            ("a.sse", format!("{out}data: [DONE]{eol}"))
        }
        9 => {
            let content = string(choices);
            (
                "s.json",
                format!(
                    "{{\"session_id\":\"s\",{eol}\"messages\":[{user},{{\"role\":\"assistant\",\"content\":{content}}}]}}"
                ),
            )
        }
        10 => {
            let response = string(choices);
            (
                "a.json",
                format!("[{{\"system_prompt\":\"é\",\"user_prompt\":\"u\",{eol}\"response\":{response}}}]"),
            )
        }
        11 => (
            "a.log",
            format!(
                "2026/03/01 12:00:00.000001 [DEBUG] Raw LLM Response: {reply}{eol}2026/03/01 12:00:00.000002 [INFO] x{eol}"
            ),
        ),
        12 => {
            let message = choices.string(&format!("Raw LLM Response: {reply}"));
            (
                "a.log",
                format!("2026/03/01 12:00:00.000001 {{\"ts\":1,\"lvl\":\"debug\",\"msg\":{message}}}{eol}"),
            )
        }
        13 => {
            let text = string(choices);
            (
                "a.jsonl",
                format!(
                    "{{\"type\":\"turn.started\"}}{eol}{{\"type\":\"item.completed\",\"item\":{{\"type\":\"agent_message\",\"text\":{text}}}}}{eol}{{\"type\":\"turn.completed\"}}{eol}"
                ),
            )
        }
        14 => {
            let parts: Vec<_> = choices
                .split(reply)
                .into_iter()
                .map(|part| format!("{{\"text\":{}}}", choices.string(part)))
                .collect();
            ("a.json", format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{}]}}}}]}}", parts.join(", ")))
        }
        15 => ("a.md", format!("# é{eol}{eol}```json{eol}{reply}{eol}```{eol}")),
        16 => {
            let lines: Vec<_> = reply.split_inclusive('\n').map(|line| format!("   {line}")).collect();
            ("a.md", format!("- é{eol}   ```piggyback{eol}{}{eol}   ```{eol}", lines.concat()))
        }
        kind if kind < 18 => ("a.txt", reply.to_owned()),
        _ => exported(kind - 18, reply, choices),
    }
}

/// Returns the name and text of an export of a service, library or tool that contains the reply.
fn exported(kind: usize, reply: &str, choices: &mut Choices) -> (&'static str, String) {
    let eol = ["\n", "\r\n"][choices.next(2)];
    let said = choices.string(reply);
    let message = format!(r#"{{"role":"assistant","content":{said}}}"#);
    // Messages as JSON in a string.
    let messages = format!(r#"[{{"role":"user","content":"go é"}},{message}]"#);
    let parts = |choices: &mut Choices, before: &str| {
        let parts = choices.split(reply).into_iter().map(|part| {
            let text = choices_of(part).string(part);
            format!("{{{before}:{text}}}")
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let span = |attributes: &str| {
        format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"name":"chat","attributes":[{attributes}]}}]}}]}}]}}"#
        )
    };
    match kind {
        0 => (
            "a.jsonl",
            format!(
                r#"{{"id":"b","custom_id":"r1","response":{{"status_code":200,"body":{{"choices":[{{"message":{message}}}]}}}},"error":null}}{eol}"#
            ),
        ),
        1 => (
            "a.jsonl",
            format!(
                r#"{{"custom_id":"r1","result":{{"type":"succeeded","message":{{"role":"assistant","content":[{{"type":"text","text":{said}}}]}}}}}}{eol}"#
            ),
        ),
        2 => {
            let parts = parts(choices, "\"text\"");
            (
                "a.json",
                format!(
                    r#"{{"contents":[{{"role":"user","parts":[{{"text":"go é"}}]}},{eol}{{"role":"model","parts":[{parts}]}}]}}"#
                ),
            )
        }
        3 => (
            "a.jsonl",
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{{"id":"x","instructions":"é"}}}}{eol}{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{said}}}]}}}}{eol}"#
            ),
        ),
        4 => {
            let inner = format!(
                r#"[{{"role":"assistant","parts":[{{"type":"text","content":{said}}}],"finish_reason":"stop"}}]"#
            );
            let value = choices.string(&inner);
            (
                "a.json",
                span(&format!(r#"{{"key":"gen_ai.output.messages","value":{{"stringValue":{value}}}}}"#)),
            )
        }
        5 => (
            "a.json",
            span(&format!(
                r#"{{"key":"gen_ai.output.messages","value":{{"arrayValue":{{"values":[{{"kvlistValue":{{"values":[{{"key":"role","value":{{"stringValue":"assistant"}}}},{{"key":"parts","value":{{"arrayValue":{{"values":[{{"kvlistValue":{{"values":[{{"key":"type","value":{{"stringValue":"text"}}}},{{"key":"content","value":{{"stringValue":{said}}}}}]}}}}]}}}}}}]}}}}]}}}}}}"#
            )),
        ),
        6 => (
            "a.json",
            span(&format!(
                r#"{{"key":"gen_ai.prompt.0.role","value":{{"stringValue":"user"}}}},{{"key":"gen_ai.prompt.0.content","value":{{"stringValue":"go é"}}}},{{"key":"gen_ai.completion.0.role","value":{{"stringValue":"assistant"}}}},{{"key":"gen_ai.completion.0.content","value":{{"stringValue":{said}}}}}"#
            )),
        ),
        7 => (
            "a.jsonl",
            format!(
                r#"{{"name":"chat","attributes":{{"gen_ai.system":"x"}},"events":[{{"name":"gen_ai.choice","attributes":{{"index":0,"message":{}}}}}]}}{eol}"#,
                choices.string(&message)
            ),
        ),
        8 => (
            "a.json",
            format!(
                r#"[{{"id":"o","traceId":"t","type":"GENERATION","input":"go é",{eol}"output":{said}}}]"#
            ),
        ),
        9 => (
            "a.jsonl",
            format!(
                r#"{{"id":"o","type":"GENERATION","input":{},"output":{}}}{eol}"#,
                choices.string("go"),
                choices.string(&message)
            ),
        ),
        10 => (
            "a.json",
            format!(
                r#"{{"id":"r","run_type":"llm","inputs":{{"messages":[[{{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{{"content":"go é"}}}}]]}},"outputs":{{"generations":[[{{"message":{{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{{"content":{said},"type":"ai"}}}}}}]]}}}}"#
            ),
        ),
        11 => (
            "a.json",
            format!(
                r#"[{{"id":"c","conversations":[{{"from":"human","value":"go é"}},{{"from":"gpt","value":{said}}}]}}]"#
            ),
        ),
        12 => (
            "a.jsonl",
            format!(
                r#"{{"attributes":{{"openinference.span.kind":"LLM","llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"go é","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":{said}}}}}{eol}"#
            ),
        ),
        13 => (
            "a.json",
            format!(
                r#"{{"attributes":{{"llm":{{"output_messages":[{{"message":{{"role":"assistant","contents":[{{"message_content":{{"type":"text","text":{said}}}}}]}}}}]}}}}}}"#
            ),
        ),
        14 => {
            let parts = parts(choices, "\"type\":\"text\",\"text\"");
            (
                "a.json",
                format!(
                    r#"{{"id":"c","messages":[{{"id":"m","role":"user","parts":[{{"type":"text","text":"go é"}}]}},{{"id":"n","role":"assistant","parts":[{{"type":"step-start"}},{parts}]}}]}}"#
                ),
            )
        }
        15 => (
            "a.json",
            format!(
                r#"{{"version":2,"status":"success","eval":{{"task":"t"}},{eol}"samples":[{{"id":1,"epoch":1,"input":"go é","messages":[{{"role":"user","content":"go é"}},{message}],"output":{{"model":"m","choices":[]}}}}]}}"#
            ),
        ),
        16 => (
            "a.traj",
            format!(
                r#"{{"environment":"e","trajectory":[{{"action":"ls","observation":"é","response":{said},"thought":"t"}}],"history":[{{"role":"user","content":"go é"}}],"info":{{}}}}"#
            ),
        ),
        17..=19 => {
            let mut out = String::new();
            for part in choices.split(reply) {
                let piece = choices.string(part);
                out.push_str(&match kind {
                    17 => format!("data: {{\"index\":0,\"content\":{piece},\"stop\":false}}{eol}{eol}"),
                    18 => format!("{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"content\":{piece}}},\"done\":false}}{eol}"),
                    _ => format!("{{\"model\":\"m\",\"response\":{piece},\"done\":false}}{eol}"),
                });
            }
            let end = match kind {
                17 => format!("data: {{\"content\":\"\",\"stop\":true}}{eol}{eol}"),
                18 => format!(
                    "{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"content\":\"\"}},\"done\":true}}{eol}"
                ),
                _ => format!("{{\"model\":\"m\",\"response\":\"\",\"done\":true}}{eol}"),
            };
            (if kind == 17 { "a.sse" } else { "a.jsonl" }, out + &end)
        }
        20 => {
            // An unknown format with JSON in nested strings.
            let inner = format!(r#"{{"step":{{"raw":{said}}}}}"#);
            let outer = format!(r#"{{"blob":{}}}"#, choices.string(&inner));
            ("a.json", format!(r#"{{"prompt":{said},"dump":{}}}"#, choices.string(&outer)))
        }
        21 => (
            "a.jsonl",
            format!(
                r#"{{"request":{{"contents":[{{"role":"user","parts":[{{"text":"go é"}}]}}]}},"response":{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":{said}}}]}}}}]}}}}{eol}"#
            ),
        ),
        22 => (
            "a.json",
            format!(
                "{{{eol}  \"data\": [{eol}    {{{eol}      \"conversation\": {messages}{eol}    }}{eol}  ]{eol}}}{eol}"
            ),
        ),
        _ => {
            let message = choices.string(&message);
            (
                "a.json",
                format!(
                    r#"{{"traces":[{{"input":null,"output":{{"messages":{}}}}}]}}"#,
                    format_args!("[{message}]")
                ),
            )
        }
    }
}

/// Returns choices that depend on a text, for code that cannot borrow the choices of the file.
fn choices_of(text: &str) -> Choices {
    Choices(text.bytes().chain([7, 3, 1]).collect(), 0)
}
