//! Balanced k-means: the cells in which a bundle lays out its vectors.

use super::kmeans::{KMeansOptions, kmeans, mean_directions_of};
use super::lanes::Lane;
use super::similarity::{PANEL, Panels};
use rayon::prelude::*;

/// Number of nearby cells that a row may fall into before any cell with room is taken.
const CHOICES: usize = 16;

/// Minimum number of rows per cell that train the centres, evenly spread: more cost time and change little.
/// Below twice that number, every row does.
const TRAINED_ON: usize = 128;

/// Divides unit vectors into `count` cells of similar rows, at most 1.5 times the mean (rounded up) in size.
///
/// K-means over [`TRAINED_ON`] rows per cell gives the centres, which then move to the mean of their rows.
/// Cells that are too large pass rows on, those that lose least, to the nearest cell with room. Rows are
/// packed in parts to save memory. The number of threads changes nothing. With fewer rows than cells, some
/// are empty.
pub fn divide_cells(vectors: &[Vec<f32>], count: usize, seed: u64) -> Vec<u32> {
    let count = count.min(vectors.len());
    if count <= 1 {
        return vec![0; vectors.len()];
    }
    let dim = vectors.iter().map(Vec::len).max().unwrap_or(0);
    let mut centres = train_centres(vectors, dim, count, seed);
    // Identical rows give fewer centres than requested; cells without one take what the others cannot hold.
    centres.resize(count, vec![0.0; dim]);
    let capacity = (vectors.len() * 3).div_ceil(count * 2);
    let mut assignment = balance_cells(vectors, &centres, capacity);
    for _ in 0..3 {
        assignment = balance_cells(vectors, &mean_directions_of(vectors, dim, &assignment, count), capacity);
    }
    assignment
}

fn train_centres(vectors: &[Vec<f32>], dim: usize, count: usize, seed: u64) -> Vec<Vec<f32>> {
    let step = (vectors.len() / (TRAINED_ON * count)).max(1);
    let sample: Vec<&[f32]> = vectors.iter().step_by(step).map(Vec::as_slice).collect();
    kmeans(
        &Panels::pack(dim, sample.into_iter()),
        &KMeansOptions { clusters: count, restarts: 1, rounds: 12, seed },
    )
    .centres
}

/// Rows to their nearest centres, then the overfull cells emptied down to `capacity`.
fn balance_cells(rows: &[Vec<f32>], centres: &[Vec<f32>], capacity: usize) -> Vec<u32> {
    let dim = centres.first().map_or(0, Vec::len);
    let choices = nearest_centres(rows, &Panels::pack(dim, centres.iter().map(Vec::as_slice)), CHOICES);
    let mut sizes = vec![0usize; centres.len()];
    // Rows that prefer their first choice most come first; each takes its best cell with room.
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let regret = |i: usize| match choices[i].as_slice() {
        [first, second, ..] => first.1 - second.1,
        _ => f32::INFINITY,
    };
    order.sort_by(|&a, &b| regret(b).total_cmp(&regret(a)).then(a.cmp(&b)));
    let mut assignment = vec![0u32; rows.len()];
    let mut first_with_room = 0;
    for row in order {
        let chosen = choices[row].iter().map(|c| c.0 as usize).find(|&c| sizes[c] < capacity);
        let cell = chosen.unwrap_or_else(|| {
            while first_with_room + 1 < sizes.len() && sizes[first_with_room] >= capacity {
                first_with_room += 1;
            }
            first_with_room
        });
        sizes[cell] += 1;
        assignment[row] = cell as u32;
    }
    assignment
}

/// Returns the nearest centres of each row with cosines, best first, at most `most`, packing rows in parts.
pub(super) fn nearest_centres<R: AsRef<[f32]> + Sync>(
    rows: &[R],
    centres: &Panels,
    most: usize,
) -> Vec<Vec<(u32, f32)>> {
    let better = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    // The cosines to all centres reuse memory: the few that are kept would otherwise fragment it.
    let room = || (0..PANEL).map(|_| Vec::with_capacity(centres.rows())).collect();
    let panels: Vec<Vec<Vec<(u32, f32)>>> = rows
        .par_chunks(PANEL)
        .map_init(room, |all: &mut Vec<Vec<(u32, f32)>>, rows| {
            let panel = Panels::pack(centres.dim(), rows.iter().map(AsRef::as_ref));
            all.iter_mut().for_each(Vec::clear);
            let mut tile = [Lane::ZERO; PANEL];
            for q in 0..centres.panels() {
                panel.tile(0, centres, q, &mut tile);
                let columns = PANEL.min(centres.rows() - q * PANEL);
                for (list, similarities) in all.iter_mut().zip(&tile) {
                    list.extend(
                        similarities
                            .iter()
                            .take(columns)
                            .enumerate()
                            .map(|(c, &s)| ((q * PANEL + c) as u32, s)),
                    );
                }
            }
            let best = |list: &mut Vec<(u32, f32)>| {
                if list.len() > most {
                    list.select_nth_unstable_by(most, better);
                    list.truncate(most);
                }
                list.sort_unstable_by(better);
                list.clone()
            };
            all.iter_mut().take(rows.len()).map(best).collect()
        })
        .collect();
    panels.into_iter().flatten().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Random;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn no_cell_is_larger_than_one_and_a_half_times_the_mean(
            n in 1usize..200,
            count in 1usize..20,
            seed in 0u64..9,
            spread in 0.0f64..2.0,
        ) {
            let mut random = Random::new(seed, 1);
            let vectors: Vec<Vec<f32>> = (0..n)
                .map(|_| {
                    (0..4)
                        .map(|k| f32::from(u8::from(k == 0)) + (spread * (random.unit() - 0.5)) as f32)
                        .collect()
                })
                .collect();
            let found = divide_cells(&vectors, count, seed);
            let count = count.min(n);
            let mut sizes = vec![0usize; count];
            found.iter().for_each(|&c| sizes[c as usize] += 1);
            prop_assert!(sizes.iter().all(|&s| s <= (3 * n).div_ceil(2 * count)), "{:?}", sizes);
            prop_assert_eq!(found.len(), n);
        }
    }

    #[test]
    fn close_rows_share_a_cell_where_there_is_room() {
        let vectors: Vec<Vec<f32>> =
            (0..40).map(|i| if i % 2 == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect();
        let found = divide_cells(&vectors, 2, 3);
        assert!((0..40).all(|i| found[i] == found[i % 2]) && found[0] != found[1]);
    }

    #[test]
    fn centres_of_a_sample_part_groups_as_those_of_all_rows_do() {
        let mut random = Random::new(5, 1);
        let groups = 3;
        let vectors: Vec<Vec<f32>> = (0..groups * TRAINED_ON * 4)
            .map(|i| {
                (0..groups)
                    .map(|k| f32::from(u8::from(k == i % groups)) + 0.2 * (random.unit() as f32 - 0.5))
                    .collect()
            })
            .collect();
        let found = divide_cells(&vectors, groups, 1);
        assert!(vectors.len() / (TRAINED_ON * groups) > 1, "only some of the rows train the centres");
        assert!((0..vectors.len()).all(|i| found[i] == found[i % groups]));
        assert_eq!(found[..groups].iter().collect::<std::collections::BTreeSet<_>>().len(), groups);
    }

    #[test]
    fn threads_do_not_change_the_cells() {
        let mut random = Random::new(2, 2);
        let vectors: Vec<Vec<f32>> =
            (0..200).map(|_| (0..6).map(|_| random.unit() as f32 - 0.5).collect()).collect();
        let with = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
                .install(|| divide_cells(&vectors, 14, 3))
        };
        assert_eq!(with(1), with(2));
    }
}
