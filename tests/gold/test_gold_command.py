"""Gold labels in files: ``python -m skaucx evaluate --judge-labels --has-gold``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from skaucx.command.main import main
from skaucx.evaluation import evaluate
from skaucx.gold import GoldLabels

pandas = pytest.importorskip("pandas")


def test_gold_labels_of_some_rows_and_a_judge(tmp_path, capsys):
    """The same values as evaluate with a judge and labelled rows; the other labels are not read."""
    n, rng, words = 1000, np.random.default_rng(3), np.array(["no", "yes"])
    truth = (rng.random(n) < 0.3) * 1
    predicted = np.where(rng.random(n) < 0.85, truth, 1 - truth)
    judge = words[np.where(rng.random(n) < 0.93, truth, 1 - truth)]
    gold = np.arange(n) % 10 == 0
    frame = pandas.DataFrame(
        {"label": np.where(gold, words[truth], "yes"), "yhat": words[predicted], "judge": judge,
         "gold": gold * 1, "p": rng.random(n)}
    )  # fmt: skip
    file = tmp_path / "rows.csv"
    frame.to_csv(file, index=False)
    asked = ["--true", "label", "--pred", "yhat", "--positive", "yes", "--metrics", "f1,recall"]
    asked += ["--judge-labels", "judge", "--has-gold", "gold", "--intervals"]
    main(["evaluate", str(file), *asked, "--json"])
    found = json.loads(capsys.readouterr().out)
    exact = evaluate(
        frame["label"], frame["yhat"], metrics=["f1", "recall"], pos_label="yes", intervals=True,
        gold=GoldLabels(judge, gold),
    )  # fmt: skip
    assert found.keys() == exact.keys() == {"f1", "recall"}
    for name in exact:
        assert found[name]["value"] == pytest.approx(exact[name])
        assert found[name]["interval"]["low"] == pytest.approx(exact.intervals[name].low)
    main(["evaluate", str(file), *asked])
    assert (
        f"100 gold rows + judge = {exact.intervals['f1'].effective_gold_rows:.0f}"
        in capsys.readouterr().out
    )
    assert main(["evaluate", str(file), *asked[:-3], "--has-gold", "p"]) != 0
    assert "must hold 0 and 1" in capsys.readouterr().err
