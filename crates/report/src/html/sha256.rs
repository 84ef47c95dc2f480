//! SHA-256 (FIPS 180-4) in base64, as content security policies write hashes.

const BLOCK: usize = 64;

/// The hash of a text, in base64.
pub(super) fn base64(text: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in hash(text).chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n) & 63) as usize];
            out.push(if n <= three.len() { digit as char } else { '=' });
        }
    }
    out
}

fn hash(text: &[u8]) -> [u8; 32] {
    let (mut state, constants) = (fractions::<8>(2), fractions::<64>(3));
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(BLOCK) - 8, 0);
    padded.extend((8 * text.len() as u64).to_be_bytes());
    for block in padded.chunks(BLOCK) {
        mix(&mut state, block, &constants);
    }
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn mix(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for n in 16..64 {
        let (a, b) = (words[n - 15], words[n - 2]);
        let small = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let large = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        words[n] = words[n - 16].wrapping_add(small).wrapping_add(words[n - 7]).wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let first =
            h.wrapping_add(sum).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = sum.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (old, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *old = old.wrapping_add(new);
    }
}

/// The first 32 bits after the point of the square or cube roots of the first primes: the constants of the hash.
fn fractions<const N: usize>(degree: u32) -> [u32; N] {
    let is_prime = |n: &u128| !(2..*n).any(|d| n.is_multiple_of(d));
    let mut primes = (2..).filter(is_prime);
    std::array::from_fn(|_| {
        let shifted = primes.next().unwrap_or_default() << (32 * degree);
        root(shifted, degree) as u32
    })
}

/// The largest number whose power is not larger. Powers stay below 2^128.
fn root(of: u128, degree: u32) -> u128 {
    let (mut low, mut high) = (0, 1 << 40);
    while high - low > 1 {
        let middle: u128 = (low + high) / 2;
        match middle.pow(degree) <= of {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        // From the examples of the standard, and of the empty text.
        for (text, wanted) in [
            ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=",
            ),
        ] {
            assert_eq!(base64(text.as_bytes()), wanted, "{text}");
        }
    }
}
