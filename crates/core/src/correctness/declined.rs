//! Replies that decline to answer.
//!
//! A clause declines if it denies that the matter is stated (`is not mentioned`); if it denies anything of a source or of the speaker
//! (`the context contains no information`, `I cannot determine it`); or if it limits these to something else (`I can only help with
//! invoices`). A reply declines if it is one of the short replies of its language, or if such a clause comes first, after apologies and talk of
//! the sources, and no answer follows in its sentence, after a contrast or as a guess. It is read in every language of which it has the
//! function words: a reply need not be in that of its question.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::notation::clean;
use super::token::Token;
use super::vocabulary::{EACH_ALONE, Lexicon, Vocabulary};
use crate::language::{Class, Language};
use crate::text::border::separated;
use crate::text::pattern;

/// Longest reply that is read, in bytes: a longer one answers.
const LONGEST: usize = 3_000;

/// The `no.` of a number, which denies nothing: `no. 5`, `n.º 5` (which is read as `n.o 5`).
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bn(?:os?\.|\.o|[º°])\s*(\d)"));

/// Returns true if `reply` declines to answer. `phrases` are the replies by which a product declines, compared without case,
/// markup and punctuation.
#[must_use]
pub fn declines(reply: &str, phrases: &[String]) -> bool {
    if reply.len() > LONGEST {
        return false;
    }
    let words = Vocabulary::of(Language::english());
    // `n'indique`, `dell'autore`: the short form is a word of its own.
    let tokens = words.tokens(&NUMBERED.replace_all(&separated(&clean(reply, true)), "$1"));
    let plain = |text: &str| -> Vec<String> {
        let tokens = words.tokens(&clean(text, true)).into_iter();
        tokens.filter(|token| !token.is_symbol()).map(|token| token.text).collect()
    };
    let mut own = phrases.iter().map(|phrase| plain(phrase)).filter(|own| !own.is_empty());
    if own.any(|own| plain(reply).starts_with(&own)) {
        return true;
    }
    // Read in the languages that have most of its function words.
    let n_known = |declining: &Lexicon| {
        (0..tokens.len()).filter(|at| declining.at(Class::FunctionWords, &tokens, *at) > 0).count()
    };
    let known: Vec<usize> = EACH_ALONE.iter().map(n_known).collect();
    let most = known.iter().max().copied().unwrap_or(0);
    let declines = |(declining, n): (&Lexicon, &usize)| {
        n * 3 >= most * 2 && Reply { tokens: &tokens, declining }.declines()
    };
    EACH_ALONE.iter().zip(&known).any(declines)
}

/// A reply as it is read in one language.
struct Reply<'a> {
    tokens: &'a [Token],
    declining: &'a Lexicon,
}

impl Reply<'_> {
    /// Returns true if a clause declines, with no answer before or after it.
    fn declines(&self) -> bool {
        let start = self.skip_pleasantries(0);
        let whole = self.at(Class::WholeReplies, start);
        let clauses = self.clauses();
        if whole > 0 && self.ends_after(start + whole, &clauses) {
            return true;
        }
        let Some(place) = clauses.iter().position(|clause| self.denies(clause)) else {
            return false;
        };
        // What comes before must be talk of the sources, or an apology: else the reply has an answer, and this is its caveat.
        let sentence = |clause: &Range<usize>| self.tokens[clause.start].sentence;
        let own = sentence(&clauses[place]);
        // `I think 6 minutes, but I'm not sure.`
        let is_doubt = self.at(Class::But, clauses[place].start) > 0
            && self.has(Class::Speakers, &clauses[place]);
        let answers_before = |clause: &Range<usize>| {
            let is_other = self.has(Class::Topics, clause) || self.has(Class::Denials, clause);
            (sentence(clause) != own || is_doubt)
                && !is_other
                && (!self.is_talk(clause) || self.has(Class::Hedges, clause))
        };
        // Another sentence tells what is known besides, unless a contrast begins it, or it guesses a number.
        let answers_after = |clause: &Range<usize>| {
            let before = &self.tokens[clause.start - 1];
            let is_first = before.sentence != sentence(clause);
            let is_own = sentence(clause) == own;
            let has_contrast = self.at(Class::But, clause.start) > 0;
            let has_number = self.tokens[clause.clone()].iter().any(Token::is_number);
            let goes_on = if has_contrast {
                is_own || is_first
            } else if is_own {
                !before.is_one_of(";；؛")
            } else {
                is_first && has_number && self.has(Class::Hedges, clause)
            };
            // `It is not stated; they only speak of its restoration.`
            let is_topic = !has_contrast && self.has(Class::Topics, clause);
            let is_content = !is_topic && (has_number || !self.is_talk(clause));
            goes_on && is_content && !self.denies(clause)
        };
        !clauses[..place].iter().any(answers_before)
            && !clauses[place + 1..].iter().any(answers_after)
    }

    /// Returns the place of the first word from `at` on that is no apology or pleasantry.
    fn skip_pleasantries(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            let symbol = usize::from(self.tokens[at].is_symbol());
            let opening = self.at(Class::Openings, at);
            match opening.max(self.at(Class::Apologies, at)).max(symbol) {
                0 => break,
                len => at += len,
            }
        }
        at
    }

    /// The first sentence ends at `end`, after a short reply that declines, and what follows is talk.
    fn ends_after(&self, end: usize, clauses: &[Range<usize>]) -> bool {
        let rest = self.tokens.get(self.skip_pleasantries(end));
        let mut later = clauses.iter().filter(|clause| clause.start >= end);
        rest.is_none_or(|rest| rest.sentence != self.tokens[end - 1].sentence)
            && later.all(|clause| self.denies(clause) || self.is_talk(clause))
    }

    /// Returns the parts of the reply: sentences, cut at contrasts, semicolons and colons.
    fn clauses(&self) -> Vec<Range<usize>> {
        let begins = |at: usize| {
            let before = &self.tokens[at - 1];
            before.sentence != self.tokens[at].sentence
                || self.at(Class::But, at) > 0
                || before.is_one_of(";:；：")
                || before.is_one_of(",，、،") && self.at(Class::Hedges, at) > 0
        };
        let places: Vec<usize> = (0..self.tokens.len()).collect();
        let clauses = places.chunk_by(|_, next| !begins(*next));
        clauses.map(|clause| clause[0]..clause[clause.len() - 1] + 1).collect()
    }

    /// Returns the number of tokens of the phrase of a class at `at`.
    fn at(&self, class: Class, at: usize) -> usize {
        self.declining.at(class, self.tokens, at)
    }

    fn has(&self, class: Class, clause: &Range<usize>) -> bool {
        clause.clone().any(|at| self.at(class, at) > 0)
    }

    /// Returns true if a clause denies that the matter is stated, or that a source or the speaker has it.
    fn denies(&self, clause: &Range<usize>) -> bool {
        let len = clause.len();
        let n_unspaced = self.tokens[clause.clone()].iter().filter(|token| token.unspaced).count();
        let (reach, short) = if n_unspaced * 2 > len { (12, 24) } else { (5, 8) };
        // Quoted words deny nothing: `the error "not found" means`.
        let n_quotes =
            |tokens: &[Token]| tokens.iter().filter(|token| token.is_one_of("\"'")).count();
        let is_plain = |at: &usize| {
            n_quotes(&self.tokens[..*at]) % 2 == 0 || n_quotes(&self.tokens[*at..]) == 0
        };
        let places = |class: Class| -> Vec<usize> {
            clause.clone().filter(|at| self.at(class, *at) > 0).filter(is_plain).collect()
        };
        // Not those of a duty, a concession or a subordinate clause: `must not contain`, `says that no one was hurt`.
        let speaker = self.has(Class::Speakers, clause);
        let [frames, duties] = [Class::Frames, Class::Duties].map(places);
        let is_framed = |at: &usize| {
            let in_clause = |end: usize| self.tokens[end - 1].clause == self.tokens[*at].clause;
            frames
                .iter()
                .any(|frame| frame <= at && in_clause(frame + self.at(Class::Frames, *frame)))
                || !speaker && duties.iter().any(|duty| duty.abs_diff(*at) <= reach / 2)
        };
        let [mut denials, mut lacks] = [Class::Denials, Class::Lacks].map(places);
        denials.retain(|at| !is_framed(at) && !self.declining.denies_nothing(self.tokens, *at, 1));
        lacks.retain(|at| !is_framed(at));
        let only = places(Class::Only);
        if denials.is_empty() && lacks.is_empty() && only.is_empty() {
            return false;
        }
        let is_denied = |at: &usize| denials.iter().any(|denial| denial.abs_diff(*at) <= reach);
        let is_unstated = places(Class::Statements).iter().any(is_denied);
        let matters = places(Class::Matters);
        if is_unstated || !lacks.is_empty() && (speaker || !matters.is_empty() || len <= short) {
            return true;
        }
        // `I can only help with invoices.`, `The text only covers 2021.`
        let is_only = |at: &usize| only.iter().any(|only| only.abs_diff(*at) <= reach);
        let limits = [Class::Topics, Class::Matters, Class::Sources, Class::Serves].map(places);
        let is_limited = limits.iter().flatten().any(is_only);
        let from =
            self.tokens.partition_point(|it| it.sentence < self.tokens[clause.start].sentence);
        // Not `According to the text, there is no fee.`, `No documents are required.`, `(article 11)`.
        let named = [Class::Attributions, Class::Duties].map(places).concat();
        let is_named = |source: usize| {
            self.tokens[..source].last().is_some_and(|it| it.is("("))
                || named.iter().any(|at| at.abs_diff(source) <= reach)
        };
        let is_subject = |at: usize| self.at(Class::Sources, at) > 0 && !is_named(at);
        let has_source = (from..clause.end).any(is_subject);
        // What is denied of the speaker is near, as is a missing thing: `No details are available.`
        let is_missing = len <= short && matters.iter().any(is_denied);
        has_source && (is_limited || !denials.is_empty())
            || speaker && is_limited
            || is_missing
            || places(Class::Speakers).iter().any(is_denied)
    }

    /// Talk of the sources, an apology, or an offer of help.
    fn is_talk(&self, clause: &Range<usize>) -> bool {
        let talk = [Class::Sources, Class::Apologies, Class::Speakers, Class::Only, Class::Serves];
        self.skip_pleasantries(clause.start) >= clause.end
            || talk.into_iter().any(|class| self.has(class, clause))
    }
}
