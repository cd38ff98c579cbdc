//! Tokens of a cleaned text.
//!
//! A word is letters with the digits that follow them; a number is digits with single separators between; every other
//! character is a symbol. In scripts without spaces each character is a word. Texts are compared token by token, so
//! nothing is lost that a symbol says.

use std::sync::LazyLock;

use regex::Regex;

use super::notation::{EMPHASIS, fold};
use super::vocabulary::Lexicon;
use crate::language::Class;
use crate::text::pattern;

/// Kind of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    #[default]
    Symbol,
}

/// A token of a text.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks of a word")]
pub(super) struct Token {
    /// Lower case, NFKC, without diacritics.
    pub text: String,
    pub stem: String,
    /// Bytes in the text.
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// It says something of the thing that is talked about: no symbol, article or function word.
    pub content: bool,
    /// White space precedes it.
    pub spaced: bool,
    /// Begins or ends with a capital letter: `iOS`.
    pub capital: bool,
    /// Bold, code or boxed; italic is that of titles.
    pub emphasised: bool,
    /// Number of its sentence, and of its clause in the whole text.
    pub sentence: usize,
    pub clause: usize,
    /// True for a script without spaces.
    pub unspaced: bool,
}

impl Token {
    /// Returns true for the token of a folded text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Returns true for one of the given symbols.
    pub(super) fn is_one_of(&self, symbols: &str) -> bool {
        symbols.contains(&self.text)
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    pub(super) fn is_number(&self) -> bool {
        self.kind == Kind::Number
    }

    pub(super) fn is_symbol(&self) -> bool {
        self.kind == Kind::Symbol
    }

    /// A word with a capital letter.
    pub(super) fn is_named(&self) -> bool {
        self.is_word() && self.capital
    }

    /// A single letter.
    pub(super) fn is_letter(&self) -> bool {
        self.is_word() && self.end - self.start == 1
    }
}

/// A token by kind. A word goes on over an apostrophe between letters, and the full stops of `U.S.`; `v1.2` is `1.2`.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let unspaced = r"\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Han}\p{Hiragana}\p{Katakana}ー";
    let letter = format!(r"[\p{{Alphabetic}}--[{unspaced}]]");
    let inner = format!(r"[[\p{{Alphabetic}}\p{{M}}\p{{N}}\u200c\u200d]--[{unspaced}]]*");
    pattern(&format!(
        r"(?x) [vV]? (?<number> \p{{N}}+ (?: [.,:'٫٬] \p{{N}}+ )* )
        | (?<word> (?<unspaced> [{unspaced}] \p{{M}}* )
            | (?: {letter} (?: \. {letter} )+ \b | {letter} {inner} )
              (?: ' [{letter}--\p{{Hangul}}] {inner} )* )
        | \n | \S"
    ))
});

/// The `v1` at the end of `TLSv1.2`.
static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^.{2,}?(v)[0-9]"));

/// Returns the tokens of a cleaned text, shaped by elisions and the words that begin a clause.
pub(super) fn tokens(text: &str, words: &Lexicon) -> Vec<Token> {
    let mut lexer = Lexer { text, words, tokens: Vec::new(), state: Token::default() };
    let (mut at, mut spaced) = (0, true);
    while let Some(groups) = TOKEN.captures_at(text, at) {
        let whole = groups.get_match();
        let (part, kind) = match (groups.name("number"), groups.name("word")) {
            (Some(number), _) => (number, Kind::Number),
            (None, Some(word)) => (word, Kind::Word),
            (None, None) => (whole, Kind::Symbol),
        };
        spaced |= whole.start() > at;
        at = whole.end();
        if part.as_str() == "\n" {
            lexer.break_sentence();
            spaced = true;
        } else if part.as_str().starts_with(EMPHASIS) {
            // `mode **fast**` and `**fast**.` keep their spaces.
            lexer.state.emphasised ^= true;
        } else {
            let version = VERSION.captures(part.as_str()).and_then(|groups| groups.get(1));
            at = version.filter(|_| kind == Kind::Word).map_or(at, |v| part.start() + v.start());
            let unspaced = groups.name("unspaced").is_some();
            let (start, state) = (part.start(), lexer.state.clone());
            lexer.push(Token { start, end: at, kind, spaced, unspaced, ..state });
            spaced = false;
        }
    }
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t str,
    words: &'t Lexicon,
    tokens: Vec<Token>,
    /// Sentence, clause and emphasis of the next token.
    state: Token,
}

impl Lexer<'_> {
    /// Adds a token of which the text is not read yet.
    fn push(&mut self, mut token: Token) {
        let raw = &self.text[token.start..token.end];
        token.text = fold(raw);
        token.capital = raw.starts_with(char::is_uppercase) || raw.ends_with(char::is_uppercase);
        if let Some((short, rest)) = token.text.split_once('\'').filter(|_| token.is_word()) {
            if self.words.has(Class::Elisions, short) {
                token.start += raw.find('\'').map_or(0, |len| len + 1);
                token.text = rest.into();
            } else if rest == "s" {
                token.text = short.into();
            }
        }
        // `2.4.0` is `2.4`.
        let is_short = |it: &&str| it.matches('.').count() == 1;
        if let Some(short) = token.text.strip_suffix(".0").filter(is_short) {
            token.text = short.into();
        }
        if token.is_word() {
            token.text.retain(|c| c != '.' && c != '\'');
        }
        self.state.clause += usize::from(self.words.has(Class::ClauseWords, &token.text));
        token.clause = self.state.clause;
        let is_end = "。！？｡।؟!?…".contains(raw) || raw == "." && self.ends_sentence(token.end);
        if is_end {
            self.break_sentence();
        } else if ",;:()，；：、،؛—".contains(raw) {
            self.state.clause += 1;
        }
        self.tokens.push(token);
    }

    /// Returns true if the full stop before `at` ends its sentence.
    fn ends_sentence(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start_matches([EMPHASIS, ')', '"', '\'', ']']);
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return false;
        }
        let after = rest.chars().find(|c| c.is_alphanumeric());
        // `J. Smith`, `No. 5`.
        let is_short = self.tokens.last().is_some_and(|word| {
            let is_number = after.is_some_and(char::is_numeric) && word.is("no");
            word.end + 1 == at && word.is_named() && (word.is_letter() || is_number)
        });
        // Two spaces are left where a citation began a sentence.
        let goes_on = after.is_some_and(char::is_lowercase) && !rest.starts_with("  ");
        rest.is_empty() || !is_short && !goes_on
    }

    /// Begins a sentence, and with it a clause.
    fn break_sentence(&mut self) {
        self.state.sentence += 1;
        self.state.clause += 1;
    }
}
