//! Evidence in an answer for and against a gold answer, and the decision that follows from it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use strsim::normalized_levenshtein as similarity;

use super::parsed::{Parsed, is_written, n_words, places, written};
use super::token::Token;
use super::value::{Agreement, Occurrence, Value, is_firm, opposed};
use crate::closed_set::closed_set;
use crate::language::Class;

closed_set! {
    /// Correctness of an answer.
    Correctness {
        /// It gives the gold answer and no conflicting one.
        Correct = "correct",
        /// The rule cannot decide.
        Unsure = "unsure",
        /// It does not give the gold answer, or contradicts it.
        Wrong = "wrong",
    }
}

impl Correctness {
    /// Returns `Correct` or `Wrong`.
    #[must_use]
    pub fn from_correct(is_correct: bool) -> Self {
        if is_correct { Self::Correct } else { Self::Wrong }
    }
}

closed_set! {
    /// Ground of a decision, with its message: `{}` is the words it rests on.
    Ground {
        Equal = "equals a gold answer: `{}`",
        Contained = "gives the gold answer: `{}`",
        AmongOthers = "gives the gold answer among other words: `{}`",
        AllParts = "has every part of `{}`",
        Polar = "says {}",
        Absent = "does not have `{}`",
        OtherValue = "gives another value: `{}`",
        OtherGiven = "gives another answer: `{}`",
        Denied = "denies `{}`",
        Outdated = "says that `{}` no longer holds",
        Contrasted = "sets `{}` apart from the answer",
        Alternatives = "offers alternatives to `{}`",
        Enumerated = "lists more than `{}`",
        Longer = "`{}` is part of something longer",
        OtherLimit = "`{}` with another limit",
        Opposite = "says the opposite of `{}`",
        OtherOrder = "has the parts of `{}` in another order",
        SaidOfOther = "has the gold answer, and may say it of something else: `{}`",
        Part = "has a part of the gold answer: `{}`",
        UnknownLanguage = "is not the gold answer, in a language without data",
        TooLong = "is longer than 20000 bytes",
        Forbidden = "states the forbidden `{}`",
        AllFacts = "states every required fact and no forbidden one",
    }
}

/// A decision with its ground and the words it rests on.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    pub correctness: Correctness,
    pub ground: Ground,
    pub quote: String,
}

/// A correct answer, with the words that make it so.
pub(super) fn correct(ground: Ground, quote: impl Into<String>) -> Reason {
    Reason { correctness: Correctness::Correct, ground, quote: quote.into() }
}

/// An answer that the rule cannot decide.
pub(super) fn unsure(ground: Ground, quote: impl Into<String>) -> Reason {
    Reason { correctness: Correctness::Unsure, ground, quote: quote.into() }
}

/// A wrong answer, with the words that make it so.
pub(super) fn wrong(ground: Ground, quote: impl Into<String>) -> Reason {
    Reason { correctness: Correctness::Wrong, ground, quote: quote.into() }
}

/// Comparison that fits a gold answer.
#[derive(Clone, Copy)]
enum Sort<'a> {
    Value(&'a Occurrence),
    /// As written.
    Written,
    /// By words.
    Phrase,
}

/// Number of words from which a gold answer is a reference.
const LONG: usize = 16;
/// Number of words that a short answer may have besides those of its gold answer.
const SHORT: usize = 4;

/// Similarity from which a word may be another spelling: 1 less the edits by the longer word's letters.
const ALIKE: f64 = 0.8;

/// Number of places of one kind that are read: an answer with more says the same again.
const PLACES: usize = 100;

/// A place of the gold answer, or of a rival, in the answer.
#[derive(Debug)]
struct Span {
    first: usize,
    end: usize,
    /// Ground against it.
    flaw: Option<Ground>,
    /// Words of the question in its clause.
    near: BTreeSet<String>,
    emphasised: bool,
}

impl Span {
    /// Returns true if its clause says that it is not the answer.
    fn is_refuted(&self) -> bool {
        matches!(self.flaw, Some(Ground::Denied | Ground::Contrasted | Ground::Outdated))
    }
}

/// Returns the place that takes up most of the question; an emphasised one comes first.
fn best<'s>(spans: impl Iterator<Item = &'s Span>) -> Option<&'s Span> {
    spans.max_by_key(|span| (span.emphasised, span.near.len(), Reverse(span.first)))
}

/// All that is compared for one gold answer.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub question: &'a Parsed,
    pub gold: &'a Parsed,
    /// All gold answers, each as good, and the stems of their words.
    pub gold_answers: &'a [Parsed],
    pub gold_stems: &'a HashSet<&'a str>,
    pub answer: &'a Parsed,
}

impl<'a> Case<'a> {
    /// Returns how the gold answer compares: a value with a unit is never code, and code comes before a bare number.
    fn sort(&self) -> Sort<'a> {
        let has_unit = |it: &Occurrence| it.value.amount().is_none_or(|it| it.unit.is_some());
        match self.value() {
            Some(value) if has_unit(value) => Sort::Value(value),
            _ if is_written(self.gold) => Sort::Written,
            Some(value) => Sort::Value(value),
            None => Sort::Phrase,
        }
    }

    /// Returns the gold answer's value, if it has just one, and besides it only a limit, and the word before it or the noun that is counted.
    fn value(&self) -> Option<&'a Occurrence> {
        let [mention] = self.gold.mentions.as_slice() else { return None };
        // `port 443`.
        let is_noun = |it: &&Token| it.content && !it.capital && !it.unspaced;
        let before = self.gold.tokens[..mention.first].last().filter(is_noun);
        let first = mention.first - usize::from(before.is_some());
        let noun = usize::from(before.is_none() && !matches!(mention.value, Value::Clock(..)));
        let is_alone = !self.gold.has_content_besides(first..mention.end + noun);
        // Not the range of `[0-9]+`.
        let is_limit = is_firm(mention.bound) && self.gold.n_words() < LONG;
        (is_limit || is_alone && !self.gold.text.starts_with('[')).then_some(mention)
    }

    /// Returns true if the answer is little more than a gold answer would be, or one run of words in a frame: `The answer is X.`
    fn is_short(&self) -> bool {
        self.answer.n_words() <= self.most() || self.gold.n_words() <= 2 * SHORT && self.is_framed()
    }

    /// Number of words of a short answer.
    fn most(&self) -> usize {
        self.gold.n_words().max(2) + SHORT
    }

    /// Returns true if what the answer adds to the question is one short run of words, and next to nothing besides.
    fn is_framed(&self) -> bool {
        let tokens = &self.answer.tokens;
        let is_new = |at: &usize| tokens[*at].content && !self.is_asked(&tokens[*at]);
        let new: Vec<usize> = (0..tokens.len()).filter(is_new).collect();
        let runs = new.chunk_by(|a, b| b - a <= 3 && self.answer.is_same_sentence(*a, *b));
        let run_words = |run: &[usize]| n_words(&tokens[run[0]..=run[run.len() - 1]]);
        let mut lens: Vec<usize> = runs.map(run_words).collect();
        lens.sort_unstable_by_key(|len| Reverse(*len));
        lens.iter().skip(1).sum::<usize>() <= 3
            && lens.first().is_some_and(|len| *len <= self.most())
    }

    /// Returns true if the question has a word.
    fn is_asked(&self, token: &Token) -> bool {
        self.question.stems.contains(&token.stem)
    }

    /// Returns true if a gold answer has a word.
    fn is_gold(&self, token: &Token) -> bool {
        self.gold_stems.contains(&*token.stem)
    }

    /// Returns true if a token is content that neither the question nor a gold answer has.
    fn is_new(&self, token: &Token) -> bool {
        token.content && !self.is_asked(token) && !self.is_gold(token)
    }

    /// Returns the words of the question in a range of the answer.
    fn asked(&self, range: Range<usize>) -> BTreeSet<String> {
        let asked = self.answer.content(range).filter(|token| self.is_asked(token));
        let asked = asked.filter(|token| !self.gold.stems.contains(&token.stem));
        asked.map(|token| token.stem.clone()).collect()
    }

    /// Returns the words at a place.
    fn quote(&self, span: &Span) -> String {
        self.answer.slice(span.first, span.end)
    }

    /// The table of the rule: see `docs/src/correctness.md`.
    pub(super) fn decide(&self) -> Reason {
        let spans = self.spans();
        match (best(spans.iter().filter(|span| span.flaw.is_none())), spans.first()) {
            (Some(best), _) => self.found(best, &spans),
            (None, Some(flawed)) => self.flawed(flawed),
            (None, None) => self.absent(),
        }
    }

    /// Returns true if the answer states the gold answer, whatever else it says.
    pub(super) fn states(&self) -> bool {
        let is_stated =
            |flaw| matches!(flaw, None | Some(Ground::Enumerated | Ground::SaidOfOther));
        self.spans().iter().any(|span| is_stated(span.flaw))
    }

    /// The gold answer is there, and nothing in its clause speaks against it.
    fn found(&self, span: &Span, spans: &[Span]) -> Reason {
        let (quote, tokens) = (self.quote(span), &self.answer.tokens);
        if !self.answer.has_content_besides(span.first..span.end) {
            return correct(Ground::Equal, quote);
        }
        let is_beyond = |at: &usize| !(span.first..span.end).contains(at);
        let has_more = (0..tokens.len()).filter(is_beyond).any(|at| self.is_new(&tokens[at]));
        let ground = if has_more { Ground::AmongOthers } else { Ground::Contained };
        let rivals = self.rivals(span);
        // Its clause says something else of it: `quartz, which is softer`.
        let clause = self.answer.clause(span.first);
        let goes_on =
            self.answer.content(span.end..clause.end.max(span.end)).any(|it| self.is_new(it));
        let mut fair = spans.iter().filter(|span| span.flaw.is_none());
        if fair.all(|span| self.is_aside(span)) {
            let is_other = goes_on && self.value().is_none()
                || rivals.iter().any(|rival| rival.first < span.first);
            return if is_other {
                wrong(Ground::Contrasted, quote)
            } else {
                unsure(Ground::SaidOfOther, quote)
            };
        }
        let Some(rival) = best(rivals.iter()) else {
            let sentence = self.answer.sentence(span.first).start;
            let mut before = self.answer.content(0..sentence).filter(|it| self.is_new(it));
            let is_open = goes_on && before.nth(1).is_some();
            return if is_open {
                unsure(Ground::SaidOfOther, quote)
            } else {
                correct(ground, quote)
            };
        };
        let other = self.quote(rival);
        let covers = span.near.is_superset(&rival.near);
        let covered = rival.near.is_superset(&span.near);
        let (n_near, n_other) = (span.near.len(), rival.near.len());
        let is_first = span.first < rival.first;
        // Words of the question lead up to a gold answer by words within its clause.
        let leads = |word: &Token| word.clause == tokens[span.first].clause && self.is_asked(word);
        let is_led = || self.value().is_none() && tokens[..span.first].iter().any(leads);
        match (span.emphasised, rival.emphasised) {
            (true, false) => correct(ground, quote),
            // The first sentence is one candidate alone: it is the answer.
            _ if !is_first && self.is_sentence(rival, covered) => wrong(Ground::OtherGiven, other),
            _ if self.is_sentence(span, true) => correct(ground, quote),
            _ if covers
                && (n_near > n_other
                    || is_first
                        && (!self.answer.is_same_sentence(span.first, rival.first)
                            || is_led())) =>
            {
                correct(ground, quote)
            }
            // The other candidate comes first, with more words of the question.
            _ if covered && !is_first && n_other > n_near => wrong(Ground::OtherGiven, other),
            _ if !is_first && goes_on && n_other > 1 => wrong(Ground::OtherGiven, other),
            _ => unsure(Ground::SaidOfOther, other),
        }
    }

    /// The gold answer is there, but its clause speaks against it.
    fn flawed(&self, span: &Span) -> Reason {
        let flaw = span.flaw.unwrap_or(Ground::Part);
        let is_certain = !matches!(flaw, Ground::SaidOfOther | Ground::Part);
        let is_refuted = span.is_refuted() && !self.rivals(span).is_empty();
        let decide = if is_refuted || is_certain && self.is_short() { wrong } else { unsure };
        decide(flaw, self.quote(span))
    }

    /// Returns true if the answer begins with a sentence that has nothing but the words of a place and, `with_asked`, of the question.
    fn is_sentence(&self, span: &Span, with_asked: bool) -> bool {
        let end = self.answer.sentence(0).end;
        let is_own = |at| (span.first..span.end).contains(&at);
        let is_empty = |token: &Token| !token.content || with_asked && self.is_asked(token);
        span.first < end && (0..end).all(|at| is_own(at) || is_empty(&self.answer.tokens[at]))
    }

    /// Returns true if a clause before that of the gold answer takes up more of the question and goes on with something else: `It
    /// belongs to the fibrates, which are combined with statins.`
    fn is_aside(&self, span: &Span) -> bool {
        let in_brackets = span.first > 0
            && self.answer.word(span.first - 1) == "("
            && self.answer.word(span.end) == ")";
        if span.emphasised || in_brackets || self.answer.tokens[span.first].unspaced {
            return false;
        }
        let end = self.answer.clause(span.first).start;
        let mut at = 0;
        while at < end {
            let clause = self.answer.clause(at);
            let is_close = span.near.is_empty() && self.answer.is_same_sentence(at, span.first);
            let least = span.near.len() + if is_close { 1 } else { 2 };
            let takes_up = self.asked(clause.clone()).len() >= least;
            if takes_up && self.answer.content(clause.clone()).any(|token| self.is_new(token)) {
                return true;
            }
            at = clause.end;
        }
        false
    }

    /// Returns the places of the gold answer, in order.
    fn spans(&self) -> Vec<Span> {
        let mut found: Vec<(usize, usize, bool)> = match self.sort() {
            Sort::Written => written(self.gold, self.answer),
            Sort::Value(gold) => {
                let equal = self.answer.mentions.iter().filter(|mention| {
                    gold.relation(mention) == Agreement::Equal && !self.contradicts_alias(mention)
                });
                // `24 V AC` is no `24 V DC`.
                let kind = |of: &'a Parsed, end: usize| {
                    let next = of.tokens.get(end).filter(|it| it.is_named())?;
                    (next.sentence == of.tokens[end - 1].sentence).then_some(&next.stem)
                };
                let own =
                    kind(self.gold, gold.end).filter(|_| self.gold.words.language.names_by_case);
                let is_other = |end| own.zip(kind(self.answer, end)).is_some_and(|(a, b)| a != b);
                equal.map(|it| (it.first, it.end, is_other(it.end))).collect()
            }
            Sort::Phrase => {
                // Not the `US` of `US$15`.
                let is_whole = |(first, end): &(usize, usize)| {
                    self.answer.mention(*first).is_none_or(|it| it.end <= *end)
                };
                let places = places(self.gold, self.answer).into_iter().filter(is_whole);
                places.map(|(first, end)| (first, end, self.is_joined(first, end))).collect()
            }
        };
        found.sort_unstable();
        found.truncate(PLACES);
        found.into_iter().map(|(first, end, longer)| self.span(first, end, longer)).collect()
    }

    /// Returns true if a value has another unit than every gold answer of its number that has one: `600 per second`, where `600` and
    /// `600 per minute` are gold answers.
    fn contradicts_alias(&self, mention: &Occurrence) -> bool {
        let given = mention.specific();
        let aliases = self.gold_answers.iter().filter_map(|gold| Case { gold, ..*self }.value());
        let is_like = |alias: &&Occurrence| given.is_some() && alias.specific() == given;
        let mut aliases = aliases.filter(is_like).peekable();
        let is_other = |alias: &Occurrence| alias.relation(mention) < Agreement::Partial;
        aliases.peek().is_some() && aliases.all(is_other)
    }

    /// Returns a place with what speaks for and against it; `is_longer`: it is part of another name.
    fn span(&self, first: usize, end: usize, is_longer: bool) -> Span {
        let flaw = if is_longer { Some(Ground::Longer) } else { self.flaw(first, end) };
        let near = self.asked(self.answer.clause(first));
        // `So it is 46`, `46 in total`; not `so that` within a clause.
        let clause = self.answer.clause(first);
        let concludes = |at| self.answer.at(Class::Conclusions, at);
        let is_last = |at| {
            concludes(at) > 0
                && self.answer.content(at + concludes(at)..clause.end).next().is_none()
        };
        let emphasised = self.answer.tokens[first].emphasised
            || concludes(clause.start) > 0
            || (end..clause.end).any(is_last);
        Span { first, end, flaw, near, emphasised }
    }

    /// Returns what in the clause of a place speaks against it.
    fn flaw(&self, first: usize, end: usize) -> Option<Ground> {
        let answer = self.answer;
        let clause = answer.clause(first);
        let (from, to) = (clause.start, clause.end.max(end));
        let sentence = answer.sentence(first).start;
        let bound = answer.mention(first).and_then(|mention| mention.bound);
        let is_denial = |at| answer.denies(at);
        // Not `git diff without arguments`.
        let is_denial_after = |at: usize| {
            answer.denies(at) && !answer.words.sides.contains_key(&answer.tokens[at].stem)
        };
        let is_denied = !is_firm(bound) && (from..first).any(is_denial)
            || (end..to.min(end + 3)).any(is_denial_after);
        let is_negative = self.gold.has(Class::Negations) || self.question.has(Class::Negations);
        let is_refused = answer.has_in(Class::DenialsAfter, end..end + 3)
            && !self.question.has(Class::DenialsAfter);
        if is_denied && !is_negative || is_refused {
            return Some(Ground::Denied);
        }
        let ends = |class, at| answer.at(class, at) > 0 && at + answer.at(class, at) <= first;
        if (sentence.max(first.saturating_sub(4))..first).any(|at| ends(Class::Contrasts, at)) {
            return Some(Ground::Contrasted);
        }
        let is_former = self.question.has(Class::Former) || self.gold.has(Class::Former);
        // Not `no longer than`.
        let is_outdated = |at| answer.at(Class::Former, at) > answer.at(Class::AtMost, at);
        if !is_former && (from..to).any(is_outdated) {
            return Some(Ground::Outdated);
        }
        if self.gold_answers.iter().any(|gold| answer.opposes(first, gold)) {
            return Some(Ground::Opposite);
        }
        if answer.opposes(first, self.question) {
            return Some(Ground::SaidOfOther);
        }
        if let Some(flaw) = self.value().and_then(|gold| self.other_limit(gold, bound)) {
            return Some(flaw);
        }
        // `£42 per year` to `What is the monthly premium?`
        let per = |it: &Occurrence| it.value.amount()?.per.clone();
        let asked_rate = |at: usize| match self.question.at(Class::Per, at) {
            0 => self.question.mention(at).and_then(per),
            _ if self.question.words.is_article(&self.question.tokens[at]) => None,
            len => Some(self.question.unit(at + len)?.0),
        };
        if let Some(given) =
            self.answer.mention(first).filter(|_| self.value().is_some()).and_then(per)
        {
            let rates = (0..self.question.tokens.len()).filter_map(asked_rate);
            let mut rates = rates.filter(|it| it.kind() == given.kind()).peekable();
            if rates.peek().is_some() && !rates.any(|it| it == given) {
                return Some(Ground::SaidOfOther);
            }
        }
        // Not `WARNING or above`.
        let is_option = answer.at(Class::Or, end) > answer.at(Class::AtLeast, end)
            || (first.saturating_sub(2)..first).any(|at| ends(Class::Or, at));
        if is_option && !is_firm(bound) && !self.gold.has(Class::Or) {
            return Some(Ground::Alternatives);
        }
        if self.is_enumerated(first, end) {
            return Some(Ground::Enumerated);
        }
        // `git push --force`.
        let n_hyphens = answer.tokens[end..].iter().take_while(|token| token.is("-")).count();
        let next = answer.tokens.get(end + n_hyphens).filter(|next| n_hyphens > 0 && !next.spaced);
        let has_flag = self.value().is_none() && next.is_some_and(Token::is_word);
        has_flag.then_some(Ground::SaidOfOther)
    }

    /// Returns the flaw of a value that is the other limit than the gold answers or the question say, or, where they say none, any limit
    /// but `at most`; one from `at least` on may be meant.
    fn other_limit(&self, gold: &Occurrence, bound: Option<Class>) -> Option<Ground> {
        let number = |mention: &Occurrence| mention.value.amount().map(|amount| amount.number);
        let aliases = self.gold_answers.iter().flat_map(|gold| &gold.mentions);
        let limit =
            aliases.filter(|alias| number(alias) == number(gold)).find_map(|alias| alias.bound);
        if !is_firm(bound) {
            return opposed(limit, bound).then_some(Ground::OtherLimit);
        }
        let asked = |class, bound| self.question.has(class).then_some(bound);
        let limit = limit.or(asked(Class::AsksLeast, Class::AtLeast));
        let limit = limit.or(asked(Class::AsksMost, Class::AtMost));
        match bound? {
            _ if opposed(limit, bound) => Some(Ground::OtherLimit),
            Class::AtLeast if limit.is_none() && !self.question.has(Class::Musts) => {
                Some(Ground::SaidOfOther)
            }
            bound @ (Class::MoreThan | Class::LessThan)
                if limit.is_none() && !self.question.has(bound) =>
            {
                Some(Ground::OtherLimit)
            }
            _ => None,
        }
    }

    /// Returns true if the place is an item of a list with others that neither question nor gold answers have: `80, 443 and 8443`.
    fn is_enumerated(&self, first: usize, end: usize) -> bool {
        let (answer, tokens) = (self.answer, &self.answer.tokens);
        let sentence = answer.sentence(first);
        // Not `config/retention.yaml`.
        let marks = if matches!(self.sort(), Sort::Written) { ",;、，،" } else { ",;、，،/" };
        let mut items = answer.items(sentence, marks, &[Class::And, Class::Or]);
        items.retain(|(item, _)| !(first + 1..end).contains(&item.start));
        let Some(own) = items.iter().position(|(item, _)| item.contains(&first)) else {
            return false;
        };
        let is_own = |(item, _): &&(Range<usize>, bool)| {
            let mut content = answer.content(item.clone()).peekable();
            content.peek().is_some() && content.all(|token| self.is_gold(token))
        };
        let has_own = items.iter().enumerate().any(|(at, item)| at != own && is_own(&item));
        let place = &tokens[first];
        let is_short = self.is_short();
        let is_rival = |token: &Token| {
            let is_marked = is_short || has_own || token.emphasised || token.is_number();
            let is_alike = if place.capital { token.capital } else { is_marked };
            token.kind == place.kind && is_alike && self.is_new(token)
        };
        let is_foreign = |(item, _): &&(Range<usize>, bool)| {
            let mut content: Vec<&Token> = answer.content(item.clone()).collect();
            if has_own {
                content.retain(|token| !self.is_asked(token));
            }
            let is_short = place.capital || item.len() <= 4 || has_own && content.len() <= 3;
            // Of a name, the first word counts.
            let n = if place.capital { 1 } else { content.len() };
            let is_rival = content.iter().take(n).all(|token| is_rival(token));
            !content.is_empty()
                && is_short
                && is_rival
                && !content.iter().any(|token| self.is_gold(token))
                && !answer.has_in(Class::Negations, item.clone())
        };
        let after = items[own + 1..].iter().take_while(|item| is_foreign(item) || is_own(item));
        let foreign: Vec<_> = after.clone().filter(is_foreign).collect();
        // `Paris, France` is no list; `Paris and London` and `Paris, London, Rome` are.
        let n_before = items[..own].iter().rev().take_while(is_foreign).count();
        let is_linked =
            items[own].1 && n_before > 0 || foreign.iter().any(|(_, is_linked)| *is_linked);
        let is_list = foreign.len() + n_before > 1
            || !foreign.is_empty() && (after.count() > 1 || self.parts().len() > 1);
        is_linked || is_list && (is_short || place.capital || !has_own)
    }

    /// Returns true if a hyphen or a word such as `New` makes another name of a place.
    fn is_joined(&self, first: usize, end: usize) -> bool {
        let tokens = &self.answer.tokens;
        let hyphen = |at: usize| tokens.get(at).is_some_and(|token| token.is("-") && !token.spaced);
        let adjoins = |at: usize| {
            tokens.get(at).is_some_and(|it| !it.spaced && !it.is_symbol() && !it.unspaced)
        };
        let goes_on = adjoins(end) || hyphen(end) && adjoins(end + 1);
        let is_start = |at: usize| {
            tokens[at].capital && self.answer.at(Class::NameStarts, at) > 0
                || hyphen(at) && at > 0 && tokens[at - 1].is_word() && !tokens[first].spaced
        };
        goes_on || first > 0 && is_start(first - 1)
    }

    /// Returns what could be the answer instead: values of the gold answer's type, or names and emphasised words, that neither the
    /// question nor a gold answer has.
    fn rivals(&self, span: &Span) -> Vec<Span> {
        let (mut places, siblings) = match self.sort() {
            Sort::Value(gold) => {
                let mut mentions: Vec<&Occurrence> = self.answer.mentions.iter().collect();
                mentions.retain(|mention| self.is_other_value(gold, mention));
                let places = mentions.iter().map(|mention| (mention.first, mention.end));
                (places.collect(), Vec::new())
            }
            _ => (self.names(), self.siblings()),
        };
        places.extend(&siblings);
        places.retain(|(first, end)| *end <= span.first || *first >= span.end);
        let spans =
            places.into_iter().take(PLACES).map(|(first, end)| self.span(first, end, false));
        let rivals = spans.filter(|rival| {
            let (first, end) = (rival.first, rival.end);
            let is_open = siblings.contains(&(first, end)) || !self.is_beside(first, end, span);
            !rival.is_refuted() && is_open
        });
        rivals.collect()
    }

    /// Returns true if `first..end` describes the place: `the Danish architect Jørn Utzon`, `the name (in brackets)`.
    fn is_beside(&self, first: usize, end: usize, span: &Span) -> bool {
        let tokens = &self.answer.tokens;
        let is_before = end <= span.first;
        let (from, to) = if is_before { (end, span.first) } else { (span.end, first) };
        let between = &tokens[from..to];
        let is_silent = between.iter().all(|token| !token.content);
        let is_title = is_before
            && between.iter().all(|token| token.is("(") || token.is_word() && !token.capital);
        let is_close = between.len() <= 2 && !self.answer.has_in(Class::And, from..to);
        let in_brackets = !is_before
            && self.answer.word(from) == "("
            && !between.iter().any(|token| token.is(")"));
        (is_close && (is_silent || is_title) || in_brackets)
            && self.answer.is_same_sentence(first, span.first)
    }

    /// Returns true if a value of the answer could be the answer instead of `gold`.
    fn is_other_value(&self, gold: &Occurrence, mention: &Occurrence) -> bool {
        let mut asked = self.question.mentions.iter();
        let mut gold_answers = self.gold_answers.iter().flat_map(|gold| &gold.mentions);
        (!mention.is_weak() || gold.is_weak())
            && gold.relation(mention) == Agreement::Different
            && !asked.any(|asked| asked.relation(mention) == Agreement::Equal)
            && !gold_answers.any(|gold| gold.relation(mention) >= Agreement::Partial)
    }

    /// Returns true if the gold answer is a name, in a language that marks names by capital letters.
    fn is_name(&self) -> bool {
        self.gold.words.language.names_by_case && self.gold.tokens.iter().any(|token| token.capital)
    }

    /// Returns the names and emphasised words that neither the question nor a gold answer has.
    fn names(&self) -> Vec<(usize, usize)> {
        let (answer, tokens) = (self.answer, &self.answer.tokens);
        // Of two options of the question, the other one counts.
        let is_or = |at: usize| self.question.at(Class::Or, at) > 0;
        let is_other = |it: &Token| it.content && !it.unspaced && !self.is_gold(it);
        let near = |at: usize| at.saturating_sub(2)..at + 3;
        let asked = self.question.tokens.iter().enumerate();
        let options = asked.filter(|(at, it)| is_other(it) && near(*at).any(is_or));
        let options: HashSet<&str> = options.map(|(_, it)| it.text.as_str()).collect();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let starts =
                at == 0 || !answer.is_same_sentence(at - 1, at) || tokens[at - 1].is_one_of("¡¿");
            let is_lonely = starts && tokens.get(at + 1).is_none_or(|next| !next.capital);
            let is_marked = self.is_name() && token.capital && !is_lonely || token.emphasised;
            let is_candidate = is_marked && self.is_new(token) || options.contains(&*token.text);
            if !is_candidate || !token.is_word() || answer.mention(at).is_some() {
                continue;
            }
            match found.last_mut() {
                Some((_, end)) if *end == at && !starts => *end = at + 1,
                _ => found.push((at, at + 1)),
            }
        }
        // Initials, `BC`, `UN`: too short to be an answer instead.
        found.retain(|(first, end)| end - first > 1 || tokens[*first].text.len() > 2);
        found
    }

    /// Returns the places that differ from the gold answer in a number, a letter or a part of an identifier: `Article 16` for `Article 17`,
    /// `arr[2]` for `arr[1]`, `us-west-2` for `us-east-1`.
    fn siblings(&self) -> Vec<(usize, usize)> {
        let gold = &self.gold.tokens;
        let varies = |it: &Token| {
            it.is_number() || it.is_letter() || it.is_word() && !it.spaced && !it.unspaced
        };
        let is_sibling = |window: &[Token]| {
            let (equal, other): (Vec<_>, Vec<_>) =
                window.iter().zip(gold).partition(|(own, gold)| own.text == gold.text);
            (equal.iter().any(|(own, _)| own.is_word()) || equal.len() > other.len())
                && !other.is_empty()
                && other.iter().all(|(own, it)| varies(own) && varies(it))
        };
        let windows = self.answer.tokens.windows(gold.len().max(1)).enumerate();
        let siblings = windows.filter(|(_, window)| is_sibling(window));
        siblings.map(|(at, window)| (at, at + window.len())).collect()
    }

    /// The gold answer is not there.
    fn absent(&self) -> Reason {
        let mut mentions = self.answer.mentions.iter();
        match self.sort() {
            Sort::Value(gold) => {
                let is_part = |mention: &&Occurrence| gold.relation(mention) == Agreement::Partial;
                let is_other = |mention: &&Occurrence| self.is_other_value(gold, mention);
                let quote = |mention: &Occurrence| self.answer.slice(mention.first, mention.end);
                if let Some(part) = mentions.clone().find(is_part) {
                    unsure(Ground::Part, quote(part))
                } else if let Some(other) = mentions.find(is_other) {
                    wrong(Ground::OtherValue, quote(other))
                } else {
                    self.open(Ground::Absent, false)
                }
            }
            sort => self.in_parts(sort),
        }
    }

    /// Short answers are decided, others may say it in other words, unless it is certain that they do not.
    fn open(&self, ground: Ground, is_certain: bool) -> Reason {
        let decide = if is_certain || self.is_short() { wrong } else { unsure };
        decide(ground, self.gold.slice(0, self.gold.tokens.len()))
    }

    /// A phrase is not there as such: its parts, some of its words, or nothing of it.
    fn in_parts(&self, sort: Sort<'_>) -> Reason {
        let gold = self.gold;
        let text = gold.slice(0, gold.tokens.len());
        // A reference in sentences has many wordings.
        if gold.n_words() >= LONG && self.resembles(gold, true) {
            return unsure(Ground::Part, text);
        }
        let parts = self.parts();
        let spans: Vec<Vec<_>> = parts.iter().map(|gold| Case { gold, ..*self }.spans()).collect();
        if parts.len() > 1 && !spans.iter().all(Vec::is_empty) {
            let fits = |span: &&Span| matches!(span.flaw, None | Some(Ground::Alternatives));
            let firsts = spans.iter().filter_map(|spans| spans.iter().find(fits));
            let firsts: Vec<usize> = firsts.map(|span| span.first).collect();
            let is_ordered = firsts.is_sorted() || !self.question.has(Class::Order);
            return match (firsts.len() == parts.len(), is_ordered) {
                (true, _) if self.answer.n_bullets() > parts.len() => {
                    wrong(Ground::Enumerated, text)
                }
                (true, true) => correct(Ground::AllParts, text),
                (true, false) => self.open(Ground::OtherOrder, false),
                (false, _) => {
                    let is_missing = |(part, spans): (&Parsed, &Vec<Span>)| {
                        let is_there = spans.iter().any(|span| fits(&span));
                        let is_like = self.resembles(part, !self.is_short());
                        !is_there && !is_like
                    };
                    let is_certain = parts.iter().zip(&spans).any(is_missing);
                    let decide = if is_certain { wrong } else { unsure };
                    decide(Ground::Part, text)
                }
            };
        }
        let is_covered = gold.stems.is_subset(&self.answer.stems);
        let has_others = !self.siblings().is_empty() || !self.names().is_empty();
        if matches!(sort, Sort::Written) {
            // All of it in pieces may be it: `set autovacuum to off`.
            let mut rest = self.answer.tokens.iter().skip_while(|it| !gold.has_word(it));
            let is_between = |it: &Token| it.is_word() && !it.content && !gold.has_word(it);
            let is_parted = rest.any(is_between) && rest.any(|it| it.content && gold.has_word(it));
            let is_open = is_covered && is_parted;
            return if is_open {
                unsure(Ground::Part, text)
            } else {
                self.open(Ground::Absent, !is_covered && has_others)
            };
        }
        if gold.mentions.iter().any(|gold| !gold.is_weak() && !self.answer.states(gold)) {
            let is_other = |gold: &Occurrence| {
                self.answer.mentions.iter().any(|it| self.is_other_value(gold, it))
            };
            if has_others || gold.mentions.iter().any(is_other) {
                return wrong(Ground::Absent, text);
            }
        }
        let is_opposite = || (0..self.answer.tokens.len()).any(|at| self.answer.opposes(at, gold));
        let is_partial = !is_covered && !gold.stems.is_disjoint(&self.answer.stems);
        match self.resembles(gold, true) {
            // Not `Charles Robert Darwin` for `Charles Darwin`.
            true if self.is_name() && has_others && self.is_short() && is_partial => {
                wrong(Ground::Absent, text)
            }
            true if self.is_short() && is_opposite() => wrong(Ground::Opposite, text),
            true => unsure(Ground::Part, text),
            false => self.open(Ground::Absent, self.is_name()),
        }
    }

    /// Returns true if the answer has a word spelled like the only one of `gold` which the question lacks: `Krakatau` for `Krakatoa`; or,
    /// `with_equal`, one of these words itself.
    fn resembles(&self, gold: &Parsed, with_equal: bool) -> bool {
        let mut words: Vec<&Token> = gold.tokens.iter().filter(|word| word.content).collect();
        if words.iter().any(|word| !self.is_asked(word)) {
            words.retain(|word| !self.is_asked(word));
        }
        // Not of a last name alone: others are like it.
        let one = words.len() == 1 && self.gold_answers.iter().any(|it| it.text == self.gold.text);
        let is_alike = |word: &Token, own: &Token| {
            let is_other = one && own.is_word() && !self.is_gold(own);
            let is_like = || similarity(&word.text, &own.text) >= ALIKE;
            if word.stem == own.stem { with_equal } else { is_other && is_like() }
        };
        with_equal && gold.mentions.iter().any(|gold| self.answer.states(gold))
            || words
                .iter()
                .any(|word| self.answer.tokens.iter().any(|own| own.content && is_alike(word, own)))
    }

    /// Returns the shorter gold answers that are as good: without the words that the question begins it with (`Urban II` to `Which
    /// pope`), the number of `port 443`, and the last name of a person.
    pub(super) fn shorter(&self) -> Vec<Parsed> {
        let tokens = &self.gold.tokens;
        let len = tokens.len();
        let is_said = |token: &&Token| token.is_word() && self.question.has_word(token);
        let n_asked = tokens.iter().take(len.max(1) - 1).take_while(is_said).count();
        let is_person = (2..=5).contains(&len)
            && self.question.has(Class::Who)
            && tokens.iter().all(|token| token.is("-") || token.is_named());
        // Another one of that name: `Jane Last`, `the elder Last`.
        let given = &self.answer.tokens;
        let is_other = |at: usize| {
            let (before, last) = (&given[at - 1], &tokens[len - 1]);
            let is_told = self.is_asked(before) || self.answer.at(Class::Titles, at - 1) > 0;
            let is_name = before.content && !self.gold.has_word(before) && !is_told;
            given[at].text == last.text && is_name && self.answer.is_same_sentence(at - 1, at)
        };
        let mut from = Vec::new();
        // Not the `toml` of `hatch.toml`.
        if n_asked > 0 && tokens[n_asked].spaced {
            from.push(n_asked);
        }
        if is_person && tokens[len - 1].text.len() > 3 && !(1..given.len()).any(is_other) {
            from.push(len - 1);
        }
        let parsed = |from| Parsed::new(&self.gold.slice(from, len), self.gold.words);
        from.into_iter().map(parsed).collect()
    }

    /// Returns the items of a list.
    fn parts(&self) -> Vec<Parsed> {
        let gold = self.gold;
        let items = gold.items(0..gold.tokens.len(), ",;、，&", &[Class::And]);
        items
            .into_iter()
            .map(|(at, _)| Parsed::new(&gold.slice(at.start, at.end), gold.words))
            .collect()
    }
}
