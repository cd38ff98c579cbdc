//! Text of an answer as tokens, without markup and citations.
//!
//! A word is letters with the digits that follow them; a number is digits with single separators between; every other
//! character is a symbol. In scripts without spaces each character is a word. Texts are compared token by token, so
//! nothing is lost that a symbol says.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use unicode_normalization::UnicodeNormalization;

use crate::text::citations::Citable;
use crate::text::pattern;

/// Marks the beginning and the end of bold, code and boxed text. Italic is that of titles.
pub(super) const EMPHASIS: char = '\u{e000}';

/// Markup with its plain text: tags, boxes, fences, links, citations without a number of a passage, italic, bold, code.
static MARKUP: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let steps = [
        (
            r"(?ix) < /? (?: b | strong | code | pre | mark | answer | final | final_answer ) \s* /? >",
            "\u{e000}",
        ),
        (r"(?i)</?(?:p|br|ul|li)\s*/?>", "\n"),
        (r"(?i)</?(?:i|u|em|span)\s*/?>", ""),
        (r"\\(?:text|textbf|mathrm)\{([^{}]*)\}", "$1"),
        (
            r"(^|[\s(])(?:\$(\d[\d.,]*(?: [[:alpha:]]+)?)\$|\\\((\d[\d.,]*(?: [[:alpha:]]+)?)\\\))($|[\s).,;:])",
            "$1$2$3$4",
        ),
        (r"\b([kcmµ]?m)<sup>([23])</sup>", "$1^$2"),
        (r"\$?\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}\$?", "\u{e000}$1\u{e000}"),
        (r"(?m)^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$|```(?:\w+\n)?", "\n\u{e000}\n"),
        (r"\[([^\]\n]+)\]\((?:https?:|#|/)[^)\s]*\)", "$1"),
        (r"`([^`<\n]+) <https?:[^>\s]*>`_{1,2}", "$1"),
        (r"(?i)(`[^`\n]+`)|【[^】]*】|<sup>[^<]*</sup>", "$1"),
        (
            r"(^|[\s(\x22'\u{e000}])[*_]([^\s*_](?:[^*_\n]*?[^\s*_])?)[*_]($|[\s).,;:!?\x22'\u{e000}])",
            "$1$2$3",
        ),
        (r"\*\*\*?(.+?)\*\*\*?", "\u{e000}$1\u{e000}"),
        (r"`+([^`\n]+)`+", "\u{e000}$1\u{e000}"),
        ("`", ""),
        (r"(\d ?[kmµ]?V)((?i:AC|DC))\b", "$1 $2"),
        (r"\b(\d\d?) ?h ?(\d\d)(?: ?m(?:in)?)?\b", "$1 h $2 min"),
        (r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", "$1 $2"),
    ];
    steps.into_iter().map(|(markup, plain)| (pattern(markup), plain)).collect()
});
/// Finds in one pass whether there is any markup.
static ANY_MARKUP: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(MARKUP.iter().map(|(markup, _)| markup.as_str())).expect("patterns of constants")
});

/// Returns `answer` as plain text with one spelling of dashes, quotes and spaces; emphasis and line breaks are marked. Without
/// `has_citations` numbers in brackets stay.
pub(super) fn clean(answer: &str, has_citations: bool) -> String {
    let mut text = characters(answer);
    if has_citations {
        text = Citable::new([]).without_citations(&text);
    }
    let steps = if ANY_MARKUP.is_match(&text) { MARKUP.as_slice() } else { &[] };
    for (markup, plain) in steps {
        text = markup.replace_all(&text, *plain).into_owned();
    }
    text.trim().to_owned()
}

/// Typographic characters, and what is read for each; nothing for marks of direction, joiners and private characters.
const SPELLINGS: [(&str, &str); 13] = [
    ("‘’‚′ʼ＇", "'"),
    ("“”„«»″「」『』", "\""),
    ("‐‑‒–−－", "-"),
    ("—―", " - "),
    ("→›▸➜➔", " > "),
    ("…", "..."),
    ("½", ".5"),
    ("¼", ".25"),
    ("¾", ".75"),
    ("×", "x"),
    ("•", "- "),
    ("\u{2028}\u{2029}\u{b}\u{c}", "\n"),
    ("\u{200b}\u{200e}\u{200f}\u{feff}\u{61c}\r\u{e000}", ""),
];

/// Digits of an exponent.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/// One spelling of typographic characters; raised digits keep their place as `^2`.
fn characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        let is_digit = |zero: &char| (c as u32).wrapping_sub(*zero as u32) < 10;
        if RAISED.contains(c) && last != '^' && !RAISED.contains(last) {
            out.push('^');
        }
        if "½¼¾".contains(c) && !last.is_ascii_digit() {
            out.push('0');
        }
        if let Some((_, read)) = SPELLINGS.iter().find(|(characters, _)| characters.contains(c)) {
            out.push_str(read);
        } else if let Some(zero) = ['٠', '۰', '०', '๐'].into_iter().find(is_digit) {
            out.extend(char::from_digit(c as u32 - zero as u32, 10));
        } else if c != '\n' && c.is_whitespace() {
            out.push(' ');
        } else if !matches!(c, '\0' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}') {
            out.push(c);
        }
        last = c;
    }
    out.nfkc().map(|c| if c == '\u{3bc}' { 'µ' } else { c }).collect()
}

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

/// Words of a language that shape tokens.
#[derive(Default)]
pub(super) struct Shaping {
    /// Words whose full stop ends no sentence.
    pub abbreviations: HashSet<String>,
    /// Short forms that are dropped before an apostrophe.
    pub elisions: HashSet<String>,
    /// Words that begin a clause.
    pub clause_words: HashSet<String>,
}

/// Letters that NFKD does not take apart, with those that they are read as; and marks that are not read.
const LETTERS: [(&str, &str); 12] = [
    ("ß", "ss"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("ø", "o"),
    ("ł", "l"),
    ("đð", "d"),
    ("ı", "i"),
    ("ς", "σ"),
    ("ٱ", "ا"),
    ("ى", "ي"),
    ("ة", "ه"),
    ("\u{640}\u{670}\u{ad}", ""),
];

/// Lower case and NFKC, without Latin, Greek, Cyrillic and Arabic diacritics; one form for the variants of a letter.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}');
    let mut out = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_mark(c)).flat_map(char::to_lowercase) {
        match LETTERS.iter().find(|(letters, _)| letters.contains(c)) {
            Some((_, read)) => out.push_str(read),
            None => out.push(c),
        }
    }
    out.nfc().collect()
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

/// Returns the tokens of a cleaned text.
pub(super) fn tokens(text: &str, shaping: &Shaping) -> Vec<Token> {
    let mut lexer = Lexer { text, shaping, tokens: Vec::new(), state: Token::default() };
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
    shaping: &'t Shaping,
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
            if self.shaping.elisions.contains(short) {
                token.start += raw.find('\'').map_or(0, |len| len + 1);
                token.text = rest.into();
            } else if rest == "s" {
                token.text = short.into();
            }
        }
        if token.is_word() {
            token.text.retain(|c| c != '.' && c != '\'');
        }
        self.state.clause += usize::from(self.shaping.clause_words.contains(&token.text));
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
        let is_short = self.tokens.last().is_some_and(|word| {
            let is_abbreviation = self.shaping.abbreviations.contains(&word.text);
            word.end + 1 == at && (is_abbreviation || word.is_letter() && word.capital)
        });
        let after = rest.chars().find(|c| c.is_alphanumeric());
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
