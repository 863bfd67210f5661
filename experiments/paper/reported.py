"""What others report: figures from the literature, each with its source. None of them is measured here."""

from dataclasses import dataclass

SYSTEMATIC = ("simple", "addjump", "around_right", "length")
MCD = ("mcd1", "mcd2", "mcd3")


@dataclass(frozen=True)
class Row:
    """A method's test accuracy in percent, by task; a task that is missing was not reported."""

    method: str
    source: str
    percent: dict[str, str]


SOURCES = {
    "Liu 2020": "Liu et al., Compositional Generalization by Learning Analytical Expressions, NeurIPS 2020, "
    "arXiv 2006.10627, its tables of SCAN, MCD, MiniSCAN and of the ablations",
    "Kim 2021": "Table 1 of Kim, Sequence-to-Sequence Learning with Latent Neural Grammars, NeurIPS 2021, "
    "arXiv 2109.01135, which gathers the figures of the methods' own papers",
    "Keysers 2020": "Table 4 of Keysers et al., Measuring Compositional Generalization, ICLR 2020, "
    "arXiv 1912.09713; the mean of the three splits, with its 95 % interval",
    "Read-me": "the README of the published code, microsoft/ContextualSP, compositional_generalization",
}


def _row(method: str, source: str, tasks: tuple[str, ...], *values: str) -> Row:
    return Row(method, source, {task: value for task, value in zip(tasks, values, strict=True) if value})


# The paper's table of SCAN; LANE over 5 runs, the spread where it prints one.
SYSTEMATICITY = (
    _row("LANE", "Liu 2020", SYSTEMATIC, "100.0", "100.0", "100.0", "100.0"),
    _row("Seq2Seq", "Liu 2020", SYSTEMATIC, "99.7", "1.2", "2.5 ± 2.7", "13.8"),
    _row("CNN", "Liu 2020", SYSTEMATIC, "100.0", "69.2 ± 9.2", "56.7 ± 10.2", "0.0"),
    _row("Syntactic Attention", "Liu 2020", SYSTEMATIC, "100.0", "91.0 ± 27.4", "28.9 ± 34.8", "15.2 ± 0.7"),
    _row("CGPS", "Liu 2020", SYSTEMATIC, "99.9", "98.8 ± 1.4", "83.2 ± 13.2", "20.3 ± 1.1"),
    _row("GECA, with augmented data", "Liu 2020", SYSTEMATIC, "", "87.0", "82.0", ""),
    _row("Meta Seq2Seq, with permuted data", "Liu 2020", SYSTEMATIC, "", "99.9", "99.9", "16.6"),
    _row(
        "Equivariant Seq2Seq, with local groups by hand",
        "Liu 2020",
        SYSTEMATIC,
        *("100.0", "99.1 ± 0.0", "92.0 ± 0.2", "15.9 ± 3.2"),
    ),
    _row(
        "Program synthesis, with a meta grammar by hand",
        "Liu 2020",
        SYSTEMATIC,
        *("100.0", "100.0", "100.0", "100.0"),
    ),
    # Of methods that are newer than the paper, or that it leaves out:
    _row("NeSS", "Kim 2021", SYSTEMATIC, "100.0", "100.0", "100.0", "100.0"),
    _row("Neural QCFG", "Kim 2021", SYSTEMATIC, "96.9", "96.8", "98.7", "95.7"),
    _row("T5-base", "Kim 2021", SYSTEMATIC, "", "99.5", "33.2", "14.4"),
    _row("Transformer", "Kim 2021", SYSTEMATIC, "", "1.0", "53.3", "0.0"),
)

# Its table of the MCD splits, and the mean of the three where another source has nothing else.
DIVERGENCE = (
    _row("LANE", "Liu 2020", MCD, "100.0", "100.0", "100.0"),
    _row("Seq2Seq", "Liu 2020", MCD, "6.5 ± 3.0", "4.2 ± 1.4", "1.4 ± 0.2"),
    _row("Transformer", "Liu 2020", MCD, "0.4 ± 0.2", "1.6 ± 0.3", "0.8 ± 0.4"),
    _row("Universal Transformer", "Liu 2020", MCD, "0.5 ± 0.1", "1.5 ± 0.2", "1.1 ± 0.4"),
    _row("CGPS", "Liu 2020", MCD, "1.2 ± 1.0", "1.7 ± 2.0", "0.6 ± 0.3"),
    Row("LSTM with attention", "Keysers 2020", {"mean": "6.1 ± 2.2"}),
    Row("Universal Transformer", "Keysers 2020", {"mean": "1.2 ± 0.7"}),
    Row("Transformer", "Keysers 2020", {"mean": "1.1 ± 0.5"}),
)

# MiniSCAN.
LIMIT = {"Human": "84.3", "Seq2Seq": "2.5", "CGPS": "76.0", "Meta Seq2Seq": "100.0", "LANE": "100.0"}

# Without the Composer it keeps the trees and the check never fires; 0 without a curriculum stands for no sign
# of convergence in several days.
ABLATED = {
    "without Composer": _row(
        "",
        "Liu 2020",
        (*SYSTEMATIC, *MCD),
        *("98.5 ± 0.6", "0.0", "0.0", "11.1 ± 13.1", "5.3 ± 2.4", "0.7 ± 0.3", "2.6 ± 0.9"),
    ).percent,
    "without curriculum": dict.fromkeys((*SYSTEMATIC, *MCD), "0.0"),
    "without simplicity": _row(
        "",
        "Liu 2020",
        (*SYSTEMATIC, *MCD),
        *("100.0", "100.0", "0.0", "100.0", "100.0", "100.0", "78.8 ± 4.2"),
    ).percent,
}

UPDATES = (6_000, 13_000)  # an estimate from the epochs of the released weights, 32 to 55
GPU_HOURS = (20, 25)  # of one Tesla P100, a run (Liu 2020)
