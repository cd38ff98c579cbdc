//! Clusters of items that share keys: questions about the same evidence are not independent.

use std::collections::HashMap;
use std::hash::Hash;

/// Numbers each item with its cluster, `0..n_clusters` by first appearance. Two items share a cluster when a chain of
/// shared keys links them. An item without keys forms a cluster by itself.
pub fn clusters<K: Eq + Hash>(
    items: impl IntoIterator<Item = impl IntoIterator<Item = K>>,
) -> Vec<usize> {
    let mut parents: Vec<usize> = Vec::new();
    let mut owner: HashMap<K, usize> = HashMap::new();
    for keys in items {
        let item = parents.len();
        parents.push(item);
        for key in keys {
            let first = *owner.entry(key).or_insert(item);
            let (a, b) = (root(&mut parents, first), root(&mut parents, item));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    (0..parents.len())
        .map(|item| {
            let root = root(&mut parents, item);
            let next = numbers.len();
            *numbers.entry(root).or_insert(next)
        })
        .collect()
}

/// Returns each cluster's sum of its questions' values, by cluster number; 0 for numbers that do not occur.
pub(super) fn sums(values: &[f64], cluster_of: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; cluster_of.iter().max().map_or(0, |last| last + 1)];
    for (value, &cluster) in values.iter().zip(cluster_of) {
        sums[cluster] += value;
    }
    sums
}

/// Renumbers the clusters from 0 without gaps, in the order of their numbers, and counts them: where questions were
/// left out, some clusters may be empty.
pub(super) fn renumbered(mut cluster_of: Vec<usize>) -> (Vec<usize>, usize) {
    let mut present = cluster_of.clone();
    present.sort_unstable();
    present.dedup();
    for cluster in &mut cluster_of {
        *cluster = present.partition_point(|other| other < cluster);
    }
    (cluster_of, present.len())
}

fn root(parents: &mut [usize], mut item: usize) -> usize {
    while parents[item] != item {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_documents_chain_questions_together() {
        // 0 and 2 share b, 2 and 3 share c; 1 shares no key, 4 has no document.
        let items = [vec!["a", "b"], vec!["z"], vec!["b", "c"], vec!["c"], vec![]];
        assert_eq!(clusters(items), [0, 1, 0, 0, 2]);
    }
}
