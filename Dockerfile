# The one image: operator, index and load pods, and the command line tool.
# BASE: any image with Python 3.11 and venv.
# COMPILER: Debian packages to build wheels with that a platform lacks, such as hdrhistogram's for
# arm64: "gcc libc6-dev". They are not in the image.
ARG BASE=docker.io/library/python:3.11-slim-bookworm

# The layer that rarely changes, and the big one.
FROM ${BASE} AS dependencies
ARG COMPILER=""
RUN python3 -m venv /opt/solrbench
COPY requirements.lock /opt/solrbench/
RUN if [ -n "$COMPILER" ]; then apt-get update && apt-get install -y --no-install-recommends $COMPILER; fi \
 && /opt/solrbench/bin/pip install --no-cache-dir --require-hashes -r /opt/solrbench/requirements.lock \
 && if [ -n "$COMPILER" ]; then apt-get purge -y --auto-remove $COMPILER && rm -rf /var/lib/apt/lists/*; fi

FROM ${BASE} AS wheel
RUN python3 -m venv /opt/build && /opt/build/bin/pip install --no-cache-dir hatchling==1.33.0
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY operator ./operator
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM dependencies
# Copied, not mounted: not every builder notices a change behind a mount.
COPY --from=wheel /wheels /opt/solrbench/wheels
RUN /opt/solrbench/bin/pip install --no-cache-dir --no-deps --no-index /opt/solrbench/wheels/*.whl
# USER: the numeric user has no name in the image, and libraries ask for one.
ENV PATH=/opt/solrbench/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    USER=solrbench
USER 65532:65532
ENTRYPOINT ["solrbench"]
