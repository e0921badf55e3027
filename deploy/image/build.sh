#!/usr/bin/env bash
# Builds the image with Debian's buildah, without an image registry: both base images are made here, from Debian's packages
# and from npm's packages of Node and npm. `docker build .` does the same with the published base images.
#
#   deploy/image/build.sh TAG [STORAGE]
#
# STORAGE is a folder for the images instead of buildah's own. Needs root, buildah, mmdebstrap, and `npm ci`.
# REVISION, SOURCE and SOURCE_DATE_EPOCH replace the labels and the timestamp, which otherwise are those of the commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tag=${1:?usage: deploy/image/build.sh TAG [STORAGE]}
storage=()
[ -z "${2:-}" ] || storage=(--root "$2/images" --runroot "$2/run")
debian=localhost/foreword-base-debian node=localhost/foreword-base-node
npm_version=11.19.1

for program in buildah mmdebstrap; do
  command -v "$program" >/dev/null || { echo "$program not found: apt-get install $program" >&2; exit 1; }
done
node_program=$(readlink -f node_modules/.bin/node) || { echo "node_modules/.bin/node not found: npm ci" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "needs root: chroot isolation creates mounts" >&2; exit 1; }

work=$(mktemp -d)
buildah() { command buildah "${storage[@]}" "$@"; }
clean_up() {
  buildah rm "${containers[@]}" >/dev/null 2>&1 || true
  rm -rf "$work"
}
containers=()
trap clean_up EXIT

# The machine's Debian mirror, npm registry, proxy and certificates apply to the build. They are mounted, so that neither the
# Dockerfile nor the image contains them.
prepare_settings() {
  mkdir "$work/sources" "$work/apt" "$work/npm"
  apt-get indextargets 'Origin: Debian' 'Created-By: Packages' 'Component: main' --format 'deb $(REPO_URI) $(RELEASE) main' |
    grep -E ' bookworm(-security|-updates)? main$' | sort -u >"$work/sources/machine.list" || true
  [ -s "$work/sources/machine.list" ] || cat >"$work/sources/machine.list" <<'LIST'
deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
LIST
  apt-config dump --no-empty --format '%F "%v";%n' Acquire | grep -E '^Acquire::(Check-|https?::|Retries)' >"$work/apt/machine" || true
  echo "registry=$(npm config get registry)" >"$work/npm/npmrc"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp "$NODE_EXTRA_CA_CERTS" "$work/npm/ca.pem"
    echo 'cafile=/usr/local/etc/ca.pem' >>"$work/npm/npmrc"
  fi
}

# The same as debian:bookworm-slim: the essential packages and apt, without manuals and translations. With the library that Node
# needs, which node:26-bookworm-slim has.
make_debian() {
  local container
  mmdebstrap --quiet --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged,libatomic1 \
    --aptopt="$work/apt/machine" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
    bookworm "$work/debian.tar" "$work/sources/machine.list"
  container=$(buildah from scratch)
  containers+=("$container")
  buildah add --quiet "$container" "$work/debian.tar" / >/dev/null
  # mmdebstrap stores the machine's settings.
  rm -f "$(buildah mount "$container")"/etc/apt/{sources.list,sources.list.d/*,apt.conf.d/99mmdebstrap}
  buildah commit --quiet "$container" "$debian" >/dev/null
}

# The same as node:26-bookworm-slim, as far as the Dockerfile uses it.
make_node() {
  local container
  npm install --silent --global --prefix "$work/npm-package" "npm@$npm_version"
  container=$(buildah from "$debian")
  containers+=("$container")
  buildah copy --quiet "$container" "$node_program" /usr/local/bin/node >/dev/null
  buildah copy --quiet "$container" "$work/npm-package" /usr/local >/dev/null
  buildah commit --quiet "$container" "$node" >/dev/null
}

prepare_settings
make_debian
make_node
revision=${REVISION:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}
created=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
# Docker's format, because OCI's has no HEALTHCHECK.
buildah build --quiet --isolation chroot --format docker --pull=never --timestamp "$created" \
  --volume "$work/sources:/etc/apt/sources.list.d:ro" --volume "$work/apt:/etc/apt/apt.conf.d:ro" \
  --volume "$work/npm:/usr/local/etc:ro" \
  --build-arg "DEBIAN_IMAGE=$debian" --build-arg "NODE_IMAGE=$node" \
  --build-arg "VERSION=$(node -p 'require("./packages/server/package.json").version')" \
  --build-arg "REVISION=$revision" --build-arg "SOURCE=${SOURCE:-}" \
  --tag "$tag" .
