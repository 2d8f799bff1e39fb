//! Policies and an inference engine for tests.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{DecodingSettings, Profile, TranscriptSettings};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;
use piggyback::envelope::atoms::Declarations;
use toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};

use crate::expr::Expr;
use crate::reading::{read_bnf, read_lark};
use crate::target::{Dialect, Output, Target};
use crate::{EnvelopeSet, Policy};

/// The declarations of a program.
pub(crate) fn declarations(text: &str) -> Declarations {
    let file = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
    Declarations::from_program(&Program::new(vec![Arc::new(file)]))
}

/// The inputs of a set of envelopes in tests.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) transcripts: TranscriptSettings,
    pub(crate) decoding: DecodingSettings,
    pub(crate) profile: Option<Profile>,
}

impl Setup {
    /// The setup for a protocol version.
    pub(crate) fn new(profile: Profile) -> Self {
        Self { profile: Some(profile), ..Self::default() }
    }

    /// Restricts the optional fields of the control packet to these.
    pub(crate) fn with_fields(mut self, fields: &[&str]) -> Self {
        self.decoding.fields = Some(fields.iter().map(|field| (*field).to_owned()).collect());
        self
    }

    pub(crate) fn set(&self, declarations: &Declarations) -> EnvelopeSet {
        self.try_set(declarations).unwrap()
    }

    pub(crate) fn try_set(&self, declarations: &Declarations) -> Result<EnvelopeSet, crate::EnvelopeError> {
        EnvelopeSet::from_policy(&Policy {
            declarations,
            transcripts: &self.transcripts,
            decoding: &self.decoding,
            profile: self.profile.unwrap_or(Profile::Current),
            tools: None,
        })
    }
}

/// The output of a target for a set of envelopes.
pub(crate) fn written(target: &str, dialect: Dialect, set: &EnvelopeSet) -> Output {
    Target::named(target).unwrap().write(set, dialect, "a test")
}

/// An envelope of the current version with the JSON texts of some updates.
pub(crate) fn envelope(updates: &str) -> String {
    let intent = r#"{"category":"/query","verb":"/explain","target":"","constraint":"","confidence":0.9}"#;
    format!(
        r#"{{"control_packet":{{"intent_classification":{intent},"mangle_updates":[{updates}],"memory_operations":[]}},"surface_response":"Done."}}"#
    )
}

/// The vocabulary o200k of OpenAI, with an end token.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let ranks = tiktoken_rs::o200k_base_singleton();
    let words: Vec<Vec<u8>> =
        (0..199_998).map(|rank| ranks.decode_bytes(&[rank]).unwrap_or_default()).collect();
    let end = u32::try_from(words.len()).unwrap();
    let mut words = words;
    words.push(b"\xff<|end|>".to_vec());
    let trie = TokTrie::from(&TokRxInfo::new(end + 1, end), &words);
    let environment: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
    let mut factory = ParserFactory::new_simple(&environment).unwrap();
    factory.quiet();
    factory
});

/// A grammar in llguidance.
pub(crate) struct Engine {
    matcher: Matcher,
    /// The total time and the number of mask computations.
    times: (Duration, u32),
}

impl Engine {
    pub(crate) fn of_schema(text: &str) -> Self {
        Self::new(TopLevelGrammar::from_json_schema(serde_json::from_str(text).unwrap()))
    }

    pub(crate) fn of_lark(text: &str) -> Self {
        Self::new(TopLevelGrammar::from_lark(text.to_owned()))
    }

    fn new(grammar: TopLevelGrammar) -> Self {
        let matcher = Matcher::new(FACTORY.create_parser(grammar));
        if let Some(why) = matcher.get_error() {
            panic!("{why}");
        }
        Self { matcher, times: (Duration::ZERO, 0) }
    }

    /// True if the engine can generate the text.
    pub(crate) fn accepts(&mut self, text: &str) -> bool {
        self.matcher.reset().unwrap();
        let tokens = FACTORY.tok_env().tok_trie().greedy_tokenize(text.as_bytes());
        let taken = self.matcher.try_consume_tokens(&tokens).unwrap();
        taken == tokens.len() && self.matcher.is_accepting().unwrap()
    }

    /// Returns and resets the total time and the number of mask computations.
    pub(crate) fn take_times(&mut self) -> (Duration, u32) {
        std::mem::take(&mut self.times)
    }

    /// A text of random tokens among the allowed ones.
    pub(crate) fn random(&mut self, random: &mut Random) -> Vec<u8> {
        self.matcher.reset().unwrap();
        let trie = FACTORY.tok_env().tok_trie();
        let mut tokens = Vec::new();
        while !self.matcher.is_stopped() {
            let begin = Instant::now();
            let mask = self.matcher.compute_mask_or_eos().unwrap();
            self.times = (self.times.0 + begin.elapsed(), self.times.1 + 1);
            let allowed: Vec<u32> = mask.iter().collect();
            let token = allowed[random.below(allowed.len())];
            if token == trie.eos_token() {
                break;
            }
            tokens.push(token);
            self.matcher.consume_token(token).unwrap();
        }
        trie.decode(&tokens)
    }
}

/// A set of envelopes in each notation whose readers must agree on every text.
pub(crate) struct Notations {
    schema: Engine,
    lark: Engine,
    read_lark: Expr,
    gbnf: Expr,
}

impl Notations {
    pub(crate) fn new(set: &EnvelopeSet) -> Self {
        let text = |target, dialect| written(target, dialect, set).text;
        let lark = text("lark", Dialect::Raw);
        Self {
            schema: Engine::of_schema(&text("json-schema", Dialect::Decoded)),
            lark: Engine::of_lark(&lark),
            read_lark: read_lark(&lark).unwrap(),
            gbnf: read_bnf(&text("gbnf", Dialect::Raw)).unwrap(),
        }
    }

    /// The result for a text in each notation, by name.
    pub(crate) fn accept(&mut self, text: &str) -> [(&'static str, bool); 4] {
        [
            ("schema", self.schema.accepts(text)),
            ("Lark", self.lark.accepts(text)),
            ("Lark as we read it", self.read_lark.accepts(text)),
            ("GBNF", self.gbnf.accepts(text)),
        ]
    }
}

/// A deterministic random number generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }
}
