"""Documents for a paper or a regulator: the recommended set, subgroups, sites, TRIPOD+AI."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from .._compat import import_pyplot
from .._options import check_folder
from .._text import latex, markdown
from .._text.numbers import counted, fixed, percent, with_interval
from .._text.reported import shown
from .._text.tables import Table
from ..displays import CalibrationDisplay, DecisionDisplay, RocCurveDisplay, ScoreDisplay
from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..reports._parts import PagePredictions, weight_of
from ._pooling import SiteEvaluation, evaluate_sites

_OPEN = "to be filled in"
_RESAMPLES = 200
# TRIPOD+AI (Collins et al. 2024): the section, the number and the subject of each item.
_ITEMS = """
Title|1|Kind of study (development or evaluation), population and outcome in the title
Abstract|2|Abstract with the items of TRIPOD+AI for abstracts
Introduction|3a|Clinical context, rationale, existing models
Introduction|3b|Target population, purpose and users of the model
Introduction|3c|Known health inequalities between groups
Introduction|4|Objectives: development, evaluation or both
Methods|5a|Sources of the data, reasons for them, how representative they are
Methods|5b|Dates of the data, length of follow-up
Methods|6a|Setting, number and places of the centres
Methods|6b|Eligibility of participants
Methods|6c|Treatments received, and how they were handled
Methods|7|Preparation and quality checks of the data, by group
Methods|8a|Outcome: definition, time horizon, assessment
Methods|8b|Assessors of the outcome, where it takes judgement
Methods|8c|Blinding of the assessment of the outcome
Methods|9a|Choice of the initial predictors
Methods|9b|Definition and measurement of the predictors, blinding
Methods|9c|Assessors of the predictors, where they take judgement
Methods|10|Sample size and its reasons
Methods|11|Missing data and their handling
Methods|12a|Use of the data: development and evaluation, partition
Methods|12b|Handling of predictors: form, scaling, transformation
Methods|12c|Type of model, building steps, tuning, internal validation
Methods|12d|Differences between clusters, such as hospitals
Methods|12e|Metrics and plots of performance
Methods|12f|Updating of the model, such as recalibration
Methods|12g|Calculation of the predictions that are evaluated
Methods|13|Class imbalance: methods, and recalibration after them
Methods|14|Fairness: methods and their reasons
Methods|15|Output of the model; thresholds and their reasons
Methods|16|Differences between development and evaluation data
Methods|17|Ethical approval and consent
Open science|18a|Funding
Open science|18b|Conflicts of interest
Open science|18c|Protocol
Open science|18d|Registration
Open science|18e|Availability of the data
Open science|18f|Availability of the code
Patients and public|19|Involvement of patients and the public
Results|20a|Flow of participants; numbers with and without the outcome
Results|20b|Characteristics of participants, by centre
Results|20c|Distribution of predictors against the development data
Results|21|Participants and events in each analysis
Results|22|The full model, so that others can predict with it
Results|23a|Performance with intervals, also in subgroups
Results|23b|Differences of performance between clusters
Results|24|Results of updating
Discussion|25|Interpretation, fairness, earlier studies
Discussion|26|Limitations
Discussion|27a|Poor or missing input at use
Discussion|27b|Interaction with users, expertise they need
Discussion|27c|Next steps, applicability, generalisability
"""
ITEMS = tuple(tuple(line.split("|")) for line in _ITEMS.strip().splitlines())
# What Van Calster et al. (2025) say of the metrics of the set.
_PARTS = {
    "discrimination": ("roc_auc",),
    "calibration": (
        "observed_expected_ratio", "calibration_intercept", "calibration_slope",
        "integrated_calibration_index", "estimated_calibration_index", "debiased_calibration_error",
    ),
    "overall": ("brier_score_loss", "d2_brier", "log_loss", "d2_log_loss", "nagelkerke_r2"),
    "discrimination of risks": ("discrimination_slope",),
    "clinical utility": ("net_benefit",),
    "descriptive, at one threshold: improper alone": ("recall", "specificity", "precision", "npv"),
}  # fmt: skip
_PART_OF = {name: part for part, names in _PARTS.items() for name in names}


@dataclass(frozen=True)
class Document:
    """What a document says: its title, a sentence, sections of tables, and pictures by their names."""

    title: str
    answer: str
    sections: Sequence[tuple[str, Sequence[Table]]]
    pictures: Mapping[str, Callable[..., Any]]

    def write(self, path: Path) -> Path:
        """Write Markdown or LaTeX, by the suffix, and its pictures next to it."""
        check_folder(path)
        in_latex = path.suffix == ".tex"
        drawn = {}
        for name, draw in self.pictures.items():
            file = path.with_name(f"{path.stem}-{name.lower().replace(' ', '-')}")
            file = file.with_suffix(".pdf" if in_latex else ".png")
            figure, ax = import_pyplot().subplots(figsize=(5.0, 4.2), layout="constrained")
            draw(ax=ax)
            figure.savefig(file, metadata={"CreationDate": None} if in_latex else None)
            import_pyplot().close(figure)
            drawn[name] = file.name
        text = self._latex(drawn) if in_latex else self._markdown(drawn)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
        return path

    def _markdown(self, drawn: Mapping[str, str]) -> str:
        escape = markdown.escape
        pictures = [f"![{escape(name)}]({quote(file)})" for name, file in drawn.items()]
        blocks = [f"# {escape(self.title)}", escape(self.answer), *pictures]
        for name, parts in self.sections:
            blocks += [f"## {escape(name)}", *(each.markdown() for each in parts)]
        return "\n\n".join(blocks) + "\n"

    def _latex(self, drawn: Mapping[str, str]) -> str:
        lines = [
            r"\documentclass{article}", r"\usepackage{booktabs,longtable,graphicx}",
            rf"\title{{{latex.escape(self.title)}}}", r"\begin{document}", r"\maketitle",
            latex.escape(self.answer), "",
        ]  # fmt: skip
        for name, file in drawn.items():
            lines += [rf"\includegraphics[width=.49\linewidth]{{{file}}}% {name}"]
        for name, parts in self.sections:
            lines += [rf"\section{{{latex.escape(name)}}}", *(each.latex() for each in parts)]
        return "\n".join([*lines, r"\end{document}", ""])


def tripod_table(answers: Mapping[str, str]) -> Table:
    """Return the items of TRIPOD+AI with the answers, the others "to be filled in"."""
    rows = [[part, item, subject, answers.get(item, _OPEN)] for part, item, subject in ITEMS]
    known = sum(item in answers for _, item, _ in ITEMS)
    words = (
        f"TRIPOD+AI (Collins et al. 2024), in short words: {known} of {len(ITEMS)} sub-items answered "
        "from the data, the others to be filled in by the authors."
    )
    return Table(["section", "item", "subject", "answer"], rows, words)


def recommended(
    given: PagePredictions,
    threshold: float | None,
    confidence_level: float,
    seen: Container[str] = (),
) -> Table:
    """Return the set "clinical" with intervals, and what the paper says of each metric.

    Those of `seen` are left out. Without a threshold it has no rates of calls and no net benefit.
    """
    found = evaluate(
        given.y_true, given.y_pred, given.score,
        metrics="clinical", intervals=True, confidence_level=confidence_level,
        n_resamples=_RESAMPLES, random_state=0, pos_label=given.positive,
        sample_weight=given.sample_weight, groups=given.groups, zero_division=np.nan,
        **_within(threshold),
    )  # fmt: skip
    assert isinstance(found, Evaluation)
    rows = []
    for name, one in found.intervals.items():
        if name in seen:
            continue
        # Ranks of rows of several folds compare scores of different models: no interval.
        none = bool(given.pooled) and found.rows[name].kind.scale is not None
        ends = (math.nan, math.nan) if none else (float(one.low), float(one.high))
        text, method = with_interval(float(one.estimate), *ends), "none" if none else one.method
        rows.append([shown(name), text, _PART_OF.get(name, ""), method])
    at = "no threshold was given, so rates of calls and net benefit are left out"
    if threshold is not None:
        at = f"net benefit at threshold {threshold:.4g}"
    words = (
        f"The set clinical (Van Calster et al. 2025), {100 * confidence_level:g} % intervals "
        f"of {given.pooled or 'these predictions'}"
        f"{given.pooled and ', not of the procedure, whose scores are means over the folds'}; "
        f"{at}. F1 and accuracy are left out: improper."
        + (" Further metrics than above." if seen else "")
    )
    return Table(["metric", "estimate [interval]", "what it is about", "method"], rows, words)


def _within(threshold: float | None) -> dict[str, Any]:
    """Return the threshold as an argument, if net benefit takes it."""
    return {} if threshold is None or not 0 < threshold < 1 else {"threshold": threshold}


def subgroups(given: PagePredictions, by: Any, confidence_level: float) -> Table:
    """Return AUC, O:E and calibration slope in each subgroup."""
    names = ["roc_auc", "observed_expected_ratio", "calibration_slope"]
    found = evaluate(
        given.y_true, y_score=given.score, metrics=names, by=by, intervals=True,
        confidence_level=confidence_level, n_resamples=_RESAMPLES, random_state=0,
        pos_label=given.positive, sample_weight=given.sample_weight, groups=given.groups,
    )  # fmt: skip
    assert isinstance(found, GroupedEvaluation)
    rows = [
        [group, counted(own.n_rows or 0)]
        + [with_interval(one.estimate, one.low, one.high) for one in own.intervals.values()]
        for group, own in found.named().items()
    ]
    return Table(["subgroup", "rows", *map(shown, names)], rows, "Each subgroup, one by one.")


def sites_table(found: SiteEvaluation) -> Table:
    """Return metrics at every site and pooled, with the notes."""
    rows = [
        [shown(metric), site, with_interval(one.estimate, one.low, one.high)]
        for metric, sites in found.intervals.items()
        for site, one in sites.items()
    ]
    for metric, one in found.pooled.items():
        text = with_interval(one.estimate, one.low, one.high)
        new = f"; a new site {fixed(one.prediction_low)} to {fixed(one.prediction_high)}"
        more = "" if np.isnan(one.prediction_low) else new
        rows.append([shown(metric), "pooled", f"{text}{more}; tau {fixed(one.tau)}"])
    words = " ".join(["Random effects (REML, Hartung-Knapp, prediction interval).", *found.notes])
    return Table(["metric", "site", "estimate [interval]"], rows, words)


def document_of(
    title: str,
    answer: str,
    given: PagePredictions,
    threshold: float | None,
    *,
    by: Any = None,
    sites: Any = None,
    confidence_level: float = 0.95,
    answers: Mapping[str, str] | None = None,
    more: Sequence[tuple[str, Sequence[Table]]] = (),
) -> Document:
    """Return the document of probabilities of two classes; `answers` are further items of TRIPOD+AI."""
    n = weight_of(given, np.ones(len(given.y_true), dtype=bool))
    events = weight_of(given, given.y_true == given.positive)
    table = recommended(given, threshold, confidence_level)
    score: Any = given.score
    known = {
        "8a": f"Positive class: {given.positive}",
        "12e": f"{', '.join(row[0] for row in table.rows)}; ROC, calibration and decision curves, "
        "risks by outcome",
        "13": f"{percent(events / n)} of the rows are positive",
        "15": "Probabilities; "
        + ("no threshold" if threshold is None else f"calls at {threshold:.4g} and above"),
        "20a": f"{counted(n)} rows, {counted(events)} with and {counted(n - events)} without "
        "the outcome",
        "21": f"{counted(n)} rows, {counted(events)} events",
        "23a": "See the recommended set" + (" and the subgroups" if by is not None else ""),
    }
    sections: list[tuple[str, Sequence[Table]]] = [("Recommended set", [table])]
    if by is not None:
        sections.append(("Subgroups", [subgroups(given, by, confidence_level)]))
        known["14"] = "Performance in each subgroup; see there"
    if sites is not None:
        found = evaluate_sites(
            given.y_true, score, sites=sites, pos_label=given.positive,
            confidence_level=confidence_level, sample_weight=given.sample_weight, random_state=0,
            **_within(threshold),
        )  # fmt: skip
        sections.append(("Sites", [sites_table(found)]))
        known["6a"] = f"{len(np.unique(np.asarray(sites)))} sites"
        known["12d"] = "Metrics at each site, pooled by random effects (REML, Hartung-Knapp)"
        known["23b"] = "; ".join(
            f"{shown(metric)}: tau {fixed(one.tau)}" for metric, one in found.pooled.items()
        )
    sections += [*more, ("TRIPOD+AI", [tripod_table(known | dict(answers or {}))])]
    make = {"pos_label": given.positive, "sample_weight": given.sample_weight}
    drawn = {
        name: partial(display.from_predictions, given.y_true, score, **make)
        for name, display in (
            ("ROC curve", RocCurveDisplay),
            ("Calibration", CalibrationDisplay),
            ("Decision curve", DecisionDisplay),
            ("Risks by outcome", ScoreDisplay),
        )
    }
    return Document(title, answer, sections, drawn)
