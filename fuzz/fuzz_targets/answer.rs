//! The short answer of a model's reply.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::types::{Finish, Stance};
use ragtriage_clients::llm::read_answer;

fuzz_target!(|raw: &str| {
    for finish in Finish::ALL {
        let (answer, stance) = read_answer(raw, finish);
        assert_eq!(answer.is_empty(), stance != Stance::Answered, "{stance:?}: {answer:?}");
        assert_eq!(answer.trim(), answer);
        assert!(answer.len() <= raw.len(), "{answer:?}");
    }
});
