"""Files of the repository."""

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
WORKFLOWS = [
    *sorted((ROOT / ".github/workflows").glob("*.yaml")),
    ROOT / "examples/ci/github-actions.yaml",
]


def copy_parts(clone: Path, *names: str) -> None:
    """Copy files and folders to the same places of another folder."""
    for name in names:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, clone / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, clone / name)


def write_programs(folder: Path, programs: Mapping[str, str]) -> None:
    """Write scripts that can be executed, by their names."""
    for name, text in programs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o755)


def load_module(file: Path) -> ModuleType:
    """Return the module of a file that is in no package."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
