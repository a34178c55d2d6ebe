# The service (trolleyd) and the command line (trolley), for a PostgreSQL that runs elsewhere: see docker-compose.yml.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libpq-dev libsqlite3-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies alone first: this layer stays until they change.
COPY Package.swift ./
RUN swift package resolve
COPY . .
RUN swift build --configuration release --static-swift-stdlib --product trolleyd \
    && swift build --configuration release --static-swift-stdlib --product trolley \
    && install --strip -D --target-directory /out \
        "$(swift build --configuration release --show-bin-path)/trolleyd" \
        "$(swift build --configuration release --show-bin-path)/trolley"

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl libpq5 libsqlite3-0 libstdc++6 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /var/lib/trolley trolley
COPY --from=build /out/trolleyd /out/trolley /usr/local/bin/
USER trolley
WORKDIR /var/lib/trolley
ENV TROLLEY_HOST=0.0.0.0 TROLLEY_PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD curl --fail --silent --show-error "http://127.0.0.1:$TROLLEY_PORT/readyz"
ENTRYPOINT ["trolleyd"]
CMD ["serve"]
