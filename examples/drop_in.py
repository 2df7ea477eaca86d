"""Change the import line: functions that scikit-learn has too take its arguments, give its values."""

from __future__ import annotations

import numpy as np
import sklearn.metrics

import skaucx.metrics


def main() -> None:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 1000)
    y_score = np.clip(0.3 * y_true + rng.normal(0.4, 0.2, 1000), 0, 1)
    y_pred = (y_score > 0.5).astype(int)
    for name in skaucx.metrics.__all__:
        function = getattr(skaucx.metrics, name)
        row = getattr(function, "metric", None)
        if row is None or row.twin is None:
            continue
        options = {"beta": 2.0} if name == "fbeta_score" else {}
        second = y_pred if row.kind.counted else y_score
        ours = function(y_true, second, **options)
        theirs = getattr(sklearn.metrics, name)(y_true, second, **options)
        print(f"{name:24} {ours:.12f}  {theirs:.12f}  difference {abs(ours - theirs):.1e}")


if __name__ == "__main__":
    main()
