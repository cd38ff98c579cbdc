//! Answers to questions of yes or no.

use super::evidence::{Ground, Reason, right, unsure, wrong};
use super::parsed::Parsed;
use super::token::Token;
use crate::language::Class;

/// Returns `true` for yes and `false` for no, if `text` is one of these words alone.
pub(super) fn polarity(parsed: &Parsed) -> Option<bool> {
    let at = parsed.tokens.iter().position(|token| !token.is_symbol())?;
    let is_whole = |class| {
        let len = parsed.at(class, at);
        len > 0 && parsed.tokens[at + len..].iter().all(Token::is_symbol)
    };
    if is_whole(Class::Yes) { Some(true) } else { is_whole(Class::No).then_some(false) }
}

/// Decides an answer to a question whose gold answer is yes (`true`) or no.
pub(super) fn decide(gold: bool, answer: &Parsed) -> Reason {
    match said(answer).map(|(said, _)| said).or_else(|| implied(answer)) {
        Some(said) => {
            let decide = if said == gold { right } else { wrong };
            decide(Ground::Polar, if said { "yes" } else { "no" }.to_owned())
        }
        None => unsure(Ground::Absent, "yes or no"),
    }
}

/// Returns true if an answer says yes or no as a clause of its own.
pub(super) fn is_explicit(answer: &Parsed) -> bool {
    said(answer).is_some_and(|(_, alone)| alone)
}

/// `It does.` says yes, `They were not.` no: a first clause of two to four words without content.
fn implied(answer: &Parsed) -> Option<bool> {
    let tokens = &answer.tokens;
    let end = tokens.iter().position(Token::is_symbol).unwrap_or(tokens.len());
    let denies = |at: usize| answer.at(Class::Negations, at) > 0;
    let is_empty = |at: usize| !tokens[at].content && answer.number_word(at).is_none();
    let is_plain = |at: usize| (is_empty(at) || denies(at)) && answer.at(Class::Hedges, at) == 0;
    ((2..=4).contains(&end) && (0..end).all(is_plain)).then(|| !(0..end).any(denies))
}

/// Returns what an answer says: a word of yes or no that begins it, after pleasantries, or ends one of its short sentences
/// (`The answer is no.`), or is emphasised; and whether it is a clause of its own. `None` if there is none, or both.
fn said(answer: &Parsed) -> Option<(bool, bool)> {
    let tokens = &answer.tokens;
    let mut found: Vec<(bool, bool)> = Vec::new();
    let mut pleasantry = None;
    let (mut opening, mut at) = (true, 0);
    while at < tokens.len() {
        let (yes, no) = (answer.at(Class::Yes, at), answer.at(Class::No, at));
        let (said, len) = (yes > no, yes.max(no));
        let pleasant = if opening { answer.at(Class::Openings, at) } else { 0 };
        if pleasant > 0 && pleasant >= len {
            // `Sure! The answer is no.`
            pleasantry = pleasantry.or((len > 0).then_some((said, true)));
            at += pleasant;
            continue;
        }
        if len == 0 {
            opening &= tokens[at].is_symbol();
            at += 1;
            continue;
        }
        let sentence = answer.sentence(at);
        let end = sentence.end.max(at + len);
        let closes = tokens[at + len..end].first().is_none_or(Token::is_symbol);
        let n_before = tokens[sentence.start..at].iter().filter(|token| !token.is_symbol()).count();
        let is_denied =
            said && answer.has_in(Class::Negations, sentence.start.max(at.saturating_sub(2))..at);
        let is_short = n_before <= if tokens[at].unspaced { 16 } else { 6 };
        if !is_denied && (opening || tokens[at].emphasised || closes && is_short) {
            found.push((said, closes));
        }
        opening = false;
        at += len;
    }
    let first = found.first().copied().or(pleasantry)?;
    found.iter().all(|(said, _)| *said == first.0).then_some(first)
}
