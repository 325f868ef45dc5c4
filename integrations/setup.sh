#!/usr/bin/env bash
# setup.sh NAME: fetch what the tests of integrations/NAME need: npm packages (package.json) beside it, and
# Python packages (requirements.txt) in an environment of their own, .venv-integrations/NAME. overrides.txt names
# what is left out of them; only uv can do that.
set -e
cd "$(dirname "$0")/.."
folder="integrations/$1"
environment=".venv-integrations/$1"
if [[ -f "$folder/package.json" && "$folder/package.json" -nt "$folder/node_modules/.done" ]]; then
  command -v npm >/dev/null || { echo "npm is not here: install Node.js 20 or newer" >&2; exit 1; }
  npm install --prefix "$folder" --no-audit --no-fund --no-package-lock --loglevel error
  touch "$folder/node_modules/.done"
fi
if [[ -f "$folder/requirements.txt" && "$folder/requirements.txt" -nt "$environment/done" ]]; then
  "${PYTHON:-python3}" -m venv "$environment"
  flags=$(sed -n 's/^# flags: //p' "$folder/requirements.txt")
  if [[ -f "$folder/overrides.txt" ]]; then
    "$environment/bin/python" deploy/install.py --requirement "$folder/requirements.txt" --override "$folder/overrides.txt"
  else
    # shellcheck disable=SC2086 - flags are words
    "$environment/bin/pip" install --quiet --disable-pip-version-check $flags --requirement "$folder/requirements.txt"
  fi
  touch "$environment/done"
fi
