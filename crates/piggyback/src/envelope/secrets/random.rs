//! Words of random letters.

/// How short a word of random letters may be.
pub(super) const SHORTEST: usize = 20;

/// How many bits each letter of such a word tells at least.
const LEAST_BITS: f64 = 3.7;

/// What digests are written behind.
const DIGESTS: [&str; 6] = ["sha1", "sha256", "sha384", "sha512", "md5", "blake3"];

/// Whether a token is of random letters: capitals, small ones and digits by turns. `word` is what it stands in.
pub(super) fn is_random(word: &str, token: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let bytes = token.as_bytes();
    super::steps::count(word.len() + bytes.len());
    if bytes.len() < SHORTEST || !bytes.iter().all(|byte| is_letter(*byte)) || is_digest(word) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let mixed = digits >= 3 && count(u8::is_ascii_uppercase) >= 3 && count(u8::is_ascii_lowercase) >= 3;
    // In the words of a path or of a name, digits are together.
    mixed && turns(token) * 8 >= bytes.len() && entropy(bytes) >= LEAST_BITS && !is_name(token)
}

/// How often digits follow other characters, or others digits.
fn turns(text: &str) -> usize {
    let class = |byte: &u8| byte.is_ascii_digit();
    text.as_bytes().windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count()
}

/// Whether a token is a name of several parts, such as that of a model, `SmolLM2-135M-Instruct`: one part is a word, and
/// no part goes from letters to digits, or back, more than once.
fn is_name(token: &str) -> bool {
    let is_word = |part: &str| part.len() >= 5 && part.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    let parts = || token.split(['-', '_']);
    parts().any(is_word) && parts().all(|part| turns(part) <= 1)
}

/// Whether a word says that it is a digest: `sha512-…`, `sha256:…`
fn is_digest(word: &str) -> bool {
    let is_named = |name: &&str| word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    DIGESTS.iter().any(|name| {
        is_named(name) && word.as_bytes().get(name.len()).is_some_and(|next| b"-:=/_".contains(next))
    })
}

/// How many bits each byte tells.
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
