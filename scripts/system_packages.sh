#!/usr/bin/env bash
# What tests need from the system: a Chromium for the journeys; with `faults` strace, which counts syncs; with
# `hosts` what network namespaces and a proxy need, and no browser.
# Installs what is missing where it may; elsewhere it says what to install. The tests then go on, and list the
# journeys among what was skipped; `faults` and `hosts` fail. Firefox, WebKit and what drives them are installed
# where they can be: without them the journey through all engines is skipped.
set -euo pipefail

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

missing=()
if [ "${1:-}" = hosts ]; then
  command -v ip >/dev/null || missing+=(iproute2)
  command -v haproxy >/dev/null || missing+=(haproxy)
else
  find_chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
fi
[ "${1:-}" != faults ] || command -v strace >/dev/null || missing+=(strace)

# Nobody needs these, and not every system has them. Without windows Chromium takes half the time.
optional=()
[ "${1:-}" = hosts ] || for pair in chromium-headless-shell chromium-driver=chromedriver firefox-esr webkit2gtk-driver=WebKitWebDriver xvfb=Xvfb; do
  command -v "${pair#*=}" >/dev/null || optional+=("${pair%=*}")
done

if may_install; then
  export DEBIAN_FRONTEND=noninteractive
  [ ${#missing[@]} = 0 ] || apt-get update -qq
  for package in "${optional[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      echo "Installing $package …"
      apt-get install -qq -y --no-install-recommends "$package" >/dev/null || echo "Tests go on without $package." >&2
    fi
  done
  [ ${#missing[@]} -gt 0 ] || exit 0
  echo "Installing ${missing[*]} …"
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
elif [ ${#missing[@]} -gt 0 ]; then
  echo "Missing: ${missing[*]}. Install them, for example:" >&2
  echo "    sudo apt-get install ${missing[*]}        (Debian, Ubuntu)" >&2
  case "${1:-}" in faults | hosts) exit 1 ;; esac
  echo "The tests that need them are skipped, and listed with the reason." >&2
fi
