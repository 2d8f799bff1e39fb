//! The rules that the recognizer covers, with the check for each of them.
//!
//! A rule that is missing here disables the recognizer. For each rule, a test checks an envelope
//! with one difference from a valid envelope.

/// The codes of the covered rules.
#[rustfmt::skip] // One row a reason.
pub(super) const CODES: &[&str] = &[
    // The whole reply is one object of valid JSON, without surrounding text.
    "PB001", "PB002", "PB003", "PB004", "PB005", "PB006", "PB007", "PB010", "PB015", "PB016", "PB017", "PB021", "PB022",
    "PB023", "PB024", "PB025", "PB026", "PB027", "PB028", "PB029", "PB109", "PB110",
    // The reply is UTF-8, and no escape is a surrogate.
    "PB011",
    // The streamed text is the same: the surface occurs once, and each escape is a character.
    "PB038",
    // `members`: each member is known to the profile, read by the runtime, spelled exactly and
    // unique. No member is missing.
    "PB012", "PB102", "PB103", "PB104", "PB111", "PB112", "PB113", "PB114", "PB115", "PB116", "PB120", "PB121", "PB122",
    "PB124", "PB125", "PB403", "PB404", "PB408",
    // No audit object of 1.2 exists. Envelopes of 1.2 and 1.3-draft, which should have audit
    // objects, are rejected.
    "PB150", "PB151", "PB152", "PB153", "PB154", "PB155", "PB156", "PB157", "PB158", "PB159",
    "PB160", "PB161",
    // The kind of each value is checked.
    "PB013", "PB014",
    // `Recogniser::inferred`
    "PB105",
    // Only 1.1-bnf requires an update, and its envelopes are rejected.
    "PB117",
    // The order of the envelope's keys is checked.
    "PB106",
    // `intent`
    "PB123", "PB126", "PB127", "PB128", "PB129", "PB133", "PB134", "PB135", "PB136",
    // `texts`: the trace, the surface and the number of updates
    "PB030", "PB031", "PB033", "PB037", "PB101", "PB108", "PB130", "PB131", "PB132", "PB427", "PB434",
    // `atoms::Welcome`: plain facts that match their declarations
    "PB032", "PB201", "PB202", "PB203", "PB204", "PB205", "PB206", "PB207", "PB208", "PB209", "PB210", "PB211", "PB212",
    "PB213", "PB214", "PB215", "PB216", "PB217", "PB218", "PB219", "PB224", "PB225", "PB226", "PB228", "PB229", "PB230", "PB508",
    // The text has no credentials. The surface has no key of a packet and no update.
    "PB137", "PB138", "PB139",
    // `texts`: updates are compared pairwise
    "PB227",
    // `requests`: memory operations
    "PB034", "PB220", "PB301", "PB302", "PB303", "PB304", "PB305", "PB306", "PB307", "PB308", "PB309", "PB311",
    // `requests`: self-corrections
    "PB401", "PB402", "PB406",
    // `requests`: tools
    "PB035", "PB420", "PB421", "PB422", "PB423", "PB424", "PB425", "PB426",
    // `requests`: knowledge
    "PB036", "PB430", "PB431", "PB432", "PB433",
    // `requests`: feedback
    "PB440", "PB441", "PB442", "PB443", "PB444",
];
