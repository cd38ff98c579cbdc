//! Words of no language for what must be told apart, and plain ones to fill the space between.

use std::collections::HashSet;

use ragtriage_core::stats::random::Random;

const ONSETS: [&str; 16] = [
    "Ba", "Cor", "Dal", "Fen", "Gri", "Hul", "Jas", "Kem", "Lor", "Mav", "Nor", "Pel", "Quo",
    "Ras", "Tul", "Vel",
];
const MIDDLES: [&str; 16] = [
    "ba", "co", "du", "fi", "ga", "ho", "ju", "ki", "la", "mo", "nu", "pa", "ri", "so", "tu", "va",
];
/// None is a suffix that a stemmer takes off.
const CODAS: [&str; 16] = [
    "bax", "cod", "dak", "fur", "gol", "hin", "jub", "kem", "lop", "mur", "nop", "rig", "sut",
    "tov", "wib", "zan",
];
/// Occur in no question.
const PLAIN: [&str; 24] = [
    "long", "grey", "walls", "stand", "along", "quiet", "roads", "where", "small", "birds",
    "gather", "near", "cold", "water", "while", "green", "hills", "rise", "behind", "many", "low",
    "stone", "houses", "slowly",
];

/// A seeded source of words.
pub struct Words {
    random: Random,
    used: HashSet<String>,
}

impl Words {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), used: HashSet::new() }
    }

    /// A name that was not given out before; there are 65,536.
    pub fn name(&mut self) -> String {
        loop {
            let mut one = |of: &[&str; 16]| of[self.random.below(16)].to_owned();
            let name = one(&ONSETS) + &one(&MIDDLES) + &one(&MIDDLES) + &one(&CODAS);
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    /// First and last name, neither given out before.
    pub fn full_name(&mut self) -> String {
        format!("{} {}", self.name(), self.name())
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// `text` and plain words behind it, `n` words in all.
    pub fn filled(&mut self, text: &str, n: usize) -> String {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.len() <= n, "{} words do not fit {n}: {text}", words.len());
        while words.len() < n {
            words.push(PLAIN[self.random.below(PLAIN.len())]);
        }
        words.join(" ")
    }
}
