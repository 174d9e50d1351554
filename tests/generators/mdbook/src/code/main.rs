fn main() {
    // ANCHOR: weave
    weave();
    // ANCHOR_END: weave
}
