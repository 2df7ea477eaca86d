"""Score-valued AUC variants, confusion metrics and nested cross-validation for scikit-learn."""

from importlib.metadata import version

__version__ = version("skaucx")
