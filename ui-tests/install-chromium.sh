#!/usr/bin/env bash
# Makes sure that a Chromium for the browser tests is on this machine.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then
    exit 0
  fi
done

if ! command -v apt-get >/dev/null; then
  echo "The browser tests need Chromium. Install it with your package manager, then try again." >&2
  exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif sudo -n true 2>/dev/null; then
  as_root=(sudo -n)
else
  echo "The browser tests need Chromium. Install it, then try again:" >&2
  echo "    sudo apt-get install -y --no-install-recommends chromium" >&2
  exit 1
fi

"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends chromium
