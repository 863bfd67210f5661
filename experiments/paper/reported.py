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
    "arXiv 2006.10627",
    "Kim 2021": "Table 1 of Kim, Sequence-to-Sequence Learning with Latent Neural Grammars, NeurIPS 2021, "
    "arXiv 2109.01135, which gathers the figures of the methods' own papers",
    "Lake 2018": "Lake and Baroni, Generalization without Systematicity, ICML 2018, arXiv 1711.00350",
    "Keysers 2020": "Table 4 of Keysers et al., Measuring Compositional Generalization, ICLR 2020, "
    "arXiv 1912.09713; the mean of the three splits, with its 95 % interval",
    "Li 2023": "Table 1 of Li et al., Learning to Substitute Spans towards Improving Compositional "
    "Generalization, ACL 2023",
    "Review 2020": "the first public review of Liu 2020, papers.nips.cc, of the version that was submitted",
    "Read-me": "the README of the published code, microsoft/ContextualSP, compositional_generalization",
}


def _row(method: str, source: str, tasks: tuple[str, ...], *values: str) -> Row:
    return Row(method, source, {task: value for task, value in zip(tasks, values, strict=True) if value})


SYSTEMATICITY = (
    _row("LANE", "Liu 2020, Kim 2021", SYSTEMATIC, "100.0", "100.0", "100.0", "100.0"),
    _row("NeSS", "Kim 2021", SYSTEMATIC, "100.0", "100.0", "100.0", "100.0"),
    _row("Program synthesis", "Kim 2021", SYSTEMATIC, "100.0", "100.0", "100.0", "100.0"),
    _row("Neural QCFG", "Kim 2021", SYSTEMATIC, "96.9", "96.8", "98.7", "95.7"),
    _row("Equivariant Seq2Seq", "Kim 2021", SYSTEMATIC, "100.0", "99.1", "92.0", "15.9"),
    _row("Meta Seq2Seq", "Kim 2021", SYSTEMATIC, "", "99.9", "99.9", "16.6"),
    _row("CGPS", "Kim 2021", SYSTEMATIC, "99.9", "98.8", "83.2", "20.3"),
    _row("GECA", "Kim 2021", SYSTEMATIC, "", "87.0", "82.0", ""),
    _row("Syntactic attention", "Kim 2021", SYSTEMATIC, "100.0", "91.0", "28.9", "15.2"),
    _row("T5-base", "Kim 2021", SYSTEMATIC, "", "99.5", "33.2", "14.4"),
    _row("CNN", "Kim 2021", SYSTEMATIC, "100.0", "69.2", "56.7", "0.0"),
    _row("Transformer", "Kim 2021", SYSTEMATIC, "", "1.0", "53.3", "0.0"),
    # Kim prints 1.7 for addjump; the original says that the best it reached is 1.2.
    _row("Seq2Seq (RNN)", "Kim 2021, Lake 2018", SYSTEMATIC, "99.7", "1.2", "2.5", "13.8"),
)

DIVERGENCE = (
    _row("LANE", "Liu 2020, Review 2020", MCD, "100.0", "100.0", "100.0"),
    _row("CGPS", "Li 2023", MCD, "1.2 ± 1.0", "1.7 ± 2.0", "0.6 ± 0.3"),
    Row("LSTM with attention", "Keysers 2020", {"mean": "6.1 ± 2.2"}),
    Row("Universal Transformer", "Keysers 2020", {"mean": "1.2 ± 0.7"}),
    Row("Transformer", "Keysers 2020", {"mean": "1.1 ± 0.5"}),
)

GPU_HOURS = (20, 25)  # of one Tesla P100, a run (Liu 2020)
