#!/bin/sh
# deploy/build-image.sh [NAME]: builds the image where no registry of images can be reached. The root file systems come from
# Debian's packages by mmdebstrap, Node and npm from the registry of npm, and buildah needs no daemon.
# For root on Debian: apt-get install mmdebstrap buildah, and any Node with npm.
set -eu

name=${1:-kedai}
suite=${SUITE:-bookworm}
cd "$(dirname "$0")/.."
work=$(mktemp -d /var/tmp/kedai-image-XXXXXX)
trap 'rm -rf "$work"' EXIT

export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot

# Only what Node is linked to: no shell, no package manager.
mmdebstrap --quiet --variant=extract --include=base-files,libgcc-s1,libstdc++6 "$suite" "$work/base.tar"
mmdebstrap --quiet --variant=essential --include=ca-certificates,libstdc++6 "$suite" "$work/build.tar"

version() { node -p "require('./package.json').$1"; }
npm install --silent --no-package-lock --prefix "$work/tools" "node@$(version devDependencies.node)" npm@11

import() {
    container=$(buildah from --quiet scratch)
    buildah add --quiet "$container" "$work/$1.tar" >/dev/null
    if [ "$1" = build ]; then
        buildah add --quiet "$container" "$work/tools/node_modules/node/bin/node" /usr/local/bin/node >/dev/null
        buildah add --quiet "$container" "$work/tools/node_modules/npm" /usr/local/lib/node_modules/npm >/dev/null
        buildah run "$container" ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
        # A company's network may have a certificate authority of its own.
        buildah add --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
        buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
    fi
    buildah commit --quiet --rm "$container" "localhost/kedai-$1" >/dev/null
}
import base
import build

# The format of Docker is the one that has a health check.
buildah build --format docker --file deploy/Containerfile \
    --build-arg BUILD_IMAGE=localhost/kedai-build --build-arg BASE_IMAGE=localhost/kedai-base \
    --label "org.opencontainers.image.version=$(version version)" --tag "$name:$(version version)" --tag "$name:latest" .
buildah images --format '{{.Name}}:{{.Tag}} {{.Size}}' "$name"
