#!/usr/bin/env bash
# The browser for the dashboard's tests and screenshots: the system's Chromium; where there is none, it is installed if that may be done here.
set -u
have() { [ -n "${ERSTWHILE_TEST_CHROMIUM:-}" ] || command -v chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome >/dev/null 2>&1; }
have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing Chromium for the dashboard's tests." >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install --yes --no-install-recommends fonts-noto-cjk chromium-headless-shell || apt-get install --yes --no-install-recommends fonts-noto-cjk chromium; } >/dev/null 2>&1
fi
have && exit 0
echo "The dashboard's tests need Chromium: install it (Debian and Ubuntu: apt-get install chromium), or name one in ERSTWHILE_TEST_CHROMIUM." >&2
exit 1
