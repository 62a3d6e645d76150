#!/usr/bin/env bash
# What tests need from the system: a Chromium for the journeys, and with `faults` strace, which counts syncs.
# Installs what is missing where it may; elsewhere it says what to install, and fails.
set -euo pipefail

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

missing=()
find_chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
[ "${1:-}" != faults ] || command -v strace >/dev/null || missing+=(strace)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing ${missing[*]} …"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "Missing: ${missing[*]}. Install them, for example:" >&2
  echo "    sudo apt-get install ${missing[*]}        (Debian, Ubuntu)" >&2
  exit 1
fi
