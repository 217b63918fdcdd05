#!/usr/bin/env bash
# Takes Swagger UI of one version from npm and writes its hashes. The page and open.js beside it are Fisc's own.
set -euo pipefail
version=${1:-5.35.0}
target=$(cd "$(dirname "${BASH_SOURCE[0]}")/../core/web/static/swagger" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "swagger-ui-dist@$version" >/dev/null && tar xzf swagger-ui-dist-*.tgz)
cp "$work"/package/{swagger-ui-bundle.js,swagger-ui.css,LICENSE} "$target"
(cd "$target" && sha256sum LICENSE swagger-ui-bundle.js swagger-ui.css >SHA256SUMS)
