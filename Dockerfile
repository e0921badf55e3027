# For docker, podman and buildah: nothing here needs BuildKit.
# The base images are arguments, so that a mirror can provide them (deploy/image/build.sh makes them from Debian and npm).
ARG NODE_IMAGE=node:26-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
# npm links the command to this file, so it must exist before npm ci.
COPY packages/server/bin packages/server/bin

# The bundler and its native program stay in this stage.
FROM manifests AS web
RUN npm ci --workspace=@foreword/web --no-audit --no-fund
COPY tsconfig.json ./
COPY packages/web packages/web
# The web app bundles the contract's constants.
COPY packages/contract/src packages/contract/src
RUN node packages/web/build.ts --copy-to=/web

# The generator and its search indexer stay in this stage.
FROM ${NODE_IMAGE} AS docs
WORKDIR /app/docs/site
COPY docs/site/package.json docs/site/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.installed-from.json
WORKDIR /app
COPY packages/contract/src packages/contract/src
COPY packages/sdk/README.md packages/sdk/
COPY packages/web/kit packages/web/kit
COPY CHANGELOG.md SECURITY.md ./
COPY docs docs
RUN node docs/site/build.ts --pages-only

# Without the optional packages, which provide Node, PostgreSQL and an encoder: the image has its own Node and ffmpeg and uses
# DATABASE_URL. The server's development dependencies are removed, because npm would install what the web app needs with them.
# Type declarations and source maps of packages are only for editors and debuggers.
FROM manifests AS packages
RUN npm pkg delete devDependencies --workspace=@foreword/server \
  && npm ci --workspace=@foreword/server --omit=dev --omit=optional --no-audit --no-fund \
  && rm -r packages/web \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' \) -delete

# Debian, not Alpine: the tests run with the same libc. Not the Node image: it contains npm and yarn.
FROM ${DEBIAN_IMAGE}
# Debian's ffmpeg can also use windows and graphics cards. It loads what is removed here (200 MB) only for that. Empty packages
# replace these ones, so that apt-get still works in an image that extends this one.
# Node needs libatomic1. The service runs as a user who may not gain privileges, so no file needs setuid.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ffmpeg libatomic1 tini \
  && for name in libllvm15 libz3-4 libgl1-mesa-dri libglx-mesa0 xkb-data shared-mime-info; do \
       mkdir --parents /tmp/empty/DEBIAN \
       && dpkg-query --show --showformat 'Package: ${Package}\nVersion: ${Version}\nArchitecture: ${Architecture}\nMulti-Arch: ${Multi-Arch}\nProvides: ${Provides}\n' "$name" \
         | grep --extended-regexp --invert-match '^(Multi-Arch|Provides): *$' >/tmp/empty/DEBIAN/control \
       && printf 'Maintainer: Foreword\nDescription: left out of this image\n' >>/tmp/empty/DEBIAN/control \
       && dpkg-deb --build /tmp/empty /tmp/empty.deb && dpkg --install /tmp/empty.deb && apt-mark hold "$name" \
       && rm -r /tmp/empty /tmp/empty.deb || exit 1; \
     done \
  && apt-get check \
  && rm -rf /usr/lib/*-linux-gnu/mfx /usr/lib/*-linux-gnu/libmfxhw* /usr/share/mime \
  && find / -xdev -type f -perm /6000 -exec chmod ug-s {} + \
  && groupadd --gid 1000 foreword \
  && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin foreword \
  && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /etc/*-
COPY --from=packages /usr/local/bin/node /usr/local/bin/
WORKDIR /app
COPY LICENSE NOTICE ./
COPY --from=packages /app ./
COPY packages/contract/src packages/contract/src
COPY packages/sdk/src packages/sdk/src
COPY packages/server/migrations packages/server/migrations
COPY openapi.json packages/server/
COPY packages/server/src packages/server/src
COPY --from=web /web packages/server/web
COPY --from=docs /app/docs/site/dist packages/server/docs-site
# For videos stored in a folder. A volume mounted here gets the same owner.
RUN mkdir --parents /data && chown 1000:1000 /data && ln -s /app/packages/server/bin/foreword.mjs /usr/local/bin/foreword
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# A number, because Kubernetes cannot check a name against runAsNonRoot.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Reaps orphaned processes of the encoder and passes on signals. Node is started directly, because npm or a shell would not.
ENTRYPOINT ["/usr/bin/tini", "--"]
# Same heap options as `npm start` (docs/self-hosting/reference.md, Memory).
CMD ["node", "--max-semi-space-size=32", "packages/server/src/main.ts"]
# Last, so that a new revision reuses all layers.
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=""
LABEL org.opencontainers.image.title="Foreword" \
  org.opencontainers.image.description="Personal video intros, recorded by a member and sent by text message" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
