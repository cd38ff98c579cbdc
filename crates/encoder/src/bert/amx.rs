//! The one unsafe kernel: products of bfloat16 tiles on the matrix unit of Intel's servers (AMX, Sapphire Rapids and
//! later).
//!
//! It exists because the unit multiplies 16 times as many numbers per cycle as `f32` vectors do, and Rust's intrinsics
//! for it are not stable. Everything that decides which numbers are multiplied is safe code in `tiles.rs`.

use std::sync::OnceLock;

/// Rows of a stripe of the left matrix and columns of a panel of the right one: two tiles each.
pub(super) const SIDE: usize = 32;
/// Numbers of the inner dimension that one instruction sums over.
pub(super) const STEP: usize = 32;
/// Numbers of a step of a stripe or a panel.
pub(super) const STEP_NUMBERS: usize = SIDE * STEP;

/// Proof that this processor has the tiles and that the system lets this process use them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amx(());

impl Amx {
    /// Detects the tiles, once per process; `None` if there are none.
    pub(super) fn of_this_machine() -> Option<Self> {
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        ALLOWED.get_or_init(allowed).then_some(Self(()))
    }

    /// Computes `out = left * right` for one stripe and some panels of one depth, summed in `f32` from zero.
    ///
    /// `left`: the steps of the inner dimension one after another, each 32 rows of 32 numbers. `right`: the panels one
    /// after another, each with its steps one after another, each two tiles of 16 rows of 16 pairs: pair `j` of row `p`
    /// is column `j` at `2p` and `2p + 1` of the step. `out`: 32 rows as wide as the panels together.
    ///
    /// Every number of `out` depends on its own row and column only: the unit adds the products of one pair after
    /// another, in the order of the inner dimension.
    pub(super) fn multiply(self, left: &[u16], right: &[u16], out: &mut [f32]) {
        let n_steps = left.len() / STEP_NUMBERS;
        assert!(n_steps > 0 && left.len() == n_steps * STEP_NUMBERS, "a stripe is whole steps");
        let n_panels = right.len() / left.len();
        assert!(
            n_panels > 0 && right.len() == n_panels * left.len(),
            "panels are as deep as the stripe"
        );
        assert_eq!(
            out.len(),
            SIDE * n_panels * SIDE,
            "a row of every panel for each row of the stripe"
        );
        run(self, left, right, n_steps, n_panels, out);
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn allowed() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn run(_: Amx, _: &[u16], _: &[u16], _: usize, _: usize, _: &mut [f32]) {
    unreachable!("no `Amx` is made for this target")
}

/// Returns true if the processor has tiles of bfloat16 and Linux saves them for this process (its documentation: "Using
/// XSTATE features in user space applications").
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code, reason = "the permission is asked for by a system call that std has not")]
fn allowed() -> bool {
    use std::arch::asm;
    use std::arch::x86_64::__cpuid_count;

    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: i64 = 0x1023;
    const XFEATURE_XTILEDATA: i64 = 18;
    // Leaf 7, EDX: bit 22 AMX-BF16, bit 24 AMX-TILE. Every processor with AVX2 has this leaf.
    const NEEDED: u32 = 1 << 22 | 1 << 24;
    if !std::arch::is_x86_feature_detected!("avx2") || __cpuid_count(7, 0).edx & NEEDED != NEEDED {
        return false;
    }
    let mut status = ARCH_PRCTL;
    // SAFETY: a system call that reads its three registers and no memory; the kernel changes rax, rcx and r11 alone.
    // Its only effect on this process is that tiles may be used. It fails with an error on kernels that do not know it.
    unsafe {
        asm!(
            "syscall",
            inout("rax") status,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    status == 0
}

/// Palette 1; 8 tiles of 16 rows of 64 bytes: bytes 16.. are row widths, bytes 48.. row counts.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[repr(C, align(64))]
struct Config([u8; 64]);

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
static CONFIG: Config = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = 64;
        bytes[48 + tile] = 16;
        tile += 1;
    }
    Config(bytes)
};

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code, reason = "the intrinsics of the tiles are not stable")]
fn run(_: Amx, left: &[u16], right: &[u16], n_steps: usize, n_panels: usize, out: &mut [f32]) {
    use std::arch::asm;

    const ROW_BYTES: usize = STEP * size_of::<u16>();
    let out_row_bytes = n_panels * SIDE * size_of::<f32>();
    // SAFETY:
    // - The instructions exist and are allowed: an `Amx` is made only where `allowed` returned true.
    // - Reads: a step is 2 tiles of 16 rows of 64 bytes, 2,048 bytes, `STEP_NUMBERS` numbers. The inner loop runs
    //   `n_steps` times from the start of `left`, which holds `n_steps` steps, in each of `n_panels` turns of the outer
    //   loop; `right` moves on by a step in each of `n_steps * n_panels` turns and holds as many (`multiply` checks).
    // - Writes: turn `j` of the outer loop writes 128 bytes at `128 j` of rows 0 to 15 and of rows 16 to 31, rows
    //   `out_row_bytes = 128 n_panels` apart: `32 * 32 * n_panels` numbers in all, the length of `out` (`multiply` checks).
    // - Both counters start above zero (`multiply` checks), so that counting down ends.
    // - All registers written are named; the configuration of tiles, which the compiler never uses, is given back empty.
    unsafe {
        asm!(
            "ldtilecfg [{config}]",
            "2:",
            "mov {at}, {left}",
            "mov {step}, {n_steps}",
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "3:",
            "tileloadd tmm4, [{at} + {row}]",
            "tileloadd tmm6, [{right} + {row}]",
            "tileloadd tmm7, [{right} + {row} + 1024]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{at} + {row} + 1024]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {at}, 2048",
            "add {right}, 2048",
            "dec {step}",
            "jnz 3b",
            "tilestored [{upper} + {out_row}], tmm0",
            "tilestored [{upper} + {out_row} + 64], tmm1",
            "tilestored [{lower} + {out_row}], tmm2",
            "tilestored [{lower} + {out_row} + 64], tmm3",
            "add {upper}, 128",
            "add {lower}, 128",
            "dec {n_panels}",
            "jnz 2b",
            "tilerelease",
            config = in(reg) &raw const CONFIG,
            left = in(reg) left.as_ptr(),
            right = inout(reg) right.as_ptr() => _,
            upper = inout(reg) out.as_mut_ptr() => _,
            lower = inout(reg) out.as_mut_ptr().wrapping_byte_add(16 * out_row_bytes) => _,
            row = in(reg) ROW_BYTES,
            out_row = in(reg) out_row_bytes,
            n_steps = in(reg) n_steps,
            n_panels = inout(reg) n_panels => _,
            at = out(reg) _,
            step = out(reg) _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bfloat(x: f32) -> u16 {
        (x.to_bits() >> 16) as u16
    }

    /// Small integers are exact in bfloat16 and their sums in `f32`, so the product must equal that of the integers.
    #[test]
    fn a_stripe_times_panels_is_the_integers_product_where_the_machine_has_tiles() {
        let Some(amx) = Amx::of_this_machine() else {
            return;
        };
        for (n_steps, n_panels) in [(1, 1), (3, 1), (1, 3), (12, 5)] {
            let depth = n_steps * STEP;
            let value = |i: usize, p: usize| ((i * 7 + p * 5) % 17) as f32 - 8.0;
            let mut left = vec![0; n_steps * STEP_NUMBERS];
            for i in 0..SIDE {
                for p in 0..depth {
                    left[p / STEP * STEP_NUMBERS + i * STEP + p % STEP] = bfloat(value(i, p));
                }
            }
            let mut right = vec![0; n_panels * left.len()];
            for j in 0..n_panels * SIDE {
                for p in 0..depth {
                    let step = &mut right[(j / SIDE * n_steps + p / STEP) * STEP_NUMBERS..];
                    step[j % SIDE / 16 * 512 + p % STEP / 2 * 32 + j % 16 * 2 + p % 2] =
                        bfloat(value(p, j + 3));
                }
            }
            let mut out = vec![f32::NAN; SIDE * n_panels * SIDE];
            amx.multiply(&left, &right, &mut out);
            for (at, got) in out.iter().enumerate() {
                let (i, j) = (at / (n_panels * SIDE), at % (n_panels * SIDE));
                let expected: f32 = (0..depth).map(|p| value(i, p) * value(p, j + 3)).sum();
                assert_eq!(
                    *got, expected,
                    "row {i}, column {j} of {n_steps} steps, {n_panels} panels"
                );
            }
        }
    }
}
