//! Weights in four bits, multiplied by the instructions of relaxed SIMD if the browser has them.
//!
//! The loop is a module of its own (`relaxed/` in the repository) that works in this module's memory. A page
//! whose browser supports it loads it and puts its functions into this module's table. Its sums are the same
//! integers as the other kernels', so vectors are the same with and without it.

use super::kernel::Finish;
use super::layout::{PANEL, RUN};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a run of a panel, as bundles store it and as the module's loop takes it: see
/// `relaxed/src/arrange.rs`.
const PACKED: usize = PANEL / 2 + RUN * PANEL / 2;
const ARRANGED: usize = PANEL + RUN * PANEL / 2;

type Arrange = unsafe extern "C" fn(packed: *const u8, runs: usize, out: *mut u8);
type Multiply = unsafe extern "C" fn(
    x: *const i16,
    rows: usize,
    runs: usize,
    weights: *const u8,
    panels: usize,
    bytes: *mut i8,
    corrections: *mut u32,
    sums: *mut [i32; PANEL],
);

/// Functions of the module with relaxed SIMD, which the page has put into this module's table.
#[derive(Debug, Clone, Copy)]
pub struct Relaxed {
    arrange: Arrange,
    multiply: Multiply,
}

/// Index of the first of them in the table; 0 if they are not installed.
static INSTALLED: AtomicUsize = AtomicUsize::new(0);

impl Relaxed {
    /// Makes layers that are read from now on use the functions at `index` of the table, `arrange_panels`,
    /// and the next, `multiply`.
    ///
    /// # Safety
    /// These are functions of `relaxed/`, instantiated with this module's memory, and they stay there.
    pub unsafe fn install(index: usize) {
        INSTALLED.store(index, Ordering::Relaxed);
    }

    /// Returns the functions, if they are installed.
    pub(super) fn installed() -> Option<Relaxed> {
        let index = INSTALLED.load(Ordering::Relaxed);
        // SAFETY: a function pointer is an index into the table, where `install` has put these functions.
        (index != 0).then(|| unsafe {
            Relaxed {
                arrange: std::mem::transmute::<usize, Arrange>(index),
                multiply: std::mem::transmute::<usize, Multiply>(index + 1),
            }
        })
    }
}

/// A layer's weights in four bits, as the module's loop takes them.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    by: Relaxed,
    runs: usize,
    bytes: Vec<u8>,
}

impl PartialEq for Levels {
    fn eq(&self, other: &Levels) -> bool {
        self.bytes == other.bytes
    }
}

#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<i8>,
    corrections: Vec<u32>,
    sums: Vec<[i32; PANEL]>,
}

impl Levels {
    /// Returns an empty layer of `runs` runs of 64 inputs with room for `panels` panels.
    pub(super) fn new(by: Relaxed, runs: usize, panels: usize) -> Levels {
        Levels { by, runs, bytes: Vec::with_capacity(panels * runs * ARRANGED) }
    }

    /// Adds the next panel, as bundles store it.
    pub(super) fn push(&mut self, panel: &[u8]) {
        let (runs, at) = (panel.len() / PACKED, self.bytes.len());
        self.bytes.resize(at + runs * ARRANGED, 0);
        // SAFETY: `panel`, and the bytes from `at` on, have `runs` runs of these sizes.
        unsafe { (self.by.arrange)(panel.as_ptr(), runs, self.bytes[at..].as_mut_ptr()) };
    }

    /// Multiplies as `multiply` does for panels of bytes; `x` are rows of integers of magnitude at most 127.
    pub(super) fn multiply(
        &self,
        x: &[i16],
        x_scales: &[f32],
        (scales, bias): (&[f32], &[f32]),
        out: &mut [f32],
        finish: Finish,
        b: &mut Buffer,
    ) {
        let (rows, outputs) = (x_scales.len(), scales.len());
        let x = &x[..rows * self.runs * RUN];
        let panels = self.bytes.len() / (self.runs * ARRANGED);
        b.bytes.resize(x.len(), 0);
        b.corrections.resize(rows * self.runs, 0);
        b.sums.resize(rows * panels, [0; PANEL]);
        // SAFETY: `x` and `bytes` have `rows` rows of `runs` runs, `self.bytes` has `panels` panels of them,
        // and the buffers were just resized.
        unsafe {
            let (x, weights, bytes) = (x.as_ptr(), self.bytes.as_ptr(), b.bytes.as_mut_ptr());
            (self.by.multiply)(
                x,
                rows,
                self.runs,
                weights,
                panels,
                bytes,
                b.corrections.as_mut_ptr(),
                b.sums.as_mut_ptr(),
            );
        }
        for (panel, sums) in b.sums.chunks_exact(rows).enumerate() {
            let at = panel * PANEL;
            finish.write_rows(sums, x_scales, &scales[at..], &bias[at..], &mut out[at..], outputs);
        }
    }
}
