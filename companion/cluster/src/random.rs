//! Random numbers that are the same on every machine and in every version of the program.

/// xoshiro256++ (Blackman and Vigna, 2018), seeded by SplitMix64, our own so that seeds keep their meaning.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

/// One step of SplitMix64: spreads seeds that differ in one bit over all bits.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// Creates a generator for `seed`. `stream` separates the uses of one seed from each other.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut s = seed;
        let mixed = split_mix(&mut s) ^ stream.wrapping_mul(0xd134_2543_de82_ef95);
        let mut s = mixed;
        Random { state: std::array::from_fn(|_| split_mix(&mut s)) }
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        result
    }

    /// Uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in 0..n; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of multiply-shift is below n / 2^64.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Puts things into a random order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for i in (1..all.len()).rev() {
            all.swap(i, self.below(i + 1));
        }
    }

    /// `count` different numbers of 0..n, ascending; all of them where n is not larger.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        // Floyd's algorithm: one draw a number, whatever n is.
        let count = count.min(n);
        let mut chosen = std::collections::BTreeSet::new();
        for j in n - count..n {
            let t = self.below(j + 1);
            if !chosen.insert(t) {
                chosen.insert(j);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut r = Random::new(7, 1);
        let first: Vec<u64> = (0..3).map(|_| r.bits()).collect();
        let mut again = Random::new(7, 1);
        assert_eq!(first, (0..3).map(|_| again.bits()).collect::<Vec<_>>());
        assert_ne!(first[0], Random::new(7, 2).bits());
        assert_ne!(first[0], Random::new(8, 1).bits());
    }

    #[test]
    fn samples_are_distinct_and_cover_the_range() {
        let mut r = Random::new(1, 1);
        let mut seen = [0; 10];
        for _ in 0..2000 {
            let s = r.sample(10, 3);
            assert!(s.len() == 3 && s.windows(2).all(|w| w[0] < w[1]));
            s.iter().for_each(|&i| seen[i] += 1);
        }
        assert!(seen.iter().all(|&n| (480..720).contains(&n)), "{seen:?}");
        assert_eq!(r.sample(2, 5), [0, 1]);
        assert!(r.sample(0, 5).is_empty());
    }
}
