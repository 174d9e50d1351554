export default { index: "Introduction", guide: "Guide", headings: "Headings" };
