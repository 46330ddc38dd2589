#!/usr/bin/env bash
# Builds the wheel and asks Jupyter, in an empty environment, whether both extensions are enabled.
# Too slow for `make test`: it installs JupyterLab twice, for the build and for the check.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A frontend that is already there would be packed as it is, however old.
rm -rf dist lib tsconfig.tsbuildinfo notebook_bcc_ext/labextension
.venv/bin/python -m build --outdir dist

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet dist/*.whl
cd "$work"
# Only what the wheel brought: no configuration of this user or machine.
export JUPYTER_CONFIG_DIR="$work/config" JUPYTER_DATA_DIR="$work/data"
export PATH="$work/venv/bin:$PATH" NO_COLOR=1
plain() { sed 's/\x1b\[[0-9;]*m//g'; }

jupyter server extension list 2>&1 | plain | tee server.txt
jupyter labextension list 2>&1 | plain | tee lab.txt

grep -q 'notebook_bcc_ext enabled' server.txt
grep -q 'notebook_bcc_ext [0-9.]* *OK' server.txt
grep -Eq 'notebook-bcc-ext v[0-9.]+ enabled OK' lab.txt
ls "$work"/venv/lib/python*/site-packages/notebook_bcc_ext/py.typed >/dev/null
jupyter bcc states --format csv | head -1 | grep -qx 'state,event,next_state'
echo "wheel: both extensions enabled and OK"
