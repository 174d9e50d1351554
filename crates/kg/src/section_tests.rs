#![allow(clippy::unwrap_used)]

use super::super::{KgBuilder, Provenance};
use super::*;
use crate::films::example;
use proptest::prelude::*;

fn refs(s: &[Vec<u8>; 4]) -> [&[u8]; 4] {
    [&s[0], &s[1], &s[2], &s[3]]
}

#[test]
fn a_graph_reads_back_whole() {
    let g = example();
    assert_eq!(decode_graph(refs(&encode_graph(&g))).unwrap(), g);
    let empty = KgBuilder::default().finish().unwrap();
    assert_eq!(decode_graph(refs(&encode_graph(&empty))).unwrap(), empty);
}

#[test]
fn sections_of_two_graphs_are_refused_together() {
    let (a, b) = (encode_graph(&example()), encode_graph(&KgBuilder::default().finish().unwrap()));
    for other in 1..4 {
        let mut mixed = refs(&a);
        mixed[other] = &b[other];
        assert_eq!(decode_graph(mixed).unwrap_err().code(), "corrupt", "{other}");
    }
}

#[test]
fn a_graph_loads_from_a_bundle_section_of_each_kind_only_under_its_own_name() {
    let s = encode_graph(&example());
    let mut swapped = refs(&s);
    swapped.swap(1, 2);
    assert_eq!(decode_graph(swapped).unwrap_err().code(), "corrupt");
}

type Draft = Vec<(u8, u8, u8, u32, bool)>;

fn built(draft: &Draft, names: &[String]) -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let name = |i: u8| names.get(i as usize % names.len().max(1)).cloned().unwrap_or_default();
    for &(h, r, t, line, literal) in draft {
        let head = b.entity(&name(h)).unwrap();
        b.label(head, &name(h.wrapping_add(1))).unwrap();
        b.alias(head, &name(t)).unwrap();
        let ty = b.entity_type(&name(r)).unwrap();
        b.entity_has_type(head, ty).unwrap();
        let relation = b.relation(&name(r)).unwrap();
        let tail = if literal {
            b.literal(&name(t), KINDS[t as usize % 4], &name(h), "km").unwrap()
        } else {
            b.entity(&name(t)).unwrap()
        };
        let from = match line % 3 {
            0 => Provenance::Line { file: "f.tsv", line },
            1 => Provenance::Passage { chunk: line, start: 3, end: u32::MAX },
            _ => Provenance::Cited("p. 7"),
        };
        b.triple(head, relation, tail, from).unwrap();
    }
    b.finish().unwrap()
}

proptest! {
    #[test]
    fn any_graph_reads_back(
        draft in prop::collection::vec(any::<(u8, u8, u8, u32, bool)>(), 0..30),
        names in prop::collection::vec(".{0,6}", 1..12),
    ) {
        let g = built(&draft, &names);
        prop_assert_eq!(decode_graph(refs(&encode_graph(&g))).unwrap(), g);
    }

    #[test]
    fn changed_bytes_are_an_error_or_a_graph_that_can_be_walked(
        which in 0usize..4,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let mut s = encode_graph(&example());
        let i = at.index(s[which].len());
        s[which][i] = byte;
        if let Some(cut) = cut {
            let n = cut.index(s[which].len());
            s[which].truncate(n);
        }
        if let Ok(g) = decode_graph(refs(&s)) {
            for i in 0..g.nodes() as u32 + 1 {
                let node = NodeId(i);
                let _ = (
                    g.label(node),
                    g.id(node),
                    g.literal(node),
                    g.classes(node).count(),
                    g.aliases(node).count(),
                );
                for d in [crate::kg::Direction::Forward, crate::kg::Direction::Backward] {
                    for e in g.edges(node, d) {
                        let _ = (
                            g.triple(e.triple),
                            g.provenance(e.triple).count(),
                            g.vocabulary().relation(e.relation).unwrap(),
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), kind in 14u8..18) {
        let mut s = vec![b'P', b'G', b'R', b'F', 1, 0, kind, 0];
        s.extend(&bytes);
        let _ = (take_vocabulary("t", &s), take_nodes("t", &s), take_triples("t", &s), take_sources("t", &s));
        let _ = take_vocabulary("t", &bytes);
    }
}
