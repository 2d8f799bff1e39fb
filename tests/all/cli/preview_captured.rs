//! `preview` beside a captured prompt, and with templates.

use expect_test::expect;

use super::preview_why::{FILES, KERNEL};
use super::support::{check, folder, render, run};

#[test]
fn captured_prompt_is_compared_line_by_line_with_origins() {
    let captured = "You test code.\n\n// KERNEL-INJECTED CONTEXT\n- Language /go is passing.\n";
    let record = serde_json::json!({
        "shard_type": "coder", "system_prompt": captured, "user_prompt": "u", "response": "r",
    });
    let record = record.to_string();
    let kernel = KERNEL.replace("shard_prompt_base(/tester", "shard_prompt_base(/coder");
    let mut files = FILES.to_vec();
    files[2].1 = &kernel;
    files.push(("sent.txt", captured));
    files.push(("sent.jsonl", &record));
    // A line of the context that is empty is a blank in a diff, and editors take that away from a text of a test.
    let shown = |name: &str| {
        render(&run(folder(&files).path(), &["preview", "fix.kernel.mg", "--diff", name]))
            .replace("\n \n", "\n\n")
    };
    expect![[r#"
        --- sent.txt
        +++ preview fix
        @@ -1,4 +1,31 @@
         You test code.

        -// KERNEL-INJECTED CONTEXT
        -- Language /go is passing.
        +// ----------------------------------------------------------------  ← builtin banner.rule
        +// KERNEL CONTEXT  ← builtin context.title
        +// ----------------------------------------------------------------  ← builtin banner.rule
        +  ← builtin layout
        +- Language /go is /passing.  ← derived by policy.mg:3
        +  ← builtin layout
        +// ----------------------------------------------------------------  ← builtin banner.rule
        +// SESSION  ← builtin session.title
        +// ----------------------------------------------------------------  ← builtin banner.rule
        +  ← builtin layout
        +FOUND SO FAR:  ← builtin session.findings
        +  - The clock was frozen.  ← session /recent_findings/0 fix.session.yaml:4
        +  ← builtin layout
        +REPOSITORY:  ← builtin session.git
        +  Branch: main  ← session /git_branch fix.session.yaml:1
        +  ← builtin layout
        +== REPLY FORMAT ==  ← suffix because the base is a template of the kernel
        +Reply with a single JSON object and nothing around it. Write "control_packet" first and finish it before "surface_response".  ← suffix because the base is a template of the kernel
        +control_packet:  ← suffix because the base is a template of the kernel
        +  intent_classification {category: /query | /mutation | /instruction, verb, target, constraint, confidence 0..1}  ← suffix because the base is a template of the kernel
        +  mangle_updates       list of ground facts, each closed by a period, e.g. task_status("build-3", /in_progress).  ← suffix because the base is a template of the kernel
        +  memory_operations    list of {op: promote_to_long_term | forget | store_vector | note, key, value}  ← suffix because the base is a template of the kernel
        +  self_correction      {triggered, hypothesis}  ← suffix because the base is a template of the kernel
        +  reasoning_trace      how you got there  ← suffix because the base is a template of the kernel
        +  knowledge_requests   list of {specialist | "researcher" | "_any_specialist", query, purpose, priority: required | optional}  ← suffix because the base is a template of the kernel
        +  context_feedback     {overall_usefulness 0..1, helpful_facts, noise_facts, missing_context}  ← suffix because the base is a template of the kernel
        +  tool_requests        list of {id, tool_name, tool_args, purpose, required}  ← suffix because the base is a template of the kernel
        +surface_response: what the person should read.  ← suffix because the base is a template of the kernel
        +Leave nothing out: an unused list is [], an unused text is "". Avoid ` $ ; | inside facts.  ← suffix because the base is a template of the kernel
        policy: 2 files (schemas.gl, policy.mg); left out: fix.kernel.mg
        exit 1
    "#]].assert_eq(&shown("sent.txt"));
    assert_eq!(shown("sent.txt").replace("sent.txt", "sent.jsonl"), shown("sent.jsonl"));
}

/// With a template for each heading and sentence a preview is, word by word, the prompt that was captured.
#[test]
fn templates_make_a_preview_of_a_captured_prompt() {
    let captured = "You code.\n\n// =====\n// KERNEL-INJECTED CONTEXT\n// =====\n\n* Language /go is /passing.\n\n\
        // =====\n// SESSION CONTEXT\n// =====\n\nMODE: DREAM\nOnly describe.\n\n\nERRORS:\n! E1\n\nTEST STATE: FAILING\n  TDD Retry: 2 (fix it)\n\
        \u{20} * t_renew\n\nRECENT FINDINGS:\n  * f\n\nREFLECTION HITS:\n  * h\n\nIMPACTED FILES:\n  * a.go\n\nGIT CONTEXT:\n  On: main\n\
        \u{20} Unstaged changes: 3\n  Modified files: 1\n  Recent commits:\n    * c1\n\nCAMPAIGN CONTEXT:\n  In: p\n  For: g\n  Blocked by: x, y\n\n\
        PRIOR SHARD RESULTS:\n  tester SUCCESS: run => good\n\nRECENT SESSION ACTIONS:\n  * did\n\nDOMAIN KNOWLEDGE:\n  * k\n  * Hint: s\n\n\
        AVAILABLE TOOLS:\n  * lint (checks)\n    Binary: /bin/lint\n\nSAFETY CONSTRAINTS:\n  NEVER: rm\n  CAREFUL: slow\n\n\
        SESSION HISTORY:\nlong ago\n\n// =====\n// USER INTENT\n// =====\nIntent ID: i1\nKind: /mutation\nDo: /fix\nOn: a.go\nBut: no deps\n\n\
        Answer with JSON.\n";
    let session = "dream_mode: true\ncurrent_diagnostics: [E1]\nfailing_tests: [t_renew]\ntdd_retry_count: 2\nrecent_findings: [f]\n\
        reflection_hits: [h]\nimpacted_files: [a.go]\ngit_branch: main\ngit_unstaged_count: 3\ngit_modified_files: [a.go]\n\
        git_recent_commits: [c1]\ncampaign_active: true\ncampaign_phase: p\ncampaign_goal: g\ntask_dependencies: [x, y]\n\
        prior_shard_outputs: [{shard_type: tester, success: true, task: run, summary: good}]\nrecent_actions: [did]\n\
        knowledge_atoms: [k]\nspecialist_hints: [s]\navailable_tools: [{name: lint, description: checks, binary_path: /bin/lint}]\n\
        blocked_actions: [rm]\nsafety_warnings: [slow]\ncompressed_history: long ago\n\
        intent: {id: i1, category: /mutation, verb: /fix, target: a.go, constraint: no deps}\n";
    let settings = "[prompt.templates]\nsuffix = \"Answer with JSON.\"\n\n[prompt.templates.banner]\nrule = \"// =====\"\n\n\
        [prompt.templates.context]\ntitle = \"// KERNEL-INJECTED CONTEXT\"\nentry = \"* {value}\"\n\n\
        [prompt.templates.intent]\ntitle = \"// USER INTENT\"\nid = \"Intent ID: {value}\"\ncategory = \"Kind: {value}\"\n\
        verb = \"Do: {value}\"\ntarget = \"On: {value}\"\nconstraint = \"But: {value}\"\n\n[prompt.templates.session]\n\
        title = \"// SESSION CONTEXT\"\ndream = \"MODE: DREAM\"\ndream_text = \"Only describe.\"\ndiagnostics = \"ERRORS:\"\n\
        diagnostic = \"! {value}\"\ntests = \"TEST STATE: FAILING\"\nretry = \"  TDD Retry: {value} (fix it)\"\ntest = \"  * {value}\"\n\
        findings = \"RECENT FINDINGS:\"\nfinding = \"  * {value}\"\nreflection = \"REFLECTION HITS:\"\nhit = \"  * {value}\"\n\
        impacted = \"IMPACTED FILES:\"\nfile = \"  * {value}\"\ngit = \"GIT CONTEXT:\"\nbranch = \"  On: {value}\"\n\
        unstaged = \"  Unstaged changes: {value}\"\nmodified = \"  Modified files: {value}\"\ncommits = \"  Recent commits:\"\n\
        commit = \"    * {value}\"\ncampaign = \"CAMPAIGN CONTEXT:\"\nphase = \"  In: {value}\"\ngoal = \"  For: {value}\"\n\
        blocked_by = \"  Blocked by: {value}\"\nprior = \"PRIOR SHARD RESULTS:\"\noutput = \"  {shard} {outcome}: {task} => {summary}\"\n\
        actions = \"RECENT SESSION ACTIONS:\"\naction = \"  * {value}\"\nknowledge = \"DOMAIN KNOWLEDGE:\"\natom = \"  * {value}\"\n\
        hint = \"  * Hint: {value}\"\ntools = \"AVAILABLE TOOLS:\"\ntool = \"  * {name} ({description})\"\nbinary = \"    Binary: {value}\"\n\
        safety = \"SAFETY CONSTRAINTS:\"\nblocked = \"  NEVER: {value}\"\nwarning = \"  CAREFUL: {value}\"\nhistory = \"SESSION HISTORY:\"\n";
    let kernel = KERNEL.replace(
        "shard_prompt_base(/tester, \"You test code.\")",
        "shard_prompt_base(/coder, \"You code.\")",
    );
    let mut files = FILES.to_vec();
    (files[2].1, files[3].1) = (&kernel, session);
    files.extend([("mangle-ls.toml", settings), ("sent.txt", captured)]);
    check(
        &files,
        &["preview", "fix.kernel.mg", "--diff", "sent.txt"],
        expect![[r#"
            exit 0
        "#]],
    );
    // Headings that stand elsewhere.
    let more = "\n[prompt.templates.turn]\nstate = \"FACTS\"\nmessage = \"USER\"\nanswer = \"REPLY\"\nrequest = \"in {profile}\"\n\n\
        [prompt.templates.compressed]\nfirst = \"STATE ({tokens})\"\nactive = \"NOW\"\n\n[prompt.templates.articulation]\n\
        role = \"Say it.\"\nresults = \"DONE\"\nrequirements = \"MUST\"\nrequirement = \"* Be honest.\"\n\n\
        [prompt.templates.knowledge]\ncompiled = \"// KNOWN\"\ntopic = \"### {value}\"\n";
    let settings = format!("{settings}{more}");
    files[5].1 = &settings;
    let text = |args: &[&str]| {
        let mut all = vec!["preview", "fix.kernel.mg", "--format", "markdown"];
        all.extend(args);
        let shown = render(&run(folder(&files).path(), &all));
        shown
            .lines()
            .filter(|line| !line.starts_with(['#', '`', '-']))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    expect![[r#"



        FACTS
        test_state(/passing).


        USER


        REPLY
        in current

        13 of 191500 tokens, 0.0 %, by `bytes4`; 13 by bytes/4, 12 by characters/4.

        191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

        exit 0
    "#]]
    .assert_eq(&text(&["--part", "turn"]));
    expect![[r#"



        Say it.


        DONE


        FACTS
        test_state(/passing).


        MUST
        * Be honest.

        15 of 191500 tokens, 0.0 %, by `bytes4`; 15 by bytes/4, 14 by characters/4.

        191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

        exit 0
    "#]]
    .assert_eq(&text(&["--part", "articulation"]));
    expect![[r#"



        STATE (10)


        NOW
        test_state(/passing).


        HISTORY
        long ago


        USER


        REPLY
        in current

        20 of 191500 tokens, 0.0 %, by `bytes4`; 20 by bytes/4, 19 by characters/4.

        191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

        exit 0
    "#]]
    .assert_eq(&text(&["--compressed"]));
    expect![[r#"



        * Language /go is /passing.


        Tokens expire soon.

        15 of 191500 tokens, 0.0 %, by `bytes4`; 15 by bytes/4, 14 by characters/4.

        191500 left of 200000 (default): 8000 reserved for the answer (default), 500 kept free by codeNERD.

        exit 0
    "#]]
    .assert_eq(&text(&["--mode", "section"]));
}

#[test]
fn templates_that_nothing_takes_are_reported() {
    let settings = "[prompt.templates]\n\"session.retrys\" = \"x\"\n\n[prompt.templates.session]\ntests = \"T {value}\"\n\
        retry = \"Try again\"\ntest = \"{value} {names}\"\nhit = \"{valu}\"\n\n[prompt.templates.turns]\nstate = \"S\"\n";
    let mut files = FILES.to_vec();
    files.push(("mangle-ls.toml", settings));
    let shown = render(&run(folder(&files).path(), &["check", "mangle-ls.toml", "--fail-on", "never"]));
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains('[')).collect();
    expect![[r#"
        warning[MG902 config-unknown-key]: unknown template `session.retrys`
        error[MG903 config-bad-value]: `session.retry` has no placeholder
        error[MG903 config-bad-value]: unknown placeholder `{names}` in `session.test`
        error[MG903 config-bad-value]: unknown placeholder `{valu}` in `session.hit`
        warning[MG902 config-unknown-key]: unknown template `turns.state`"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn scores_of_atoms_that_do_not_exist_are_reported() {
    let kernel =
        KERNEL.replace("# @preview session", "# @preview mode: jit(atoms=atoms)\n# @preview session");
    let mut files = FILES.to_vec();
    (files[2].1, files[3].1) = (&kernel, "vectors: {style/shrt: 0.8, style/short: 0.5, nowhere: 1}\n");
    let shown = render(&run(folder(&files).path(), &["preview", "fix.kernel.mg"]));
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains("session-key")).collect();
    expect![[r#"
        warning[session-key] fix.session.yaml:1 unknown prompt atom `style/shrt`; its score is ignored
        warning[session-key] fix.session.yaml:1 unknown prompt atom `nowhere`; its score is ignored"#]]
    .assert_eq(&lines.join("\n"));
}
