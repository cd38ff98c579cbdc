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
/// Words in code or bold from which on they are no name of what is asked for.
const LONG_CODE: usize = 6;

/// Numbers that cite, which deny and answer nothing. `[1]` and `document 3` are dropped; of `source no. 1`, `page 3` and `documento n.º 5`
/// (which is read as `n.o 5`) the noun stays.
static CITED: LazyLock<Regex> = LazyLock::new(|| {
    let noun = "document|passage|source|fuente|fonte|chunk|page|section|article|artículo";
    let name = r"n(?:os?\b\.?|\.o|[º°])\s*";
    pattern(&format!(
        r"(?i)\s*\[[^\[\]]{{0,20}}\d\]|\b(?:document|passage|source|chunk)s?\s+#?\d+|\b((?:{noun})[os]?)\s+(?:{name})?#?\d+|\bn(?:os?\.|\.o|[º°])\s*(\d)"
    ))
});

/// Returns true if `reply` declines to answer. `phrases` are the replies by which a product declines, compared without case,
/// markup and punctuation.
#[must_use]
pub fn declines(reply: &str, phrases: &[String]) -> bool {
    if reply.len() > LONGEST {
        return false;
    }
    let words = Vocabulary::of(Language::english());
    // `n'indique`, `dell'autore`: the short form is a word of its own.
    let text = clean(reply, false);
    let tokens = words.tokens(&CITED.replace_all(&separated(&text), "$1$2"));
    let plain = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().filter(|token| !token.is_symbol()).map(|token| token.text.clone()).collect()
    };
    let given = plain(&tokens);
    let is_own = |phrase: &String| {
        let phrase = plain(&words.tokens(&clean(phrase, false)));
        !phrase.is_empty() && given.starts_with(&phrase)
    };
    if phrases.iter().any(is_own) {
        return true;
    }
    // Read in the languages that have most of its function words.
    let n_known = |declining: &Lexicon| {
        (0..tokens.len()).filter(|at| declining.at(Class::FunctionWords, &tokens, *at) > 0).count()
    };
    let known: Vec<usize> = EACH_ALONE.iter().map(n_known).collect();
    let most = known.iter().max().copied().unwrap_or(0);
    let declines = |(declining, n): (&Lexicon, &usize)| {
        n * 3 >= most * 2 && Reply { tokens: &tokens, declining, words }.declines()
    };
    EACH_ALONE.iter().zip(&known).any(declines)
}

/// A reply as it is read in one language.
struct Reply<'a> {
    tokens: &'a [Token],
    declining: &'a Lexicon,
    words: &'a Vocabulary,
}

impl Reply<'_> {
    /// Returns true if a clause declines, with no answer before or after it.
    fn declines(&self) -> bool {
        let start = self.skip_pleasantries(0);
        let whole = self.at(Class::WholeReplies, start);
        let has = |class| self.has(class, &(0..self.tokens.len()));
        if whole == 0 && ![Class::Denials, Class::Lacks, Class::Only].into_iter().any(has) {
            return false;
        }
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
            let contrast = self.at(Class::But, clause.start);
            let begin = (clause.start + contrast).min(clause.end - 1);
            let before = &self.tokens[clause.start - 1];
            let is_own = sentence(clause) == own;
            let is_hedged = self.has(Class::Hedges, clause);
            let has_number = || self.tokens[clause.clone()].iter().any(Token::is_number);
            let is_first = before.sentence != sentence(clause);
            let goes_on = match contrast {
                0 if !is_own => is_first && is_hedged && has_number(),
                0 => !before.is_one_of(";；؛"),
                _ => is_own || is_first,
            };
            // `It is not stated; they only speak of its restoration.`
            let is_topic = contrast == 0 && self.has(Class::Topics, clause);
            let is_content = || !is_topic && (has_number() || !self.is_talk(clause));
            goes_on && (is_hedged || is_content()) && !self.denies(&(begin..clause.end))
        };
        // Commands in code are an answer, whatever is lacking besides.
        let before = self.tokens[..clauses[place].end].iter();
        before.filter(|token| token.emphasised && !token.is_symbol()).count() < LONG_CODE
            && !clauses[..place].iter().any(answers_before)
            && !clauses[place + 1..].iter().any(answers_after)
    }

    /// Returns the place of the first word from `at` on that is no apology, pleasantry or contrast.
    fn skip_pleasantries(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            let symbol = usize::from(self.tokens[at].is_symbol());
            let but = self.at(Class::But, at);
            let opening = self.words.words.at(Class::Openings, self.tokens, at);
            match opening.max(self.at(Class::Apologies, at)).max(but).max(symbol) {
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
        let mut clauses = Vec::new();
        let mut from = 0;
        for at in 1..=self.tokens.len() {
            let is_end = at == self.tokens.len()
                || self.tokens[at].sentence != self.tokens[from].sentence
                || self.at(Class::But, at) > 0
                || self.tokens[at - 1].is_one_of(";:；：")
                || self.tokens[at - 1].is_one_of(",，、،") && self.at(Class::Hedges, at) > 0;
            if is_end {
                clauses.push(from..at);
                from = at;
            }
        }
        clauses
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
        let (reach, short, long) = if n_unspaced * 2 > len { (12, 24, 60) } else { (5, 8, 18) };
        // Quoted words deny nothing: `the error "not found" means`.
        let n_quotes =
            |tokens: &[Token]| tokens.iter().filter(|token| token.is_one_of("\"'")).count();
        let is_plain = |at: &usize| {
            n_quotes(&self.tokens[..*at]) % 2 == 0 || n_quotes(&self.tokens[*at..]) == 0
        };
        let places = |class: Class| -> Vec<usize> {
            let near = clause.start.saturating_sub(2)..clause.end;
            near.filter(|at| self.at(class, *at) > 0).filter(is_plain).collect()
        };
        // Not those of a duty, a concession or a subordinate clause: `must not contain`, `says that no one was hurt`.
        let speaker = self.has(Class::Speakers, clause);
        let [frames, duties] = [Class::Frames, Class::Duties].map(places);
        let is_framed = |at: &usize| {
            let last = |frame: usize| frame + self.at(Class::Frames, frame) - 1;
            let in_clause = |to: usize| self.tokens[to].clause == self.tokens[*at].clause;
            frames.iter().any(|frame| frame <= at && in_clause(last(*frame)))
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
        let matters = places(Class::Matters);
        let is_unstated = places(Class::Statements).iter().any(is_denied);
        let is_near = len <= if is_unstated { long } else { short };
        if (is_unstated || !lacks.is_empty()) && (speaker || !matters.is_empty() || is_near) {
            return true;
        }
        // `I can only help with invoices.`, `The text only covers 2021.`
        let is_only = |at: &usize| only.iter().any(|only| only.abs_diff(*at) <= reach);
        let limits = [Class::Topics, Class::Matters, Class::Sources, Class::Serves].map(places);
        let is_limited = limits.iter().flatten().any(is_only);
        let sentence = self.tokens[clause.start].sentence;
        let before = self.tokens[..clause.start].iter().rev();
        let start = clause.start - before.take_while(|token| token.sentence == sentence).count();
        // Not `According to the text, there is no fee.`
        let named = places(Class::Attributions);
        let is_named = |source: usize| named.iter().any(|at| at.abs_diff(source) <= reach);
        let is_subject = |at: &usize| self.at(Class::Sources, *at) > 0 && !is_named(*at);
        let has_source = |to: usize| (start..to).any(|at| is_subject(&at));
        if is_limited && (speaker || has_source(clause.end)) {
            return true;
        }
        // What is denied is denied of the speaker or a source, which precedes or is near: not `No vaccine exists, says the report.`
        let mut sources = places(Class::Sources);
        sources.retain(is_subject);
        let is_source =
            |denial: &usize| sources.iter().any(|at| *at <= denial + short && !is_framed(at));
        // What the speaker denies comes right after: not `I would restart it, not reinstall it.`
        let spoken = places(Class::Speakers).into_iter().any(|at| {
            let is_comma = |token: &Token| token.is(",") && n_unspaced * 2 <= len;
            let is_parted = |to: usize| to > at && self.tokens[at..to].iter().any(is_comma);
            denials.iter().any(|to| to.abs_diff(at) <= reach && !is_parted(*to))
        });
        // `No details are available.`, not `The study found no evidence.`
        let first = self.skip_pleasantries(clause.start) + reach / 2;
        let is_matter = |denial: &usize| {
            *denial <= first
                && len <= short
                && matters.iter().any(|at| at.abs_diff(*denial) <= reach / 2)
        };
        spoken
            || !denials.is_empty() && has_source(clause.start)
            || denials.iter().any(|at| is_source(at) || is_matter(at))
    }

    /// Talk of the sources, an apology, or an offer of help.
    fn is_talk(&self, clause: &Range<usize>) -> bool {
        let talk = [Class::Sources, Class::Apologies, Class::Speakers, Class::Only, Class::Serves];
        self.skip_pleasantries(clause.start) >= clause.end
            || talk.into_iter().any(|class| self.has(class, clause))
    }
}
