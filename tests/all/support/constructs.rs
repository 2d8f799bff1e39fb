//! Every construct of the languages at any size: what a test of complexity doubles.

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// A policy.
    Policy,
    /// A `mangle-ls.toml`.
    Configuration,
    /// A transcript with one record a line.
    Transcript,
}

/// A construct that can be of any size.
pub(crate) struct Construct {
    /// What it is called in messages.
    pub name: &'static str,
    /// What it is read as.
    pub read: Read,
    /// Its text with so many parts.
    pub text: fn(usize) -> String,
}

/// So many parts one after the other.
fn parts(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// So many parts with commas between them.
fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(", ")
}

/// A line of a transcript: a reply with these updates and more members of its control packet.
fn record(updates: &[String], more: &str) -> String {
    let updates = serde_json::Value::from(updates);
    reply(&format!(
        "{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"none\",\
         \"constraint\":\"none\",\"confidence\":0.9}},\"mangle_updates\":{updates}{more}}},\"surface_response\":\"done\"}}"
    ))
}

/// A line of a transcript: any reply.
fn reply(text: &str) -> String {
    format!("{}\n", serde_json::json!({"role": "assistant", "content": text}))
}

macro_rules! constructs {
    ($($read:ident $name:literal $count:ident => $text:expr;)*) => {
        /// All of them.
        pub(crate) const CONSTRUCTS: &[Construct] = &[$(
            Construct { name: $name, read: Read::$read, text: |$count: usize| $text },
        )*];
    };
}

constructs! {
    Policy "equal facts" n => "p(1).\n".repeat(n);
    Policy "different facts" n => parts(n, |i| format!("p({i}).\n"));
    Policy "facts of different predicates" n => parts(n, |i| format!("p{i}(1).\n"));
    Policy "facts of many types" n => parts(n, |i| format!("p([{i}, /n{i}/a]). p({{/f{i}: \"a\"}}).\n"));
    Policy "facts that break a bound" n => "Decl p(X) bound [/number].\n".to_owned() + &parts(n, |i| format!("p(\"a{i}\").\n"));
    Policy "several facts a line" n => "p(1). ".repeat(n);
    Policy "undefined predicates" n => parts(n, |i| format!("q{i}(X) :- undefined_thing_{i}(X).\n"));
    Policy "names near each other" n => parts(n / 4, |i| format!("crew_member_{i}(1).\np(X) :- crew_memb_{i}(X).\n"));
    Policy "declarations" n => parts(n, |i| format!("Decl p{i}(X, Y).\n"));
    Policy "equal declarations" n => "Decl p(X, Y).\n".repeat(n);
    Policy "full declarations" n => parts(n / 2, |i| format!("Decl p{i}(X) descr [doc(\"a\"), mode(\"+\")] bound [/string].\np{i}(\"a\").\n"));
    Policy "documentation of one declaration" n => format!("Decl p(X) descr [{}].\n", list(n, |i| format!("doc(\"a{i}\")")));
    Policy "descriptions of one argument" n => format!("Decl p(X) descr [{}].\n", list(n, |_| "arg(X, \"a\")".into()));
    Policy "unknown descriptors" n => format!("Decl p(X) descr [{}].\n", list(n, |i| format!("foo{i}()")));
    Policy "modes of one declaration" n => format!("Decl p(X) descr [{}].\n", list(n, |_| "mode(\"+\")".into()));
    Policy "bounds of one declaration" n => format!("Decl p(X) {}.\np(1).\n", parts(n, |i| format!("bound [/n{i}] ")));
    Policy "inclusions of one declaration" n => format!("Decl p(X) inclusion [{}].\n", list(n, |i| format!("q{i}(X)")));
    Policy "parameters" n => format!("Decl p({}).\n", list(n, |i| format!("X{i}")));
    Policy "equal parameters" n => format!("Decl p({}).\n", list(n, |_| "X".into()));
    Policy "a union of names" n => format!("Decl p(X) bound [.Union<{}>].\np(/n3).\n", list(n, |i| format!("/n{i}")));
    Policy "a union of singletons" n => format!("Decl p(X) bound [.Union<{}>].\np(/zz).\n", list(n, |i| format!(".Singleton</n{i}>")));
    Policy "a union of lists" n => format!("Decl p(X) bound [.Union<{}>].\n", list(n, |i| format!(".List</t{i}>")));
    Policy "a union of structs" n => format!("Decl p(X) bound [.Union<{}>].\n", list(n, |i| format!(".Struct</f{i} : /number>")));
    Policy "a tagged union" n => format!("Decl p(X) bound [.TaggedUnion</k, {}>].\n", list(n, |i| format!("/t{i} : .Struct</f : /number>")));
    Policy "a struct type" n => format!("Decl p(X) bound [.Struct<{}>].\n", list(n, |i| format!("/f{i} : /number")));
    Policy "a struct type with equal fields" n => format!("Decl p(X) bound [.Struct<{}>].\n", list(n, |_| "/f : /number".into()));
    Policy "a tuple type" n => format!("Decl p(X) bound [.Tuple<{}>].\n", list(n, |_| "/number".into()));
    Policy "arguments of a fact" n => format!("p({}).\n", list(n, |i| i.to_string()));
    Policy "variables of a fact" n => format!("p({}).\n", list(n, |i| format!("X{i}")));
    Policy "arguments of a rule" n => format!("p({0}) :- q({0}).\n", list(n, |i| format!("X{i}")));
    Policy "one variable in all arguments" n => format!("p(X) :- q({}).\n", list(n, |_| "X".into()));
    Policy "unbound variables of a head" n => format!("p({}) :- q(1).\n", list(n, |i| format!("X{i}")));
    Policy "variables that occur once" n => format!("p(1) :- q({}).\n", list(n, |i| format!("X{i}")));
    Policy "wildcards under a negation" n => format!("q({}).\np(1) :- !q({}).\n", list(n, |_| "1".into()), list(n, |_| "_".into()));
    Policy "unbound variables under a negation" n => format!("Decl q({0}).\np(1) :- !q({0}).\n", list(n, |i| format!("X{i}")));
    Policy "premises" n => format!("p(X) :- {}.\n", list(n, |i| format!("q{i}(X)")));
    Policy "equal premises" n => format!("q(1).\np(X) :- {}.\n", list(n, |_| "q(X)".into()));
    Policy "a chain of joins" n => format!("e(1, 2).\np(X0) :- {}.\n", list(n, |i| format!("e(X{i}, X{})", i + 1)));
    Policy "a wide join" n => format!("{}p(1) :- {}.\n", parts(n, |i| format!("q{i}({i}).\n")), list(n, |i| format!("q{i}(X{i})")));
    Policy "negated premises" n => format!("e(1, 2).\np(X) :- e(X, _), {}.\n", list(n, |i| format!("!e(X, {i})")));
    Policy "equations in order" n => format!("p(X0) :- X0 = 1, {}.\n", list(n, |i| format!("X{} = fn:plus(X{i}, 1)", i + 1)));
    Policy "equations between variables" n => format!("q(1).\np(X0) :- q(X0), {}.\n", list(n, |i| format!("X{} = X{i}", i + 1)));
    Policy "equations out of order" n => format!("p(X0) :- {}, X{n} = 1.\n", list(n, |i| format!("X{i} = fn:plus(X{}, 1)", i + 1)));
    Policy "comparisons" n => format!("q(1).\np(X) :- q(X), {}.\n", list(n, |i| format!("X < {i}")));
    Policy "comparisons before their variable" n => format!("q(1).\np(X) :- {}, q(X).\n", list(n, |i| format!("X < {i}")));
    Policy "inequalities" n => format!("q(/a).\np(X) :- q(X), {}.\n", list(n, |i| format!("X != /n{i}")));
    Policy "foreign equalities" n => format!("q(1).\np(X) :- q(X), {}.\n", list(n, |i| format!("X == {i}")));
    Policy "foreign negations" n => format!("q(1).\np(X) :- q(X), {}.\n", list(n, |_| "not r(X)".into()));
    Policy "foreign disjunctions" n => format!("q(1).\np(X) :- {}.\n", vec!["q(X)"; n].join("; "));
    Policy "foreign arithmetic" n => format!("q(1).\np(Y) :- q(X), Y = {}.\n", vec!["X"; n].join(" + "));
    Policy "rules with foreign equalities" n => "p(X) :- q(X), X == 1.\n".repeat(n);
    Policy "rules of another language" n => "p(X) :- q(X), \\+ r(X), X is 1 + 2.\n".repeat(n / 2);
    Policy "premises without commas" n => format!("q(1).\np(X) :- {}.\n", vec!["q(X)"; n].join(" "));
    Policy "unknown functions" n => format!("q(1).\np(X) :- q(X), {}.\n", list(n, |i| format!("Y{i} = fn:foo(X)")));
    Policy "unknown built-ins" n => format!("q(/a).\np(X) :- q(X), {}.\n", list(n, |i| format!(":foo(X, /n{i})")));
    Policy "a list" n => format!("p([{}]).\n", list(n, |i| i.to_string()));
    Policy "a list of many types" n => format!("p([{}]).\n", list(n, |i| format!("/n{i}, \"a{i}\", {i}, [{i}]")));
    Policy "a list of commas" n => format!("p([1{}]).\n", ",".repeat(n));
    Policy "a map" n => format!("p([{}]).\n", list(n, |i| format!("{i} : {i}")));
    Policy "a map with equal keys" n => format!("p([{}]).\n", list(n, |i| format!("1 : {i}")));
    Policy "a struct" n => format!("p({{{}}}).\n", list(n, |i| format!("/f{i} : {i}")));
    Policy "a struct with equal fields" n => format!("p({{{}}}).\n", list(n, |i| format!("/f : {i}")));
    Policy "nested lists" n => format!("p({}{}).\n", "[".repeat(n), "]".repeat(n));
    Policy "nested calls" n => format!("p(X) :- X = {}1{}.\n", "fn:plus(1, ".repeat(n), ")".repeat(n));
    Policy "open brackets" n => format!("p({}.\n", "[".repeat(n));
    Policy "open atoms" n => "p(\n".repeat(n);
    Policy "closing brackets" n => ")\n".repeat(n);
    Policy "lines that make no sense" n => "%&$ foo bar\n".repeat(n);
    Policy "words" n => "foo bar ".repeat(n);
    Policy "prose" n => "This is a sentence, isn't it?\n".repeat(n / 2);
    Policy "open strings" n => "p(\".\n".repeat(n);
    Policy "full stops" n => ".".repeat(n);
    Policy "arrows" n => ":- ".repeat(n);
    Policy "facts without full stops" n => "p(1)\n".repeat(n);
    Policy "rules without full stops" n => "p(X) :- q(X)\n".repeat(n);
    Policy "arguments without commas" n => format!("p({}).\n", vec!["1"; n].join(" "));
    Policy "a long string" n => format!("p(\"{}\").\n", "a".repeat(8 * n));
    Policy "a string of escapes" n => format!("p(\"{}\").\n", "\\n".repeat(8 * n));
    Policy "a string of wrong escapes" n => format!("p(\"{}\").\n", "\\q".repeat(n));
    Policy "a raw string" n => format!("p(`{}`).\n", "é\n".repeat(8 * n));
    Policy "a long name" n => format!("p({}).\n", "/a".repeat(n));
    Policy "a long predicate" n => format!("{}(1).\n", "a".repeat(8 * n));
    Policy "a long variable" n => format!("p(X{0}) :- q(X{0}).\n", "a".repeat(8 * n));
    Policy "a long number" n => format!("p({}).\n", "1".repeat(8 * n));
    Policy "a long comment" n => format!("# {}\np(1).\n", "a ".repeat(8 * n));
    Policy "comments" n => "# a\n".repeat(n) + "p(1).\n";
    Policy "comments of other languages" n => "// a\np(1).\n".repeat(n);
    Policy "comments inside of a fact" n => format!("p({}).\n", list(n, |i| format!("{i} # c\n")));
    Policy "an ignore comment with unknown names" n => format!("# mangle-ls: ignore {}\np(1).\n", list(n, |i| format!("singleton-variabl{i}")));
    Policy "an ignore comment with equal names" n => format!("# mangle-ls: ignore {}\np(1).\n", list(n, |_| "singleton-variable".into()));
    Policy "an ignore comment for the file" n => format!("# mangle-ls: ignore-file {}\n{}", list(n, |_| "MG215".into()), "p(X) :- q(X, Y).\n".repeat(n));
    Policy "an ignore comment without commas" n => format!("# mangle-ls: ignore {}\np(1).\n", "MG215 ".repeat(n));
    Policy "ignore comments" n => "# mangle-ls: ignore MG215\np(X) :- q(X, Y).\n".repeat(n);
    Policy "ignore comments above each other" n => "# mangle-ls: ignore MG215\n".repeat(n) + "p(X) :- q(X, Y).\n";
    Policy "ignore comments behind code" n => "p(X) :- q(X, Y). # mangle-ls: ignore MG215\n".repeat(n);
    Policy "ignore comments that do nothing" n => "p(1). # mangle-ls: ignore MG215\n".repeat(n);
    Policy "broken ignore comments" n => "# mangle-ls ignore MG215\n".repeat(n) + "p(1).\n";
    Policy "used packages" n => "Package p!\n".to_owned() + &parts(n, |i| format!("Use a{i}!\n"));
    Policy "packages" n => "Package p!\n".repeat(n);
    Policy "qualified names" n => "Package p!\nUse a!\n".to_owned() + &parts(n, |i| format!("q{i}(X) :- a.r{i}(X).\n"));
    Policy "temporal facts" n => "Decl p(X) temporal.\n".to_owned() + &parts(n, |i| format!("p({i})@[2024-01-01, 2024-02-01].\n"));
    Policy "temporal premises" n => format!("Decl p(X) temporal.\nq(X) :- {}.\n", list(n, |_| "p(X)@[2024-01-01, 2024-02-01]".into()));
    Policy "temporal operators" n => format!("Decl p(X) temporal.\nq(X) :- {}.\n", list(n, |i| format!("<-[0s, {i}d] p(X)")));
    Policy "reducers of a transform" n => format!("q(1, 2).\np(X) :- q(X, Y) |> do fn:group_by(X), {}.\n", list(n, |i| format!("let N{i} = fn:sum(Y)")));
    Policy "keys of a transform" n => format!("p(X0) :- q({0}) |> do fn:group_by({0}), let N = fn:count().\n", list(n, |i| format!("X{i}")));
    Policy "lets of a transform" n => format!("q(1, 2).\np(X) :- q(X, N0) |> {}.\n", list(n, |i| format!("let N{} = fn:plus(N{i}, 1)", i + 1)));
    Policy "transforms" n => format!("q(1, 2).\np(X) :- q(X, Y) {}.\n", parts(n, |i| format!("|> let N{i} = fn:plus(X, 1) ")));
    Policy "clauses of a predicate" n => "Decl p(X).\n".to_owned() + &parts(n, |i| format!("p(X) :- q{i}(X).\n"));
    Policy "equal rules" n => "p(X) :- q(X).\n".repeat(n);
    Policy "rules that another one covers" n => "p(X) :- q(X).\n".to_owned() + &parts(n, |i| format!("p(X) :- q(X), r{i}(X).\n"));
    Policy "a chain of rules" n => "p0(1).\n".to_owned() + &parts(n, |i| format!("p{}(X) :- p{i}(X).\n", i + 1));
    Policy "a chain of rules backwards" n => parts(n, |i| format!("p{i}(X) :- p{}(X).\n", i + 1));
    Policy "a cycle" n => parts(n, |i| format!("p{i}(X) :- p{}(X).\n", (i + 1) % n));
    Policy "a cycle of negations" n => "a(1).\n".to_owned() + &parts(n, |i| format!("p{i}(X) :- a(X), !p{}(X).\n", (i + 1) % n));
    Policy "cycles through one predicate" n => "a(1).\n".to_owned() + &parts(n, |i| format!("p(X) :- q{i}(X).\nq{i}(X) :- a(X), !p(X).\n"));
    Policy "rules with unused variables" n => parts(n, |i| format!("p{i}(X) :- q(X, Y).\n"));
    Policy "joins of nothing" n => parts(n, |i| format!("q{i}(/a{i}).\nr{i}(X) :- q{i}(X), q{}(X).\n", (i + 1) % n));
    Policy "directives" n => "INTENT: foo\n".repeat(n);
    Policy "fences" n => "```mangle\np(1).\n```\n".repeat(n / 2);
    Policy "carriage returns" n => "p(1).\r".repeat(n);
    Policy "zero bytes" n => "\0".repeat(n);
    Policy "characters of several bytes" n => "p(\"é€\").\n".repeat(n);
    Configuration "globs" n => format!("[[program]]\ninclude = [{}]\n", list(n, |i| format!("\"a{i}/*.mg\"")));
    Configuration "equal globs" n => format!("[[program]]\ninclude = [{}]\n", list(n, |_| "\"*.mg\"".into()));
    Configuration "globs that lead outside" n => format!("[[program]]\ninclude = [{}]\n", list(n, |i| format!("\"../a{i}\"")));
    Configuration "globs that are broken" n => format!("[[program]]\nexclude = [{}]\n", list(n, |i| format!("\"[a{i}\"")));
    Configuration "programs" n => parts(n, |i| format!("[[program]]\nname = \"p{i}\"\n"));
    Configuration "host predicates" n => format!("[[program]]\nhost_predicates = [{}]\n", list(n, |i| format!("\"p{i}/1\"")));
    Configuration "wrong host predicates" n => format!("[[program]]\nhost_predicates = [{}]\n", list(n, |i| format!("\"p{i}\"")));
    Configuration "unknown rules" n => "[rules]\n".to_owned() + &parts(n, |i| format!("\"r{i}\" = \"off\"\n"));
    Configuration "unknown keys" n => parts(n, |i| format!("k{i} = 1\n"));
    Configuration "unknown tables" n => parts(n, |i| format!("[k{i}]\na = 1\n"));
    Configuration "shapes of transcripts" n => parts(n, |i| format!("[[transcripts.shape]]\nname = \"s{i}\"\nreply = \"/a{i}\"\n"));
    Configuration "overrides of transcripts" n => parts(n, |i| format!("[[transcripts.override]]\ninclude = [\"a{i}\"]\n"));
    Configuration "no TOML" n => "= = \n".repeat(n);
    Configuration "a long value" n => format!("[[program]]\nname = \"{}\"\n", "a".repeat(8 * n));
    Transcript "records" n => parts(n, |i| record(&[format!("task_status(/t{i}, /done).")], ""));
    Transcript "updates" n => record(&(0..n).map(|i| format!("task_status(/t{i}, /done).")).collect::<Vec<_>>(), "");
    Transcript "equal updates" n => record(&vec!["task_status(/t, /done).".to_owned(); n], "");
    Transcript "updates that cannot be read" n => record(&(0..n).map(|i| format!("task_status(/t{i}, /done")).collect::<Vec<_>>(), "");
    Transcript "equal updates that cannot be read" n => record(&vec!["p(: (.".to_owned(); n], "");
    Transcript "updates that are no texts" n => reply(&format!("{{\"control_packet\":{{\"mangle_updates\":[{}]}},\"surface_response\":\"a\"}}", list(n, |i| i.to_string())));
    Transcript "updates that contradict each other" n => record(&(0..n).map(|i| format!("task_status(/t, /s{i}).")).collect::<Vec<_>>(), "");
    Transcript "an update of many arguments" n => record(&[format!("p({}).", list(n, |i| i.to_string()))], "");
    Transcript "an update of escapes" n => record(&[format!("p(\"{}\").", "\\n".repeat(n))], "");
    Transcript "memory operations" n => record(&[], &format!(",\"memory_operations\":[{}]", list(n, |i| format!("{{\"op\":\"note\",\"key\":\"k{i}\",\"value\":\"v\"}}"))));
    Transcript "tool requests" n => record(&[], &format!(",\"tool_requests\":[{}]", list(n, |i| format!("{{\"id\":\"a{i}\",\"tool_name\":\"x\",\"tool_args\":{{}},\"purpose\":\"p\"}}"))));
    Transcript "unknown keys of a packet" n => record(&[], &parts(n, |i| format!(",\"mangle_update{i}\":1")));
    Transcript "equal keys of a packet" n => record(&[], &",\"mangle_updates\":[]".repeat(n));
    Transcript "deep arrays" n => format!("{{\"role\":\"assistant\",\"content\":{}1{}}}\n", "[".repeat(n), "]".repeat(n));
    Transcript "open braces" n => reply(&"{".repeat(n));
    Transcript "several objects in a reply" n => reply(&"{\"control_packet\":{}} ".repeat(n));
    Transcript "text before an envelope" n => reply(&("Sure! ".repeat(n) + "{\"control_packet\":{\"mangle_updates\":[]},\"surface_response\":\"a\"}"));
    Transcript "fences in a reply" n => reply(&"```json\n{}\n```\n".repeat(n));
    Transcript "a long answer" n => reply(&format!("{{\"control_packet\":{{\"mangle_updates\":[]}},\"surface_response\":\"{}\"}}", "a\\n".repeat(8 * n)));
    Transcript "updates without commas" n => reply(&format!("{{\"control_packet\":{{\"mangle_updates\":[{}]}},\"surface_response\":\"a\"}}", vec!["\"p(1).\""; n].join(" ")));
    Transcript "records that are no JSON" n => "{\"role\":\n".repeat(n);
    Transcript "replies without an envelope" n => parts(n, |i| reply(&format!("no JSON {i}")));
}
