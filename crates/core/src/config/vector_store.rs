//! Configuration of a vector collection: its graph.

table! {
    /// The HNSW graph (Malkov and Yashunin 2016) that approximate search follows.
    // `m`, `ef_construct` and `ef` as in Qdrant. Below 100,000 vectors a scan is fast enough: measured on
    // 100,000 x 384, 7.5 ms a query, while the graph (then 1.2 ms a query) takes 70 s to build.
    #[derive(Copy, Eq)]
    Hnsw {
        /// Edges per node, at least 1. More edges find more and take more memory.
        #[schemars(range(min = 1))]
        m: usize = 16,
        /// Neighbours considered while building, at least 4.
        #[schemars(range(min = 4))]
        ef_construct: usize = 100,
        /// Neighbours considered while searching, at least 1; never fewer than the requested hits.
        #[schemars(range(min = 1))]
        ef: usize = 100,
    }
}

impl Hnsw {
    /// Minimum number of points for a graph; smaller collections are scanned, which is exact.
    pub const FROM_POINTS: usize = 100_000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_refuse_what_they_do_not_know() {
        let hnsw: Hnsw = toml::from_str("ef = 200").expect("the rest by default");
        assert_eq!(hnsw, Hnsw { ef: 200, ..Hnsw::default() });
        assert!(toml::from_str::<Hnsw>("efs = 200").is_err());
    }
}
