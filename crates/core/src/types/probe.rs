//! Tests of whether an external RAG reads the contexts that it is sent.

use super::ContextProbe;

/// Maximum number of questions that are tested.
pub const PROBES: usize = 10;
/// Minimum number of tests that prove contexts unread. A service that follows its contexts in half of the tests fails five in
/// a row with a probability of 3%, and [`PROBES`] with one of 0.1%.
const LEAST_PROBES: usize = 5;

impl ContextProbe {
    /// Returns true if the reply repeats the made-up answer.
    #[must_use]
    pub fn is_read(&self) -> bool {
        let reply = self.attempt.raw.to_lowercase();
        reply.contains(&self.planted.to_lowercase())
    }
}

/// The use that an external RAG makes of the contexts that it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextUse {
    /// At least one reply repeats the made-up answer: contexts are read.
    Read {
        /// Replies that repeat it.
        n_read: usize,
        /// Tests.
        n: usize,
    },
    /// No reply of at least five does: contexts are ignored.
    Ignored {
        /// Tests.
        n: usize,
    },
    /// Too few tests, none of which shows that contexts are read.
    Unknown {
        /// Tests.
        n: usize,
    },
}

impl ContextUse {
    /// Judges the tests of a run.
    #[must_use]
    pub fn of<'a>(probes: impl Iterator<Item = &'a ContextProbe>) -> Self {
        let read: Vec<bool> = probes.map(ContextProbe::is_read).collect();
        let (n, n_read) = (read.len(), read.iter().filter(|read| **read).count());
        match n_read {
            0 if n >= LEAST_PROBES => Self::Ignored { n },
            0 => Self::Unknown { n },
            n_read => Self::Read { n_read, n },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Attempt;

    fn probe(reply: &str) -> ContextProbe {
        ContextProbe {
            planted: "Velmora".to_owned(),
            attempt: Attempt { extracted: String::new(), ..Attempt::new(reply) },
        }
    }

    #[test]
    fn one_reply_proves_reading_and_five_without_it_prove_the_opposite() {
        let of = |replies: &[&str]| {
            let probes: Vec<ContextProbe> = replies.iter().map(|reply| probe(reply)).collect();
            ContextUse::of(probes.iter())
        };
        assert_eq!(of(&["Paris", "It was VELMORA Quist."]), ContextUse::Read { n_read: 1, n: 2 });
        assert_eq!(of(&["Paris"; 4]), ContextUse::Unknown { n: 4 });
        assert_eq!(of(&["Paris"; 5]), ContextUse::Ignored { n: 5 });
        assert_eq!(of(&[]), ContextUse::Unknown { n: 0 });
    }
}
