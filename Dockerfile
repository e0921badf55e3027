# syntax=docker/dockerfile:1

# Debian, not Alpine: the same libc as everywhere else the service is tested.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
# npm links the command to this file, so it has to be there before.
COPY packages/server/bin packages/server/bin
# The optional packages are Node and PostgreSQL for machines that have none: this image has the one, and DATABASE_URL names the other.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app ./
COPY packages/contract/src packages/contract/src
COPY packages/server/migrations packages/server/migrations
COPY packages/server/src packages/server/src
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself, not npm or a shell: SIGTERM has to reach the process that stops well.
CMD ["node", "packages/server/src/main.ts"]
