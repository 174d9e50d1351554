//! Places the nodes of a picture.
//!
//! Each kind of node has an arc to the right and one to the left of the question, the nearer kinds inside.
//! All arcs have one curve. They are as far apart as the widest label, and nodes a line: no labels overlap.

use super::measure::{fit_text, measure_text};
use pocketgraph_search::retrieve::{Edge, Node, NodeKind, Subgraph};
use std::collections::{BTreeMap, HashMap};

/// Size of letters.
pub(super) const FONT: f32 = 13.0;
/// Distance between lines.
pub(super) const LINE: f32 = 24.0;
pub(super) const RADIUS: f32 = 5.0;
/// Maximum width of a label, in units of the font's size; longer ones are cut.
const WIDEST: f32 = 20.0;
/// Half the width and half the height of the question.
pub(super) const QUESTION: (f32, f32) = (130.0, 44.0);
/// Gap between a node and its label.
const GAP: f32 = 8.0;
/// Gap between the end of a label and the next arc.
const FREE: f32 = 46.0;
/// Bend of an arc, as a part of its half height. Between neighbouring lines it moves by less than [`FREE`].
const BEND: f32 = 0.25;

/// Position of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Index of the node in the subgraph.
    pub node: usize,
    /// Distance to the right of the centre.
    pub x: f32,
    /// Distance below the centre.
    pub y: f32,
    /// The label, cut to fit.
    pub label: String,
    /// The label's box: left, top, right, bottom.
    pub bounds: (f32, f32, f32, f32),
}

/// Picture with positions of its nodes; the question is at (0, 0).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placed {
    /// All nodes except the question.
    pub spots: Vec<Spot>,
    /// Half the picture's width.
    pub half_width: f32,
    /// Half its height.
    pub half_height: f32,
}

/// Places the nodes of a subgraph.
pub fn place_nodes(graph: &Subgraph) -> Placed {
    let index: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().map(|(i, n)| (n.id.as_str(), i)).collect();
    let neighbours = find_neighbours(graph, &index);
    let mut side: BTreeMap<usize, bool> = BTreeMap::new();
    let mut height: HashMap<usize, f32> = HashMap::new();
    // Nodes of each arc, right and left, from top to bottom.
    let mut arcs: Vec<[Vec<usize>; 2]> = Vec::new();
    for kind in [NodeKind::Keyword, NodeKind::AdjacentKeyword, NodeKind::Chunk] {
        let nodes: Vec<usize> = (0..graph.nodes.len())
            .filter(|&i| graph.nodes.get(i).is_some_and(|n: &Node| n.kind == kind))
            .collect();
        let most = nodes.len().div_ceil(2);
        let mut sides: [Vec<usize>; 2] = Default::default();
        for &n in &nodes {
            // A node goes to the side of its neighbours if there is room; else to the emptier one.
            let pull: i32 = neighbours
                .get(&n)
                .into_iter()
                .flatten()
                .filter_map(|m| side.get(m))
                .map(|&left| if left { -1 } else { 1 })
                .sum();
            let left = match pull {
                0 => sides[1].len() < sides[0].len(),
                pull => pull < 0,
            };
            let left = if sides[usize::from(left)].len() >= most { !left } else { left };
            side.insert(n, left);
            sides[usize::from(left)].push(n);
        }
        for arc in &mut sides {
            let wish = |n: &usize| {
                let at: Vec<f32> =
                    neighbours.get(n).into_iter().flatten().filter_map(|m| height.get(m)).copied().collect();
                if at.is_empty() { 0.0 } else { at.iter().sum::<f32>() / at.len() as f32 }
            };
            let mut wished: Vec<(f32, usize)> = arc.iter().map(|n| (wish(n), *n)).collect();
            wished.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *arc = wished.into_iter().map(|w| w.1).collect();
            for (i, &n) in arc.iter().enumerate() {
                height.insert(n, i as f32 - (arc.len() as f32 - 1.0) / 2.0);
            }
        }
        arcs.push(sides);
    }
    spread_arcs(graph, &arcs)
}

/// Returns the neighbours of nodes, without the question, which all nodes lead to.
fn find_neighbours(graph: &Subgraph, index: &HashMap<&str, usize>) -> HashMap<usize, Vec<usize>> {
    let mut out: HashMap<usize, Vec<usize>> = HashMap::new();
    let ends = |e: &Edge| Some((*index.get(e.from.as_str())?, *index.get(e.to.as_str())?));
    for (a, b) in graph.edges.iter().filter_map(ends).filter(|&(a, b)| a != 0 && b != 0) {
        out.entry(a).or_default().push(b);
        out.entry(b).or_default().push(a);
    }
    out
}

fn spread_arcs(graph: &Subgraph, arcs: &[[Vec<usize>; 2]]) -> Placed {
    let longest = arcs.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let half = (longest as f32 * LINE / 2.0).max(QUESTION.1 + LINE);
    let mut out = Placed { half_height: half + LINE, ..Placed::default() };
    // The bend draws the arcs' ends in: the first arc must clear the question, and the other side at its
    // ends.
    let bend = |y: f32| BEND * y * y / half;
    let mut base = (QUESTION.0 + FREE + bend(QUESTION.1 + LINE)).max(bend(half) + FREE);
    for sides in arcs {
        let mut widest = 0f32;
        for (s, arc) in sides.iter().enumerate() {
            let sign = if s == 1 { -1.0 } else { 1.0 };
            let step =
                if arc.len() > 1 { (2.0 * half - LINE) / (arc.len() as f32 - 1.0).max(1.0) } else { 0.0 };
            // Few nodes need not reach to the ends.
            let step = step.clamp(LINE, 2.5 * LINE);
            for (i, &node) in arc.iter().enumerate() {
                let y = (i as f32 - (arc.len() as f32 - 1.0) / 2.0) * step;
                let x = sign * (base - bend(y));
                let label = fit_text(graph.nodes.get(node).map_or("", |n| n.label.as_str()), WIDEST);
                let width = measure_text(&label) * FONT;
                widest = widest.max(width);
                let near = x + sign * (RADIUS + GAP);
                let far = near + sign * width;
                let bounds = (near.min(far), y - FONT * 0.8, near.max(far), y + FONT * 0.4);
                out.spots.push(Spot { node, x, y, label, bounds });
            }
        }
        if sides.iter().any(|s| !s.is_empty()) {
            out.half_width = base + RADIUS + GAP + widest;
            // A label of one arc and a node of the next may be a line apart, where the curve has moved on.
            base = out.half_width + FREE;
        }
    }
    out.half_width = (out.half_width + FREE).max(QUESTION.0 + FREE);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketgraph_search::retrieve::EdgeKind;
    use proptest::prelude::*;

    fn picture(direct: usize, adjacent: usize, chunks: usize, label: &str) -> Subgraph {
        let node = |id: String, kind, label: String| Node { id, kind, label, chunk: None };
        let mut g = Subgraph {
            nodes: vec![node("question".into(), NodeKind::Question, "q".into())],
            edges: Vec::new(),
        };
        for (kind, n, name) in [
            (NodeKind::Keyword, direct, "d"),
            (NodeKind::AdjacentKeyword, adjacent, "a"),
            (NodeKind::Chunk, chunks, "c"),
        ] {
            for i in 0..n {
                g.nodes.push(node(format!("{name}{i}"), kind, format!("{label} {i}")));
                let (from, kind) = match name {
                    "d" => ("question".to_owned(), EdgeKind::QuestionKeyword),
                    _ if direct == 0 => ("question".to_owned(), EdgeKind::QuestionChunk),
                    "a" => (format!("d{}", i % direct), EdgeKind::KeywordKeyword),
                    _ => (format!("d{}", (i * 7) % direct), EdgeKind::KeywordChunk),
                };
                g.edges.push(Edge { from, to: format!("{name}{i}"), weight: 1.0, kind });
            }
        }
        g
    }

    fn overlap(a: (f32, f32, f32, f32), b: (f32, f32, f32, f32)) -> bool {
        a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
    }

    proptest! {
        #[test]
        fn no_label_lies_on_another_nor_on_a_node_nor_on_the_question(
            d in 0usize..12,
            a in 0usize..20,
            c in 0usize..40,
            label in "[A-Zm ]{0,40}",
        ) {
            let placed = place_nodes(&picture(d, a, c, &label));
            prop_assert_eq!(placed.spots.len(), d + a + c);
            let dot = |s: &Spot| (s.x - RADIUS, s.y - RADIUS, s.x + RADIUS, s.y + RADIUS);
            let question = (-QUESTION.0, -QUESTION.1, QUESTION.0, QUESTION.1);
            for (i, s) in placed.spots.iter().enumerate() {
                prop_assert!(!overlap(s.bounds, question) && !overlap(dot(s), question));
                prop_assert!(
                    s.bounds.0 > -placed.half_width
                        && s.bounds.2 < placed.half_width
                        && s.bounds.3 < placed.half_height
                );
                for t in &placed.spots[i + 1..] {
                    prop_assert!(!overlap(s.bounds, t.bounds), "{:?} {:?}", s, t);
                    prop_assert!(
                        !overlap(s.bounds, dot(t)) && !overlap(t.bounds, dot(s)) && !overlap(dot(s), dot(t)),
                        "{:?} {:?}",
                        s,
                        t
                    );
                }
            }
        }
    }

    #[test]
    fn what_hangs_on_a_keyword_is_on_its_side() {
        let g = picture(2, 2, 0, "x");
        let placed = place_nodes(&g);
        let x = |id: &str| placed.spots.iter().find(|s| g.nodes[s.node].id == id).map(|s| s.x).unwrap_or(0.0);
        assert!(x("d0") * x("a0") > 0.0 && x("d1") * x("a1") > 0.0 && x("d0") * x("d1") < 0.0);
        assert!(x("a0").abs() > x("d0").abs());
    }
}
