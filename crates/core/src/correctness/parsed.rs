//! A text prepared for the rule: cleaned, in tokens, with its values; and the places where one text occurs in another.

use std::collections::HashSet;
use std::ops::Range;

use super::notation::{EMPHASIS, clean, is_code};
use super::token::{Kind, Token};
use super::value::{Agreement, Occurrence, is_firm, opposed};
use super::vocabulary::Vocabulary;
use crate::language::Class;

/// A prepared text.
pub(super) struct Parsed {
    pub words: &'static Vocabulary,
    pub text: String,
    pub tokens: Vec<Token>,
    pub mentions: Vec<Occurrence>,
    /// Stems of its words with content.
    pub stems: HashSet<String>,
    sides: Vec<Side>,
}

/// A word of a direction.
struct Side {
    /// The direction's number, with the side as its sign.
    direction: i32,
    /// The word that follows: `backup` in `before the backup`.
    of: Option<String>,
    token: Token,
}

impl Parsed {
    /// Cleans and reads a text without citations of passages: a question, a gold answer.
    pub(super) fn new(text: &str, words: &'static Vocabulary) -> Self {
        Self::read(text, words, false)
    }

    /// Cleans and reads a text that may cite passages.
    pub(super) fn read(text: &str, words: &'static Vocabulary, has_citations: bool) -> Self {
        let text = clean(text, has_citations);
        let tokens = words.tokens(&text);
        let content = tokens.iter().filter(|token| token.content);
        let stems = content.map(|token| token.stem.clone()).collect();
        let mut sides = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let Some(directions) = words.sides.get(&token.stem) else { continue };
            let mut rest = tokens[at + 1..].iter().take_while(|it| it.sentence == token.sentence);
            let of = rest.find(|next| next.content).map(|of| of.stem.clone());
            for direction in directions {
                sides.push(Side { direction: *direction, of: of.clone(), token: token.clone() });
            }
        }
        let mut parsed = Self { words, text, tokens, mentions: Vec::new(), stems, sides };
        parsed.mentions = parsed.values();
        parsed
    }

    /// Returns the text of tokens `first..end` as a reader sees it.
    pub(super) fn slice(&self, first: usize, end: usize) -> String {
        let Some([one, ..]) = self.tokens.get(first..end) else { return String::new() };
        self.text[one.start..self.tokens[end - 1].end].replace(EMPHASIS, "")
    }

    /// Returns a token as it is written.
    fn raw(&self, token: &Token) -> &str {
        &self.text[token.start..token.end]
    }

    /// Returns the word at `at` if it is in capital letters.
    pub(super) fn capitals(&self, at: usize) -> Option<&str> {
        let word = self.tokens.get(at).filter(|token| token.is_named() && !token.is_letter())?;
        Some(self.raw(word)).filter(|word| !word.contains(char::is_lowercase))
    }

    /// Returns the folded word at `at`; nothing outside the text.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    /// Returns the number of tokens of the phrase of a class that begins at `at`; 0 without one.
    pub(super) fn at(&self, class: Class, at: usize) -> usize {
        self.words.words.at(class, &self.tokens, at)
    }

    /// Returns true if a phrase of a class begins in a range.
    pub(super) fn has_in(&self, class: Class, mut range: Range<usize>) -> bool {
        range.any(|at| self.at(class, at) > 0)
    }

    /// Returns true if there is a phrase of a class.
    pub(super) fn has(&self, class: Class) -> bool {
        self.has_in(class, 0..self.tokens.len())
    }

    /// Returns true if a negation is at `at` that denies.
    pub(super) fn denies(&self, at: usize) -> bool {
        let len = self.at(Class::Negations, at);
        // Not the title of `404 Not Found`.
        let follows =
            || at > 0 && self.is_same_sentence(at - 1, at) && !self.tokens[at - 1].is_symbol();
        let is_title = || self.tokens[at].capital && self.capitals(at).is_none() && follows();
        len > 0 && !self.words.words.denies_nothing(&self.tokens, at, len) && !is_title()
    }

    /// Returns true for a yes and false for a no at `at`, with its number of tokens: not of `No. 5`, `no-fly`, `no more than`.
    pub(super) fn polar(&self, at: usize) -> Option<(bool, usize)> {
        let (yes, no) = (self.at(Class::Yes, at), self.at(Class::No, at));
        let end = at + yes.max(no);
        let is_joined = self.tokens.get(end..end + 2).is_some_and(|next| {
            no > yes && next[0].is(".") && next[1].is_number()
                || next[0].is_one_of("-'/") && next[1].is_word() && !next[1].spaced
        });
        let is_said = !is_joined && !self.words.words.denies_nothing(&self.tokens, at, end - at);
        (end > at && is_said).then_some((yes >= no, end - at))
    }

    /// Returns the words with content in a range.
    pub(super) fn content(&self, range: Range<usize>) -> impl Iterator<Item = &Token> {
        self.tokens[range].iter().filter(|token| token.content)
    }

    /// Returns true if there is content outside a range.
    pub(super) fn has_content_besides(&self, range: Range<usize>) -> bool {
        let mut content = self.tokens.iter().enumerate().filter(|(_, token)| token.content);
        content.any(|(at, _)| !range.contains(&at))
    }

    /// Returns true if the word of `token` is there.
    pub(super) fn has_word(&self, token: &Token) -> bool {
        self.tokens.iter().any(|own| own.text == token.text)
    }

    /// Returns the value that the token at `at` is part of.
    pub(super) fn mention(&self, at: usize) -> Option<&Occurrence> {
        self.mentions.iter().find(|mention| (mention.first..mention.end).contains(&at))
    }

    /// Returns true if a value is there that agrees with `gold`.
    pub(super) fn states(&self, gold: &Occurrence) -> bool {
        self.mentions.iter().any(|mention| gold.relation(mention) >= Agreement::Partial)
    }

    /// Returns true if the clause at `at` has the other side of a direction than `wanted`, and its sentence not the same one. Words without
    /// content also oppose in the sentence, where the same word follows: `After the backup, stop it` to `before the backup`.
    pub(super) fn opposes(&self, at: usize, wanted: &Self) -> bool {
        let here = &self.tokens[at];
        let is_same = |own: &Side, side: &Side, direction| {
            let is_free = side.token.content && own.token.content;
            side.direction == direction && (side.of == own.of || is_free)
        };
        let is_opposed = |own: &Side| {
            let mut near = self.sides.iter().filter(|side| side.token.sentence == here.sentence);
            let is_other = |side: &Side| {
                let is_near = side.of == own.of || side.token.clause == here.clause;
                is_near && is_same(own, side, -own.direction)
            };
            near.clone().any(is_other)
                && !near.any(|side| is_same(own, side, own.direction))
                && !wanted.sides.iter().any(|side| is_same(own, side, -own.direction))
        };
        wanted.sides.iter().any(is_opposed)
    }

    /// Returns true if a capital letter marks a name.
    pub(super) fn names_by_case(&self) -> bool {
        self.words.language.names_by_case
    }

    /// Returns the sentence around `at`.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        self.around(at, |token| token.sentence)
    }

    /// Returns the clause around `at`.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        self.around(at, |token| token.clause)
    }

    /// Returns the tokens around `at` that share a number with it.
    fn around(&self, at: usize, of: impl Fn(&Token) -> usize) -> Range<usize> {
        let is_other = |token: &Token| of(token) != of(&self.tokens[at]);
        let first = self.tokens[..at].iter().rposition(is_other).map_or(0, |before| before + 1);
        let len = self.tokens[at..].iter().position(is_other);
        first..len.map_or(self.tokens.len(), |len| at + len)
    }

    /// Returns true if two tokens are of one sentence.
    pub(super) fn is_same_sentence(&self, one: usize, other: usize) -> bool {
        self.tokens[one].sentence == self.tokens[other].sentence
    }

    /// Returns the items with content between `marks` and `links`, each with whether a link or `/` precedes it; those in
    /// brackets are one.
    pub(super) fn items(
        &self,
        range: Range<usize>,
        marks: &str,
        links: &[Class],
        [opening, closing]: [&str; 2],
    ) -> Vec<(Range<usize>, bool)> {
        let (tokens, mut items) = (&self.tokens[..range.end], Vec::new());
        let (mut item, mut depth, mut is_linked) = (range.start..range.start, 0_usize, false);
        while item.end <= range.end {
            let is = |marks| tokens.get(item.end).is_some_and(|token| token.is_one_of(marks));
            depth = (depth + usize::from(is(opening))).saturating_sub(usize::from(is(closing)));
            let link = links.iter().map(|class| self.at(*class, item.end)).max().unwrap_or(0);
            let len = link.max(usize::from(is(marks)));
            if item.end < range.end && (len == 0 || depth > 0) {
                item.end += 1;
                continue;
            }
            let next = item.end + len.max(1);
            let is_next_linked = link > 0 || is("/");
            if self.content(item.clone()).next().is_some() {
                items.push((item, is_linked));
            }
            (item, is_linked) = (next..next, is_next_linked);
        }
        items
    }

    /// Returns the number of sentences that begin with a bullet or a number.
    pub(super) fn n_bullets(&self) -> usize {
        let is_bullet = |at: &usize| {
            let (first, next) = (&self.tokens[*at], self.tokens.get(at + 1));
            let starts = *at == 0 || !self.is_same_sentence(at - 1, *at);
            starts
                && next.is_some_and(|next| {
                    first.is_one_of("-*•") && next.spaced
                        || first.is_number() && next.is_one_of(".)")
                })
        };
        (0..self.tokens.len()).filter(is_bullet).count()
    }

    /// Returns the number of words and numbers.
    pub(super) fn n_words(&self) -> usize {
        n_words(&self.tokens)
    }
}

/// Returns the number of words and numbers; two characters of a script without spaces are a word.
pub(super) fn n_words<'t>(tokens: impl IntoIterator<Item = &'t Token>) -> usize {
    let tokens = tokens.into_iter().filter(|token| !token.is_symbol());
    tokens.map(|token| 2 - usize::from(token.unspaced)).sum::<usize>().div_ceil(2)
}

/// A word or a value as it is compared, with its first token.
struct Unit<'a> {
    text: String,
    stem: String,
    value: Option<&'a Occurrence>,
    token: &'a Token,
    at: usize,
    end: usize,
}

/// Marks between words that say nothing.
const SILENT: &str = "-\"',.():;!?。、，・·「」（）：…";

/// Returns the compared words, and values where the gold answer has some: without articles, marks and titles.
fn units<'a>(parsed: &'a Parsed, gold: &Parsed) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut values = parsed.mentions.iter().filter(|_| !gold.mentions.is_empty()).peekable();
    for (at, token) in parsed.tokens.iter().enumerate() {
        if units.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let value = values.next_if(|value| value.first == at);
        let next = at + 1 + usize::from(parsed.word(at + 1) == ".");
        let is_title = token.capital
            && parsed.tokens.get(next).is_some_and(Token::is_named)
            && parsed.at(Class::Titles, at) > 0;
        // Not the `a` of `cp a b`.
        let is_mark = |next: &Token| next.is_symbol() && !next.is_one_of("\"'($€£");
        let is_last = |next: &Token| is_mark(next) || next.is_letter() && !next.capital;
        let is_article =
            parsed.words.is_article(token) && !parsed.tokens.get(at + 1).is_none_or(is_last);
        if value.is_some() || !token.is_one_of(SILENT) && !is_article && !is_title {
            let text = parsed.words.alias(&token.text).to_owned();
            let is_own = text == token.text;
            let stem = if is_own { token.stem.clone() } else { parsed.words.stem(&text) };
            let end = value.map_or(at + 1, |value| value.end);
            units.push(Unit { text, stem, value, token, at, end });
        }
    }
    units
}

/// Returns true if two values are equal, or two words but for a particle or an inflection.
fn is_same(gold: &Unit<'_>, answer: &Unit<'_>, words: &Vocabulary) -> bool {
    if let Some((gold, answer)) = gold.value.zip(answer.value) {
        let is_limited = is_firm(answer.bound) && !is_firm(gold.bound);
        return gold.relation(answer) == Agreement::Equal
            && !(is_limited || opposed(gold.bound, answer.bound));
    }
    if gold.text == answer.text || gold.token.is_symbol() || answer.token.is_symbol() {
        return gold.text == answer.text;
    }
    let rest = answer.text.strip_prefix(gold.text.as_str()).filter(|_| !gold.token.unspaced);
    // `William` is not `Williams`; where names are inflected, stems must do.
    let is_name = gold.token.capital && answer.token.capital && words.language.code == "en";
    rest.is_some_and(|rest| words.particles.contains(rest)) || !is_name && gold.stem == answer.stem
}

/// Returns the places of `gold` in `answer`, as tokens.
pub(super) fn places(gold: &Parsed, answer: &Parsed) -> Vec<(usize, usize)> {
    let (wanted, given) = (units(gold, gold), units(answer, gold));
    if wanted.is_empty() {
        return Vec::new();
    }
    let is_place = |window: &&[Unit<'_>]| {
        wanted.iter().zip(*window).all(|(gold, unit)| is_same(gold, unit, answer.words))
    };
    given.windows(wanted.len()).filter(is_place).map(ends).collect()
}

/// Returns the tokens that units cover.
fn ends(units: &[Unit<'_>]) -> (usize, usize) {
    (units[0].at, units[units.len() - 1].end)
}

/// Returns the share of the content words of `gold` that `answer` has.
pub(super) fn coverage(gold: &Parsed, answer: &Parsed) -> f64 {
    let (given, mut wanted) = (units(answer, gold), units(gold, gold));
    wanted.retain(|unit| unit.token.content);
    let is_found = |unit: &&Unit<'_>| {
        given.iter().any(|own| own.stem == unit.stem || is_same(unit, own, answer.words))
    };
    wanted.iter().filter(is_found).count() as f64 / wanted.len().max(1) as f64
}

/// Returns the places of an abbreviation of `gold`, or of the words that `gold` abbreviates, by their initials.
pub(super) fn abbreviations(gold: &Parsed, answer: &Parsed) -> Vec<(usize, usize)> {
    let (wanted, given) = (units(gold, gold), units(answer, gold));
    let initials = |units: &[Unit<'_>]| -> String {
        let content = units.iter().filter(|unit| unit.token.is_word() && unit.token.content);
        content.filter_map(|unit| unit.text.chars().next()).collect()
    };
    let abbreviates = |parsed: &Parsed, short: &Unit<'_>, long: &[Unit<'_>]| {
        let is_upper =
            short.token.is_named() && !parsed.raw(short.token).contains(char::is_lowercase);
        let is_short = is_upper && (2..=6).contains(&short.text.len());
        is_short && initials(long) == short.text
    };
    let is_place = |window: &&[Unit<'_>]| match (wanted.as_slice(), *window) {
        ([short], [_, _, ..]) => abbreviates(gold, short, window),
        (long @ [_, _, ..], [short]) => abbreviates(answer, short, long),
        _ => false,
    };
    (1..=8).flat_map(|n| given.windows(n)).filter(is_place).map(ends).collect()
}

/// A text without white space and quotes, and without a hyphen between a letter and a digit (`SHA-256`); with the token of each byte.
fn compact(parsed: &Parsed) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut token_of = Vec::new();
    for (at, token) in parsed.tokens.iter().enumerate() {
        let is_joint = !token.spaced && token.is("-") && at > 0 && {
            let around = parsed.tokens[at - 1..].iter().step_by(2).take(2).map(|token| token.kind);
            let around: Vec<Kind> = around.collect();
            around.contains(&Kind::Word) && around.contains(&Kind::Number)
        };
        if !is_joint && !token.is_one_of("\"'") {
            text.push_str(&token.text);
            token_of.resize(text.len(), at);
        }
    }
    (text, token_of)
}

/// Returns the places of a gold answer that compares as written: every symbol counts but quotes, and the case of single letters, paths,
/// names with `_` and flags. `true`: something goes on before or after it, so that it is another one.
pub(super) fn written(gold: &Parsed, answer: &Parsed) -> Vec<(usize, usize, bool)> {
    let ((wanted, _), (given, token_of)) = (compact(gold), compact(answer));
    if wanted.is_empty() {
        return Vec::new();
    }
    // `config/retention.yaml` is the file `retention.yaml`.
    let is_file = matches!(&gold.tokens[..], [_, dot, _] if dot.is("."));
    let is_exact = gold.text.contains('_') || gold.text.starts_with(['-', '/', '~', '.']);
    let is_cased = |token: &&Token| {
        let before = &gold.text[..token.start];
        is_exact && token.is_word()
            || before.ends_with(" -")
            || token.is_letter()
                && (token.capital || gold.n_words() == 1 || before.ends_with(['-', '[', '+']))
    };
    let cased: Vec<&str> = gold.tokens.iter().filter(is_cased).map(|word| gold.raw(word)).collect();
    let mut places = Vec::new();
    for (at, _) in given.match_indices(wanted.as_str()) {
        let (first, last) = (token_of[at], token_of[at + wanted.len() - 1]);
        let is_whole = (at == 0 || token_of[at - 1] != first)
            && token_of.get(at + wanted.len()) != Some(&last);
        let part = &answer.tokens[first..=last];
        // `E07` has the letter of `E-07`.
        let is_own = |own: &str, raw: &str| {
            own.strip_prefix(raw).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        };
        let has = |raw: &&str| part.iter().any(|token| is_own(answer.raw(token), raw));
        if is_whole && cased.iter().all(has) {
            let is_in_folder = is_file && first > 0 && answer.tokens[first - 1].is("/");
            let is_longer =
                !is_in_folder && begins_before(answer, first) || goes_on(answer, last + 1);
            places.push((first, last + 1, is_longer));
        }
    }
    places
}

/// Returns true if a path, identifier or menu goes on at `at`.
fn goes_on(parsed: &Parsed, at: usize) -> bool {
    let Some([last, next]) = parsed.tokens.get(at - 1..=at) else { return false };
    let after = parsed.tokens.get(at + 1).filter(|after| !after.is_symbol());
    match next.text.as_str() {
        ">" => after.is_some(),
        // `count() - 1`, and a cron line with another field.
        "+" | "-" | "/" | "%" if next.spaced => {
            after.is_some_and(|it| next.emphasised || it.is_number() && !last.emphasised)
        }
        "*" => last.sentence == next.sentence,
        _ if next.is_number() && last.is("*") => next.emphasised == last.emphasised,
        "." | "/" => !next.spaced && after.is_some_and(|after| !after.spaced),
        _ => !next.spaced && !next.unspaced && !next.is_one_of(",:;!?)]=\"'。，、"),
    }
}

/// Returns true if a path, identifier, menu or cron line begins before `at`, or if a bracket may cite what is before it.
fn begins_before(parsed: &Parsed, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &parsed.tokens[before]) else { return false };
    let (is_mark, own) = (before.is_one_of("$(\"':,=。，："), &parsed.tokens[at]);
    // `5 0 3 * * *`.
    let is_field = |it: &Token| (it.is_number() || it.is("*")) && it.emphasised == own.emphasised;
    // `It returns [3, 4] [1, 2].`
    let is_cited = || before.is_one_of(")]") || parsed.mention(at - 1).is_some();
    before.is(">") && at > 1
        || is_field(before) && is_field(own)
        || own.is("[") && (is_cited() || before.emphasised && !own.emphasised)
        || !is_mark && !own.spaced && !before.unspaced
}

/// Returns true if a gold answer compares as written: code, commands, paths, formulas, menu paths, cron lines, references, identifiers
/// and letter designators.
pub(super) fn is_written(gold: &Parsed) -> bool {
    let is_designator = |last: &Token| last.is_letter() && last.capital && gold.n_words() <= 3;
    is_code(&gold.text.replace(EMPHASIS, ""))
        || gold.mentions.is_empty() && gold.tokens.last().is_some_and(is_designator)
}
