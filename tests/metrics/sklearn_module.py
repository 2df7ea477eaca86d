"""A test module of scikit-learn, loaded with this package's functions under scikit-learn's names."""

from __future__ import annotations

import importlib.util

import pytest
import sklearn.metrics
from sklearn.utils.fixes import parse_version

import skaucx.metrics

READ = (1, 9)  # the release whose tests were read for the excuses
MARKS = [
    pytest.mark.filterwarnings("ignore"),  # the tests choose for themselves which ones are errors
    pytest.mark.skipif(
        parse_version(sklearn.__version__).release[:2] < READ,
        reason="the checks of an older scikit-learn were not read",
    ),
]

# What scikit-learn refuses with one of these may be refused with another of them.
REFUSALS = (ValueError, TypeError, NotImplementedError)


class OwnWords:
    """pytest for the tests: errors and warnings are asked of their kind, the words are ours."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(error, *, match=None):
        return pytest.raises(REFUSALS if error in REFUSALS else error)

    @staticmethod
    def warns(category, *, match=None):
        return pytest.warns(category)


def load(name):
    """Return a fresh copy of a test module of scikit-learn in which our names stand for its."""
    pytest.importorskip(name)
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for public in sklearn.metrics.__all__:
            if public in skaucx.metrics.__all__:
                patch.setattr(sklearn.metrics, public, getattr(skaucx.metrics, public))
        spec.loader.exec_module(module)
    module.pytest = OwnWords()
    return module


def named_tests(module):
    """Return the tests of a module by their names, less those of array API dispatch."""
    return {
        name: test
        for name, test in vars(module).items()
        if name.startswith("test_") and "array_api" not in name
    }


@pytest.fixture(autouse=True)
def excused_or_not(request):
    excuse(request, request.module.EXCUSED, READ)


@pytest.fixture
def global_random_seed():
    return 0


def excuses_name_tests(request):
    """Imported as a test by the modules: an excuse of a test that is gone is dropped."""
    named = {name.partition("[")[0] for name in request.module.EXCUSED}
    assert named <= set(vars(request.module.MODULE))


def excuse(request, excused, read):
    """Mark a test that may fail, strictly under the release whose tests were read."""
    node = request.node
    why = excused.get(node.name, excused.get(node.originalname))
    if why is not None:
        installed = tuple(map(int, sklearn.__version__.split(".")[:2]))
        request.applymarker(pytest.mark.xfail(reason=why, strict=installed == read))
