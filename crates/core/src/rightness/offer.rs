//! Judges gold answers that are values: the value that the answer offers must equal them.

use super::bench::Bench;
use super::lex::Token;
use super::mention::{Bound, Mention};
use super::quantity::MONTH_SECONDS;
use super::reading::{Reading, content, says};
use super::scope::rejected;
use super::subject::{question_terms, wrong_subject};
use super::tables::Words;
use super::units::{BARE, Dimension, unit};
use super::value::{Agreement, Amount, Value, compare, equal, year_of};
use super::verdict::Judgment;
use super::words::{DOUBTS, WEEKDAYS, negates, stem};

/// A gold value: alternatives that all mean it.
pub(super) struct Target<'g> {
    pub(super) alternatives: Vec<&'g Mention>,
    /// Nouns must agree with its own: other targets count other things.
    pub(super) exact: bool,
}

/// Words before a number that make it a label.
static LABELS: Words = Words::new(
    "\
    step passage section page chapter option paragraph document source line item table \
     figure rule article version sev phase group team world apollo",
);

/// Words before a plain number of four digits that make it a year.
static BEFORE_YEAR: Words = Words::new(
    "\
    in since of by year census until from during after before early late the and to (",
);

/// Judges an answer that must state every target.
pub(super) fn judge(targets: &[Target<'_>], bench: &Bench<'_>) -> Judgment {
    let mut found = Vec::new();
    let mut doubt = None;
    for target in targets {
        match find(target, bench) {
            Ok(mentions) => found.extend(mentions),
            Err(judgment) if judgment.correctness == super::verdict::Correctness::Unsure => {
                doubt = Some(judgment)
            }
            Err(judgment) => return judgment,
        }
    }
    if let Some(doubt) = doubt {
        return doubt;
    }
    if other_weekday(bench) {
        return Judgment::wrong("names another day of the week");
    }
    if reversed(bench) {
        return Judgment::unsure("speaks of the opposite of what the question asks for");
    }
    conflict(targets, &found, bench).unwrap_or_else(|| {
        let first = found[0];
        let quote = bench.answer.quote(first);
        if wrong_subject(bench, first.first) {
            return Judgment::unsure(format!("gives `{quote}`, perhaps for another thing"));
        }
        Judgment::right(format!(
            "contains `{quote}` as a {}",
            first.value.type_name()
        ))
    })
}

/// Returns true if gold and answer name days of the week, and different ones.
fn other_weekday(bench: &Bench<'_>) -> bool {
    let day = |reading: &Reading| {
        reading
            .tokens
            .iter()
            .find(|token| token.capital && WEEKDAYS.has(&token.text))
            .map(|token| token.text[..3].to_owned())
    };
    let given = day(bench.answer);
    let mut golds = bench.golds.iter().filter_map(day).peekable();
    given.is_some() && golds.peek().is_some() && golds.all(|gold| Some(gold) != given)
}

/// Returns true if the answer speaks of a maximum where the question asks for a minimum, or of what is allowed where it
/// asks for what is forbidden, and the reverse.
fn reversed(bench: &Bench<'_>) -> bool {
    const LOW: &str = "lowest minimum earliest smallest shortest";
    const HIGH: &str = "highest maximum latest largest longest";
    let (question, answer) = (bench.question, bench.answer);
    let low = question.says(LOW) || question.says("least");
    let high = question.says(HIGH) || question.says("most biggest");
    let named =
        |words: &str| answer.says(words) && !bench.golds.iter().any(|gold| gold.says(words));
    let denied = answer.tokens.iter().any(|token| negates(&token.text)) && !answer.says("only");
    let allowed =
        question.says("forbidden prohibited banned") && answer.says("allowed permitted") && !denied;
    low && !high && named(HIGH) && !answer.says(LOW)
        || high && !low && named(LOW) && !answer.says(HIGH)
        || allowed
}

/// Returns the mentions that state `target`, or the reason why none does.
fn find<'a>(target: &Target<'_>, bench: &Bench<'a>) -> Result<Vec<&'a Mention>, Judgment> {
    let answer = bench.answer;
    let mut stated = Vec::new();
    let (mut denied, mut partial, mut other) = (false, None, None);
    for mention in &answer.mentions {
        let agreement = relation(target, mention, bench);
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
            Judgment::wrong(format!(
                "offers `{}`, a different {kind}",
                answer.quote(mention)
            ))
        }
        _ => Judgment::wrong(format!(
            "states no {}",
            target.alternatives[0].value.type_name()
        )),
    })
}

/// Returns the best agreement of a mention with the alternatives of `target`.
pub(super) fn relation(target: &Target<'_>, mention: &Mention, bench: &Bench<'_>) -> Agreement {
    let one = |gold: &&Mention| {
        let value = rated(
            inherited(&gold.value, target),
            &mention.value,
            bench.question,
        );
        let agreement = compare(&value, &mention.value, bench.versions);
        let agreement = match agreement {
            Agreement::Partial if question_completes(&value, mention, bench) => Agreement::Same,
            Agreement::Same if !unit_fits(&value, &mention.value, bench) => Agreement::Different,
            Agreement::Partial if bare_alias(&gold.value, &mention.value) => Agreement::Same,
            Agreement::Same if !nouns_fit(target, mention, bench) => Agreement::Partial,
            other => other,
        };
        if agreement == Agreement::Same {
            bounded(target, mention, bench)
        } else {
            agreement
        }
    };
    target
        .alternatives
        .iter()
        .map(one)
        .max()
        .unwrap_or(Agreement::Unrelated)
}

/// Returns `gold` with the unit of another alternative of the same number (`4.95` next to `EUR 4.95`).
fn inherited(gold: &Value, target: &Target<'_>) -> Value {
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
fn rated(gold: Value, answer: &Value, question: &Reading) -> Value {
    let (Value::Amount(own), Value::Amount(given)) = (&gold, answer) else {
        return gold;
    };
    let seconds = (1..question.tokens.len()).find_map(|at| {
        let divides = matches!(
            question.word(at - 1),
            "per" | "a" | "an" | "each" | "every" | "/"
        );
        let unit = unit(question.word(at)).filter(|_| divides)?;
        match unit.dimension {
            Dimension::Duration => Some(unit.factor),
            Dimension::Months => Some(unit.factor * MONTH_SECONDS),
            _ => None,
        }
    });
    match seconds {
        Some(seconds) if given.per && !own.per => Value::Amount(Amount {
            base: own.plain() / seconds,
            per: true,
            ..own.clone()
        }),
        _ => gold,
    }
}

/// Returns true if the question names the unit that the answer leaves out.
fn question_completes(gold: &Value, mention: &Mention, bench: &Bench<'_>) -> bool {
    let (Value::Amount(gold), Value::Amount(answer)) = (gold, &mention.value) else {
        return false;
    };
    if !equal(gold.number, answer.number)
        || !answer.nouns.is_empty() && answer.unit == BARE && gold.unit != BARE
    {
        return false;
    }
    let units = question_units(bench.question);
    if gold.per && !answer.per {
        return units.contains(&Dimension::Duration) || units.contains(&Dimension::Months);
    }
    units.contains(&gold.unit.dimension)
        || matches!(gold.unit.dimension, Dimension::Money(_)) && alone(bench.answer)
}

fn alone(answer: &Reading) -> bool {
    answer.tokens.len() <= 2
}

/// Returns the dimensions of the units that the question names without a number (`how many minutes`).
fn question_units(question: &Reading) -> Vec<Dimension> {
    let covered = |at: usize| {
        question
            .mentions
            .iter()
            .any(|m| (m.first..m.end).contains(&at))
    };
    let named = |at: usize| {
        let word = question.word(at);
        let two = format!("{word} {}", question.word(at + 1));
        match word {
            "percentage" => Some(Dimension::Percent),
            "age" => Some(Dimension::Months),
            "rate" | "share" | "discount" | "tolerance" => Some(Dimension::Percent),
            _ if word.len() < 2 || covered(at) => None,
            _ => unit(&two).or_else(|| unit(word)).map(|unit| unit.dimension),
        }
    };
    (0..question.tokens.len()).filter_map(named).collect()
}

/// Returns false if the gold answer is a bare number, the question asks for a unit and the answer has another one.
fn unit_fits(gold: &Value, answer: &Value, bench: &Bench<'_>) -> bool {
    let (Value::Amount(gold), Value::Amount(answer)) = (gold, answer) else {
        return true;
    };
    if gold.unit != BARE || answer.unit == BARE {
        return true;
    }
    let mut tokens = bench.question.tokens.iter().enumerate();
    let asked = tokens
        .find(|(_, token)| token.is("many"))
        .and_then(|(at, _)| {
            let name = |offset: usize| bench.question.word(at + offset).to_owned();
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
fn nouns_fit(target: &Target<'_>, mention: &Mention, bench: &Bench<'_>) -> bool {
    let Value::Amount(answer) = &mention.value else {
        return true;
    };
    if answer.unit != BARE || answer.nouns.is_empty() {
        return true;
    }
    let mut gold_nouns = target
        .alternatives
        .iter()
        .filter_map(|gold| match &gold.value {
            Value::Amount(amount) => Some(&amount.nouns),
            _ => None,
        });
    let known = gold_nouns.clone().flatten().count() > 0;
    !known
        || gold_nouns.any(|nouns| {
            nouns
                .iter()
                .any(|noun| answer.nouns.iter().any(|own| alike(own, noun)))
        })
        || answer
            .nouns
            .iter()
            .any(|noun| !target.exact && bench.question.stems.contains(noun))
}

/// Returns true for equal nouns and for an abbreviation: `req`, `request`.
fn alike(a: &str, b: &str) -> bool {
    a == b || a.len().min(b.len()) >= 3 && (a.starts_with(b) || b.starts_with(a))
}

/// Checks the bound of an equal value against those of the gold answers and of the question.
fn bounded(target: &Target<'_>, mention: &Mention, bench: &Bench<'_>) -> Agreement {
    let Some(bound) = mention.bound else {
        return Agreement::Same;
    };
    let golds: Vec<Bound> = target
        .alternatives
        .iter()
        .filter_map(|gold| gold.bound)
        .collect();
    if golds.iter().any(|gold| gold.upper == bound.upper) {
        return Agreement::Same;
    }
    if !golds.is_empty() {
        return Agreement::Different;
    }
    match question_bound(bench.question) {
        Some(upper) if upper != bound.upper => Agreement::Different,
        Some(_) => Agreement::Same,
        None if bound.strict => Agreement::Partial,
        None => Agreement::Same,
    }
}

/// Returns the side that the question asks for: true for a maximum.
fn question_bound(question: &Reading) -> Option<bool> {
    static UPPER: Words = Words::new(
        "\
    most maximum max limit biggest largest longest highest cap deadline latest heaviest \
     maximun within soon quickly oldest allowed fattest",
    );
    static LOWER: Words = Words::new(
        "\
    need least minimum min earliest smallest lowest shortest needed required beyond above \
     below",
    );
    let asked = &question.tokens[question.asked_from().min(question.tokens.len())..];
    let has = |table: &Words| asked.iter().any(|token| table.has(&token.text));
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

/// Returns a verdict if the answer also offers a different value of the same type.
fn conflict(targets: &[Target<'_>], found: &[&Mention], bench: &Bench<'_>) -> Option<Judgment> {
    let answer = bench.answer;
    let mut verdict: Option<Judgment> = None;
    for other in &answer.mentions {
        let agreement = targets
            .iter()
            .map(|target| relation(target, other, bench))
            .max()?;
        if agreement != Agreement::Different || other.weak || !competes(targets, other, bench) {
            continue;
        }
        let quote = answer.quote(other);
        if found
            .iter()
            .any(|own| listed(answer, own, other) && !restates(own, other))
        {
            return Some(Judgment::wrong(format!("also offers `{quote}`")));
        }
        let echoed = bench
            .question
            .mentions
            .iter()
            .any(|asked| compare(&asked.value, &other.value, false) == Agreement::Same);
        let same_value =
            |gold: &&Mention| compare(&gold.value, &other.value, bench.versions) == Agreement::Same;
        if other.bound.is_some()
            && targets
                .iter()
                .any(|target| target.alternatives.iter().any(same_value))
        {
            return Some(Judgment::unsure(format!(
                "also gives `{quote}` as a bound of the other side"
            )));
        }
        if unit_missing(targets, other) {
            continue;
        }
        let restated = found.iter().any(|own| restates(own, other));
        if echoed || restated || rejected(answer, other.first, other.end) {
            continue;
        }
        if !found.iter().any(|own| outweighs(own, other, bench)) {
            verdict = Some(Judgment::unsure(format!(
                "also offers `{quote}`, another {}",
                other.value.type_name()
            )));
        }
    }
    verdict
}

/// Returns true if `other` has no unit and the gold values have one.
fn unit_missing(targets: &[Target<'_>], other: &Mention) -> bool {
    let has_unit =
        |gold: &&Mention| matches!(&gold.value, Value::Amount(amount) if amount.unit != BARE);
    let bare = matches!(&other.value, Value::Amount(amount) if amount.unit == BARE);
    bare && targets
        .iter()
        .all(|target| target.alternatives.iter().any(has_unit))
}

/// Returns true if `other` is `own` in another unit, rounded: `1,263 m (4,145 ft)`.
fn restates(own: &Mention, other: &Mention) -> bool {
    restated(&own.value, &other.value)
}

fn restated(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Amount(own), Value::Amount(other)) => {
            own.unit.dimension == other.unit.dimension
                && own.unit != other.unit
                && (own.base - other.base).abs() <= 0.015 * own.base.abs()
        }
        (Value::Range(low, high), Value::Range(from, to)) => {
            restated(low, from) && restated(high, to)
        }
        _ => false,
    }
}

/// Returns true if a mention could be meant as the answer: not a label, not a year among counts, not a count of another
/// thing.
fn competes(targets: &[Target<'_>], other: &Mention, bench: &Bench<'_>) -> bool {
    let Value::Amount(amount) = &other.value else {
        return true;
    };
    let before = other
        .first
        .checked_sub(1)
        .map_or("", |at| bench.answer.word(at));
    if amount.unit != BARE || amount.per {
        return true;
    }
    let gold_is_year = targets
        .iter()
        .any(|target| target.alternatives.iter().any(|gold| is_year(&gold.value)));
    let year = year_of(amount).is_some() && amount.nouns.is_empty();
    if LABELS.has(before) || gold_is_year != year && (gold_is_year || BEFORE_YEAR.has(before)) {
        return false;
    }
    let gold_ordinal = targets.iter().any(|target| {
        target
            .alternatives
            .iter()
            .any(|gold| is_ordinal(&gold.value))
    });
    if amount.ordinal != gold_ordinal {
        return false;
    }
    let gold_noun = |noun: &String| {
        targets
            .iter()
            .flat_map(|target| &target.alternatives)
            .any(|gold| match &gold.value {
                Value::Amount(gold) => gold.nouns.contains(noun),
                _ => false,
            })
    };
    amount.nouns.is_empty()
        || amount
            .nouns
            .iter()
            .any(|noun| gold_noun(noun) || bench.question.stems.contains(noun))
}

fn is_year(value: &Value) -> bool {
    match value {
        Value::Date(_) => true,
        Value::Amount(amount) => amount.nouns.is_empty() && year_of(amount).is_some(),
        Value::Range(low, _) => is_year(low),
        _ => false,
    }
}

fn is_ordinal(value: &Value) -> bool {
    matches!(value, Value::Amount(Amount { ordinal: true, .. }))
}

/// Returns true if two mentions are items of one list: `5 or 6`, `5, 6`, `5/6`.
fn listed(answer: &Reading, own: &Mention, other: &Mention) -> bool {
    let (first, second) = if own.first < other.first {
        (own, other)
    } else {
        (other, own)
    };
    if second.first < first.end || second.first - first.end > 6 {
        return first.end > second.first;
    }
    let nouns = match &first.value {
        Value::Amount(amount) => amount.nouns.len(),
        _ => 0,
    };
    let between = &answer.tokens[(first.end + nouns).min(second.first)..second.first];
    static LINKS: Words = Words::new(
        "\
    or and , / either maybe perhaps possibly even respectively to \n ; & in on at the after \
     both",
    );
    let linked = between
        .iter()
        .any(|t| matches!(t.text.as_str(), "or" | "and" | "," | "/" | "\n" | "&"));
    linked && between.iter().all(|t| LINKS.has(&t.text))
}

/// Returns true if `own` is clearly what the answer offers, and `other` part of an explanation.
fn outweighs(own: &Mention, other: &Mention, bench: &Bench<'_>) -> bool {
    let answer = bench.answer;
    let doubtful = answer.tokens.iter().enumerate().any(|(at, token)| {
        DOUBTS.has(&token.text) && answer.same_sentence(at, other.first) && at < other.first
    });
    if doubtful || answer.same_clause(own.first, other.first) {
        return false;
    }
    let own_terms = question_terms(bench.question, answer, own.first, own.end);
    let other_terms = question_terms(bench.question, answer, other.first, other.end);
    let other_content = clause_content(answer, other);
    let bare = own.first <= 5 && clause_content(answer, own) <= 3;
    let later = own.first < other.first;
    let between =
        &answer.tokens[own.end.min(other.first)..other.first.max(own.end.min(other.first))];
    let dash = |t: &Token| t.is("-") && t.spaced;
    let apart = later && between.iter().any(|t| APART.has(&t.text) || dash(t));
    let enough = apart || other_content >= 1 && !answer.same_sentence(own.first, other.first);
    (bare && later && enough) || own_terms > other_terms + usize::from(!later) && other_content >= 1
}

/// Words that set what follows apart from what the answer offers.
static APART: Words = Words::new(
    "\
    so which unlike whereas while comparison because since although ( before contrast",
);

/// Counts the content words around a mention in its clause.
fn clause_content(answer: &Reading, mention: &Mention) -> usize {
    let inside = |at: usize| (mention.first..mention.end).contains(&at);
    let nouns = match &mention.value {
        Value::Amount(amount) => amount.nouns.as_slice(),
        _ => &[],
    };
    (0..answer.tokens.len())
        .filter(|&at| {
            answer.same_clause(at, mention.first) && !inside(at) && content(&answer.tokens[at])
        })
        .filter(|&at| {
            !nouns
                .iter()
                .any(|noun| noun == stem(&answer.tokens[at].text))
        })
        .count()
}
