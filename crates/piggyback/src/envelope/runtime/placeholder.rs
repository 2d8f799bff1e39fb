//! Detection of surfaces and feedback that repeat an example of the prompt.

use super::go::trim;
use super::packet::Feedback;

/// Example surfaces in older prompts.
const EXAMPLES: [&str; 2] = [
    "Human-readable response to the user",
    "I cannot delete that directory because it's protected by the kernel's safety rules. If you need to delete it, you'll \
     need to do so manually or grant explicit permission with /override.",
];

/// Example facts for feedback in older prompts.
const EXAMPLE_FACTS: [&str; 2] = ["file_topology", "test_state"];

/// The parts of an envelope that the runtime drops because they repeat an example of the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Placeholders {
    /// True if the surface is dropped.
    pub surface: bool,
    /// True if the context feedback is dropped.
    pub feedback: bool,
}

/// True if a surface is an example of the prompt, or one name in angle brackets.
#[must_use]
pub fn is_surface(surface: &[u8]) -> bool {
    let text = surface.get(trim(surface, 0..surface.len())).and_then(|text| std::str::from_utf8(text).ok());
    text.is_some_and(|text| {
        EXAMPLES.contains(&text) || text.starts_with("<SURFACE_RESPONSE") || is_bracketed(text)
    })
}

/// True for `<NAME>` and `<NAME: text>`.
fn is_bracketed(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) else { return false };
    let name = inner.split(':').next().unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_name) && !inner.contains('>')
}

/// True if feedback is an example of the prompt.
pub(super) fn is_feedback(feedback: &Feedback) -> bool {
    feedback.helpful.as_slice().iter().map(String::as_str).eq(EXAMPLE_FACTS)
        || feedback.missing.starts_with("<MISSING_CONTEXT")
}

#[cfg(test)]
mod tests {
    use super::is_surface;

    #[test]
    fn names_in_angle_brackets_are_placeholders() {
        for text in ["<A>", " <ANSWER> ", "<A_B: any\ntext>", "<SURFACE_RESPONSE and more", "<A:>"] {
            assert!(is_surface(text.as_bytes()), "{text}");
        }
        for text in ["<>", "<a>", "<A1>", "<A>.", "<A: b>c>", "<A B>", "Done."] {
            assert!(!is_surface(text.as_bytes()), "{text}");
        }
    }
}
