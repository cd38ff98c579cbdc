//! Floor 5, labelling: passages pooled from several retrievers, judged by a person who is not told which found what.
