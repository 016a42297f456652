# syntax=docker/dockerfile:1
# DuckDB's static libraries are C++ and want glibc: both stages are Debian.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go-build \
    CGO_ENABLED=1 GOCACHE=/go-build go build -trimpath -o /out/trireme ./cmd/trireme \
 && /out/trireme version --long

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin trireme \
 && install -d -o trireme -g trireme -m 0700 /data
COPY --from=build /out/trireme /usr/local/bin/trireme
USER trireme
WORKDIR /data
VOLUME /data
EXPOSE 5433 9187
STOPSIGNAL SIGTERM
# Flags are environment variables here: TRIREME_MEMORY_LIMIT=8GB. An address other than
# loopback wants users: run `trireme user add NAME` in the container and TRIREME_AUTH=scram.
ENV TRIREME_DB=/data/trireme.db TRIREME_LOG_FORMAT=json TRIREME_LISTEN=0.0.0.0:5433 TRIREME_HTTP=0.0.0.0:9187 TRIREME_AUTH=scram
ENTRYPOINT ["/usr/local/bin/trireme"]
CMD ["serve"]
