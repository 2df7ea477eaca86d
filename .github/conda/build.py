"""Build the conda package of a source distribution, as far as that goes without a channel.

``python .github/conda/build.py dist/skaucx-0.1.0.tar.gz`` renders the recipe as it is, and builds
it with this Python in place of the host's, from the file in place of the one on PyPI.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from pathlib import Path

import rattler_build as rattler

RECIPE = Path(__file__).with_name("recipe.yaml")


def rendered(text: str) -> rattler.RenderedVariant:
    """Return the one package of a recipe."""
    (only,) = rattler.Stage0Recipe.from_yaml(text).render(rattler.VariantConfig())
    return only


def offline(text: str, source: Path) -> str:
    """Return the recipe with what needs a network replaced: source, hash, the host's packages."""
    for pattern, by in (
        (r"url: .*tar\.gz", f"url: {source.resolve().as_uri()}"),
        (r'sha256: "\w+"', f'sha256: "{hashlib.sha256(source.read_bytes()).hexdigest()}"'),
        (r"host:\n(?: {4}- .*\n)+", "host: []\n"),
        (r"script: python (-m pip install \.)", rf"script: {sys.executable} \1 --prefix $PREFIX"),
    ):
        text, found = re.subn(pattern, by, text)
        if found != 1:
            raise ValueError(f"{RECIPE} has {found} places like {pattern!r}, and one is needed.")
    return text


def main(source: Path) -> None:
    """Build, and compare what the package needs and holds with the recipe."""
    recipe = RECIPE.read_text(encoding="utf-8")
    wanted = rendered(recipe).recipe.to_dict()["requirements"]["run"]
    with tempfile.TemporaryDirectory() as folder:
        done = rendered(offline(recipe, source)).run_build(
            output_dir=folder, channels=[], env_isolation=rattler.EnvironmentIsolation.NONE
        )
        package = rattler.Package.from_file(done.packages[0])
        files = [str(file) for file in package.files]
        if [*package.depends] != wanted or "site-packages/skaucx/py.typed" not in files:
            raise ValueError(f"The package needs {package.depends} and has {len(files)} files.")
        if others := [name for name in files if not name.startswith("site-packages/skaucx")]:
            raise ValueError(f"The package holds also {others}.")
        print(f"{package.filename}: {len(files)} files, needs {', '.join(package.depends)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
