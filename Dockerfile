# The one image: operator, index and load pods, and the command line tool.
# BASE: any image with Python 3.11 and venv.
# COMPILER: Debian packages to build wheels with that a platform lacks, such as hdrhistogram's for
# arm64: "gcc libc6-dev". They are not in the image.
# The same commit gives the same files: hack/release/same-image builds it twice. So pip does not compile, as
# it writes the times of files into what it compiles, and nothing of apt is in the last stage, whose logs have times.
# -f of compileall: Python writes such times, too, for what setuptools has it import at each start.
ARG BASE=docker.io/library/python:3.11-slim-bookworm

FROM ${BASE} AS dependencies
ARG COMPILER=""
# Debugging information would hold the random names of pip's folders.
ENV CFLAGS=-g0 PYTHONHASHSEED=0
RUN if [ -n "$COMPILER" ]; then apt-get update && apt-get install -y --no-install-recommends $COMPILER; fi
RUN python3 -m venv /opt/solrbench
COPY requirements.lock /opt/solrbench/
RUN /opt/solrbench/bin/pip install --no-cache-dir --no-compile --require-hashes -r /opt/solrbench/requirements.lock \
 && find /opt/solrbench -name __pycache__ -prune -exec rm -r {} + \
 && /opt/solrbench/bin/python -m compileall -qf --invalidation-mode unchecked-hash /opt/solrbench/lib

FROM ${BASE} AS wheel
RUN python3 -m venv /opt/build && /opt/build/bin/pip install --no-cache-dir hatchling==1.33.0
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY operator ./operator
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${BASE}
# The layer that rarely changes, and the big one.
COPY --from=dependencies /opt/solrbench /opt/solrbench
# Copied, not mounted: not every builder notices a change behind a mount.
COPY --from=wheel /wheels /opt/solrbench/wheels
RUN export PYTHONHASHSEED=0 \
 && /opt/solrbench/bin/pip install --no-cache-dir --no-compile --no-deps --no-index /opt/solrbench/wheels/*.whl \
 && /opt/solrbench/bin/python -m compileall -qf --invalidation-mode unchecked-hash /opt/solrbench/lib/python*/site-packages/solrbench
# USER: the numeric user has no name in the image, and libraries ask for one.
ENV PATH=/opt/solrbench/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    USER=solrbench
USER 65532:65532
ENTRYPOINT ["solrbench"]
