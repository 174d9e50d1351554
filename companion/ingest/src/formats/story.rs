//! The running text of an office file: paragraphs, lists and tables as its reader meets them, written as
//! HTML.

use super::made_html::Html;

/// Columns that a cell may cover.
const WIDEST: usize = 64;

/// Bytes that a row or a cell takes, even one without text.
const MARKUP: usize = 32;

/// Lists inside lists.
const DEEPEST: usize = 9;

/// The kind of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Heading(u8),
    Text,
    /// A line of code, or several.
    Code,
    /// An item of a list, so deep inside other lists.
    Item(usize, Marker),
}

/// The mark before an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Marker {
    Bullet,
    /// A number, written as HTML's types of lists say: `1`, `a`, `A`, `i`, `I`.
    Number(u32, char),
    /// A label of another form, such as `2.1`.
    Label(String),
}

/// A cell that is being read or was.
#[derive(Default)]
struct Cell {
    html: String,
    columns: usize,
    rows: usize,
    head: bool,
    /// True if it is the rest of the cell above.
    goes_on: bool,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<Cell>>,
    /// True if the open row is in the head.
    head: bool,
    /// Number of tables that are open inside one of its cells, and the row of the outermost of them.
    inner: usize,
    line: String,
}

/// A story being written.
#[derive(Default)]
pub(crate) struct Story {
    pub out: Html,
    table: Option<Table>,
    /// Types of the lists that are open; a full stop for bullets, a space for code, which is closed as they
    /// are.
    lists: Vec<char>,
}

impl Story {
    /// Begins a story at the end of a page.
    pub fn new(out: Html) -> Story {
        Story { out, ..Story::default() }
    }

    /// Appends a paragraph, whose text is HTML already.
    pub fn paragraph(&mut self, kind: &Kind, html: &str) {
        if html.trim().is_empty() {
            return;
        }
        if let Some(table) = &mut self.table {
            return table.paragraph(kind, html.trim());
        }
        if let Kind::Item(depth, marker) = kind {
            return self.item(*depth, marker, html);
        }
        if *kind == Kind::Code {
            let goes_on = self.lists.as_slice() == [' '];
            self.close_lists(usize::from(goes_on));
            self.out.raw(if goes_on { "\n" } else { "<pre>" });
            self.out.raw(html);
            return self.lists = vec![' '];
        }
        self.close_lists(0);
        let name = match kind {
            Kind::Heading(level) => format!("h{}", level.clamp(&1, &6)),
            _ => "p".to_owned(),
        };
        self.out.raw(&format!("<{name}>{html}</{name}>\n"));
    }

    fn item(&mut self, depth: usize, marker: &Marker, html: &str) {
        if self.lists.first() == Some(&' ') {
            self.close_lists(0);
        }
        let depth = depth.min(DEEPEST - 1).min(self.lists.len());
        let kind = match marker {
            Marker::Number(_, kind) => *kind,
            _ => '.',
        };
        self.close_lists(depth + 1);
        if self.lists.get(depth).is_some_and(|open| *open != kind) {
            self.close_lists(depth);
        }
        match self.lists.get(depth) {
            Some(_) => self.out.raw("</li>"),
            None => {
                self.out.raw(&if kind == '.' { "<ul>".to_owned() } else { format!("<ol type=\"{kind}\">") });
                self.lists.push(kind);
            }
        }
        match marker {
            Marker::Bullet => self.out.raw(&format!("<li>{html}")),
            Marker::Number(value, _) => self.out.raw(&format!("<li value=\"{value}\">{html}")),
            Marker::Label(label) => self.out.raw(&format!("<li>{label} {html}")),
        }
    }

    /// Closes the lists that are open but for the outermost.
    fn close_lists(&mut self, keep: usize) {
        while self.lists.len() > keep {
            self.out.raw(match self.lists.pop() {
                Some('.') => "</li></ul>\n",
                Some(' ') => "</pre>\n",
                _ => "</li></ol>\n",
            });
        }
    }

    /// Begins a table, or one inside a cell.
    pub fn begin_table(&mut self) {
        match &mut self.table {
            Some(table) => table.inner += 1,
            None => {
                self.close_lists(0);
                self.table = Some(Table::default());
            }
        }
    }

    /// Begins a row.
    pub fn begin_row(&mut self) {
        if let Some(table) = self.table.as_mut().filter(|t| t.inner == 0 && self.out.take(MARKUP)) {
            table.rows.push(Vec::new());
            table.head = false;
        }
    }

    /// Makes the row that is open one of the table's head.
    pub fn is_head(&mut self) {
        if let Some(table) = self.table.as_mut().filter(|t| t.inner == 0) {
            table.head = true;
        }
    }

    /// Begins a cell.
    pub fn begin_cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        if table.inner == 0 {
            let head = table.head;
            if table.rows.is_empty() {
                table.rows.push(Vec::new());
            }
            if let Some(row) = table.rows.last_mut().filter(|_| self.out.take(MARKUP)) {
                row.push(Cell { columns: 1, rows: 1, head, ..Cell::default() });
            }
        } else if !table.line.is_empty() && !table.line.ends_with(", ") {
            table.line.push_str(", ");
        }
    }

    /// Makes the cell that is open cover several columns and rows.
    pub fn spans(&mut self, columns: Option<usize>, rows: Option<usize>) {
        if let Some(cell) = self.table.as_mut().and_then(Table::open_cell) {
            cell.columns = columns.unwrap_or(cell.columns).clamp(1, WIDEST);
            cell.rows = rows.unwrap_or(cell.rows).max(1);
        }
    }

    /// Makes the cell that is open the rest of the cell above.
    pub fn goes_on(&mut self) {
        if let Some(cell) = self.table.as_mut().and_then(Table::open_cell) {
            cell.goes_on = true;
        }
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        if let Some(table) = self.table.as_mut().filter(|t| t.inner == 1) {
            table.end_line();
        }
    }

    /// Ends a table, or one inside a cell.
    pub fn end_table(&mut self) {
        match &mut self.table {
            Some(table) if table.inner > 0 => {
                table.end_line();
                table.inner -= 1;
            }
            table => {
                if let Some(table) = table.take() {
                    table.write(&mut self.out);
                }
            }
        }
    }

    /// Ends the story.
    pub fn finish(mut self) -> Html {
        if let Some(table) = self.table.take() {
            table.write(&mut self.out);
        }
        self.close_lists(0);
        self.out
    }
}

impl Table {
    fn open_cell(&mut self) -> Option<&mut Cell> {
        self.rows.last_mut().filter(|_| self.inner == 0)?.last_mut()
    }

    fn paragraph(&mut self, kind: &Kind, html: &str) {
        let label = match kind {
            Kind::Item(_, Marker::Number(value, '1')) => format!("{value}. "),
            Kind::Item(_, Marker::Label(label)) => format!("{label} "),
            _ => String::new(),
        };
        if self.inner > 0 {
            if !self.line.is_empty() && !self.line.ends_with(' ') {
                self.line.push(' ');
            }
            self.line.push_str(&label);
            self.line.push_str(html);
        } else if let Some(cell) = self.open_cell() {
            cell.html.push_str(&format!("<p>{label}{html}</p>"));
        }
    }

    /// Makes the row of a table inside a cell a line of that cell.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut())
            && !line.is_empty()
        {
            cell.html.push_str(&format!("<p>{}</p>", line.trim_end_matches(", ")));
        }
    }

    fn write(mut self, out: &mut Html) {
        self.join_cells();
        out.raw("<table>");
        for row in self.rows.iter().filter(|row| row.iter().any(|cell| !cell.html.is_empty() || cell.goes_on))
        {
            out.raw("<tr>");
            for cell in row.iter().filter(|cell| !cell.goes_on) {
                let name = if cell.head { "th" } else { "td" };
                out.raw(&format!("<{name} colspan=\"{}\" rowspan=\"{}\">", cell.columns, cell.rows));
                // A single paragraph is the cell's text.
                let single = cell
                    .html
                    .strip_prefix("<p>")
                    .and_then(|h| h.strip_suffix("</p>"))
                    .filter(|h| !h.contains("<p>"));
                out.raw(single.unwrap_or(&cell.html));
                out.raw(&format!("</{name}>"));
            }
            out.raw("</tr>\n");
        }
        out.raw("</table>\n");
    }

    /// Lets the first of several cells that are one below the other cover the rows of all.
    fn join_cells(&mut self) {
        // For each column, where the cell stands that the next may go on.
        let mut above: Vec<Option<(usize, usize)>> = Vec::new();
        for r in 0..self.rows.len() {
            let mut column = 0;
            for c in 0..self.rows.get(r).map_or(0, Vec::len) {
                let Some((goes_on, columns)) =
                    self.rows.get(r).and_then(|row| row.get(c)).map(|cell| (cell.goes_on, cell.columns))
                else {
                    continue;
                };
                let first = above.get(column).copied().flatten().filter(|_| goes_on);
                match first.and_then(|(r, c)| self.rows.get_mut(r)?.get_mut(c)) {
                    Some(first) => first.rows += 1,
                    None => {
                        if let Some(cell) = self.rows.get_mut(r).and_then(|row| row.get_mut(c)) {
                            cell.goes_on = false;
                        }
                    }
                }
                if above.len() <= column {
                    above.resize(column + 1, None);
                }
                if let Some(slot) = above.get_mut(column) {
                    *slot = first.or(Some((r, c)));
                }
                column += columns;
            }
        }
    }
}
