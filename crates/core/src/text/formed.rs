//! A text in comparable form, mapped back to the bytes of the original.

use super::normalise;
use super::script::is_unspaced;
use crate::types::ByteRange;

/// A comparable form of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// [`normalise::matching`].
    Matching,
    /// [`normalise::separated`]: markup separates words, quotation marks and dashes of any kind are equal.
    Separated,
    /// [`normalise::unstripped`]: of answers that [`normalise::matching`] deletes in whole (`The The`, `!!!`) or at their end,
    /// as `Plan A`.
    Unstripped,
}

impl Form {
    pub(super) const ALL: [Self; 3] = [Self::Matching, Self::Separated, Self::Unstripped];

    pub(super) fn of(self, text: &str) -> String {
        match self {
            Self::Matching => normalise::matching(text),
            Self::Separated => normalise::separated(text),
            Self::Unstripped => normalise::unstripped(text),
        }
    }
}

/// A text in comparable form, with the words that the form came from.
pub(super) struct FormedText<'a> {
    text: &'a str,
    /// The form: the forms of its words, without those that vanish, joined by single spaces.
    pub(super) form: String,
    words: Vec<FormedWord>,
}

struct FormedWord {
    /// Byte of the form at which the word's form begins.
    form_start: usize,
    /// The word's bytes in the text.
    range: ByteRange,
}

impl<'a> FormedText<'a> {
    /// Brings each word of `text` into `wanted`. White space always separates words.
    pub(super) fn new(text: &'a str, wanted: Form) -> Self {
        let mut form = String::with_capacity(text.len());
        let mut words = Vec::new();
        for word in text.split(normalise::is_space).filter(|word| !word.is_empty()) {
            let own = wanted.of(word);
            if own.is_empty() {
                continue;
            }
            if !form.is_empty() {
                form.push(' ');
            }
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            words.push(FormedWord {
                form_start: form.len(),
                range: ByteRange::new(start, start + word.len()),
            });
            form.push_str(&own);
        }
        Self { text, form, words }
    }

    fn word_at(&self, byte: usize) -> &FormedWord {
        let after = self.words.partition_point(|word| word.form_start <= byte);
        &self.words[after.saturating_sub(1)]
    }

    /// Returns the words of the text that the range `found` of the form touches, without outer punctuation. Of words in a script
    /// without spaces, only what was found, if the text has it as it is.
    pub(super) fn stretch(&self, found: ByteRange) -> ByteRange {
        let FormedWord { form_start, range: first } = *self.word_at(found.start);
        let last = self.word_at(found.end - 1).range;
        let whole = &self.text[first.start..last.end];
        if whole.contains(is_unspaced) {
            let wanted = &self.form[found.as_range()];
            let n_before = self.form[form_start..found.start].matches(wanted).count();
            if let Some((at, _)) = whole.match_indices(wanted).nth(n_before) {
                return ByteRange::new(first.start + at, first.start + at + wanted.len());
            }
        }
        let kept = whole.trim_matches(|c: char| c.is_ascii_punctuation());
        let lead = whole.len() - whole.trim_start_matches(|c: char| c.is_ascii_punctuation()).len();
        if kept.is_empty() {
            ByteRange::new(first.start, last.end)
        } else {
            ByteRange::new(first.start + lead, first.start + lead + kept.len())
        }
    }
}
