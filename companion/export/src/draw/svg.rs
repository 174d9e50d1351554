//! Writes the picture as SVG text.

use super::escape_xml;
use super::layout::{FONT, LINE, Placed, QUESTION, RADIUS};
use super::measure::wrap_text;
use pocketgraph_search::retrieve::{EdgeKind, NodeKind, Subgraph};
use std::collections::HashMap;
use std::fmt::Write;

/// Colours that differ on light and dark ground, also for people who do not distinguish red and green.
const STYLE: &str = "
  svg { font: 13px system-ui, sans-serif; --ground: #fff; --ink: #1f2328; --line: #8c959f; }
  @media (prefers-color-scheme: dark) { svg { --ground: #15181d; --ink: #e6e8eb; --line: #7d8590; } }
  .ground { fill: var(--ground); }
  text { fill: var(--ink); }
  .label { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
  path { fill: none; stroke: var(--line); opacity: .55; }
  .question { fill: #0969da; }
  .asked { fill: #fff; font-weight: 600; }
  .keyword { fill: #1a9850; }
  .adjacent { fill: #d98e04; }
  .chunk { fill: #d6569a; }
  .question-keyword { stroke: #0969da; }
  .keyword-chunk, .question-chunk { stroke-dasharray: 3 3; }
";

fn class_of(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Question => "question",
        NodeKind::Keyword => "keyword",
        NodeKind::AdjacentKeyword => "adjacent",
        NodeKind::Chunk => "chunk",
    }
}

fn edge_class(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::QuestionKeyword => "question-keyword",
        EdgeKind::KeywordKeyword => "keyword-keyword",
        EdgeKind::KeywordChunk => "keyword-chunk",
        EdgeKind::QuestionChunk => "question-chunk",
    }
}

/// Writes the SVG of a placed picture. `hover` returns a node's tooltip if it has more than its label.
pub fn write_svg(graph: &Subgraph, placed: &Placed, hover: &dyn Fn(usize) -> Option<String>) -> String {
    let (w, h) = (placed.half_width, placed.half_height);
    let legend = 2.0 * LINE;
    let mut out = String::new();
    let question = graph.nodes.first().map_or("", |n| n.label.as_str());
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.0} {:.0} {:.0} {:.0}\" \
         width=\"{:.0}\" height=\"{:.0}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n",
        -w,
        -h,
        2.0 * w,
        2.0 * h + legend,
        2.0 * w,
        2.0 * h + legend,
        escape_xml(question)
    );
    let _ = writeln!(
        out,
        "<rect class=\"ground\" x=\"{:.0}\" y=\"{:.0}\" width=\"{:.0}\" height=\"{:.0}\"/>",
        -w,
        -h,
        2.0 * w,
        2.0 * h + legend
    );
    write_edges(&mut out, graph, placed);
    let (qx, qy) = QUESTION;
    let _ = writeln!(
        out,
        "<rect class=\"question\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"14\"/>",
        -qx,
        -qy,
        2.0 * qx,
        2.0 * qy
    );
    let lines = wrap_text(question, (2.0 * qx - 24.0) / FONT, 4);
    for (i, line) in lines.iter().enumerate() {
        let y = (i as f32 - (lines.len() as f32 - 1.0) / 2.0) * 18.0 + FONT * 0.35;
        let _ = writeln!(
            out,
            "<text class=\"asked\" text-anchor=\"middle\" x=\"0\" y=\"{y:.1}\">{}</text>",
            escape_xml(line)
        );
    }
    for s in &placed.spots {
        let Some(node) = graph.nodes.get(s.node) else { continue };
        let tooltip = hover(s.node).unwrap_or_else(|| node.label.clone());
        let anchor = if s.x < 0.0 { "end" } else { "start" };
        let x = if s.x < 0.0 { s.bounds.2 } else { s.bounds.0 };
        let _ = writeln!(
            out,
            "<g><title>{}</title><circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS}\"/><text \
             class=\"label\" text-anchor=\"{anchor}\" \
             x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
            escape_xml(&tooltip),
            class_of(node.kind),
            s.x,
            s.y,
            s.y + FONT * 0.35,
            escape_xml(&s.label)
        );
    }
    legend_line(&mut out, graph, w, h);
    out.push_str("</svg>\n");
    out
}

fn write_edges(out: &mut String, graph: &Subgraph, placed: &Placed) {
    let mut at: HashMap<&str, (f32, f32)> = placed
        .spots
        .iter()
        .filter_map(|s| Some((graph.nodes.get(s.node)?.id.as_str(), (s.x, s.y))))
        .collect();
    if let Some(question) = graph.nodes.first() {
        at.insert(&question.id, (0.0, 0.0));
    }
    let heaviest = graph
        .edges
        .iter()
        .filter(|e| e.kind == EdgeKind::KeywordKeyword)
        .map(|e| e.weight)
        .fold(1.0, f32::max);
    for e in &graph.edges {
        let (Some(&(x, y)), Some(&(u, v))) = (at.get(e.from.as_str()), at.get(e.to.as_str())) else {
            continue;
        };
        let width = if e.kind == EdgeKind::KeywordKeyword {
            1.0 + 2.5 * (e.weight / heaviest).clamp(0.0, 1.0)
        } else {
            1.2
        };
        // Edges bend towards the centre, so that those between nodes of one arc are visible.
        let (cx, cy) = ((x + u) * 0.42, (y + v) * 0.46);
        let kind = edge_class(e.kind);
        let _ = writeln!(
            out,
            "<path class=\"{kind}\" stroke-width=\"{width:.1}\" d=\"M{x:.1} {y:.1}Q{cx:.1} {cy:.1} \
             {u:.1} {v:.1}\"/>"
        );
    }
}

/// Writes the meaning of the colours that occur.
fn legend_line(out: &mut String, graph: &Subgraph, w: f32, h: f32) {
    let mut x = -w + 24.0;
    let y = h + LINE * 0.8;
    for (kind, text) in [
        (NodeKind::Question, "question"),
        (NodeKind::Keyword, "keyword near the question"),
        (NodeKind::AdjacentKeyword, "adjacent keyword"),
        (NodeKind::Chunk, "passage"),
    ] {
        if graph.nodes.iter().any(|n| n.kind == kind) {
            let _ = writeln!(
                out,
                "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/><text x=\"{:.1}\" \
                 y=\"{:.1}\">{text}</text>",
                class_of(kind),
                x + 12.0,
                y + FONT * 0.35
            );
            x += 12.0 + super::measure::measure_text(text) * FONT + 28.0;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::place_nodes;
    use super::*;
    use pocketgraph_search::retrieve::{Edge, Node};

    fn hostile() -> Subgraph {
        let node =
            |id: &str, kind, label: &str| Node { id: id.into(), kind, label: label.into(), chunk: None };
        Subgraph {
            nodes: vec![
                node("question", NodeKind::Question, "</title><script>alert(1)</script> & \u{0}\u{8}"),
                node("keyword-1", NodeKind::Keyword, "a\" onload=\"x' <b>"),
                node("chunk-2", NodeKind::Chunk, "Titel › Überschrift"),
            ],
            edges: vec![
                Edge {
                    from: "question".into(),
                    to: "keyword-1".into(),
                    weight: 0.5,
                    kind: EdgeKind::QuestionKeyword,
                },
                Edge {
                    from: "keyword-1".into(),
                    to: "chunk-2".into(),
                    weight: 1.0,
                    kind: EdgeKind::KeywordChunk,
                },
                Edge {
                    from: "keyword-1".into(),
                    to: "gone".into(),
                    weight: f32::NAN,
                    kind: EdgeKind::KeywordKeyword,
                },
            ],
        }
    }

    #[test]
    fn texts_are_escaped_and_the_picture_is_well_formed() {
        let g = hostile();
        let text = write_svg(&g, &place_nodes(&g), &|_| Some("<i>&]]>".into()));
        assert!(
            !text.contains("<script")
                && !text.contains("<b>")
                && !text.contains('\u{0}')
                && !text.contains("NaN")
        );
        let mut names = Vec::new();
        let mut reader = quick_xml::Reader::from_str(&text);
        loop {
            match reader.read_event().unwrap() {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Start(e) | quick_xml::events::Event::Empty(e) => {
                    assert!(e.attributes().all(|a| a.is_ok()));
                    names.push(String::from_utf8_lossy(e.name().as_ref()).into_owned());
                }
                _ => {}
            }
        }
        assert_eq!(
            names.iter().filter(|n| *n == "circle").count(),
            2 + 3,
            "two nodes, three kinds in the legend"
        );
        assert_eq!(names.iter().filter(|n| *n == "path").count(), 2, "an edge to nowhere is left out");
    }

    #[test]
    fn the_same_picture_is_the_same_text() {
        let g = hostile();
        assert_eq!(write_svg(&g, &place_nodes(&g), &|_| None), write_svg(&g, &place_nodes(&g), &|_| None));
    }
}
