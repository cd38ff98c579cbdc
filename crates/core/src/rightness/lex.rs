//! Splits cleaned text into tokens, with sentences and clauses.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::tables::WordSet;
use super::words::{ABBREVIATIONS, MONTHS, NAME_ABBREVIATIONS, SCALES, TITLES};

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenShape {
    /// Letters.
    Word,
    /// Digits, with separators between them.
    Digits,
    /// An identifier, path, flag or host name.
    Code,
    /// A punctuation character or symbol; a line feed.
    Mark,
}

/// Use of capital letters in a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Casing {
    Lower,
    Capital,
    Upper,
}

/// A token of a text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Lower case, without diacritics.
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: TokenShape,
    /// White space precedes it.
    pub(super) spaced: bool,
    pub(super) case: Casing,
    /// A possessive `'s` was removed.
    pub(super) possessive: bool,
}

impl Token {
    /// Returns true if it is the word, mark or code `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.shape == TokenShape::Word
    }

    /// Begins with a capital letter.
    pub(super) fn capital(&self) -> bool {
        self.case != Casing::Lower
    }

    /// Has capital letters only.
    pub(super) fn upper(&self) -> bool {
        self.case == Casing::Upper
    }

    pub(super) fn is_mark(&self) -> bool {
        self.shape == TokenShape::Mark
    }
}

/// Returns the tokens of `text`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, tokens: Vec::with_capacity(text.len() / 5 + 2) };
    let mut line_start = 0;
    for line in text.split('\n') {
        if line_start > 0 {
            lexer.push(line_start - 1, line_start, TokenShape::Mark, true);
        }
        lexer.line(line_start, line);
        line_start += line.len() + 1;
    }
    lexer.tokens
}

/// Lower case without diacritics.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'ı' => out.push('i'),
            _ if is_combining_mark(c) => {}
            _ => out.push(c),
        }
    }
    out
}

fn case(raw: &str) -> Casing {
    match raw.starts_with(char::is_uppercase) {
        false => Casing::Lower,
        true if raw.chars().all(|c| c.is_uppercase() || c == '&') => Casing::Upper,
        true => Casing::Capital,
    }
}

struct Lexer<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, start: usize, end: usize, shape: TokenShape, spaced: bool) {
        let raw = &self.text[start..end];
        self.tokens.push(Token {
            text: if raw == "\n" { raw.to_owned() } else { fold(raw) },
            start,
            end,
            shape,
            spaced,
            case: case(raw),
            possessive: false,
        });
    }

    fn line(&mut self, start: usize, line: &str) {
        let base = line.as_ptr().addr();
        let mut chunks = line.split_whitespace().peekable();
        while let Some(chunk) = chunks.next() {
            let at = start + chunk.as_ptr().addr() - base;
            self.chunk(at, chunk, chunks.peek().copied());
        }
    }

    /// Splits text without white space: opening marks, core, closing marks.
    fn chunk(&mut self, start: usize, chunk: &str, next: Option<&str>) {
        let core = chunk.trim_start_matches(['(', '[', '{', '"', '\'']);
        let lead = chunk.len() - core.len();
        let body = core.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'']);
        for (offset, c) in chunk[..lead].char_indices() {
            self.push(start + offset, start + offset + c.len_utf8(), TokenShape::Mark, offset == 0);
        }
        if !body.is_empty() {
            let from = start + lead;
            self.core(from, body, lead == 0);
        }
        let rest = lead + body.len();
        for (offset, c) in chunk[rest..].char_indices() {
            let silent =
                c == '.' && offset == 0 && chunk.len() == rest + 1 && keeps_sentence(body, next);
            if !silent {
                let at = start + rest + offset;
                self.push(at, at + c.len_utf8(), TokenShape::Mark, rest + offset == 0);
            }
        }
    }

    fn core(&mut self, start: usize, core: &str, spaced: bool) {
        if is_code(core) {
            return self.push(start, start + core.len(), TokenShape::Code, spaced);
        }
        if let Some(letters) = initialism(core) {
            return self.initials(start, core, &letters, spaced);
        }
        let mut at = 0;
        while let Some(c) = core[at..].chars().next() {
            let rest = &core[at..];
            let (len, shape) = if c.is_ascii_digit() {
                (digits_len(rest), TokenShape::Digits)
            } else if c.is_alphabetic() {
                (letters_len(rest), TokenShape::Word)
            } else {
                (c.len_utf8(), TokenShape::Mark)
            };
            self.push(start + at, start + at + len, shape, spaced && at == 0);
            if shape == TokenShape::Word {
                self.drop_possessive();
            }
            at += len;
        }
    }

    fn drop_possessive(&mut self) {
        if let Some(token) = self.tokens.last_mut()
            && let Some(stem) = token.text.strip_suffix("'s")
            && !matches!(stem, "it" | "that" | "he" | "she" | "there" | "what" | "let")
        {
            token.text.truncate(stem.len());
            token.possessive = true;
        }
    }

    /// Pushes `U.S.` as one word and `J.K.` as two initials.
    fn initials(&mut self, start: usize, core: &str, letters: &str, spaced: bool) {
        let known = letters.len() > 3
            || ABBREVIATIONS.has(letters)
            || matches!(
                letters,
                "la" | "dc" | "ny" | "eu" | "un" | "bc" | "ad" | "uae" | "nyc" | "phd"
            );
        if known {
            self.push(start, start + core.len(), TokenShape::Word, spaced);
            if let Some(token) = self.tokens.last_mut() {
                letters.clone_into(&mut token.text);
                if token.case == Casing::Capital {
                    token.case = Casing::Upper;
                }
            }
            return;
        }
        for (offset, c) in core.char_indices().filter(|(_, c)| c.is_alphabetic()) {
            self.push(
                start + offset,
                start + offset + c.len_utf8(),
                TokenShape::Word,
                spaced && offset == 0,
            );
        }
    }
}

/// Returns true if the period after `body` does not end a sentence.
fn keeps_sentence(body: &str, next: Option<&str>) -> bool {
    let folded = fold(body);
    let Some(next) = next else {
        return false;
    };
    let capital = next.starts_with(char::is_uppercase);
    let digit = next.starts_with(|c: char| c.is_ascii_digit());
    let initial = body.chars().count() == 1 && body.starts_with(char::is_uppercase) && body != "I";
    initial
        || TITLES.has(&folded)
        || (NAME_ABBREVIATIONS.has(&folded) && (capital || digit))
        || (initialism(body).is_some() && (!capital || !matches!(folded.as_str(), "p.m" | "a.m")))
        || (ABBREVIATIONS.has(&folded) && !capital)
        || ((folded == "no" || is_month_abbreviation(&folded)) && digit)
        || (digit && body.ends_with(|c: char| c.is_ascii_digit()) && body.len() <= 2)
        || (body.len() <= 2
            && body.starts_with(|c: char| c.is_ascii_digit())
            && MONTHS.iter().any(|month| fold(next).starts_with(&month[..3])))
}

fn is_month_abbreviation(word: &str) -> bool {
    word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(word))
}

/// Returns the letters of `U.S` or `J.K` in lower case.
fn initialism(core: &str) -> Option<String> {
    let mut letters = String::new();
    for part in core.split('.') {
        let mut chars = part.chars();
        match (chars.next(), chars.next()) {
            (Some(letter), None) if letter.is_alphabetic() => letters.extend(letter.to_lowercase()),
            _ => return None,
        }
    }
    (letters.chars().count() > 1).then_some(letters)
}

fn digits_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while is_digit(at)
        || (matches!(bytes.get(at), Some(b'.' | b',' | b':')) && is_digit(at + 1))
        || (bytes.get(at) == Some(&b'\'')
            && (1..4).all(|next| is_digit(at + next))
            && !is_digit(at + 4))
    {
        at += 1;
    }
    at
}

fn letters_len(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let letter_next = chars.peek().is_some_and(|(_, next)| next.is_alphabetic());
        let digit_next = chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if c == 'v' && at > 1 && digit_next && text[..at].bytes().all(|b| b.is_ascii_uppercase()) {
            // `TLSv1.2`
            break;
        }
        if c.is_alphabetic() || is_combining_mark(c) || (c == '\'' && letter_next) {
            end = at + c.len_utf8();
        } else if matches!(c, '2' | '3') && matches!(&text[..at], "ft" | "m" | "km" | "mi" | "cm") {
            end = at + 1;
        } else {
            break;
        }
    }
    end
}

/// Returns true if `core` is an identifier, path, flag, host name or placeholder.
pub(super) fn is_code(core: &str) -> bool {
    let bytes = core.as_bytes();
    let Some(&first) = bytes.first() else {
        return false;
    };
    let letters = core.contains(|c: char| c.is_alphabetic());
    if !core.is_ascii() {
        return false;
    }
    if first == b'/' && bytes.get(1).is_some_and(u8::is_ascii_alphanumeric) {
        return true;
    }
    if !letters {
        return false;
    }
    let second_letter = bytes.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'-');
    (matches!(first, b'-' | b'.' | b'@') && second_letter)
        || core.contains(['_', '=', '<', '>', '@', '\\'])
        || core.contains("::")
        || core.contains("://")
        || (core.contains('/')
            && (core.matches('/').count() > 1 || core.contains(['.', '-']))
            && !has_unit_slash(core))
        || core.ends_with('/')
        || dotted_name(core)
        || hyphened_number(core)
        || letters_then_digits(core)
}

fn has_unit_slash(core: &str) -> bool {
    core.starts_with(|c: char| c.is_ascii_digit()) || core.starts_with(['$', '-'])
}

/// `upload.example.com`, `order-events.parked`: a lower-case letter on both sides of a period, no initials.
fn dotted_name(core: &str) -> bool {
    let bytes = core.as_bytes();
    initialism(core).is_none()
        && bytes.windows(3).any(|w| {
            w[1] == b'.'
                && (w[0].is_ascii_lowercase() || w[0].is_ascii_digit())
                && w[2].is_ascii_lowercase()
        })
        && !core.starts_with(|c: char| c.is_ascii_digit())
}

/// `TXT-16`, `ISO-8859-1`, `fra-1`: letters, a hyphen, digits.
fn hyphened_number(core: &str) -> bool {
    let Some((left, right)) = core.split_once('-') else {
        return false;
    };
    let plain = left.bytes().all(|b| b.is_ascii_alphanumeric())
        && left.starts_with(|c: char| c.is_ascii_alphabetic());
    let lower = fold(left);
    plain
        && right.split('-').any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        && !right.split('-').any(|part| {
            part.len() > 1
                && part.bytes().all(|b| b.is_ascii_alphabetic())
                && is_month_abbreviation(&fold(part))
        })
        && !is_month_abbreviation(&lower)
        && !matches!(lower.as_str(), "mid" | "pre" | "post" | "early" | "late" | "non" | "ca")
}

/// `R60`, `k8s-root`, `p95`: begins with letters that digits follow; not `v1.2`, not `EUR5`.
fn letters_then_digits(core: &str) -> bool {
    let letters = core.bytes().take_while(u8::is_ascii_alphabetic).count();
    let prefix = fold(&core[..letters]);
    letters > 0
        && core[letters..].starts_with(|c: char| c.is_ascii_digit())
        && !(prefix.ends_with('v') && core[letters..].contains('.'))
        && !matches!(
            prefix.as_str(),
            "eur" | "usd" | "gbp" | "chf" | "jpy" | "ft" | "m" | "km" | "mi"
        )
        && SCALES.number(&prefix).is_none()
}

/// Clauses and sentences of a token sequence: the number of each token's.
#[derive(Clone, Debug, Default)]
pub(super) struct Clauses {
    pub(super) clause: Vec<u16>,
    pub(super) sentence: Vec<u16>,
}

/// Words that begin a clause.
static CLAUSE_WORDS: WordSet =
    WordSet::new("but because although though while whereas which however since");

/// Numbers the clauses and sentences of `tokens`.
pub(super) fn parts(tokens: &[Token]) -> Clauses {
    let mut parts = Clauses::default();
    let (mut clause, mut sentence) = (0, 0);
    for (index, token) in tokens.iter().enumerate() {
        let dash =
            token.is("-") && token.spaced && tokens.get(index + 1).is_some_and(|next| next.spaced);
        let ends_sentence =
            token.is_mark() && matches!(token.text.as_str(), "." | "!" | "?" | "\n" | ";");
        let ends_clause = dash
            || (token.is_mark() && matches!(token.text.as_str(), "," | ":" | "(" | ")"))
            || CLAUSE_WORDS.has(&token.text);
        sentence += u16::from(ends_sentence && index > 0);
        clause += u16::from(ends_sentence || ends_clause);
        parts.clause.push(clause);
        parts.sentence.push(sentence);
    }
    parts
}

/// Returns true if the tokens from `at` are the words of `phrase`.
pub(super) fn begins_with(tokens: &[Token], at: usize, phrase: &[&str]) -> bool {
    phrase
        .iter()
        .enumerate()
        .all(|(offset, word)| tokens.get(at + offset).is_some_and(|token| token.is(word)))
}
