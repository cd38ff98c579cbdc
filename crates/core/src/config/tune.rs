//! Configuration of a sweep: its metric.

use crate::metric::Metric;

table! {
    /// `[tune]`
    // 1,000 tokens: five chunks of the default size.
    TuneSettings {
        /// Metric of passages or documents that ranks the configurations. Default: `EvidenceRecall` within the first `tokens` of
        /// context, or `EM` where there are answers and no evidence; `@prompt` where the sweep varies how much is packed.
        #[serde(skip_serializing_if = "Option::is_none")]
        metric: Option<Metric>,
        /// Token budget (`cl100k_base`) of comparisons at equal context, at least 1.
        #[schemars(range(min = 1))]
        tokens: usize = 1000,
    }
}
