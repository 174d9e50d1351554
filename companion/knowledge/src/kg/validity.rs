//! Intervals in which imported statements hold.

use pocketgraph_kg::{Date, date, write_interval};

/// Writes the interval between two dates; empty if neither is a date.
pub(super) fn interval_between(from: &str, until: &str) -> String {
    match [read_day(from), read_day(until)] {
        [None, None] => String::new(),
        ends => write_interval(ends),
    }
}

/// Reads a date, also one that is written `30.04.2018`.
fn read_day(text: &str) -> Option<Date> {
    match text.split('.').collect::<Vec<_>>().as_slice() {
        [day, month, year] if year.len() == 4 => {
            Date::new(year.parse().ok()?, month.parse().ok(), day.parse().ok())
        }
        _ => date(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::kg::tests::of;
    use pocketgraph_kg::{Provenance, TripleId};

    /// The triples of a file that hold for a time: head, relation, tail and interval.
    fn held(name: &str, text: &str) -> Vec<[String; 4]> {
        let graph = of(name, text).0;
        let dated = |t: TripleId| {
            let cited = graph
                .provenance(t)
                .find_map(|p| if let Provenance::Cited(text) = p { Some(text) } else { None })?;
            let triple = graph.triple(t)?;
            let relation = &graph.vocabulary().relation(triple.relation)?.label;
            Some([graph.label(triple.head), relation, graph.label(triple.tail), cited].map(str::to_owned))
        };
        (0..graph.triples() as u32).map(TripleId).filter_map(dated).collect()
    }

    const ANA: [&str; 4] = ["Ana", "mayor of", "Porto", "2010-05-01/2018-04-30"];
    const RUI: [&str; 4] = ["Rui", "mayor of", "Porto", "2018-05-01/.."];

    #[test]
    fn rows_hold_between_the_dates_that_their_columns_name() {
        for (from, until) in
            [("valid from", "valid until"), ("since", "until"), ("Start date", "End date"), ("seit", "bis")]
        {
            let rows = "Ana,mayor of,Porto,2010-05-01,2018-04-30\nRui,mayor of,Porto,1 May 2018,\n";
            assert_eq!(
                held("x.csv", &format!("head,relation,tail,{from},{until}\n{rows}")),
                [ANA, RUI],
                "{from}"
            );
        }
        let undated = "head,relation,tail,valid from\nAna,mayor of,Porto,always\nRui,mayor of,Porto,\n";
        assert!(held("x.csv", undated).is_empty());
    }

    #[test]
    fn properties_of_a_row_hold_as_long_as_the_row() {
        for columns in ["Name,Price,Valid from", "Name,Price,gültig ab"] {
            let found = held("x.csv", &format!("{columns}\nBerth,12,2024-01-01\nCrane,40,2024-01-01\n"));
            assert_eq!(found[0], ["Berth", "Price", "12", "2024-01-01/.."], "{columns}");
        }
        let own = "Name,Born,Start date\nAna,1980,2010-05-01\nRui,1981,2011-05-01\n";
        assert!(held("x.csv", own).is_empty(), "its own start");
    }

    #[test]
    fn rdf_dates_a_statement_by_its_reification_its_graph_or_its_node_in_wikidata() {
        let rdf = "@prefix : <http://e/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n";
        let reified = |ana: &str| {
            format!(
                "{rdf}_:s a rdf:Statement ; rdf:subject :Ana ; rdf:predicate :mayorOf ; rdf:object \
                 :Porto ; {ana} ."
            )
        };
        let times = ":startDate \"2010-05-01\" ; :endDate \"2018-04-30\"";
        let graphs = format!("{rdf}:g {{ :Ana :mayorOf :Porto }} :g {times} .");
        assert_eq!(held("x.ttl", &reified(times)), [ANA]);
        assert_eq!(held("x.trig", &graphs), [ANA]);
        for stated in [
            format!("<< :Ana :mayorOf :Porto >> {times} ."),
            format!(":Ana :mayorOf :Porto {{| {times} |}} ."),
        ] {
            assert_eq!(held("x.ttl", &format!("{rdf}{stated}")), [ANA], "{stated}");
        }
        assert!(held("x.ttl", &reified(":rank 3")).is_empty());
        let prop = "http://www.wikidata.org/prop";
        let node = format!(
            "<http://e/Porto> <{prop}/P6> <http://e/s1> . <http://e/s1> <{prop}/statement/P6> <http://e/Ana> ;
             <{prop}/qualifier/P580> \"2010-05-01T00:00:00Z\" ; <{prop}/qualifier/P582> \"2018-04-30T00:00:00Z\" ."
        );
        assert_eq!(held("x.ttl", &node), [["Porto", "P6", "Ana", ANA[3]]]);
    }
}
