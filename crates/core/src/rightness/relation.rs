//! Relation of an answer's value to the gold values: units, nouns, rates and bounds of question and aliases included.

use super::claim::Claim;
use super::mention::{Bound, Mention};
use super::parsed::{Parsed, says};
use super::quantity::MONTH_SECONDS;
use super::tables::WordSet;
use super::units::{BARE, Dimension, unit};
use super::value::{Agreement, Amount, Value, compare, equal};

/// A gold value: alternatives that all mean it.
pub(super) struct GoldValue<'g> {
    pub(super) alternatives: Vec<&'g Mention>,
    /// Nouns must agree with its own: other targets count other things.
    pub(super) exact: bool,
}

/// Returns the best agreement of a mention with the alternatives of `target`.
pub(super) fn relation(target: &GoldValue<'_>, mention: &Mention, claim: &Claim<'_>) -> Agreement {
    let one = |gold: &&Mention| {
        let value = rated(inherited(&gold.value, target), &mention.value, claim.question);
        let agreement = compare(&value, &mention.value, claim.versions);
        let agreement = match agreement {
            Agreement::Partial if question_completes(&value, mention, claim) => Agreement::Same,
            Agreement::Same if !unit_fits(&value, &mention.value, claim) => Agreement::Different,
            Agreement::Partial if bare_alias(&gold.value, &mention.value) => Agreement::Same,
            Agreement::Same if !nouns_fit(target, mention, claim) => Agreement::Partial,
            other => other,
        };
        if agreement == Agreement::Same { bounded(target, mention, claim) } else { agreement }
    };
    target.alternatives.iter().map(one).max().unwrap_or(Agreement::Unrelated)
}

/// Returns `gold` with the unit of another alternative of the same number (`4.95` next to `EUR 4.95`).
fn inherited(gold: &Value, target: &GoldValue<'_>) -> Value {
    let Value::Amount(own) = gold else {
        return gold.clone();
    };
    if own.unit != BARE || own.per || !own.nouns.is_empty() {
        return gold.clone();
    }
    let with_unit = |mention: &&&Mention| match &mention.value {
        Value::Amount(other) => {
            (other.unit != BARE || other.per) && equal(other.number, own.number)
        }
        _ => false,
    };
    target
        .alternatives
        .iter()
        .find(with_unit)
        .map_or_else(|| gold.clone(), |mention| mention.value.clone())
}

/// Returns a bare number at the rate that the question asks for, if the answer gives a rate.
fn rated(gold: Value, answer: &Value, question: &Parsed) -> Value {
    let (Value::Amount(own), Value::Amount(given)) = (&gold, answer) else {
        return gold;
    };
    let seconds = (1..question.tokens.len()).find_map(|at| {
        let divides = matches!(question.word(at - 1), "per" | "a" | "an" | "each" | "every" | "/");
        let unit = unit(question.word(at)).filter(|_| divides)?;
        match unit.dimension {
            Dimension::Duration => Some(unit.factor),
            Dimension::Months => Some(unit.factor * MONTH_SECONDS),
            _ => None,
        }
    });
    match seconds {
        Some(seconds) if given.per && !own.per => {
            Value::Amount(Amount { base: own.plain() / seconds, per: true, ..own.clone() })
        }
        _ => gold,
    }
}

/// Returns true if the question names the unit that the answer leaves out.
fn question_completes(gold: &Value, mention: &Mention, claim: &Claim<'_>) -> bool {
    let (Value::Amount(gold), Value::Amount(answer)) = (gold, &mention.value) else {
        return false;
    };
    if !equal(gold.number, answer.number)
        || !answer.nouns.is_empty() && answer.unit == BARE && gold.unit != BARE
    {
        return false;
    }
    let units = question_units(claim.question);
    if gold.per && !answer.per {
        return units.contains(&Dimension::Duration) || units.contains(&Dimension::Months);
    }
    units.contains(&gold.unit.dimension)
        || matches!(gold.unit.dimension, Dimension::Money(_)) && alone(claim.answer)
}

fn alone(answer: &Parsed) -> bool {
    answer.tokens.len() <= 2
}

/// Returns the dimensions of the units that the question names without a number (`how many minutes`).
fn question_units(question: &Parsed) -> Vec<Dimension> {
    let covered = |at: usize| question.mentions.iter().any(|m| (m.first..m.end).contains(&at));
    let named = |at: usize| {
        let word = question.word(at);
        let two = format!("{word} {}", question.word(at + 1));
        match word {
            "age" => Some(Dimension::Months),
            "percentage" | "rate" | "share" | "discount" | "tolerance" => Some(Dimension::Percent),
            _ if word.len() < 2 || covered(at) => None,
            _ => unit(&two).or_else(|| unit(word)).map(|unit| unit.dimension),
        }
    };
    (0..question.tokens.len()).filter_map(named).collect()
}

/// Returns false if the gold answer is a bare number, the question asks for a unit and the answer has another one.
fn unit_fits(gold: &Value, answer: &Value, claim: &Claim<'_>) -> bool {
    let (Value::Amount(gold), Value::Amount(answer)) = (gold, answer) else {
        return true;
    };
    if gold.unit != BARE || answer.unit == BARE {
        return true;
    }
    let mut tokens = claim.question.tokens.iter().enumerate();
    let asked = tokens.find(|(_, token)| token.is("many")).and_then(|(at, _)| {
        let name = |offset: usize| claim.question.word(at + offset).to_owned();
        unit(&format!("{} {}", name(1), name(2))).or_else(|| unit(&name(1)))
    });
    asked.is_none_or(|unit| {
        unit.dimension == answer.unit.dimension
            && equal((gold.number + unit.shift) * unit.factor, answer.base)
    })
}

/// Returns true if a gold answer without a unit is the number that the answer gives without one.
fn bare_alias(gold: &Value, answer: &Value) -> bool {
    match (gold, answer) {
        (Value::Amount(gold), Value::Amount(answer)) => {
            gold.unit == BARE
                && !gold.per
                && answer.unit == BARE
                && !answer.per
                && answer.nouns.is_empty()
                && equal(gold.number, answer.number)
        }
        _ => false,
    }
}

/// Returns false if both sides count things and the answer's are neither the gold answer's nor the question's.
fn nouns_fit(target: &GoldValue<'_>, mention: &Mention, claim: &Claim<'_>) -> bool {
    let Value::Amount(answer) = &mention.value else {
        return true;
    };
    if answer.unit != BARE || answer.nouns.is_empty() {
        return true;
    }
    let mut gold_nouns = target.alternatives.iter().filter_map(|gold| match &gold.value {
        Value::Amount(amount) => Some(&amount.nouns),
        _ => None,
    });
    let known = gold_nouns.clone().flatten().count() > 0;
    !known
        || gold_nouns
            .any(|nouns| nouns.iter().any(|noun| answer.nouns.iter().any(|own| alike(own, noun))))
        || answer.nouns.iter().any(|noun| !target.exact && claim.question.stems.contains(noun))
}

/// Returns true for equal nouns and for an abbreviation: `req`, `request`.
fn alike(a: &str, b: &str) -> bool {
    a == b || a.len().min(b.len()) >= 3 && (a.starts_with(b) || b.starts_with(a))
}

/// Checks the bound of an equal value against those of the gold answers and of the question.
fn bounded(target: &GoldValue<'_>, mention: &Mention, claim: &Claim<'_>) -> Agreement {
    let Some(bound) = mention.bound else {
        return Agreement::Same;
    };
    let gold_answers: Vec<Bound> =
        target.alternatives.iter().filter_map(|gold| gold.bound).collect();
    if gold_answers.iter().any(|gold| gold.upper == bound.upper) {
        return Agreement::Same;
    }
    if !gold_answers.is_empty() {
        return Agreement::Different;
    }
    match question_bound(claim.question) {
        Some(upper) if upper != bound.upper => Agreement::Different,
        None if bound.strict => Agreement::Partial,
        _ => Agreement::Same,
    }
}

/// Returns the side that the question asks for: true for a maximum.
fn question_bound(question: &Parsed) -> Option<bool> {
    static UPPER: WordSet = WordSet::new(
        "\
    most maximum max limit biggest largest longest highest cap deadline latest heaviest \
     maximun within soon quickly oldest allowed fattest",
    );
    static LOWER: WordSet = WordSet::new(
        "\
    need least minimum min earliest smallest lowest shortest needed required beyond above \
     below",
    );
    let asked = &question.tokens[question.asked_from().min(question.tokens.len())..];
    let has = |table: &WordSet| asked.iter().any(|token| table.has(&token.text));
    let pair =
        |first: &str, second: &str| asked.windows(2).any(|w| w[0].is(first) && w[1].is(second));
    let from = asked.first().is_some_and(|t| t.is("from")) || pair("must", "become");
    let due = pair("up", "to")
        || pair("by", "when")
        || pair("by", "which")
        || pair("by", "what")
        || says(asked, "due");
    let may = says(asked, "may");
    let over = says(asked, "over") || pair("more", "than");
    match (has(&UPPER) || due, has(&LOWER) || from || over) {
        (false, false) if may => Some(true),
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
