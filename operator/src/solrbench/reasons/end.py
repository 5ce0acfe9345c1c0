"""Reasons of the export of results."""

from solrbench.reasons.kinds import Kind, Reason


class ExportReason(Reason):
    """Results written to a volume or a bucket (`spec.results.export`); no benchmark fails by it."""

    EXPORTED = (
        "Exported",
        Kind.DONE,
        "The results are written, and were read back.",
        "Find them at `status.export.location`.",
    )
    EXPORTING = (
        "Exporting",
        Kind.WAITING,
        "The export Job writes the results.",
        "Wait; if it lasts, read the log of its pod: `solrbench logs NAME --component export`.",
    )
    EXPORT_TOO_LARGE = (
        "ExportTooLarge",
        Kind.WARNING,
        "The results are in more ConfigMaps than one pod can mount.",
        "Write them with `solrbench report NAME -o json`; measure fewer steps or repeats.",
    )
    EXPORT_JOB_FAILED = (
        "ExportJobFailed",
        Kind.WARNING,
        "The export Job failed without saying why, or took longer than its deadline.",
        (
            "Read its pod's log and events; raise `results.export.deadlineSeconds` or its"
            " `resources`, which starts it again."
        ),
    )
    EXPORT_PLAN_INVALID = (
        "ExportPlanInvalid",
        Kind.WARNING,
        "The export pod cannot read what the operator stored for it.",
        "Delete the Job of the export, so that it is made again; else report it as a bug.",
    )
    EXPORT_SECRET_NOT_FOUND = (
        "ExportSecretNotFound",
        Kind.WARNING,
        "A Secret or ConfigMap of the export, or a key of it, does not exist.",
        "Create it with the keys in the message, and change `results.export` to start again.",
    )
    BUCKET_NOT_FOUND = (
        "BucketNotFound",
        Kind.WARNING,
        "The server has no bucket of this name.",
        "Correct `results.export.s3.bucket` or `endpoint`, or create the bucket and change `keep`.",
    )
    BUCKET_FORBIDDEN = (
        "BucketForbidden",
        Kind.WARNING,
        "The server refused the credentials, or they have no right to write here.",
        (
            "Correct the Secret, or allow its user to list, put, get and delete objects below"
            " `results.export.s3.prefix`; check `region`."
        ),
    )
    EXPORT_UNREACHABLE = (
        "ExportUnreachable",
        Kind.WARNING,
        "No connection to the server of the bucket, or its certificate is not trusted.",
        (
            "Correct `results.export.s3.endpoint` or `tls`, and check the network policies"
            " (`networkPolicy.benchmarks.extraEgress` of the chart)."
        ),
    )
    EXPORT_REFUSED = (
        "ExportRefused",
        Kind.WARNING,
        "The server responded with an error that is neither of access nor of the bucket.",
        "Correct what the message names, such as the region of the bucket.",
    )
    VOLUME_FULL = (
        "VolumeFull",
        Kind.WARNING,
        "The volume has no room for the export.",
        "Enlarge the claim, delete old exports from it, or set `results.export.keep`.",
    )
    VOLUME_FORBIDDEN = (
        "VolumeForbidden",
        Kind.WARNING,
        "The volume is read-only, or its folder belongs to another user.",
        (
            "Let the group 65532 write to the folder, or set the pod's user and group by"
            " `podOptions` for the component Export."
        ),
    )
    EXPORT_DAMAGED = (
        "ExportDamaged",
        Kind.WARNING,
        "What was read back is not what was written.",
        "Check the volume or the server; change `results.export` to start again.",
    )
