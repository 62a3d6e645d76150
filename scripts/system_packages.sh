#!/usr/bin/env bash
# What the tests need from the system: a Chromium for the journeys. Installs it where it may, says so where not.
set -euo pipefail

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

find_chromium >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing Chromium for the browser journeys …"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi
find_chromium >/dev/null || {
  echo "The tests drive a real browser, and none was found. Install Chromium, for example:" >&2
  echo "    sudo apt-get install chromium        (Debian, Ubuntu)" >&2
  echo "    brew install --cask chromium         (macOS)" >&2
  exit 1
}
