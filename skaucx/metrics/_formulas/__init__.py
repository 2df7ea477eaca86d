"""The metrics themselves: one declared formula each.

Importing the package declares them in the order of the tables. New modules are found automatically.
"""

from __future__ import annotations

import importlib
import pkgutil

_FIRST = ("rates", "composites", "agreement", "curve_areas", "auc", "probability")

for _name in sorted(
    (module.name for module in pkgutil.iter_modules(__path__)),
    key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name),
):
    importlib.import_module(f"{__name__}.{_name}")
