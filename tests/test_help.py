"""The help of the six calls of `skaucx` fits a screen."""

import inspect

import pytest

import skaucx

CALLS = [name for name in skaucx.__all__ if inspect.isfunction(getattr(skaucx, name))]


def test_there_are_six():
    assert len(CALLS) == 6


@pytest.mark.parametrize("name", CALLS)
def test_help_fits_fifty_lines_of_a_terminal(name):
    call = getattr(skaucx, name)
    lines = [f"{name}{inspect.signature(call)}", *inspect.getdoc(call).splitlines()]
    assert sum(max(-(-len(line) // 80), 1) for line in lines) < 50


@pytest.mark.parametrize("name", CALLS)
def test_help_describes_every_parameter(name):
    call = getattr(skaucx, name)
    parameters = inspect.getdoc(call).partition("Parameters\n")[2].partition("Returns\n")[0]
    heads = [line.partition(" : ")[0] for line in parameters.splitlines() if line[:1].strip()]
    described = {each.strip("* ") for head in heads for each in head.split(",")}
    assert set(inspect.signature(call).parameters) <= described
