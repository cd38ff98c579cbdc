//! Long reference answers: recall and precision of content words, values and negation.

use super::claim::Claim;
use super::parsed::{Parsed, content};
use super::partial::opposed;
use super::relation::{GoldValue, relation};
use super::scope::rejected;
use super::spot::places;
use super::value::{Agreement, compare};
use super::verdict::Judgment;
use super::words::{negates, stem};

/// Number of tokens above which a gold answer is a long reference.
pub(super) const LONG: usize = 15;

/// Share of the reference's content words that a right answer has.
const RIGHT_RECALL: f64 = 0.75;
/// Share of known words from which an answer with all of the reference is right.
const COMPLETE_PRECISION: f64 = 0.85;
/// Share of the common content words that must be in the reference's order.
const ORDER: f64 = 0.93;
/// Share below which an answer is wrong.
const WRONG_RECALL: f64 = 0.3;

/// Judges an answer against a long reference.
pub(super) fn judge(gold: &Parsed, claim: &Claim<'_>) -> Judgment {
    let answer = claim.answer;
    if places(gold, answer).iter().any(|place| !rejected(answer, place.first, place.end)) {
        return Judgment::right("contains the reference");
    }
    let negators =
        |reading: &Parsed| reading.tokens.iter().filter(|token| negates(&token.text)).count();
    let missing_value = gold.mentions.iter().filter(|mention| !mention.weak).find(|wanted| {
        !answer.mentions.iter().any(|mention| {
            relation(&GoldValue { alternatives: vec![*wanted], exact: false }, mention, claim)
                == Agreement::Same
                && !rejected(answer, mention.first, mention.end)
        })
    });
    let recall = share(gold, answer);
    if let Some(mention) = missing_value {
        let quote = gold.quote(mention);
        let conflict = answer.mentions.iter().any(|other| {
            compare(&mention.value, &other.value, claim.versions) == Agreement::Different
        });
        return if conflict || recall < WRONG_RECALL {
            Judgment::wrong(format!("lacks `{quote}`"))
        } else {
            Judgment::unsure(format!("lacks `{quote}`"))
        };
    }
    if recall < WRONG_RECALL {
        return Judgment::wrong(format!(
            "has {:.0}% of the reference's content words",
            100.0 * recall
        ));
    }
    let extra = answer.mentions.iter().find(|mention| {
        !mention.weak
            && gold.mentions.iter().any(|wanted| {
                compare(&wanted.value, &mention.value, claim.versions) == Agreement::Different
            })
            && !gold.mentions.iter().any(|wanted| {
                compare(&wanted.value, &mention.value, claim.versions) == Agreement::Same
            })
            && !claim.question.mentions.iter().any(|asked| {
                compare(&asked.value, &mention.value, claim.versions) == Agreement::Same
            })
    });
    if let Some(mention) = extra {
        return Judgment::unsure(format!("adds `{}`", answer.quote(mention)));
    }
    if opposed(gold, answer) || negators(gold) != negators(answer) {
        return Judgment::unsure("negates or reverses part of the reference");
    }
    let precision = share_known(answer, gold, claim.question);
    let complete =
        recall >= 1.0 && precision >= COMPLETE_PRECISION && in_order(gold, answer) > ORDER;
    if complete || recall >= RIGHT_RECALL && precision >= 1.0 && in_order(gold, answer) > ORDER {
        return Judgment::right(format!(
            "has {:.0}% of the reference's content words",
            100.0 * recall
        ));
    }
    Judgment::unsure(format!("has {:.0}% of the reference's content words", 100.0 * recall))
}

/// Returns the share of the reference's content words in the longest common subsequence with the answer.
fn in_order(gold: &Parsed, answer: &Parsed) -> f64 {
    let stems = |reading: &Parsed| -> Vec<String> {
        let words = reading.tokens.iter().filter(|token| content(token));
        words.map(|token| stem(&token.text).to_owned()).collect()
    };
    let (wanted, given) = (stems(gold), stems(answer));
    let known: Vec<&String> = wanted.iter().filter(|word| answer.stems.contains(*word)).collect();
    let mut row = vec![0_usize; given.len() + 1];
    for word in &known {
        let mut diagonal = 0;
        for (at, other) in given.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if *word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[given.len()] as f64 / known.len().max(1) as f64
}

/// Returns the share of the content words of `wanted` that `reading` has.
fn share(wanted: &Parsed, reading: &Parsed) -> f64 {
    let words: Vec<_> = wanted.tokens.iter().filter(|token| content(token)).collect();
    let found = words.iter().filter(|token| reading.stems.contains(stem(&token.text))).count();
    found as f64 / words.len().max(1) as f64
}

/// Returns the share of the content words of `answer` that the gold answer or the question has.
fn share_known(answer: &Parsed, gold: &Parsed, question: &Parsed) -> f64 {
    let words: Vec<_> = answer.tokens.iter().filter(|token| content(token)).collect();
    let found = words.iter().filter(|token| gold.has(token) || question.has(token)).count();
    found as f64 / words.len().max(1) as f64
}
