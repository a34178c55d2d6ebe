# The service (trolleyd) and the command line (trolley), for a PostgreSQL that runs elsewhere: see docker-compose.yml.

# The images by digest, so that a build gets the bytes that were chosen, whatever the tag means by then. For a newer one:
# docker buildx imagetools inspect swift:6.3-bookworm
# docker build --build-arg SWIFT_IMAGE=swift:6.3-bookworm@sha256:… --build-arg DEBIAN_IMAGE=debian:bookworm-slim@sha256:…
ARG SWIFT_IMAGE=swift:6.3-bookworm@sha256:7060a792f4cd9eaa0d00826d941cec00ab8d252d33b8b28bc8e105f51f2dba73
ARG DEBIAN_IMAGE=debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends binaryen brotli libclang-rt-14-dev-wasm32 libpq-dev libsqlite3-dev pkg-config wasi-libc zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# First the dependencies alone, in the versions of deploy/dependencies.json, so that this layer is reused until they change.
COPY Package.swift ./
COPY deploy/dependencies.json Package.resolved
RUN swift package resolve --force-resolved-versions
COPY . .
# The web app first: trolleyd takes it in.
RUN script/web \
    && swift build --configuration release --static-swift-stdlib --product trolleyd \
    && swift build --configuration release --static-swift-stdlib --product trolley \
    && install --strip -D --target-directory /out \
        "$(swift build --configuration release --show-bin-path)/trolleyd" \
        "$(swift build --configuration release --show-bin-path)/trolley"

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates curl libpq5 libsqlite3-0 libstdc++6 msmtp postgresql-client zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /var/lib/trolley trolley \
    && install --directory --mode 0700 --owner trolley /var/backups/trolley
COPY --from=build /out/trolleyd /out/trolley /usr/local/bin/
USER trolley
WORKDIR /var/lib/trolley
ENV TROLLEY_HOST=0.0.0.0 TROLLEY_PORT=8080
EXPOSE 8080
# Checks that the process answers, also with a certificate, which is for another name. It doesn't check the database: a container that is
# busy, or waits for its database, must not be replaced.
HEALTHCHECK --interval=10s --timeout=30s --retries=6 --start-period=1m \
    CMD curl --fail --silent --show-error --insecure --max-time 25 \
    "http${TROLLEY_TLS_CERTIFICATE:+s}://127.0.0.1:$TROLLEY_PORT/healthz"
ENTRYPOINT ["trolleyd"]
CMD ["serve"]
