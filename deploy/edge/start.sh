#!/bin/sh
# Starts HAProxy with the settings of the environment, in the forms that haproxy.cfg takes. See docs/compose.md.
set -eu

# Converts a comma-separated list to HAProxy's space-separated form.
words() {
    printf '%s' "$1" | tr ',' ' '
}

# Checks a limit. 0 means no limit.
limit() {
    case "$2" in
    '' | *[!0-9]*)
        echo "edge: $1: '$2' is not a whole number" >&2
        exit 1
        ;;
    esac
    [ "$2" -gt 0 ] && echo "$2" || echo 2000000000
}

EDGE_TRUSTED=$(words "${GATEWAY_TRUSTED_PROXIES:-}")
EDGE_PROXY_PROTOCOL=$(words "${GATEWAY_PROXY_PROTOCOL:-}")
EDGE_ADDRESS_CONNECTIONS=$(limit GATEWAY_ADDRESS_CONNECTIONS "${GATEWAY_ADDRESS_CONNECTIONS:-2000}")
# Up to 100 connections over its limit, an address gets an error response. Further connections are closed at once.
EDGE_ADDRESS_ANSWERED=$((EDGE_ADDRESS_CONNECTIONS + 100))
EDGE_CONNECTIONS=${GATEWAY_CONNECTIONS:-20000}
if [ "$(limit GATEWAY_CONNECTIONS "$EDGE_CONNECTIONS")" -gt 1000000 ]; then
    echo "edge: GATEWAY_CONNECTIONS: '$EDGE_CONNECTIONS' is not between 1 and 1000000" >&2
    exit 1
fi
# Room for connections over the limit, which get an error response, and for the operator port.
EDGE_PUBLIC_MAXCONN=$((EDGE_CONNECTIONS + 400))
EDGE_MAXCONN=$((EDGE_CONNECTIONS + 500))

# HAProxy accepts only whole numbers.
duration() {
    if ! echo "$2" | grep -Eqx '[0-9]+(ms|s|m|h|d)'; then
        echo "edge: $1: '$2' is not a whole number with its unit, such as 30s or 10m" >&2
        exit 1
    fi
    echo "$2"
}
EDGE_DRAIN=$(duration GATEWAY_DRAIN "${GATEWAY_DRAIN:-30s}")
EDGE_GRACE=$(duration GATEWAY_GRACE "${GATEWAY_GRACE:-0s}")

# HAProxy reads certificate and key from one file. renew-certificate.sh sends them again when they change.
EDGE_TLS=
if [ -n "${GATEWAY_TLS_CERT:-}" ]; then
    EDGE_ADMIN=ipv4@127.0.0.1:9091
    pem=$(mktemp -d)/tls.pem
    (umask 077 && cat "$GATEWAY_TLS_CERT" "$GATEWAY_TLS_KEY" >"$pem")
    EDGE_TLS="ssl crt $pem alpn http/1.1"
    export EDGE_ADMIN
    bash "$(dirname "$0")/renew-certificate.sh" "$pem" "$GATEWAY_TLS_CERT" "$GATEWAY_TLS_KEY" &
fi
export EDGE_DRAIN EDGE_GRACE EDGE_TLS EDGE_TRUSTED EDGE_PROXY_PROTOCOL EDGE_ADDRESS_CONNECTIONS EDGE_ADDRESS_ANSWERED
export EDGE_CONNECTIONS EDGE_PUBLIC_MAXCONN EDGE_MAXCONN

exec haproxy -db -f "${1:-/edge/haproxy.cfg}"
