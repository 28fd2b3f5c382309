# Three images come out of this file: Keepsake by itself (the default), with `--target demo` one that also brings the
# sandbox, a Twitch and a Steam to play with, and with `--target backup` one that backs up a PostgreSQL. See
# docs/self-hosting.md.

# Debian, because the compiled packages are made for glibc; slim, because none of them needs a compiler. By its version,
# so that a build gets Debian's and Node's corrections; docs/self-hosting.md says how to add a digest.
FROM node:24-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

# The packages that the bundles leave outside at run time, without SQLite's driver for Node 20, without what npm brings as
# optional peers of some (a compiler, types, a database for tests), without SQLite's sources and its builds for other
# systems, and without what only compilers, debuggers and a package's own command line read.
FROM base AS packages
COPY package.json package-lock.json .npmrc ./
COPY vendor ./vendor
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -r node_modules/better-sqlite3-node20 node_modules/typescript node_modules/@types node_modules/@electric-sql \
  && rm -r node_modules/better-sqlite3/deps node_modules/steam-appticket/node_modules/protobufjs/cli \
  && find node_modules/better-sqlite3/prebuilds -type f -not -name linux-*.node -delete \
  && find node_modules -type f \( -name *.d.ts -o -name *.d.mts -o -name *.d.cts -o -name *.map \) -delete

# Everything that makes the bundles; it is thrown away afterwards.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY vendor ./vendor
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY . ./
RUN npm run build

# Everything that an image needs to run, except the bundles.
FROM base AS runtime
RUN install -d -o 10001 -g 10001 -m 0700 /data
# Node 24 lets what is new grow to many times this, which costs over 100 MiB a process and saves no work.
ENV NODE_OPTIONS=--max-semi-space-size=16
ENV KEEPSAKE_DATA_DIR=/data
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
VOLUME /data
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "build/healthcheck.js"]
CMD ["node", "build/start.js"]

FROM runtime AS demo
# The product, the sandbox's panel and its Twitch are all opened by the browser as localhost: run it with `--network host`.
ENV HOST=127.0.0.1
COPY --from=build /app/build ./build
EXPOSE 3000

FROM build AS product-build
RUN rm -r build/sandbox

# pg_dump refuses a server that is newer than itself: with PostgreSQL's own image both have one version. It is the same
# Debian, so that Node and the compiled packages run there too.
FROM postgres:17-bookworm AS backup
WORKDIR /app
ENV NODE_ENV=production
ENV KEEPSAKE_DATA_DIR=/data
RUN install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=base /usr/local/bin/node /usr/local/bin/node
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=product-build /app/build ./build
VOLUME /data
USER 10001:10001
CMD ["node", "build/keepsake.js", "backup", "--repeat"]

FROM runtime AS product
# Every address, of IPv6 and of IPv4; without IPv6 those of IPv4.
ENV HOST=::
COPY --from=product-build /app/build ./build
EXPOSE 3000
