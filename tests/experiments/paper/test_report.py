"""The report says what the result files say."""

import json
import re
from dataclasses import replace

from lane.experiments.paper import claims as verdicts
from lane.experiments.paper import departures, published
from lane.experiments.paper.claims import claims
from lane.experiments.paper.departures import DEPARTURES
from lane.experiments.paper.experiments import TREES
from lane.experiments.paper.findings import Findings
from lane.experiments.paper.report import headline, markdown, write


def test_what_was_not_done_is_not_claimed(tmp_path):
    nothing = Findings.read(tmp_path)
    outcomes = [outcome for claim in claims(nothing) for outcome in (claim.ours, claim.published)]
    assert {outcome.verdict for outcome in outcomes} == {verdicts.UNKNOWN}
    text = markdown(nothing, tmp_path)
    assert "{{" not in text
    assert text.count("*Not done yet.*") >= 6


def test_the_page_needs_no_other_file(findings):
    folder = findings.folder / "results"
    folder.mkdir()
    findings = replace(findings, folder=folder)
    for name in ("tasks", "ablations", "rates", "baselines", "departures"):
        lines = "".join(json.dumps(record) + "\n" for record in getattr(findings, name))
        (folder / f"{name}.jsonl").write_text(lines)
    for name in ("published", "published_ablations", "published_rates", "behaviours"):
        lines = "".join(json.dumps(record) + "\n" for record in getattr(findings, name))
        file = "published-behaviours" if name == "behaviours" else name.replace("_", "-")
        (folder / f"{file}.jsonl").write_text(lines)
    for name in ("productivity", "limit", "rules"):
        (folder / f"{name}.json").write_text(json.dumps(getattr(findings, name)))
    for task in TREES:
        (folder / f"tree-{task}.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert Findings.read(folder) == findings
    page = findings.folder.parent / "docs" / "report.md"
    written = write(folder, page)
    assert [path.name for path in written] == [
        *("times.svg", "productivity.svg", "ablations.svg", "rates.svg", "published.svg"),
        *("report.md", "report.html"),
    ]
    text, html = (page.with_suffix(kind).read_text(encoding="utf-8") for kind in (".md", ".html"))
    pictures = re.findall(r"\]\((\S+\.svg)\)", text)
    assert len(pictures) == 5 + len(TREES)
    assert all((page.parent / picture).exists() for picture in pictures)
    assert "{{" not in text
    sources = re.findall(r'src="([^"]+)"', html)
    assert len(sources) == len(pictures)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert 'id="sources"' in html, "where a link of the page leads to"
    assert "| `$x twice -> $X $X` | 1 |" in text
    assert "| simple | lstm | 1 | 90.0 | 90.0 | no gain, 20,000 updates | 30 | 5 |" in text
    again = [path.read_bytes() for path in written]
    write(folder, page)
    assert [path.read_bytes() for path in written] == again, "the same results, the same bytes"


def test_what_a_departure_is_worth(findings, attempt):
    seeds = (1, 2, 3)
    departed = (
        *(attempt([], seed=seed, updates=300 + 100 * seed) for seed in seeds),
        *(attempt(["sure=0"], seed=seed, right=1.0 if seed == 2 else 0.5, updates=450) for seed in seeds),
        *(attempt(["focus=0"], seed=seed, updates=1000) for seed in seeds),
        *(attempt(["explorers=0"], seed=seed, updates=550) for seed in seeds),
        *(attempt(["gamma=0.5"], seed=seed, updates=250) for seed in seeds),
        # Another departure, though one of its settings is the same.
        attempt(["explorers=0", "sure=0"], right=0.0),
        # Against the runs with constants, not against the recipe.
        *(attempt(["constants=always"], seed=seed, right=0.0, updates=1200) for seed in seeds),
        *(attempt(["constants=always", "dense=false"], seed=seed, right=0.0, updates=1200) for seed in seeds),
    )
    unsure = attempt(["consolidations=0"]) | {"converged": False}
    text = markdown(replace(findings, departures=(*departed, unsure)), findings.folder)
    rows = {row.split(" | ")[1]: row.split(" | ") for row in text.splitlines() if row.count(" | ") > 1}
    assert "| the recipe, a single attempt |  |  |  | 3/3 (500) |  |  |  |" in text
    none = ["", "", "", " |"]
    assert rows["`sure=0`"][3:5] == ["**needed**: 2 of 3 runs are lost", "**1/3** (450)"]
    assert rows["`focus=0`"][3] == "**faster**: else 2.0 times the updates"
    assert rows["`gamma=0.5`"][3] == "**slower**: else 0.5 times the updates"
    assert rows["`explorers=0`"][3:5] == ["no difference here", "3/3 (550)"]
    assert rows["`constants=always`"][3:] == ["**needed**: 3 of 3 runs are lost", "**0/3**", *none[1:]]
    assert rows["`constants=always` `dense=false`"][3] == "no difference here from `constants=always`"
    of_unsure = "**surer**: 1 of 1 runs end at odds with their own rules"
    assert rows["`consolidations=0`"][3:5] == [of_unsure, "1/1 (400)"]
    assert rows["`product=false`"][3:] == ["", *none], "not done"


def test_vectors_are_compared_by_time(findings, attempt):
    (vectors,) = [departure for departure in DEPARTURES if "hidden=128" in departure.settings]
    records = [attempt([]) | {"seconds": 20.0}, attempt(vectors.settings) | {"seconds": 25.0}]
    assert departures.times_as_long(vectors, records) == "1.25"
    assert "1.25 times the seconds in all" in " ".join(
        markdown(replace(findings, departures=tuple(records)), findings.folder).split()
    )


def test_a_search_is_taken_back_over_all_languages_together(findings, run):
    def languages(settings, wrong=()):
        records = [run(f"random:{n}", 1, float(n not in wrong), settings) for n in range(10)]
        return [record | {"updates": 400} for record in records]

    alone = ["candidates=1", "rounds=1"]
    departed = (
        *languages([]),
        *languages(alone, wrong=(5,)),
        *languages([*alone, "attempts=1"], wrong=(5, 7)),
    )
    text = markdown(replace(findings, departures=departed), findings.folder)
    rows = [[cell.strip() for cell in row.split(" | ")] for row in text.splitlines() if " | " in row]
    recipe, candidate, single = [row for row in rows if row[-1].endswith(" (400) |")]
    assert recipe == ["| the recipe, with its search", "", "", "", "random:0 to random:9", "10/10 (400) |"]
    assert candidate[3:] == ["**needed**: 1 of 10 runs are lost", recipe[4], "**9/10** (400) |"]
    assert single[3] == "**needed**: 1 of 10 runs are lost from `candidates=1` `rounds=1`"
    assert single[-1] == "**8/10** (400) |"


def test_the_runs_that_a_departure_is_compared_with_are_shown_once(findings):
    text = markdown(findings, findings.folder)
    table = text[text.index("| undone |") :]
    assert table.count("| the recipe, a single attempt |") == 1
    assert table.count("| the recipe, with its search |") == 2
    assert table.count("| the recipe, with its search | `word_penalty=0` |") == 1
    assert "| the recipe, a single attempt | `constants=always` |" not in table, "a row of its own"


def test_an_ablation_that_is_right_may_not_know_it(findings, run):
    unsure = run("mcd1", 1, 1.0, ["gamma=0"]) | {"converged": False}
    text = markdown(replace(findings, ablations=(unsure,)), findings.folder)
    rows = text.splitlines()
    (place,) = [number for number, row in enumerate(rows) if row.startswith("| without simplicity")]
    assert rows[place + 2].startswith("|  | ours |")
    assert rows[place + 2].endswith("| 1/1 | 0/1 |")


def test_the_papers_figures_stand_beside_those_of_both_recipes(findings, of_paper):
    trials = [trial for trial in published.tasks() if trial.task == "mcd1"]
    mcd1 = [of_paper(trial, 1.0 if trial.seed > 1 else 0.5) for trial in trials]
    text = markdown(replace(findings, published=tuple(mcd1)), findings.folder)
    rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in text.splitlines()]
    assert ["mcd1", "100.0", "90.0 ± 22.4", "4/5", "4/5", "9,000", "360,000", "100.0 ± 0.0"] in rows
    (place,) = [number for number, row in enumerate(rows) if row[0].startswith("without simplicity")]
    paper, its_recipe, ours = (row[1:9] for row in rows[place : place + 3])
    assert paper == ["Liu 2020", "100.0", "100.0", "0.0", "100.0", "100.0", "100.0", "78.8 ± 4.2"]
    assert its_recipe == ["its recipe", *["0.0 ± 0.0"] * 7]
    assert ours == ["ours", *["0.0"] * 7]
    assert ["LANE", "Liu 2020", "100.0", ""] in rows


def test_a_behaviour_is_taken_back_alone(findings):
    text = markdown(findings, findings.folder)
    table = text[text.index("| taken back |") :]
    assert "| the preset `paper` |  | 3/3 | 100.0 ± 0.0 | 3/3 | 100.0 ± 0.0 |" in table
    assert "| `shuffled=false` | **0/3** | 50.0 ± 0.0 | **0/3** | 50.0 ± 0.0 |" in table


def test_baselines_of_a_fixed_number_of_updates_are_shown_only_where_there_are_no_others(findings, run):
    old = run("simple", 1, 0.5) | {"kind": "lstm", "parameters": 5, "updates": 3000}
    text = markdown(replace(findings, baselines=(old,)), findings.folder)
    assert "| simple | lstm | 1 | 50.0 | 50.0 | after 3,000 updates of a small network | 30 | 5 |" in text
    text = markdown(replace(findings, baselines=(old, *findings.baselines)), findings.folder)
    assert "| simple | lstm | 1 | 90.0 | 90.0 | no gain, 20,000 updates | 30 | 5 |" in text
    assert "small network |" not in text


def test_the_headline(findings):
    assert headline(findings).startswith("18 of 18 runs")
