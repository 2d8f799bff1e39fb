//! Detection of random strings by entropy and digit distribution.

/// The minimum length of a random string in bytes.
pub(super) const MIN_LEN: usize = 20;

/// The minimum entropy of a random string in bits per byte.
const MIN_BITS: f64 = 3.7;

/// Prefixes of digests.
const DIGESTS: [&str; 6] = ["sha1", "sha256", "sha384", "sha512", "md5", "blake3"];

/// True if a token is a random string with mixed case and digits. `word` is the word that contains
/// the token.
pub(super) fn is_random(word: &str, token: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let bytes = token.as_bytes();
    super::steps::count(word.len() + bytes.len());
    if bytes.len() < MIN_LEN || !bytes.iter().all(|byte| is_letter(*byte)) || is_digest(word) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let mixed = digits >= 3 && count(u8::is_ascii_uppercase) >= 3 && count(u8::is_ascii_lowercase) >= 3;
    // In paths and names, digits are grouped.
    mixed && turns(token) * 8 >= bytes.len() && entropy(bytes) >= MIN_BITS && !is_name(token)
}

/// Counts the transitions between digits and other characters.
fn turns(text: &str) -> usize {
    let class = |byte: &u8| byte.is_ascii_digit();
    text.as_bytes().windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count()
}

/// True if a token is a name with several parts, for example the model name
/// `SmolLM2-135M-Instruct`.
///
/// At least one part is a word, and each part has at most one transition between letters and
/// digits.
fn is_name(token: &str) -> bool {
    let is_word = |part: &str| part.len() >= 5 && part.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    let parts = || token.split(['-', '_']);
    parts().any(is_word) && parts().all(|part| turns(part) <= 1)
}

/// True if a word has the prefix of a digest: `sha512-…`, `sha256:…`
fn is_digest(word: &str) -> bool {
    let is_named = |name: &&str| word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    DIGESTS.iter().any(|name| {
        is_named(name) && word.as_bytes().get(name.len()).is_some_and(|next| b"-:=/_".contains(next))
    })
}

/// Returns the entropy in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}
