//! `pocketgraph`: the command line.

fn main() -> miette::Result<()> {
    end_with_the_reader();
    let shown = |error| pocketgraph_native::terminal::SafeError::of(&error).into();
    let cli = pocketgraph_cli::parse_arguments(std::env::args_os().collect()).map_err(shown)?;
    pocketgraph_cli::run_command(cli).map_err(shown)
}

/// Ends the program silently when the reader of its output has read enough (`| head`).
fn end_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic_info| {
        let message = panic_info.payload().downcast_ref::<String>();
        if message.is_some_and(|s| s.starts_with("failed printing to std") && s.contains("Broken pipe")) {
            std::process::exit(128 + 13);
        }
        usual(panic_info);
    }));
}
