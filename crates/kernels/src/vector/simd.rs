//! Instruction sets of this machine.

/// Instruction set that this machine has. It can only be made by detection, so that a value is proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd(pub(crate) Set);

/// Instruction sets that have kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// Plain code.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Scalar,
    /// WebAssembly's 128-bit instructions. A module either has them or does not load, so this is known when
    /// compiling, and such a module has no plain code.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// NEON, which every 64-bit ARM processor has.
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, VL, DQ and VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Simd {
    /// Returns plain code, on any machine; not in a WebAssembly module with 128-bit instructions.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub fn scalar() -> Simd {
        Simd(Set::Scalar)
    }

    /// Returns the fastest set of this machine.
    pub fn detect() -> Simd {
        #[cfg(target_arch = "x86_64")]
        {
            if has_vnni() {
                return Simd(Set::Avx512Vnni);
            }
            if is_x86_feature_detected!("avx2") {
                return Simd(Set::Avx2);
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Simd(Set::Simd128);
        #[cfg(target_arch = "aarch64")]
        return Simd(Set::Neon);
        #[cfg(not(any(all(target_arch = "wasm32", target_feature = "simd128"), target_arch = "aarch64")))]
        Simd(Set::Scalar)
    }

    /// Returns all sets of this machine, slowest first.
    pub fn available() -> Vec<Simd> {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        let sets = vec![Set::Simd128];
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_mut))]
        let mut sets = vec![Set::Scalar];
        #[cfg(target_arch = "aarch64")]
        sets.push(Set::Neon);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                sets.push(Set::Avx2);
            }
            if has_vnni() {
                sets.push(Set::Avx512Vnni);
            }
        }
        sets.into_iter().map(Simd).collect()
    }

    /// Returns its name: `scalar`, `simd128`, `neon`, `avx2`, `avx512vnni`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Set::Scalar => "scalar",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Set::Simd128 => "simd128",
            #[cfg(target_arch = "aarch64")]
            Set::Neon => "neon",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => "avx512vnni",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_vnni() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vnni")
}
