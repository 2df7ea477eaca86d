"""scikit-learn's own test modules, from its wheel, run with this package under scikit-learn's names.

Each module is loaded afresh while every name of `sklearn.metrics` that this package has too stands for
this package's; its tests are then collected here. What fails by design stands in `EXCUSED`, strictly:
an excuse that is no longer needed fails.
"""
