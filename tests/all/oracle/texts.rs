//! The files of the workspace that servers are compared on, and the texts that they get.

/// The paths that are written, opened and removed; the last ones lead through links.
pub(crate) const PATHS: [&str; 14] = [
    "mangle-ls.toml",
    "schemas.gl",
    "policy/a.mg",
    "policy/b.mg",
    "policy/a-b.mg",
    "policy/a/late.mg",
    "policy/gate_test.mg",
    "day.kernel.mg",
    "transcripts/session.jsonl",
    "transcripts/other.jsonl",
    "notes/readme.md",
    "link.mg",
    "linked/b.mg",
    "linked/a/late.mg",
];

/// The link to a file, which comes and goes, and the one to a folder.
pub(crate) const LINK: (&str, &str) = ("link.mg", "policy/a.mg");
pub(crate) const LINKED: (&str, &str) = ("linked", "policy");

const CONFIGURATIONS: [&str; 6] = [
    "[[program]]\nname = \"all\"\n",
    "[[program]]\nname = \"one\"\ninclude = [\"policy\", \"*.gl\"]\n[[program]]\nname = \"two\"\ninclude = [\"*.mg\", \"*.gl\"]\n",
    "[rules]\n\"MG2*\" = \"warning\"\n\"singleton-variable\" = \"error\"\n[transcripts]\nclosed_limit = \"64KiB\"\n",
    "[rules]\n\"no-such-rule\" = \"off\"\n[format]\nwidth = 60\n",
    "[[program]]\nname = \"é\"\ninclude = [\"policy/**/*.mg\", \"nowhere/*.mg\"]\n",
    "",
];

const POLICIES: [&str; 9] = [
    "Decl p(X) bound [/name].\np(/a).\np(/b).\nq(X) :- p(X), !r(X).\n",
    "# 漢字 🦀\r\nDecl r(X) bound [/name].\r\nr(/a).\r\ns(X, \"é\") :- q(X).\r\n",
    "Decl p(X) bound [/number].\np(1).\n\ns(X, Y) :- p(X), r(Y).\n",
    "permitted(A) :- pending_action(_, A, _, _, _), !dangerous(A).\ndangerous(/delete_file).\n",
    "total(N) :- p(X) |> do fn:group_by(), let N = fn:count().\nq(/c). q(/d).\n",
    "\u{feff}Decl t(X).\nt(X) :- u(X), X > 1.\n",
    "u(1).\ru(2).\rt(X) :-\r  u(X),\r  v(X, _).\r",
    "",
    "Decl q(X) bound [/name].\n\n# An error that is damaged.\nq(X) :- p(X\nq(/z).\n`é`",
];

const TESTS: [&str; 3] = [
    "# @test name: one\np(/x).\n# @expect q(/x)\n# @forbid r(/x)\n",
    "# @test name: é\nr(/a).\n# @exact s/2\n# @test name: é\n",
    "Decl p(X).\n# @expect\n",
];

const KERNELS: [&str; 3] = [
    "# @preview name: day\npending_action(\"r1\", /delete_file, \"x\", \"{}\", 1).\np(/k).\n",
    "# @preview use: schemas.gl, policy/a.mg\np(/k).\nDecl p(X).\n",
    "p(/k, 2).\n",
];

const TRANSCRIPTS: [&str; 4] = [
    "{\"role\": \"assistant\", \"content\": \"{\\\"control_packet\\\": {\\\"intent_classification\\\": {\\\"category\\\": \\\"/query\\\", \\\"verb\\\": \\\"/debug\\\", \\\"target\\\": \\\"é\\\", \\\"constraint\\\": \\\"none\\\", \\\"confidence\\\": 0.9}, \\\"mangle_updates\\\": [\\\"p(/t).\\\", \\\"nowhere(1).\\\"]}, \\\"surface_response\\\": \\\"Done.\\\"}\"}\n",
    "{\"role\": \"assistant\", \"content\": \"{\\\"surface_response\\\": \\\"cut\"}\n{\"role\": \"user\", \"content\": \"漢\"}\n",
    "{\"control_packet\": é{\n",
    "\u{feff}{\"role\": \"assistant\", \"content\": \"{\\\"control_packet\\\": {\\\"mangle_updates\\\": [\\\"r(/a)\\\"]}, \\\"surface_response\\\": \\\"🦀\\\"}\"}\n",
];

const DOCUMENTS: [&str; 2] = ["# é\n\n```mangle\np(X) :- q(X), w(Y).\n```\n", "No policy.\n"];

/// The texts that a file may get.
pub(crate) fn texts(path: &str) -> &'static [&'static str] {
    match path {
        "mangle-ls.toml" => &CONFIGURATIONS,
        _ if path.ends_with("_test.mg") => &TESTS,
        _ if path.ends_with(".kernel.mg") => &KERNELS,
        _ if path.ends_with(".jsonl") => &TRANSCRIPTS,
        _ if path.ends_with(".md") => &DOCUMENTS,
        _ => &POLICIES,
    }
}

/// The language that an editor takes a file for.
pub(crate) fn language(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("toml") => "toml",
        Some("jsonl") => "jsonl",
        Some("md") => "markdown",
        _ => "mangle",
    }
}

/// The editor's settings that are sent.
pub(crate) const SETTINGS: [&str; 3] = [
    "{\"mangle\": {\"rules\": {}}}",
    "{\"mangle\": {\"rules\": {\"MG3*\": \"hint\"}}}",
    "{\"mangle\": {\"rules\": {\"duplicate-decl\": \"off\", \"MG215\": \"warning\"}}}",
];
