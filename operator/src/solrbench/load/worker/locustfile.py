"""A custom locustfile: its environment, its classes, and what is wrong with it.

Importing this module imports Locust, which patches the process.
"""

import os
import sys
import traceback
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from locust import User
from locust.user.users import PytestUser

from solrbench.api.v1alpha1.workload import RESERVED_PREFIX, Locustfile
from solrbench.contract.load_plan import LoadPlan
from solrbench.load.errors import LoadError
from solrbench.load.schedule.users import UserClass, max_users
from solrbench.reasons.load import LoadReason

MALFORMED = LoadReason.MALFORMED_LOCUSTFILE


@dataclass(frozen=True)
class LoadedLocustfile:
    """A locustfile that was read, and the user classes of it that are run, by name."""

    plan: LoadPlan
    spec: Locustfile
    classes: tuple[type[User], ...]

    @property
    def user_classes(self) -> tuple[UserClass, ...]:
        """What the master needs to know of the classes."""
        return tuple(UserClass(c.__name__, c.weight, c.fixed_count) for c in self.classes)

    def hosts(self, variant: str) -> list[str]:
        """Return the URLs of the collection, one for each node or endpoint, without trailing slash.

        `variant` is empty without variants.
        """
        endpoints = {each.variant: each.urls for each in self.plan.variants}
        urls = endpoints[variant] if variant else self.plan.solr_urls
        return [f"{url.rstrip('/')}/{self.plan.collection}" for url in urls]


def load_locustfile(plan: LoadPlan, locustfile: Locustfile, folder: Path) -> LoadedLocustfile:
    """Run a locustfile and return its classes.

    It raises `LoadError` with `MalformedLocustfile`, and with file, line and message.
    """
    ours = {
        "BENCHMARK": plan.benchmark,
        "COLLECTION": plan.collection,
        "SOLR_URLS": ",".join(plan.solr_urls),
        "TIMEOUT_SECONDS": str(plan.workload.timeout_seconds),
        "WORKERS": str(plan.workers),
    }
    # Before the file is run: it may read them as it is imported.
    os.environ |= locustfile.environment | {f"{RESERVED_PREFIX}{k}": v for k, v in ours.items()}
    source = locustfile.config_map
    file = folder / source.key
    if not file.is_file():
        raise LoadError(MALFORMED, f"ConfigMap {source.name} has no key {source.key}; add it")
    read = LoadedLocustfile(plan, locustfile, _select_classes(locustfile, _run(file)))
    users = [step_run.step.users or 0 for step_run in plan.step_runs]
    warm_up = plan.warm_up.users if plan.warm_up is not None else None
    most, wanted = max_users(read.user_classes), max([*users, warm_up or 0])
    if most is not None and most < wanted:
        raise LoadError(
            MALFORMED,
            f"{file.name}: its classes have a fixed_count of {most} users together, the load has"
            f" {wanted}; let one class go by weight",
        )
    return read


def _run(file: Path) -> ModuleType:
    # Not its own name, which may be that of a package it imports.
    loader = SourceFileLoader("solrbench_locustfile", str(file))
    spec = spec_from_loader(loader.name, loader)
    if spec is None:
        raise LoadError(MALFORMED, f"{file.name} is not a Python file; name a key that ends in .py")
    module = module_from_spec(spec)
    # As an import does: dataclasses and pickle look a class up in the module that it names.
    sys.modules[loader.name] = module
    # Other keys of the ConfigMap are modules that it may import.
    sys.path.insert(0, str(file.parent))
    try:
        loader.exec_module(module)
    # A file may call `sys.exit`, which would end the worker without a word to the master.
    except (Exception, SystemExit) as error:
        raise LoadError(MALFORMED, describe(error, file.parent)) from error
    return module


def describe(error: BaseException, folder: Path | None = None) -> str:
    """Return file, line, kind and message of an error: where it left the user's code.

    `folder` holds that code; without it, the place where the error was raised is named.
    """
    if isinstance(error, SyntaxError) and error.filename is not None:
        where = f"{Path(error.filename).name}, line {error.lineno}"
        return f"{where}: {type(error).__name__}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if folder is None or Path(frame.filename).parent == folder]
    where = f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""
    return f"{where}{type(error).__name__}: {error}"


def _select_classes(locustfile: Locustfile, module: ModuleType) -> tuple[type[User], ...]:
    file = locustfile.config_map.key
    found = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, User)
        and not issubclass(each, PytestUser)
        # `HttpUser` and other bases that the file has imported.
        and not each.abstract
    }
    if not found:
        text = f"{file} has no user class: define a subclass of HttpUser, or of User"
        raise LoadError(MALFORMED, text)
    missing = [name for name in locustfile.classes or () if name not in found]
    if missing:
        raise LoadError(
            MALFORMED,
            f"workload.locustfile.classes: {file} has no user class {', '.join(missing)};"
            f" it has {', '.join(sorted(found))}",
        )
    return tuple(found[name] for name in sorted(set(locustfile.classes or found)))
