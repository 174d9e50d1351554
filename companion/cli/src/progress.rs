//! Progress on the terminal: a bar with a rate for each stage; plain lines where nobody watches.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pocketgraph_native::progress::Progress;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bars on standard error.
pub struct Bars {
    quiet: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Bars {
    /// With `quiet`, only warnings are shown.
    pub fn new(quiet: bool) -> Self {
        Bars { quiet, bar: Mutex::new(None) }
    }

    fn swap(&self, next: Option<ProgressBar>) -> Option<ProgressBar> {
        std::mem::replace(&mut *self.bar.lock().unwrap_or_else(PoisonError::into_inner), next)
    }

    /// Ends the last stage's bar.
    pub fn finish(&self) {
        if let Some(bar) = self.swap(None) {
            bar.finish();
        }
    }
}

impl Progress for Bars {
    fn stage(&self, name: &str, total: Option<u64>) {
        if self.quiet {
            return;
        }
        let watched = std::io::stderr().is_terminal();
        let bar = match total {
            Some(n) => ProgressBar::new(n),
            None => ProgressBar::new_spinner(),
        };
        let style = match total {
            Some(_) => "{msg:<24} [{bar:30}] {pos}/{len} ({per_sec}, {eta} left)",
            None => "{msg:<24} {spinner} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        if watched {
            bar.enable_steady_tick(Duration::from_millis(200));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let last = self.swap(Some(bar));
        let again = last.as_ref().is_some_and(|l| l.message() == name);
        if let Some(last) = last {
            if again {
                last.finish_and_clear();
            } else {
                last.finish();
            }
        }
        if !watched && !again {
            eprintln!("{name}…");
        }
    }

    fn at(&self, done: u64) {
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.set_position(bar.position().max(done));
        }
    }

    fn warn(&self, message: &str) {
        self.line(&format!("warning: {message}"));
    }

    fn note(&self, message: &str) {
        if !self.quiet {
            self.line(message);
        }
    }
}

impl Bars {
    /// A line above the bar.
    fn line(&self, line: &str) {
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) if std::io::stderr().is_terminal() => {
                bar.println(pocketgraph_native::terminal::text(line))
            }
            _ => eprintln!("{line}"),
        }
    }
}
