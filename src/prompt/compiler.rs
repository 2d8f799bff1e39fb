//! What a prompt compiler is to the rest: it gets a context and answers, and gives sections.

use super::Context;
use super::answers::Querier;
use super::derived::Derived;
use super::manifest::Manifest;
use super::sections::Section;

/// A prompt compiler with its atoms.
pub trait Compiler {
    /// Compiles a prompt.
    ///
    /// # Errors
    /// When the runtime's compiler would fail, and so the prompt be assembled without it: why, in words.
    fn compile(
        &self,
        context: &Context,
        derived: &Derived,
        querier: &mut dyn Querier,
    ) -> Result<Compiled, String>;

    /// The base of a prompt that is assembled without the compiler, from the mandatory atoms that fit; `None` when
    /// there is none.
    fn baseline(&self, derived: &Derived) -> Option<Section>;
}

/// A compiled prompt, without what is appended to it.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// What became of the atoms.
    pub manifest: Manifest,
}
