//! What the linkers of some systems must be told of an extension.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
