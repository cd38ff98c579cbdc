//! Judges gold answers that are values: the value that the answer offers must equal them.

use super::claim::Claim;
use super::conflict::conflict;
use super::mention::Mention;
use super::parsed::Parsed;
use super::relation::{GoldValue, relation};
use super::scope::rejected;
use super::subject::wrong_subject;
use super::value::Agreement;
use super::verdict::{Correctness, Judgment};
use super::words::{WEEKDAYS, negates};

/// Judges an answer that must state every target.
pub(super) fn judge(targets: &[GoldValue<'_>], claim: &Claim<'_>) -> Judgment {
    let mut found = Vec::new();
    let mut doubt = None;
    for target in targets {
        match find(target, claim) {
            Ok(mentions) => found.extend(mentions),
            Err(judgment) if judgment.correctness == Correctness::Unsure => {
                doubt = Some(judgment);
            }
            Err(judgment) => return judgment,
        }
    }
    if let Some(doubt) = doubt {
        return doubt;
    }
    if other_weekday(claim) {
        return Judgment::wrong("names another day of the week");
    }
    if reversed(claim) {
        return Judgment::unsure("speaks of the opposite of what the question asks for");
    }
    conflict(targets, &found, claim).unwrap_or_else(|| {
        let first = found[0];
        let quote = claim.answer.quote(first);
        if wrong_subject(claim, first.first) {
            return Judgment::unsure(format!("gives `{quote}`, perhaps for another thing"));
        }
        Judgment::right(format!("contains `{quote}` as a {}", first.value.type_name()))
    })
}

/// Returns true if gold and answer name days of the week, and different ones.
fn other_weekday(claim: &Claim<'_>) -> bool {
    let day = |reading: &Parsed| {
        reading
            .tokens
            .iter()
            .find(|token| token.capital() && WEEKDAYS.has(&token.text))
            .map(|token| token.text[..3].to_owned())
    };
    let given = day(claim.answer);
    let mut gold_answers = claim.gold_answers.iter().filter_map(day).peekable();
    given.is_some() && gold_answers.peek().is_some() && gold_answers.all(|gold| Some(gold) != given)
}

/// Returns true if the answer states a maximum where the question asks for a minimum, or what is allowed where it
/// asks for what is forbidden, and the reverse.
fn reversed(claim: &Claim<'_>) -> bool {
    const LOW: &str = "lowest minimum earliest smallest shortest";
    const HIGH: &str = "highest maximum latest largest longest";
    let (question, answer) = (claim.question, claim.answer);
    let low = question.says(LOW) || question.says("least");
    let high = question.says(HIGH) || question.says("most biggest");
    let named =
        |words: &str| answer.says(words) && !claim.gold_answers.iter().any(|gold| gold.says(words));
    let denied = answer.tokens.iter().any(|token| negates(&token.text)) && !answer.says("only");
    let allowed =
        question.says("forbidden prohibited banned") && answer.says("allowed permitted") && !denied;
    low && !high && named(HIGH) && !answer.says(LOW)
        || high && !low && named(LOW) && !answer.says(HIGH)
        || allowed
}

/// Returns the mentions that state `target`, or the reason why none does.
fn find<'a>(target: &GoldValue<'_>, claim: &Claim<'a>) -> Result<Vec<&'a Mention>, Judgment> {
    let answer = claim.answer;
    let mut stated = Vec::new();
    let (mut denied, mut partial, mut other) = (false, None, None);
    for mention in &answer.mentions {
        let agreement = relation(target, mention, claim);
        let is_rejected =
            agreement >= Agreement::Partial && rejected(answer, mention.first, mention.end);
        match agreement {
            Agreement::Same if is_rejected => denied = true,
            Agreement::Same => stated.push(mention),
            Agreement::Partial if !is_rejected => partial = Some(mention),
            Agreement::Different if !mention.weak => other = other.or(Some(mention)),
            _ => {}
        }
    }
    if !stated.is_empty() {
        return Ok(stated);
    }
    Err(match (denied, partial, other) {
        (true, ..) => Judgment::wrong("negated or set apart"),
        (_, Some(mention), _) => Judgment::unsure(format!(
            "offers `{}`, which may be the gold value",
            answer.quote(mention)
        )),
        (.., Some(mention)) => {
            let kind = mention.value.type_name();
            Judgment::wrong(format!("offers `{}`, a different {kind}", answer.quote(mention)))
        }
        _ => Judgment::wrong(format!("states no {}", target.alternatives[0].value.type_name())),
    })
}
