//! Documents by the names that other systems have for them.

use std::collections::HashMap;

use super::DocId;

/// Longest extension of a file's name.
const LONGEST_EXTENSION: usize = 8;

/// The numbers of documents by their ids and, where only one document has it, by the id without its extension.
#[derive(Clone, Debug, Default)]
pub struct DocumentNames(HashMap<String, Option<usize>>);

impl DocumentNames {
    /// Collects the names of documents, in their order.
    #[must_use]
    pub fn new<'d>(ids: impl Iterator<Item = &'d DocId> + Clone) -> Self {
        let mut numbers = HashMap::new();
        for (number, id) in ids.clone().enumerate() {
            let stem = numbers.entry(stem(id.as_str()).to_owned());
            stem.and_modify(|known| *known = None).or_insert(Some(number));
        }
        numbers.extend(ids.enumerate().map(|(number, id)| (id.to_string(), Some(number))));
        Self(numbers)
    }

    /// Returns the document that `name` names: its id, or a path or address that ends with it, of several the longest; else the
    /// only document whose id has another extension, or one that `name` lacks.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        let path = name.replace('\\', "/");
        let ends = || path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        let parts = || [name, &path].into_iter().chain(ends());
        let mut all = parts().chain(parts().map(stem));
        all.find_map(|part| self.0.get(part).copied().flatten())
    }
}

/// Returns a name without its extension, which has a letter: `2-2.4` and `v1.2` have none.
fn stem(name: &str) -> &str {
    let is_extension = |text: &str| {
        (1..=LONGEST_EXTENSION).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_extension(extension) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_id_a_path_to_it_and_a_name_without_extension() {
        let ids = ["guide/deploy.md", "oncall.md", "oncall.txt", "2-2.4", "a.md"].map(DocId::from);
        let names = DocumentNames::new(ids.iter());
        for (name, expected) in [
            ("oncall.md", Some(1)),
            ("https://host/x/oncall.txt", Some(2)),
            ("C:\\docs\\oncall.md", Some(1)),
            ("guide/deploy", Some(0)),
            ("/srv/guide/deploy.pdf", Some(0)),
            ("a", Some(4)),
            ("2-2.4.txt", Some(3)),
            // Two documents are `oncall`, and `deploy` is in a folder.
            ("oncall", None),
            ("deploy", None),
            ("2-2", None),
            ("", None),
        ] {
            assert_eq!(names.find(name), expected, "{name}");
        }
    }
}
