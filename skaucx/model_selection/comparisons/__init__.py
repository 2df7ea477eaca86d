"""Several estimators compared on the same folds."""
