# The one image: operator, index and load pods, and the command line tool.
# BASE is any image with Python 3.11 at the path that the venv will have again.
ARG BASE=docker.io/library/python:3.11-slim-bookworm

FROM ${BASE} AS dependencies
WORKDIR /src
RUN python3 -m venv /opt/solrbench && python3 -m venv /opt/build
COPY requirements.lock ./
RUN /opt/solrbench/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
RUN /opt/build/bin/pip install --no-cache-dir hatchling==1.33.0

FROM dependencies AS wheel
COPY pyproject.toml README.md LICENSE ./
COPY operator ./operator
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${BASE}
# Dependencies first: a change of our sources leaves this layer as it is.
COPY --from=dependencies /opt/solrbench /opt/solrbench
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    /opt/solrbench/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl
ENV PATH=/opt/solrbench/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 65532:65532
ENTRYPOINT ["solrbench"]
