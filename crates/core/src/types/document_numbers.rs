//! Finds documents by id: a hash table of their numbers alone, since the ids are in the documents.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::Document;

/// The numbers of documents by their id: nine to eighteen bytes each.
#[derive(Clone, Debug, Default)]
pub struct DocumentNumbers {
    table: HashTable<Numbered>,
    hasher: DefaultHashBuilder,
}

/// A document with a part of its id's hash: most other ids are skipped, and the table grows, without reading an id.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    hash: u32,
    number: u32,
}

impl DocumentNumbers {
    /// Numbers all `documents`, in their order.
    ///
    /// # Panics
    /// Beyond 2^32 documents.
    #[must_use]
    pub fn new(documents: &[Document]) -> Self {
        let mut numbers = Self {
            table: HashTable::with_capacity(documents.len()),
            hasher: DefaultHashBuilder::default(),
        };
        for number in 0..documents.len() {
            numbers.insert(documents, number);
        }
        numbers
    }

    /// Adds the document of that number; it replaces another one of its id.
    ///
    /// # Panics
    /// Beyond 2^32 documents.
    pub fn insert(&mut self, documents: &[Document], number: usize) {
        let id = |number: u32| documents[number as usize].id.as_str();
        let own = u32::try_from(number).expect("fewer than 2^32 documents");
        let hash = self.hash(id(own));
        let entry = self.table.entry(
            spread(hash),
            |other| other.hash == hash && id(other.number) == id(own),
            |other| spread(other.hash),
        );
        entry.insert(Numbered { hash, number: own });
    }

    /// Returns the number of the document `id`; `documents` are the numbered ones.
    #[must_use]
    pub fn find(&self, documents: &[Document], id: &str) -> Option<usize> {
        let hash = self.hash(id);
        let is = |other: &Numbered| {
            other.hash == hash && documents[other.number as usize].id.as_str() == id
        };
        let found = self.table.find(spread(hash), is);
        found.map(|found| found.number as usize)
    }

    fn hash(&self, id: &str) -> u32 {
        self.hasher.hash_one(id) as u32
    }
}

/// Returns the hash for the table, which reads the lower and the uppermost bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_found_by_its_id_alone() {
        let document = |number: usize| Document {
            id: format!("d{number}").into(),
            title: String::new(),
            text: String::new(),
            metadata: [].into(),
        };
        let mut documents: Vec<Document> = (0..1000).map(document).collect();
        let mut numbers = DocumentNumbers::new(&documents);
        for number in 0..1000 {
            assert_eq!(numbers.find(&documents, &format!("d{number}")), Some(number));
        }
        assert_eq!(numbers.find(&documents, "d1000"), None);
        documents.push(document(7));
        numbers.insert(&documents, 1000);
        assert_eq!(numbers.find(&documents, "d7"), Some(1000));
    }
}
