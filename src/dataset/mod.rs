//! Floor 3, data sets: files to checked documents and questions.
