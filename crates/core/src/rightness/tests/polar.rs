//! Answers to yes/no questions in sentences: what they say, if they say it.

use crate::rightness::{Correctness, auto};
use crate::types::{Question, QuestionKind};

const LIMIT: &str = "Can a request carry 20 MB?";
const BACKUP: &str = "Is the backup encrypted?";
const NODES: &str = "Do both clusters run in the same region?";

/// Question and answer.
type Said = (&'static str, &'static str);

const YES: &[Said] = &[
    (LIMIT, "Yes, because the limit is 25 MB."),
    (LIMIT, "Yes; the limit was raised to 25 MB in version 3."),
    (LIMIT, "The answer is yes."),
    (LIMIT, "Yes - it can, since the limit is 25 MB"),
    (LIMIT, "yes\u{2014}the limit is 25 MB"),
    (LIMIT, "**Yes.** The limit is 25 MB, so there is no problem."),
    (LIMIT, "Based on the passages, yes."),
    (LIMIT, "According to passage 2, yes, it can."),
    (LIMIT, "That is correct."),
    (LIMIT, "Yes, it can carry 20 MB, but not 30 MB."),
    (BACKUP, "Yes, it is encrypted with AES-256 and not with a shared key."),
    (BACKUP, "The backup is encrypted."),
    (BACKUP, "It is encrypted."),
    (BACKUP, "Yes, no key leaves the machine unencrypted."),
    (BACKUP, "So the answer to the question is: yes"),
    (BACKUP, "Short answer: yes. Long answer: it is encrypted at rest."),
    (NODES, "Yes, both clusters run in eu-west-1."),
    (NODES, "Both do."),
    (NODES, "They do, since the move of 2021."),
    (NODES, "Indeed, both are in eu-west-1."),
];

const NO: &[Said] = &[
    (LIMIT, "No."),
    (LIMIT, "The answer is no."),
    (LIMIT, "No - it is not supported"),
    (LIMIT, "No, because the limit is 10 MB."),
    (LIMIT, "no\u{2014}the limit is 10 MB"),
    (LIMIT, "No, the limit is 10 MB, so yes to 5 MB only."),
    (LIMIT, "A request cannot carry 20 MB."),
    (LIMIT, "It can't."),
    (LIMIT, "Based on the passages, no."),
    (LIMIT, "That is not correct."),
    (LIMIT, "Nope, 10 MB is the most."),
    (LIMIT, "It is not possible, as the limit is 10 MB."),
    (BACKUP, "No, it isn't encrypted."),
    (BACKUP, "The backup is not encrypted."),
    (BACKUP, "The backup is unencrypted."),
    (BACKUP, "It is stored without being encrypted, so no."),
    (NODES, "No, they run in different regions."),
    (NODES, "They don't."),
    (NODES, "Neither does."),
    (NODES, "No as stated in passage 1, they are apart."),
    (NODES, "No; one of them runs in us-east-1"),
];

/// Neither yes nor no: hedged, conditional, both, or about something else.
const NEITHER: &[Said] = &[
    (LIMIT, "Yes and no."),
    (LIMIT, "It depends on the plan."),
    (LIMIT, "Maybe, if the limit was raised."),
    (LIMIT, "Yes, if the plan is Enterprise, otherwise no."),
    (LIMIT, "The limit is 25 MB."),
    (LIMIT, "No limit is given for requests."),
    (LIMIT, "No passage says how large a request may be."),
    (LIMIT, "Only with the Enterprise plan."),
    (LIMIT, "Whether yes or no is the answer depends on the plan."),
    (LIMIT, "Unless the proxy refuses it, a request can."),
    (LIMIT, "Not sure, the limit is not stated."),
    (LIMIT, "It can sometimes."),
    (BACKUP, "Partly: the index is encrypted, the log is not."),
    (BACKUP, "The key is kept in the vault."),
    (BACKUP, "I asked the yes-man of the team."),
    (BACKUP, "It is not clear whether it is encrypted."),
    (BACKUP, "Encryption is not mentioned."),
    (BACKUP, "Not necessarily."),
    (BACKUP, "Possibly yes."),
    (BACKUP, "It is unclear whether it is encrypted."),
    (NODES, "Probably not."),
    (NODES, "One runs in eu-west-1."),
];

fn read((text, answer): Said) -> Option<bool> {
    let by = |gold: &str| {
        let question = Question {
            kind: QuestionKind::YesNo,
            answers: vec![gold.to_owned()],
            ..Question::new("q".into(), text.to_owned())
        };
        auto(&question, answer, 0.0, 0.6).correctness
    };
    match (by("yes"), by("no")) {
        (Correctness::Right, Correctness::Wrong) => Some(true),
        (Correctness::Wrong, Correctness::Right) => Some(false),
        (Correctness::Unsure, Correctness::Unsure) => None,
        other => panic!("{answer:?}: {other:?}"),
    }
}

#[test]
fn sentences_say_yes_no_or_neither() {
    let tables = [(YES, Some(true)), (NO, Some(false)), (NEITHER, None)];
    let mut others = Vec::new();
    for (table, expected) in tables {
        for said in table {
            let found = read(*said);
            if found != expected {
                others.push(format!("{said:?}: {found:?}, expected {expected:?}"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}
