"""A finished benchmark as an export pod finds it: plan, resource and results in folders."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solrbench.api.v1alpha1.results import Export
from solrbench.contract.pod_plans import (
    ACCESS_KEY,
    RESOURCE_KEY,
    SECRET_KEY,
    ExportOutcome,
    ExportPlan,
    StoredDocument,
    location,
)
from solrbench.contract.storage import to_chunks
from solrbench.export.command import ExportPodEnvironment, run_export
from solrbench.present.report import Report
from support.results.reports import make_report

FOLDER = "20260504T120000Z-0b5b0000"


def volume(**fields: Any) -> Export:
    body = {"persistentVolumeClaim": {"claimName": "reports", "path": "kept/nightly"}}
    return Export.model_validate(body | fields)


def bucket(url: str, **fields: Any) -> Export:
    """Return an export to the bucket `reports`; fields of `s3`, and `keep`."""
    keep = {"keep": fields.pop("keep")} if "keep" in fields else {}
    given = {"endpoint": url, "bucket": "reports", "credentialsSecret": {"name": "s3"}}
    return Export.model_validate({"s3": given | fields} | keep)


@dataclass(frozen=True)
class ExportPod:
    """The folders of a pod."""

    root: Path
    report: Report

    @property
    def volume(self) -> Path:
        """Where the claim is mounted."""
        return self.root / "volume"

    def run(
        self,
        export: Export,
        folder: str = FOLDER,
        check: Callable[..., None] = lambda *_: None,
        **plan: Any,
    ) -> ExportOutcome:
        """Run the pod's command; return its termination message. No address is checked unasked."""
        documents = [
            StoredDocument(chunks=[f"{each.id}-0"], sha256=to_chunks(each).sha256)
            for each in self.report.steps
        ]
        written = ExportPlan(
            benchmark=self.report.benchmark,
            export=export,
            folder=folder,
            documents=documents,
            **plan,
        )
        file = self.root / "plan" / "export-plan.json"
        file.write_text(written.model_dump_json(by_alias=True, exclude_none=True), "utf-8")
        pod = ExportPodEnvironment(
            results=self.root / "results",
            volume=self.volume,
            credentials=self.root / "credentials",
            ca=self.root / "ca",
            termination_log=self.root / "termination-log",
            check=check,
        )
        self.code.write_text(str(run_export(file, pod)), "utf-8")
        return ExportOutcome.model_validate_json(pod.termination_log.read_bytes())

    @property
    def code(self) -> Path:
        """File with the exit code."""
        return self.root / "code"

    def read_back(self, export: Export, files: dict[str, bytes]) -> dict[str, bytes]:
        """Return the files of the export by name, of all files below the volume or bucket."""
        path = location(export, self.report.benchmark, FOLDER).split("/", 3)[3]
        return {
            name.removeprefix(path): content
            for name, content in files.items()
            if name.startswith(path)
        }


def export_pod(root: Path, access: str, secret: str) -> ExportPod:
    """Return a pod whose results are mounted."""
    report = make_report()
    for each in ("plan", "results/steps", "results/evidence", "credentials", "ca", "volume"):
        (root / each).mkdir(parents=True)
    resource = report.as_benchmark.model_dump_json(by_alias=True, exclude_none=True)
    (root / "plan" / RESOURCE_KEY).write_bytes(gzip.compress(resource.encode()))
    for step in report.steps:
        (chunk,) = to_chunks(step).chunks
        (root / "results/steps" / f"{step.id}-0").write_bytes(chunk)
    if report.environment is not None:
        text = report.environment.model_dump_json(by_alias=True)
        (root / "results/environment.json").write_text(text, "utf-8")
    for key, text in report.evidence.items():
        (root / "results/evidence" / key).write_text(text, "utf-8")
    (root / "credentials" / ACCESS_KEY).write_text(access, "utf-8")
    (root / "credentials" / SECRET_KEY).write_text(f"{secret}\n", "utf-8")
    return ExportPod(root, report)
