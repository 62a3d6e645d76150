#!/usr/bin/env bash
# What tests need from the system: a Chromium for the journeys, and with `faults` strace, which counts syncs.
# Installs what is missing where it may; elsewhere it says what to install, and fails.
set -euo pipefail

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

missing=()
find_chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
[ "${1:-}" != faults ] || command -v strace >/dev/null || missing+=(strace)

if may_install; then
  export DEBIAN_FRONTEND=noninteractive
  [ ${#missing[@]} = 0 ] || apt-get update -qq
  # The same engine without windows: journeys then take half the time. Not every system has it, and nobody needs it.
  if ! command -v chromium-headless-shell >/dev/null && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    missing+=(chromium-headless-shell)
  fi
  [ ${#missing[@]} -gt 0 ] || exit 0
  echo "Installing ${missing[*]} …"
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
elif [ ${#missing[@]} -gt 0 ]; then
  echo "Missing: ${missing[*]}. Install them, for example:" >&2
  echo "    sudo apt-get install ${missing[*]}        (Debian, Ubuntu)" >&2
  exit 1
fi
