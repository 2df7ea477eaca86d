"""Values of scikit-survival and lifelines, for tests/survival/test_survival.py.

``pip install scikit-survival lifelines`` into an environment of its own, then
``python tests/survival/survival_values.py > tests/survival/survival_values.json``. Days are whole.
Wherever Uno's C, AUCs and Brier scores are found, censored rows are moved by a quarter of a day and
horizons by half a day: scikit-survival weights an event by the censoring distribution at its time, not
before it.
"""

import json
from pathlib import Path

import numpy as np
from lifelines.utils import concordance_index
from sksurv import metrics

DATA = Path(__file__).parent


def main():
    """Print the values on both data sets of the guide."""
    found = {}
    for name, own in json.loads((DATA / "survival_values_r.json").read_text()).items():
        rows = np.genfromtxt(
            DATA.parents[1] / "examples" / "guide" / "data" / f"{name}.csv",
            delimiter=",", names=True, dtype=None, encoding="utf-8",
        )  # fmt: skip
        event = rows["cens" if name == "gbsg2" else "status"] == 1
        found[name] = values(rows["time"].astype(float), event, own)
    print(json.dumps(found))


def structured(time, event):
    """Return the array that scikit-survival takes."""
    return np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])


def values(time, event, own):
    """Return every value that scikit-survival and lifelines have."""
    risk, times = np.array(own["lp"]), np.array(own["times"], dtype=float)
    probability = np.exp(-np.outer(np.exp(risk), (times / (2 * own["horizon"])) ** 1.2))
    y, moved = structured(time, event), structured(np.where(event, time, time + 0.25), event)
    half, later = np.arange(len(y)) % 2 == 0, times + 0.5
    within = ~half & (moved["time"] < moved["time"][half].max())
    auc, mean_auc = metrics.cumulative_dynamic_auc(moved, moved, risk, later)
    train_auc, _ = metrics.cumulative_dynamic_auc(moved[half], moved[within], risk[within], later)
    return {
        "harrell": metrics.concordance_index_censored(event, time, risk)[0],
        "harrell_of_lifelines": concordance_index(time, -risk, event),
        "uno": metrics.concordance_index_ipcw(moved, moved, risk)[0],
        "uno_tau": metrics.concordance_index_ipcw(moved, moved, risk, tau=own["tau"])[0],
        "uno_as_given": metrics.concordance_index_ipcw(y, y, risk)[0],
        "auc": auc.tolist(),
        "integrated_auc": mean_auc,
        "auc_of_training_part": train_auc.tolist(),
        "brier": metrics.brier_score(moved, moved, probability, later)[1].tolist(),
        "integrated_brier": metrics.integrated_brier_score(moved, moved, probability, later),
    }


if __name__ == "__main__":
    main()
