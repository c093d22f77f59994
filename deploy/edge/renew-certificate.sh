#!/bin/bash
# Makes the running HAProxy use a changed certificate and key for new connections:
# renew-certificate.sh NAME CERTIFICATE KEY, where NAME is the file that HAProxy read them from.
set -u
name=$1 certificate=$2 key=$3

# Sends a command to HAProxy and prints its answer.
ask() {
    exec 3<>/dev/tcp/127.0.0.1/9091 || return
    printf '%s\n' "$1" >&3
    cat <&3
    exec 3>&-
}

# Without empty lines, which would end the command.
both() {
    grep -hv '^[[:space:]]*$' "$certificate" "$key"
}

used=$(both)
# Runs until HAProxy, the parent process, ends.
while sleep 5 && kill -0 $PPID; do
    found=$(both) || continue
    [ "$found" != "$used" ] || continue
    ask "set ssl cert $name <<
$found
" >/dev/null
    answer=$(ask "commit ssl cert $name")
    case $answer in
    *Success*)
        used=$found
        echo "edge: the certificate has changed"
        ;;
    *)
        ask "abort ssl cert $name" >/dev/null
        echo "edge: the certificate has changed and is not used: $answer" >&2
        ;;
    esac
done
