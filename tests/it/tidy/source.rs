//! Reads a Rust file as tokens: without comments, without test code, with the names of its test modules and its string literals.

use std::collections::{BTreeSet, HashSet};

/// A word, a punctuation character, `::`, or a literal, whose text is `""`.
#[derive(Debug, PartialEq)]
pub struct Token {
    pub text: String,
    /// Content of a string literal, with its escapes resolved; empty for other tokens.
    pub literal: String,
    pub first_line: usize,
    last_line: usize,
}

/// The code of one file that is compiled outside tests.
#[derive(Debug)]
pub struct Source {
    pub tokens: Vec<Token>,
    /// Modules declared under `#[cfg(test)]`.
    pub test_modules: HashSet<String>,
}

impl Source {
    pub fn parse(text: &str) -> Self {
        without_tests(tokens(text))
    }

    /// Returns the number of lines that hold code: no comments, blank lines or tests.
    pub fn code_lines(&self) -> usize {
        let lines = self.tokens.iter().flat_map(|token| token.first_line..=token.last_line);
        lines.collect::<BTreeSet<_>>().len()
    }

    pub fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text.as_str())
    }
}

pub fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { characters: text.chars().collect(), at: 0, line: 1 };
    let mut found = Vec::new();
    while let Some(token) = scanner.next_token() {
        found.push(token);
    }
    found
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    line: usize,
}

impl Scanner {
    fn next_token(&mut self) -> Option<Token> {
        loop {
            let (first, second) = (self.ahead(0)?, self.ahead(1).unwrap_or('\n'));
            let (first_line, start) = (self.line, self.at);
            let text = match (first, second) {
                ('/', '/') => {
                    self.skip_while(|character| character != '\n');
                    continue;
                }
                ('/', '*') => {
                    self.skip_block_comment();
                    continue;
                }
                _ if first.is_whitespace() => {
                    self.step();
                    continue;
                }
                _ if self.skip_literal() => "\"\"".to_owned(),
                (':', ':') => {
                    self.step();
                    self.step();
                    "::".to_owned()
                }
                _ if is_word(&first.to_string()) => {
                    self.skip_while(|character| is_word(&character.to_string()));
                    self.characters[start..self.at].iter().collect()
                }
                _ => {
                    self.step();
                    first.to_string()
                }
            };
            let last_line = self.line;
            let literal = match text.as_str() {
                "\"\"" => content(&self.characters[start..self.at]),
                _ => String::new(),
            };
            return Some(Token { text, literal, first_line, last_line });
        }
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.characters.get(self.at + by).copied()
    }

    fn step(&mut self) {
        self.line += usize::from(self.ahead(0) == Some('\n'));
        self.at += 1;
    }

    fn skip_while(&mut self, holds: impl Fn(char) -> bool) {
        while self.ahead(0).is_some_and(&holds) {
            self.step();
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.ahead(0), self.ahead(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (None, _) => return,
                _ => {
                    self.step();
                    continue;
                }
            }
            self.step();
            self.step();
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips a string, raw string, byte string or character literal; false where none begins.
    fn skip_literal(&mut self) -> bool {
        let prefix =
            (0..2).take_while(|&by| matches!(self.ahead(by), Some('b' | 'r' | 'c'))).count();
        let raw = (0..prefix).any(|by| self.ahead(by) == Some('r'));
        let hashes = (prefix..self.characters.len())
            .take_while(|&by| raw && self.ahead(by) == Some('#'))
            .count();
        match self.ahead(prefix + hashes) {
            Some('"') => {
                (0..=prefix + hashes).for_each(|_| self.step());
                self.skip_string(raw, hashes);
                true
            }
            Some('\'') if hashes == 0 && self.is_character(prefix) => {
                (0..=prefix).for_each(|_| self.step());
                self.skip_escaped('\'');
                true
            }
            _ => false,
        }
    }

    /// Tells `'a'` from the lifetime `'a`.
    fn is_character(&self, quote: usize) -> bool {
        self.ahead(quote + 1) == Some('\\') || self.ahead(quote + 2) == Some('\'')
    }

    fn skip_string(&mut self, raw: bool, hashes: usize) {
        if !raw {
            return self.skip_escaped('"');
        }
        while self.ahead(0).is_some() {
            let closes =
                self.ahead(0) == Some('"') && (1..=hashes).all(|by| self.ahead(by) == Some('#'));
            self.step();
            if closes {
                (0..hashes).for_each(|_| self.step());
                return;
            }
        }
    }

    fn skip_escaped(&mut self, end: char) {
        while let Some(character) = self.ahead(0) {
            self.step();
            if character == end {
                return;
            }
            if character == '\\' {
                self.step();
            }
        }
    }
}

/// Returns the content of a string literal, with the escapes that occur in texts; empty for a character literal.
fn content(literal: &[char]) -> String {
    let text: String = literal.iter().collect();
    let Some((prefix, rest)) = text.split_once('"') else {
        return String::new();
    };
    let inside = rest.rsplit_once('"').map_or("", |(inside, _)| inside);
    if prefix.contains('r') {
        return inside.to_owned();
    }
    let mut found = String::new();
    let mut characters = inside.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('\n')) => {
                while characters.next_if(|next| next.is_whitespace()).is_some() {}
            }
            ('\\', Some(&escaped)) => {
                found.push(if escaped == 'n' { '\n' } else { escaped });
                characters.next();
            }
            _ => found.push(character),
        }
    }
    found
}

/// Leaves out every item whose attribute is a `cfg` that names `test`.
fn without_tests(tokens: Vec<Token>) -> Source {
    let all = Source { tokens, test_modules: HashSet::new() };
    let mut dropped = HashSet::new();
    let mut test_modules = HashSet::new();
    let mut at = 0;
    while at < all.tokens.len() {
        let after = end_of_attribute(&all, at);
        let is_test = after > at
            && all.text(at + 2) == "cfg"
            && (at..after).any(|index| all.text(index) == "test");
        if !is_test {
            at += 1;
            continue;
        }
        let mut item = after;
        while end_of_attribute(&all, item) > item {
            item = end_of_attribute(&all, item);
        }
        let end = end_of_item(&all, item);
        let module = (item..end).find(|&index| all.text(index) == "mod");
        test_modules.extend(module.map(|index| all.text(index + 1).to_owned()));
        dropped.extend(at..end);
        at = end;
    }
    let tokens = all.tokens.into_iter().enumerate();
    Source {
        tokens: tokens
            .filter(|(index, _)| !dropped.contains(index))
            .map(|(_, token)| token)
            .collect(),
        test_modules,
    }
}

/// Returns the index after the attribute that begins at `at`, or `at` where none does.
pub fn end_of_attribute(source: &Source, at: usize) -> usize {
    if source.text(at) != "#" || source.text(at + 1) != "[" {
        return at;
    }
    end_of_brackets(source, at + 1)
}

/// Returns the index after the bracket that closes the one at `open`.
pub fn end_of_brackets(source: &Source, open: usize) -> usize {
    let mut depth = 0_usize;
    for at in open..source.tokens.len() {
        match source.text(at) {
            "[" | "{" | "(" => depth += 1,
            "]" | "}" | ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    source.tokens.len()
}

fn end_of_item(source: &Source, from: usize) -> usize {
    let is_use = (from..from + 5).any(|index| source.text(index) == "use");
    let mut at = from;
    while at < source.tokens.len() {
        match source.text(at) {
            ";" => return at + 1,
            "{" if !is_use => return end_of_brackets(source, at),
            "(" | "[" | "{" => at = end_of_brackets(source, at),
            _ => at += 1,
        }
    }
    at
}
