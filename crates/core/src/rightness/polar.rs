//! Yes/no questions.

use super::lex::Token;
use super::parsed::{Parsed, content};
use super::tables::WordSet;
use super::value::{Agreement, compare};
use super::verdict::Judgment;
use super::words::{negates, stem};

const YES: &str = "\
    yes yeah yep yup correct true affirmative certainly definitely sure absolutely indeed \
     okay ok";
static HEDGES: WordSet = WordSet::new(
    "\
    maybe perhaps possibly depends unclear partly partially unknown unsure probably \
     sometimes unless",
);
/// Words with which a denial says that the answer is not known.
static SAYING: WordSet = WordSet::new(
    "\
    say says said state states stated mention mentions mentioned specify specifies specified given \
     documented described known sure clear certain necessarily",
);
/// Verbs and adjectives that deny by themselves.
static DENYING: WordSet = WordSet::new(
    "\
    forbidden prohibited banned disallowed refuse refused wrong differ differs different \
     only must until impossible excluded unnecessary fails lacks",
);

/// Judges an answer to a question whose gold answer is yes or no.
pub(super) fn judge(gold_yes: bool, answer: &Parsed, question: &Parsed) -> Judgment {
    let name = if gold_yes { "yes" } else { "no" };
    match polarity(answer, question) {
        Some(yes) if yes == gold_yes => Judgment::right(format!("says {name}")),
        Some(yes) => Judgment::wrong(format!("says {}", if yes { "yes" } else { "no" })),
        None => Judgment::unsure("says neither yes nor no"),
    }
}

/// Returns true for yes, false for no, `None` where it is not clear.
fn polarity(answer: &Parsed, question: &Parsed) -> Option<bool> {
    let yes = said(answer, YES);
    let no = said(answer, "no nope nah");
    if hedged(answer) || otherwise(answer) || says_nothing(answer, question) {
        return None;
    }
    if let Some(first) = first_word(answer) {
        let hedge = answer.tokens.iter().take(8).any(|token| HEDGES.has(&token.text));
        return (!hedge).then_some(first);
    }
    match (yes, no) {
        (Some(_), None) => Some(true),
        (None, Some(_)) => Some(false),
        (Some(_), Some(_)) => None,
        (None, None) => sentence(answer, question),
    }
}

/// `yes and no`, `yes or no`.
fn hedged(answer: &Parsed) -> bool {
    answer.tokens.windows(3).any(|w| {
        (w[0].is("yes") && w[2].is("no") || w[0].is("no") && w[2].is("yes"))
            && (w[1].is("and") || w[1].is("or") || w[1].is("/"))
    })
}

/// `if the plan is Enterprise, otherwise no`.
fn otherwise(answer: &Parsed) -> bool {
    (0..answer.tokens.len()).any(|at| {
        matches!(answer.word(at), "otherwise" | "else")
            && [at + 1, at + 2].iter().any(|&next| matches!(answer.word(next), "yes" | "no"))
    })
}

/// `no limit is given`, `it is not stated`: the first clause denies that there is an answer, unless the question asks for
/// just that.
fn says_nothing(answer: &Parsed, question: &Parsed) -> bool {
    let clause = (0..answer.tokens.len()).take_while(|&at| answer.same_clause(at, 0));
    let clause: Vec<usize> = clause.collect();
    // `no because it is stated` is an answer, `no limit is stated` is none.
    let is_answer = answer.word(0) == "no"
        && (answer.tokens.get(1).is_none_or(Token::is_mark)
            || matches!(answer.word(1), "as" | "because" | "since" | "it" | "they"));
    let is_saying = |at: usize| SAYING.has(answer.word(at)) && !question.has(&answer.tokens[at]);
    // `is not stated`, `mentions no limit`; but `says that it is no` and `says no` are answers.
    let denies_saying = |negation: usize| {
        let is_object = negation > 0
            && is_saying(negation - 1)
            && (answer.word(negation) != "no"
                || answer.tokens.get(negation + 1).is_some_and(content));
        is_object || clause.iter().any(|&at| at > negation && is_saying(at))
    };
    let mut negations = clause.iter().filter(|&&at| negates(answer.word(at)));
    !is_answer && negations.any(|&at| denies_saying(at))
}

/// Returns the polarity of the first word, if it has one.
fn first_word(answer: &Parsed) -> Option<bool> {
    let at = answer.tokens.iter().position(|token| !token.is_mark())?;
    let (word, next) = (answer.word(at), answer.tokens.get(at + 1));
    let alone = next.is_none_or(Token::is_mark);
    match word {
        "yes" | "yeah" | "yep" | "yup" | "sure" | "absolutely" | "certainly" | "definitely"
        | "affirmative" | "indeed" | "ok" | "okay" => Some(true),
        "nope" | "nah" | "never" | "negative" | "neither" | "don't" | "can't" | "cannot" => {
            Some(false)
        }
        "no" => Some(false)
            .filter(|_| alone || !next.is_some_and(content) || next.is_some_and(Token::is_word)),
        "correct" | "true" | "right" if alone => Some(true),
        "false" | "incorrect" | "wrong" if alone => Some(false),
        "of" if answer.word(at + 1) == "course" => Some(answer.word(at + 2) != "not"),
        "by" if answer.word(at + 1) == "no" && answer.word(at + 2) == "means" => Some(false),
        "not" => Some(false)
            .filter(|_| !matches!(answer.word(at + 1), "only" | "sure" | "clear" | "just")),
        _ => None,
    }
}

/// Returns the first of `words` that the answer says as an answer: before a mark, or after `is`, `a`, `:`.
fn said(answer: &Parsed, words: &str) -> Option<usize> {
    (0..answer.tokens.len()).find(|&at| {
        let alone = matches!(answer.word(at + 1), "as" | "according" | "because") && at > 0
            || answer.tokens.get(at + 1).is_none_or(Token::is_mark);
        let before = at.checked_sub(1).map_or("", |before| answer.word(before));
        let introduced = at == 0
            || answer.tokens[at - 1].is_mark()
            || matches!(
                before,
                "is" | "a"
                    | "it's"
                    | "be"
                    | "gives"
                    | "so"
                    | "say"
                    | "answer"
                    | "and"
                    | "or"
                    | "definite"
                    | "clear"
                    | "therefore"
                    | "thus"
            );
        let polar = words.split(' ').any(|word| word == answer.word(at))
            && !matches!(
                answer.word(at),
                "sure" | "okay" | "ok" | "indeed" | "definitely" | "certainly" | "absolutely"
            );
        polar && alone && introduced
    })
}

/// Returns the polarity of a sentence without a polar word, by its first clause.
fn sentence(answer: &Parsed, question: &Parsed) -> Option<bool> {
    let main: Vec<usize> = (0..answer.tokens.len())
        .take_while(|&at| answer.same_clause(at, 0))
        .take_while(|&at| !matches!(answer.word(at), "if" | "unless" | "when"))
        .collect();
    let word = |at: &usize| answer.word(*at);
    let has = |table: &WordSet| main.iter().any(|at| table.has(word(at)));
    if answer.tokens.iter().take(10).any(|token| HEDGES.has(&token.text)) {
        return None;
    }
    let asked_at = question.asked_from();
    let asked_denied = (asked_at..asked_at + 2).any(|at| question.word(at).ends_with("n't"));
    let without = question.tokens.iter().any(|token| token.is("without"));
    if asked_denied || without && main.iter().any(|at| negates(word(at)) && word(at) != "without") {
        return None;
    }
    let negated = main.iter().any(|at| {
        negates(word(at))
            && !matches!(word(at), "without" | "avoid")
            && answer.word(at + 1) != "only"
    });
    if negated {
        return (!has(&DOUBLE)).then_some(false);
    }
    let opposite = |at: &usize| {
        ["un", "ir", "in", "im", "il", "non"].iter().any(|prefix| {
            word(at)
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.len() > 3 && question.stems.contains(stem(rest)))
        })
    };
    if has(&REFUSING) || main.iter().any(opposite) {
        return Some(false);
    }
    if has(&DENYING) {
        return None;
    }
    let opens = OPENERS.has(word(main.first()?));
    let allows = main
        .iter()
        .any(|at| matches!(word(at), "allowed" | "permitted" | "fine" | "safe" | "ok" | "okay"));
    let known =
        main.iter().all(|&at| !content(&answer.tokens[at]) || question.has(&answer.tokens[at]));
    let auxiliary = main.iter().any(|at| AUXILIARIES.has(word(at)));
    let modal = opens
        && matches!(answer.word(1), "may" | "can" | "should" | "must")
        && (answer.word(1) == question.word(asked_at)
            || answer.word(1) != "should" && matches!(question.word(asked_at), "may" | "can"));
    let echoed =
        answer.mentions.iter().filter(|mention| main.contains(&mention.first)).all(|mention| {
            question
                .mentions
                .iter()
                .any(|asked| compare(&asked.value, &mention.value, false) == Agreement::Same)
        });
    let subject =
        main.windows(2).any(|w| OPENERS.has(word(&w[0])) && matches!(word(&w[1]), "can" | "may"));
    let modal = modal || subject && echoed && matches!(question.word(asked_at), "can" | "may");
    (modal || (opens || auxiliary) && known && main.len() > 1 || allows).then_some(true)
}

/// Subjects that take up the question's.
static OPENERS: WordSet = WordSet::new("they it both you he she we this that these i all");
static AUXILIARIES: WordSet =
    WordSet::new("can may is are was were does do did has have will should");
/// Words with which a negation may amount to a yes.
static DOUBLE: WordSet = WordSet::new(
    "\
    avoid avoided forbidden prohibited wrong problem differ different doubt",
);
/// Words that say no.
static REFUSING: WordSet = WordSet::new("forbidden prohibited banned disallowed impossible");
