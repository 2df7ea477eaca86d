"""The rooms of the package, the lowest first, by its imports: ``python examples/rooms.py``."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import skaucx

ROOT = Path(skaucx.__file__).parent
INNER = ("metrics", "model_selection")  # whose rooms are listed one by one
BACKWARD = {"metrics._kinds": {"regression"}}  # imports that run back, inside functions


def room_of(parts: tuple[str, ...]) -> str:
    """Return the room of a module by the parts of its dotted name, without the package's."""
    inner = parts[:1] in {(name,) for name in INNER} and len(parts) > 1
    return ".".join(parts[: 2 if inner else 1])


def imported(path: Path) -> set[str]:
    """Return the rooms that a module imports from."""
    package, found = ("skaucx", *path.relative_to(ROOT).parent.parts), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            base += tuple((node.module or "").split(".")) if node.module else ()
            found |= {(*base, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
    return {room_of(existing(name[1:])) for name in found if name[0] == "skaucx" and len(name) > 1}


def existing(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the module that a name is of: itself, or the one that it is imported from."""
    path = ROOT.joinpath(*parts)
    return parts if path.is_dir() or path.with_suffix(".py").exists() else parts[:-1]


def told(room: str) -> str:
    """Return the first sentence of a room's docstring."""
    path = ROOT.joinpath(*room.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


@cache
def table() -> str:
    """Return the rooms as a table of Markdown, each before those that import from it.

    A room that another one reaches through a third is not listed.
    """
    rooms: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts and parts[0] != "__main__" and parts not in {(name,) for name in INNER}:
            rooms.setdefault(room_of(parts), set()).update(imported(path))
    rooms = {
        room: (below & set(rooms)) - {room} - BACKWARD.get(room, set())
        for room, below in rooms.items()
    }
    reached: dict[str, set[str]] = {}
    lines = ["| room | what it does | imports from |", "|---|---|---|"]
    for room in TopologicalSorter(dict(sorted(rooms.items()))).static_order():
        through = set().union(*(reached[other] for other in rooms[room]))
        reached[room] = rooms[room] | through
        below = ", ".join(f"`{other}`" for other in sorted(rooms[room] - through))
        lines.append(f"| `{room}` | {told(room)} | {below} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    print(table())


if __name__ == "__main__":
    main()
