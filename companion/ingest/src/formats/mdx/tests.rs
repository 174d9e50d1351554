//! MDX against what a reader sees of it.
#![allow(clippy::unwrap_used)]

use super::super::includes::Folder;
use super::*;

fn shown(source: &str) -> String {
    let (text, _) = convert_page(source, &Includer::new(None, "a.mdx", source.len()));
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim().to_owned()
}

#[test]
fn imports_exports_comments_and_expressions_go_and_texts_stay() {
    assert_eq!(
        shown("import X from 'x';\nimport {\n  A,\n  B,\n} from \"y\";\n\n# T {/* note */}\n\ntext"),
        "# T\n\ntext"
    );
    assert_eq!(
        shown("export const meta = {\n  a: '}',\n};\n\nText {props.x} and {'said'} \\{kept\\} `{code}`."),
        "Text  and said {kept} `{code}`."
    );
    assert_eq!(shown("import taxes rise every year.\n"), "import taxes rise every year.");
    assert_eq!(shown("## Set up {#own}\n\n### Other {/* #two */}"), "## Set up {#own}\n\n### Other {#two}");
    assert_eq!(shown("```js\nimport x from 'y'\n{a}\n<B/>\n```"), "```js\nimport x from 'y'\n{a}\n<B/>\n```");
    assert_eq!(shown("a < b and { unclosed"), "a < b and { unclosed");
}

#[test]
fn tabs_keep_their_labels_and_what_is_in_them_is_markdown_again() {
    let source = "<Tabs>\n  <TabItem value=\"linux\" label=\"Linux\" default>\n\n    Run *it*:\n\n    ```sh\n    \
        go\n      far\n    ```\n\n  </TabItem>\n  <TabItem value=\"mac\">Open \
        it.</TabItem>\n</Tabs>\n\nEnd";
    assert_eq!(shown(source), "Linux\n\nRun *it*:\n\n```sh\ngo\n  far\n```\n\nmac\n\nOpen it.\n\nEnd");
    let source = "````mdx-code-block\n<Tabs values={[{ value: 'a', label: 'First' }, { label: 'Second', value: \
        'b' }]}>\n<TabItem value=\"b\">\n\n```js\nx\n```\n\n</TabItem>\n</Tabs>\n````\n\nEnd";
    assert_eq!(shown(source), "Second\n\n```js\nx\n```\n\nEnd");
    assert_eq!(
        shown("<Tabs items={['npm', 'pnpm']}>\n  <Tabs.Tab>a</Tabs.Tab>\n  <Tabs.Tab>b</Tabs.Tab>\n</Tabs>"),
        "npm\n\na\n\npnpm\n\nb"
    );
}

#[test]
fn properties_that_are_texts_are_text_and_headings_keep_their_words() {
    assert_eq!(
        shown("<Card title=\"Start\" href=\"/go\" icon=\"x\" description={`Begin here.`} />"),
        "[Start](/go)\n\nBegin here."
    );
    assert_eq!(
        shown("## Sails <Badge text=\"new\" />\n\nSome <Term label=\"mast\" /> here."),
        "## Sails\n\nSome mast here."
    );
    assert_eq!(
        shown("<CodeBlock language=\"js\">\n{`let a = 1;\nlet b = 2;`}\n</CodeBlock>"),
        "```\nlet a = 1;\nlet b = 2;\n```"
    );
    assert_eq!(shown("<div style={{ color: 'red' }}>**bold** text</div>"), "**bold** text");
    assert_eq!(
        shown("<head>\n<title>No</title>\n</head>\n\n<style>{`a {}`}</style>\n\nYes<br/>no"),
        "Yes<br />no"
    );
    assert_eq!(shown("<img src={x} alt=\"A pear\" style={{a: 1}} />"), "<img alt=\"A pear\" />");
}

#[test]
fn parts_are_read_where_they_are_shown_with_what_they_are_given() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("_part.mdx"),
        "---\na: b\n---\nimport Y from './_part.mdx';\n\nFor {props.os} only.\n\n<Y />",
    )
    .unwrap();
    let folder = Folder::new(dir.path(), "", &[]).unwrap();
    let (text, _) = convert_page(
        "import Part from './_part.mdx';\n\n# T\n\n- a\n\n  <Part os=\"Linux\" />\n\nEnd",
        &Includer::new(Some(&folder), "a.mdx", 100),
    );
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "# T - a For Linux only. End");
}

#[test]
fn ends_that_are_not_there_are_looked_for_as_long_as_patience_lasts() {
    let patience = std::cell::Cell::new(100);
    let unclosed = "{ ".repeat(40);
    assert_eq!((expression_end(&unclosed, &patience), patience.get()), (None, 20));
    assert_eq!(
        (expression_end("{a}", &patience), patience.get()),
        (Some(3), 20),
        "an end that is there takes nothing"
    );
    assert_eq!((expression_end(&unclosed, &patience), patience.get()), (None, 0));
    assert_eq!(expression_end("{a}", &patience), None);
    patience.set(100);
    assert_eq!(
        (tag("<a b=c>", &patience).map(|t| t.length), patience.get()),
        (Some(7), 100),
        "nor does a tag with an end"
    );
    assert_eq!((tag(&"<A b=".repeat(10), &patience), patience.get()), (None, 51));
    assert!(
        shown(&format!("{unclosed}\n\n{{`b`}}")).ends_with('b'),
        "a document has more of it than its authors need"
    );
}

#[test]
fn markdown_with_imports_is_known_for_mdx() {
    assert!(looks_like("# T\n\nimport X from \"./x.md\";\n") && looks_like("````mdx-code-block\n````"));
    assert!(
        looks_like("<img src={require('a.png').default} />\n")
            && !looks_like("`<a b={c}>`\n<a href=\"={\">\n")
    );
    assert!(!looks_like("```js\nimport X from 'x';\n```\n") && !looks_like("import X from Norway\n"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_to_its_end(source in "[<>{}/`\"'=A-Ca-c \n\\\\é#-]{0,120}") {
        let _ = shown(&source);
        let _ = shown(&format!("import A from 'a'\n{source}"));
    }
}
