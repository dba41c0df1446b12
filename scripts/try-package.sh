#!/usr/bin/env bash
# Installs the package as a user would, in an empty folder, and runs the README's program there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tarball=$(cd "$root" && npm pack --ignore-scripts --silent --pack-destination "$folder")
awk '/^```ts run$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md" > "$folder/main.ts"

cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --silent "./$tarball" zod typescript@5.9.3 @types/node@20
npx tsc --strict --module nodenext --target es2022 --types node --outDir out main.ts
node out/main.js
npx haft --version
npx haft demo > /dev/null
echo "the package installs, type-checks and runs"
