//! Making the neighbour graph connected: components joined by their closest pairs.

use super::neighbours::{Neighbour, angle};
use crate::{Lane, PANEL, Panels};
use petgraph::unionfind::UnionFind;
use rayon::prelude::*;

/// The edges (row, row, angle) that connect the neighbour graph, and how many components it had without them.
///
/// Joins components in Borůvka's rounds: every component except the largest to its closest row outside, until
/// one is left. The largest needs no edge of its own.
pub fn join_components(rows: &Panels, neighbours: &[Vec<Neighbour>]) -> (Vec<(u32, u32, f64)>, usize) {
    let n = neighbours.len();
    let mut sets: UnionFind<u32> = UnionFind::new(n);
    for (i, list) in neighbours.iter().enumerate() {
        for x in list {
            sets.union(i as u32, x.row);
        }
    }
    let mut edges = Vec::new();
    let mut before = None;
    // The nearest row of another component stays so until both merge, so most searches are made once.
    let mut nearest: Vec<Option<u32>> = vec![None; n];
    loop {
        let labels: Vec<u32> = (0..n as u32).map(|i| sets.find(i)).collect();
        let mut sizes = vec![0usize; n];
        labels.iter().for_each(|&l| sizes[l as usize] += 1);
        let components = sizes.iter().filter(|&&s| s > 0).count();
        let first = *before.get_or_insert(components);
        if components <= 1 {
            return (edges, first);
        }
        let largest = (0..n).max_by_key(|&l| (sizes[l], n - l)).unwrap_or(0) as u32;
        let outside: Vec<u32> = (0..n as u32).filter(|&i| labels[i as usize] != largest).collect();
        let label = |i: u32| labels.get(i as usize).copied();
        let search: Vec<u32> = outside
            .iter()
            .copied()
            .filter(|&i| nearest[i as usize].is_none_or(|j| label(i) == label(j)))
            .collect();
        for (&i, found) in search.iter().zip(nearest_in_other_components(rows, &labels, &search)) {
            nearest[i as usize] = found;
        }
        // The closest pair of each component; ties go to the smaller rows.
        let mut best: Vec<Option<(f64, u32, u32)>> = vec![None; n];
        for &i in &outside {
            let Some(j) = nearest[i as usize] else { continue };
            let candidate = (angle(&rows.row(i as usize), &rows.row(j as usize)), i, j);
            let slot = &mut best[labels[i as usize] as usize];
            if slot.is_none_or(|b| {
                candidate.0.total_cmp(&b.0).then((candidate.1, candidate.2).cmp(&(b.1, b.2))).is_lt()
            }) {
                *slot = Some(candidate);
            }
        }
        for (angle, i, j) in best.into_iter().flatten() {
            if sets.union(i, j) {
                edges.push((i, j, angle));
            }
        }
    }
}

/// Returns for each given row the row of largest cosine in another component; one with a NaN cosine only if
/// there is no other. There is always one if there are several components: otherwise joining would not end.
fn nearest_in_other_components(rows: &Panels, labels: &[u32], from: &[u32]) -> Vec<Option<u32>> {
    let unpacked: Vec<Vec<f32>> = from.iter().map(|&i| rows.row(i as usize)).collect();
    let packed = Panels::pack(rows.dim(), unpacked.iter().map(Vec::as_slice));
    let found: Vec<Vec<Option<u32>>> = (0..packed.panels())
        .into_par_iter()
        .map(|p| {
            let own = &from[p * PANEL..((p + 1) * PANEL).min(from.len())];
            let mut best: Vec<(f32, Option<u32>)> = vec![(f32::NEG_INFINITY, None); own.len()];
            let mut tile = [Lane::ZERO; PANEL];
            for q in 0..rows.panels() {
                packed.tile(p, rows, q, &mut tile);
                for ((best, &i), scores) in best.iter_mut().zip(own).zip(&tile) {
                    for (c, &s) in scores.iter().enumerate() {
                        let j = q * PANEL + c;
                        let s = if s.is_nan() { f32::NEG_INFINITY } else { s };
                        if (s > best.0 || best.1.is_none())
                            && labels.get(j).is_some_and(|&l| l != labels[i as usize])
                        {
                            *best = (s, Some(j as u32));
                        }
                    }
                }
            }
            best.into_iter().map(|b| b.1).collect()
        })
        .collect();
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::neighbours::nearest_neighbours;
    use super::*;

    #[test]
    fn many_islands_become_one_by_their_closest_pairs() {
        // Five islands of three points on a quarter circle, 0.3 apart.
        let v: Vec<Vec<f32>> = (0..15)
            .map(|i| 0.3 * (i / 3) as f32 + 0.01 * (i % 3) as f32)
            .map(|t: f32| vec![t.cos(), t.sin()])
            .collect();
        let rows = Panels::pack(2, v.iter().map(Vec::as_slice));
        let (edges, components) = join_components(&rows, &nearest_neighbours(&rows, 3));
        assert_eq!(components, 5);
        let mut pairs: Vec<(u32, u32)> = edges.iter().map(|e| (e.0.min(e.1), e.0.max(e.1))).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [(2, 3), (5, 6), (8, 9), (11, 12)]);
    }

    #[test]
    fn rows_without_a_cosine_are_joined_too() {
        let v = [[f32::NAN, 1.0], [1.0, 0.0], [f32::MAX, f32::MAX], [f32::NEG_INFINITY, 1.0], [0.0, 0.0]];
        let rows = Panels::pack(2, v.iter().map(<[f32; 2]>::as_slice));
        let (edges, components) = join_components(&rows, &vec![Vec::new(); v.len()]);
        assert_eq!((edges.len(), components), (4, 5));
    }

    #[test]
    fn no_rows_need_no_edges() {
        assert_eq!(join_components(&Panels::pack(2, [].into_iter()), &[]), (vec![], 0));
    }
}
