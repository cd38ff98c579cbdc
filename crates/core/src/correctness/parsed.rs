//! A text prepared for the rule: cleaned, in tokens, with its values; and the places where one text occurs in another.

use std::ops::Range;

use hashbrown::HashSet;

use super::notation::{EMPHASIS, clean, is_code};
use super::token::Token;
use super::value::{Agreement, Occurrence, is_firm};
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
    content: bool,
    at: usize,
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
            for &direction in directions {
                sides.push(Side { direction, of: of.clone(), content: token.content, at });
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
        let is_named =
            self.tokens[at].capital && self.raw(&self.tokens[at]).contains(char::is_lowercase);
        let is_after = |it: &Token| !it.is_symbol() && it.sentence == self.tokens[at].sentence;
        let is_title = is_named && self.tokens[..at].last().is_some_and(is_after);
        len > 0 && !self.words.words.denies_nothing(&self.tokens, at, len) && !is_title
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
        (0..self.tokens.len()).any(|at| self.tokens[at].content && !range.contains(&at))
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

    /// Returns true if the clause at `at` has the other side of a direction of which `wanted` has one, and its sentence not the same one.
    /// The same word follows, or the sides have content: `After the backup, stop it` to `before the backup`.
    pub(super) fn opposes(&self, at: usize, wanted: &Self) -> bool {
        let (clause, sentence) = (self.clause(at), self.sentence(at));
        wanted.sides.iter().any(|own| {
            self.has_side(own, -own.direction, &clause)
                && !self.has_side(own, own.direction, &sentence)
                && !wanted.has_side(own, -own.direction, &(0..wanted.tokens.len()))
        })
    }

    /// Returns true if a direction is in a range, of the same word as `like`; or of any, if both have content.
    fn has_side(&self, like: &Side, direction: i32, range: &Range<usize>) -> bool {
        let is_like = |side: &&Side| side.of == like.of || side.content && like.content;
        let mut sides = self.sides.iter().filter(is_like);
        sides.any(|side| side.direction == direction && range.contains(&side.at))
    }

    /// Returns the sentence around `at`.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        self.around(at, |token| token.sentence)
    }

    /// Returns the clause around `at`.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        self.around(at, |token| token.clause)
    }

    /// Returns the tokens that share a number, which never falls, with the one at `at`.
    fn around(&self, at: usize, of: impl Fn(&Token) -> usize) -> Range<usize> {
        let own = of(&self.tokens[at]);
        let first = self.tokens.partition_point(|token| of(token) < own);
        first..self.tokens.partition_point(|token| of(token) <= own)
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
    ) -> Vec<(Range<usize>, bool)> {
        let (tokens, mut items) = (&self.tokens[..range.end], Vec::new());
        let (mut item, mut depth, mut is_linked) = (range.start..range.start, 0_usize, false);
        while item.end <= range.end {
            let is = |marks| tokens.get(item.end).is_some_and(|token| token.is_one_of(marks));
            depth = (depth + usize::from(is("(["))).saturating_sub(usize::from(is(")]")));
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
            let starts = *at == 0 || !self.is_same_sentence(at - 1, *at);
            let first = &self.tokens[*at];
            let is_number = first.is_number() && matches!(self.word(at + 1), "." | ")");
            starts && (is_number || first.is_one_of("-*•"))
        };
        (0..self.tokens.len()).filter(is_bullet).count()
    }

    /// Returns true if `short` is one word of this text, in capital letters, and has the initials of `long`.
    fn abbreviates(&self, short: &[Unit<'_>], long: &[Unit<'_>]) -> bool {
        let [short] = short else { return false };
        let words = long.iter().filter(|unit| unit.token.is_word() && unit.token.content);
        long.len() > 1
            && (2..=6).contains(&short.token.text.len())
            && short.token.is_named()
            && !self.raw(short.token).contains(char::is_lowercase)
            && words.filter_map(|unit| unit.token.text.chars().next()).eq(short.token.text.chars())
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
        let is_inside = units.last().is_some_and(|last| at < last.end);
        let value = values.next_if(|value| value.first == at);
        let next = at + 1 + usize::from(parsed.word(at + 1) == ".");
        let is_title = token.capital
            && parsed.tokens.get(next).is_some_and(Token::is_named)
            && parsed.at(Class::Titles, at) > 0;
        // Not the `a` of `cp a b`.
        let is_noun = |next: &Token| !next.is_letter() && !next.is_one_of(".,:;)!?");
        let is_article =
            parsed.words.is_article(token) && parsed.tokens.get(at + 1).is_some_and(is_noun);
        if !is_inside && (value.is_some() || !token.is_one_of(SILENT) && !is_article && !is_title) {
            units.push(Unit { value, token, at, end: value.map_or(at + 1, |value| value.end) });
        }
    }
    units
}

/// Returns true if two values are equal, or two words but for a particle or an inflection.
fn is_same(gold: &Unit<'_>, answer: &Unit<'_>, words: &Vocabulary) -> bool {
    if let Some((gold, answer)) = gold.value.zip(answer.value) {
        let is_limited = is_firm(answer.bound) && answer.bound != gold.bound;
        return gold.relation(answer) == Agreement::Equal && !is_limited;
    }
    let (gold, answer) = (gold.token, answer.token);
    let (wanted, given) = (words.alias(&gold.text), words.alias(&answer.text));
    if wanted == given || gold.is_symbol() || answer.is_symbol() {
        return wanted == given;
    }
    let rest = given.strip_prefix(wanted).filter(|_| !gold.unspaced);
    // `William` is not `Williams`; where names are inflected, stems must do.
    let is_name = gold.capital && answer.capital && words.language.is_english();
    rest.is_some_and(|rest| words.particles.contains(rest)) || !is_name && gold.stem == answer.stem
}

/// Returns the places of `gold` in `answer`, as tokens: of its words and values in order, of its abbreviation, or of the words that it
/// abbreviates.
pub(super) fn places(gold: &Parsed, answer: &Parsed) -> Vec<(usize, usize)> {
    let (wanted, given) = (units(gold, gold), units(answer, gold));
    let n = wanted.len();
    let is_place = |window: &&[Unit<'_>]| {
        let mut pairs = wanted.iter().zip(*window);
        window.len() == n && pairs.all(|(gold, own)| is_same(gold, own, answer.words))
            || gold.abbreviates(&wanted, window)
            || answer.abbreviates(window, &wanted)
    };
    // A word of capital letters may abbreviate up to eight.
    let lens = (1..=n.max(8)).filter(|len| n == 1 || *len == 1 || *len == n);
    let windows = lens.flat_map(|len| given.windows(len));
    windows.filter(is_place).map(|window| (window[0].at, window[window.len() - 1].end)).collect()
}

/// A text without white space and quotes, and without a hyphen between a word and a number (`SHA-256`); with the token of each byte. Single
/// letters and short options keep their case; all words do if `is_exact`.
fn compact(parsed: &Parsed, is_exact: bool) -> (String, Vec<usize>) {
    let (mut text, mut token_of) = (String::new(), Vec::new());
    let is_joint = |at: usize| {
        let is_hyphen = parsed.word(at) == "-" && !parsed.tokens[at].spaced;
        let has_number = parsed.tokens.get(at + 1).is_some_and(Token::is_number);
        is_hyphen && has_number && parsed.tokens[..at].last().is_some_and(Token::is_word)
    };
    for (at, token) in parsed.tokens.iter().enumerate() {
        if !is_joint(at) && !token.is_one_of("\"'") {
            let is_cased = is_exact && token.is_word()
                || token.is_letter() && !is_joint(at + 1)
                || parsed.text[..token.start].ends_with(" -");
            text.push_str(if is_cased { parsed.raw(token) } else { &token.text });
            token_of.resize(text.len(), at);
        }
    }
    (text, token_of)
}

/// Returns the places of a gold answer that compares as written: every symbol counts but quotes, and the case of single letters, paths,
/// names with `_` and flags. `true`: something goes on before or after it, so that it is another one.
pub(super) fn written(gold: &Parsed, answer: &Parsed) -> Vec<(usize, usize, bool)> {
    let is_exact = gold.text.contains('_') || gold.text.starts_with(['-', '/', '~', '.']);
    let ((wanted, _), (given, token_of)) = (compact(gold, is_exact), compact(answer, is_exact));
    // `config/retention.yaml` is the file `retention.yaml`.
    let is_file = matches!(&gold.tokens[..], [_, dot, _] if dot.is("."));
    let place = |(at, _): (usize, &str)| {
        let (first, last) = (token_of[at], token_of[at + wanted.len() - 1]);
        let is_whole = (at == 0 || token_of[at - 1] != first)
            && token_of.get(at + wanted.len()) != Some(&last);
        let is_longer = begins_before(answer, first, is_file) || goes_on(answer, last + 1);
        is_whole.then_some((first, last + 1, is_longer))
    };
    given.match_indices(&wanted).filter(|_| !wanted.is_empty()).filter_map(place).collect()
}

/// Returns true if one token may follow another in a cron line.
fn are_fields(one: &Token, other: &Token) -> bool {
    let is_field = |it: &Token| it.is_number() || it.is("*");
    let is_same = (one.emphasised, one.sentence) == (other.emphasised, other.sentence);
    is_field(one) && is_field(other) && is_same
}

/// Returns true if a path, identifier or formula goes on at `at`, or a menu.
fn goes_on(parsed: &Parsed, at: usize) -> bool {
    let Some([last, next]) = parsed.tokens.get(at - 1..=at) else { return false };
    let after = parsed.tokens.get(at + 1).filter(|after| !after.is_symbol());
    match next.text.as_str() {
        ">" => after.is_some(),
        // `count() - 1`.
        "+" | "-" | "/" | "%" if next.spaced && next.emphasised == last.emphasised => {
            after.is_some_and(|it| next.emphasised || it.is_number())
        }
        "." | "/" => !next.spaced && after.is_some_and(|after| !after.spaced),
        _ if are_fields(last, next) => true,
        _ => !next.spaced && !next.unspaced && !next.is_one_of(",:;!?)]=\"'。，、"),
    }
}

/// Returns true if a path, identifier or menu begins before `at`; a file may be in a folder.
fn begins_before(parsed: &Parsed, at: usize, is_file: bool) -> bool {
    let Some(before) = parsed.tokens[..at].last() else { return false };
    let is_mark = before.is_one_of("$(\"':,=。，：") || is_file && before.is("/");
    let own = &parsed.tokens[at];
    !(is_mark || own.spaced || before.unspaced)
        || before.is(">") && at > 1
        || are_fields(before, own)
}

/// Returns true if a gold answer compares as written: code, commands, paths, formulas, menu paths, cron lines, references, identifiers
/// and letter designators.
pub(super) fn is_written(gold: &Parsed) -> bool {
    let is_designator = |last: &Token| last.is_letter() && last.capital && gold.n_words() <= 3;
    is_code(&gold.text.replace(EMPHASIS, ""))
        || gold.mentions.is_empty() && gold.tokens.last().is_some_and(is_designator)
}
