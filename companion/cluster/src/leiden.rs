//! The Leiden algorithm (Traag, Waltman and van Eck, 2019) for modularity, applied again inside large
//! communities.
//!
//! It is our own because a bundle must not change when a dependency changes its random numbers or order.

use crate::Random;
use pocketgraph_graph_retrieval::sparse::{Edges, Graph};
use std::collections::VecDeque;

/// Options of Leiden.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeidenOptions {
    /// gamma: larger finds smaller communities.
    pub resolution: f64,
    /// theta: how freely refinement deviates from the best merge.
    pub randomness: f64,
    /// Communities of more nodes than this are divided again, one level deeper.
    pub max_size: usize,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for LeidenOptions {
    fn default() -> Self {
        LeidenOptions { resolution: 1.0, randomness: 0.001, max_size: 10, seed: 0xdead_beef }
    }
}

/// A community of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Community {
    /// 0 for the coarsest.
    pub level: u32,
    /// The community that it divides.
    pub parent: Option<u32>,
    /// Its nodes, ascending.
    pub members: Vec<u32>,
}

/// Q of a partition: the share of weight inside communities minus gamma times what chance would put there.
pub fn modularity(graph: &Graph, of: &[u32], resolution: f64) -> f64 {
    let total: f64 = (0..graph.nodes()).map(|i| graph.degree(i)).sum();
    if total <= 0.0 {
        return 0.0;
    }
    let mut inside = 0.0;
    let mut strength = vec![0f64; graph.nodes()];
    for i in 0..graph.nodes() {
        strength[of[i] as usize] += graph.degree(i);
        let (neighbours, weights) = graph.neighbours(i);
        inside += neighbours
            .iter()
            .zip(weights)
            .filter(|(j, _)| of[**j as usize] == of[i])
            .map(|(_, &w)| f64::from(w))
            .sum::<f64>();
    }
    inside / total - resolution * strength.iter().map(|s| (s / total).powi(2)).sum::<f64>()
}

/// Graph whose nodes are groups of nodes.
struct Net {
    neighbours: Vec<Vec<(u32, f64)>>,
    /// Summed degrees of the nodes that a node represents, inner weight included.
    strength: Vec<f64>,
}

/// Sums of weights by community, emptied by what was touched.
struct Sums {
    weight: Vec<f64>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(n: usize) -> Self {
        Sums { weight: vec![0.0; n], touched: Vec::new() }
    }

    fn of(&mut self, neighbours: &[(u32, f64)], community: &[u32], counts: impl Fn(u32) -> bool) {
        for &t in &self.touched {
            self.weight[t as usize] = 0.0;
        }
        self.touched.clear();
        for &(j, w) in neighbours.iter().filter(|(j, _)| counts(*j)) {
            let c = community[j as usize];
            if self.weight[c as usize] == 0.0 {
                self.touched.push(c);
            }
            self.weight[c as usize] += w;
        }
        self.touched.sort_unstable();
    }
}

struct Leiden<'a> {
    /// gamma / 2m.
    penalty: f64,
    /// m, which brings gains to the scale of modularity.
    half: f64,
    randomness: f64,
    random: &'a mut Random,
}

fn shuffle_nodes(n: usize, random: &mut Random) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

/// Numbers communities from 0 in the order of their first node; how many there are.
fn renumber_parts(of: &mut [u32]) -> usize {
    let mut number = vec![u32::MAX; of.iter().map(|&c| c as usize + 1).max().unwrap_or(0)];
    let mut next = 0;
    for c in of.iter_mut() {
        let slot = &mut number[*c as usize];
        if *slot == u32::MAX {
            *slot = next;
            next += 1;
        }
        *c = *slot;
    }
    next as usize
}

impl Leiden<'_> {
    /// Moves nodes, each to the community that gains most, until none gains; whether any moved.
    fn move_nodes(&mut self, net: &Net, of: &mut [u32]) -> bool {
        let n = of.len();
        let mut strength = vec![0f64; n];
        let mut size = vec![0u32; n];
        for (i, &c) in of.iter().enumerate() {
            strength[c as usize] += net.strength[i];
            size[c as usize] += 1;
        }
        let mut empty: Vec<u32> = (0..n as u32).rev().filter(|&c| size[c as usize] == 0).collect();
        let mut queue: VecDeque<u32> = shuffle_nodes(n, self.random).into();
        let mut waiting = vec![true; n];
        let mut sums = Sums::new(n);
        let mut moved = false;
        while let Some(v) = queue.pop_front() {
            let i = v as usize;
            waiting[i] = false;
            let from = of[i];
            strength[from as usize] -= net.strength[i];
            size[from as usize] -= 1;
            sums.of(&net.neighbours[i], of, |_| true);
            let gain =
                |c: u32| sums.weight[c as usize] - self.penalty * net.strength[i] * strength[c as usize];
            let (mut best, mut most) = (from, gain(from));
            for &c in &sums.touched {
                if gain(c) > most + 1e-12 {
                    (best, most) = (c, gain(c));
                }
            }
            // On its own a node gains nothing and loses nothing.
            if most < -1e-12
                && size[from as usize] > 0
                && let Some(c) = empty.pop()
            {
                best = c;
            }
            of[i] = best;
            strength[best as usize] += net.strength[i];
            size[best as usize] += 1;
            if best != from {
                moved = true;
                if size[from as usize] == 0 {
                    empty.push(from);
                }
                for &(j, _) in &net.neighbours[i] {
                    if of[j as usize] != best && !waiting[j as usize] {
                        waiting[j as usize] = true;
                        queue.push_back(j);
                    }
                }
            }
        }
        moved
    }

    /// Divides each community into well-connected parts: single nodes merge into parts that are well
    /// connected to the rest of their community, with a probability that grows with the gain.
    fn refine(&mut self, net: &Net, of: &[u32]) -> Vec<u32> {
        let n = of.len();
        let mut total = vec![0f64; n];
        for (i, &c) in of.iter().enumerate() {
            total[c as usize] += net.strength[i];
        }
        let mut part: Vec<u32> = (0..n as u32).collect();
        let mut strength = net.strength.clone();
        let mut size = vec![1u32; n];
        // The weight between a part and the rest of its community.
        let mut outward: Vec<f64> = (0..n)
            .map(|i| net.neighbours[i].iter().filter(|(j, _)| of[*j as usize] == of[i]).map(|x| x.1).sum())
            .collect();
        let mut sums = Sums::new(n);
        for v in shuffle_nodes(n, self.random) {
            let i = v as usize;
            let own = part[i] as usize;
            let connected = |s: f64, outward: f64, all: f64| outward + 1e-12 >= self.penalty * s * (all - s);
            let all = total[of[i] as usize];
            if size[own] != 1 || !connected(net.strength[i], outward[own], all) {
                continue;
            }
            sums.of(&net.neighbours[i], &part, |j| of[j as usize] == of[i]);
            let gains: Vec<(u32, f64)> = sums
                .touched
                .iter()
                .filter(|&&s| s as usize != own && connected(strength[s as usize], outward[s as usize], all))
                .map(|&s| {
                    (s, sums.weight[s as usize] - self.penalty * net.strength[i] * strength[s as usize])
                })
                .filter(|(_, gain)| *gain >= 0.0)
                .collect();
            if gains.is_empty() {
                continue;
            }
            let most = gains.iter().fold(0f64, |m, g| m.max(g.1));
            let chance = |gain: f64| ((gain - most) / self.half / self.randomness).exp();
            let stay = chance(0.0);
            let mut draw =
                self.random.unit() * (stay + gains.iter().map(|g| chance(g.1)).sum::<f64>()) - stay;
            let Some(&(to, _)) = gains.iter().find(|g| {
                let before = draw;
                draw -= chance(g.1);
                before >= 0.0 && draw < 0.0
            }) else {
                continue;
            };
            let s = to as usize;
            outward[s] += outward[own] - 2.0 * sums.weight[s];
            strength[s] += strength[own];
            size[s] += 1;
            (size[own], strength[own], outward[own]) = (0, 0.0, 0.0);
            part[i] = to;
        }
        part
    }
}

/// The graph whose nodes are the parts.
fn merge_parts(net: &Net, part: &[u32], parts: usize) -> Net {
    let mut strength = vec![0f64; parts];
    let mut all: Vec<(u32, u32, f64)> = Vec::new();
    for (i, &p) in part.iter().enumerate() {
        strength[p as usize] += net.strength[i];
        all.extend(net.neighbours[i].iter().map(|&(j, w)| (p, part[j as usize], w)).filter(|e| e.0 != e.1));
    }
    // Stable, so that weights are summed in one order everywhere.
    all.sort_by_key(|&(a, b, _)| (a, b));
    let mut neighbours = vec![Vec::new(); parts];
    for run in all.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        neighbours[run[0].0 as usize].push((run[0].1, run.iter().map(|e| e.2).sum()));
    }
    Net { neighbours, strength }
}

/// Returns the community of each node, numbered by first nodes. Communities are connected and reproducible.
pub fn leiden(graph: &Graph, options: &LeidenOptions) -> Vec<u32> {
    let n = graph.nodes();
    let total: f64 = (0..n).map(|i| graph.degree(i)).sum();
    let mut of: Vec<u32> = (0..n as u32).collect();
    if total <= 0.0 {
        return of;
    }
    let mut random = Random::new(options.seed, 0x6c65_6964);
    let mut steps = Leiden {
        penalty: options.resolution / total,
        half: total / 2.0,
        randomness: options.randomness.max(1e-9),
        random: &mut random,
    };
    let row = |i: usize| {
        graph.neighbours(i).0.iter().zip(graph.neighbours(i).1).map(|(&j, &w)| (j, f64::from(w))).collect()
    };
    let mut quality = modularity(graph, &of, options.resolution);
    for _ in 0..10 {
        let mut net = Net {
            neighbours: (0..n).map(row).collect(),
            strength: (0..n).map(|i| graph.degree(i)).collect(),
        };
        // Node of `net` for each node of the graph; and the community of each node of `net`.
        let mut lies: Vec<u32> = (0..n as u32).collect();
        let mut now = of.clone();
        loop {
            steps.move_nodes(&net, &mut now);
            let communities = renumber_parts(&mut now);
            if communities == net.strength.len() {
                break;
            }
            let mut part = steps.refine(&net, &now);
            let parts = renumber_parts(&mut part);
            if parts == net.strength.len() {
                break;
            }
            let mut next = vec![0u32; parts];
            part.iter().zip(&now).for_each(|(&p, &c)| next[p as usize] = c);
            net = merge_parts(&net, &part, parts);
            lies.iter_mut().for_each(|s| *s = part[*s as usize]);
            now = next;
        }
        let next: Vec<u32> = lies.iter().map(|&s| now[s as usize]).collect();
        let better = modularity(graph, &next, options.resolution);
        if better <= quality + 1e-10 {
            break;
        }
        (of, quality) = (next, better);
    }
    renumber_parts(&mut of);
    of
}

/// Finds communities at several levels: level 0 divides the graph, and each community of more than `max_size`
/// nodes is divided again as a graph of its own. Nodes without edges are in none. Parents come first.
pub fn find_communities(graph: &Graph, options: &LeidenOptions) -> Vec<Community> {
    let mut out: Vec<Community> = Vec::new();
    let every: Vec<u32> = (0..graph.nodes() as u32).filter(|&i| graph.degree(i as usize) > 0.0).collect();
    let mut waiting: VecDeque<(Option<u32>, u32, Vec<u32>)> = VecDeque::from([(None, 0, every)]);
    let mut local = vec![u32::MAX; graph.nodes()];
    while let Some((parent, level, members)) = waiting.pop_front() {
        let mut edges = Edges::default();
        members.iter().enumerate().for_each(|(i, &v)| local[v as usize] = i as u32);
        for &v in &members {
            let (neighbours, weights) = graph.neighbours(v as usize);
            for (&j, &w) in
                neighbours.iter().zip(weights).filter(|(j, _)| **j > v && local[**j as usize] != u32::MAX)
            {
                edges.add(local[v as usize], local[j as usize], w);
            }
        }
        members.iter().for_each(|&v| local[v as usize] = u32::MAX);
        let of = leiden(&edges.graph(members.len()), options);
        let count = of.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
        if parent.is_some() && count < 2 {
            continue;
        }
        let mut groups = vec![Vec::new(); count];
        members.iter().zip(&of).for_each(|(&v, &c)| groups[c as usize].push(v));
        for group in groups {
            let id = out.len() as u32;
            if group.len() > options.max_size {
                waiting.push_back((Some(id), level + 1, group.clone()));
            }
            out.push(Community { level, parent, members: group });
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use petgraph::algo::connected_components;
    use petgraph::graph::UnGraph;
    use proptest::prelude::*;

    /// Zachary's karate club (1977): 34 members, 78 friendships.
    const KARATE: &[(u32, &[u32])] = &[
        (1, &[2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32]),
        (2, &[3, 4, 8, 14, 18, 20, 22, 31]),
        (3, &[4, 8, 9, 10, 14, 28, 29, 33]),
        (4, &[8, 13, 14]),
        (5, &[7, 11]),
        (6, &[7, 11, 17]),
        (7, &[17]),
        (9, &[31, 33, 34]),
        (10, &[34]),
        (14, &[34]),
        (15, &[33, 34]),
        (16, &[33, 34]),
        (19, &[33, 34]),
        (20, &[34]),
        (21, &[33, 34]),
        (23, &[33, 34]),
        (24, &[26, 28, 30, 33, 34]),
        (25, &[26, 28, 32]),
        (26, &[32]),
        (27, &[30, 34]),
        (28, &[34]),
        (29, &[32, 34]),
        (30, &[33, 34]),
        (31, &[33, 34]),
        (32, &[33, 34]),
        (33, &[34]),
    ];

    fn karate() -> Graph {
        let mut edges = Edges::default();
        KARATE.iter().for_each(|&(a, others)| others.iter().for_each(|&b| edges.add(a - 1, b - 1, 1.0)));
        edges.graph(34)
    }

    /// Returns true if a walk inside the community reaches all of it.
    fn connected(graph: &Graph, members: &[u32]) -> bool {
        let mut inside = UnGraph::<(), ()>::default();
        let nodes: Vec<_> = members.iter().map(|_| inside.add_node(())).collect();
        let place = |node: &u32| members.iter().position(|member| member == node);
        for (&from, member) in nodes.iter().zip(members) {
            for to in graph.neighbours(*member as usize).0.iter().filter_map(place) {
                inside.add_edge(from, nodes[to], ());
            }
        }
        connected_components(&inside) == 1
    }

    #[test]
    fn the_karate_club_is_divided_as_well_as_it_can_be() {
        let g = karate();
        assert_eq!(g.edges(), 78);
        let all: Vec<f64> = (0..20)
            .map(|seed| modularity(&g, &leiden(&g, &LeidenOptions { seed, ..LeidenOptions::default() }), 1.0))
            .collect();
        let best = all.iter().copied().fold(0.0, f64::max);
        assert!((best - 0.4198).abs() < 5e-5, "the optimum is 0.4198: {all:?}");
        assert!(all.iter().all(|&q| q > 0.41), "{all:?}");
    }

    #[test]
    fn the_default_seed_divides_the_karate_club_in_four() {
        let of = leiden(&karate(), &LeidenOptions::default());
        assert_eq!(of, leiden(&karate(), &LeidenOptions::default()));
        assert_eq!(of.iter().max(), Some(&3), "{of:?}");
        // The division of highest modularity, member by member: on another machine a seed divides as on this
        // one.
        let mut groups = vec![Vec::new(); 4];
        of.iter().zip(1..).for_each(|(&c, member)| groups[c as usize].push(member));
        groups.sort();
        let wanted: [&[u32]; 4] = [
            &[1, 2, 3, 4, 8, 12, 13, 14, 18, 20, 22],
            &[5, 6, 7, 11, 17],
            &[9, 10, 15, 16, 19, 21, 23, 27, 30, 31, 33, 34],
            &[24, 25, 26, 28, 29, 32],
        ];
        assert_eq!(groups, wanted);
    }

    proptest! {
        #[test]
        fn communities_are_connected_nested_and_hold_every_joined_node_once(
            pairs in prop::collection::vec((0u32..30, 0u32..30, 1u32..4), 0..70),
            seed in any::<u64>(),
        ) {
            let mut edges = Edges::default();
            pairs.iter().for_each(|&(a, b, w)| edges.add(a, b, w as f32));
            let g = edges.graph(30);
            let of = leiden(&g, &LeidenOptions { seed, ..LeidenOptions::default() });
            let single: Vec<u32> = (0..30).collect();
            prop_assert!(modularity(&g, &of, 1.0) >= modularity(&g, &single, 1.0) - 1e-9);
            let all = find_communities(&g, &LeidenOptions { seed, max_size: 4, ..LeidenOptions::default() });
            let mut top: Vec<u32> =
                all.iter().filter(|c| c.level == 0).flat_map(|c| c.members.clone()).collect();
            top.sort_unstable();
            let joined: Vec<u32> = (0..30u32).filter(|&i| g.degree(i as usize) > 0.0).collect();
            prop_assert_eq!(top, joined);
            for (i, c) in all.iter().enumerate() {
                prop_assert!(connected(&g, &c.members), "{:?}", c);
                if let Some(p) = c.parent {
                    prop_assert!((p as usize) < i && all[p as usize].level + 1 == c.level);
                    prop_assert!(c.members.iter().all(|m| all[p as usize].members.contains(m)));
                    prop_assert!(all[p as usize].members.len() > 4);
                }
            }
        }
    }

    #[test]
    fn a_graph_without_edges_has_no_communities() {
        assert!(find_communities(&Edges::default().graph(5), &LeidenOptions::default()).is_empty());
        assert!(find_communities(&Edges::default().graph(0), &LeidenOptions::default()).is_empty());
        assert_eq!(leiden(&Edges::default().graph(3), &LeidenOptions::default()), [0, 1, 2]);
    }
}
