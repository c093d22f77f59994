#!/bin/sh
# Starts nats-server with a user for each password that is mounted. When a password, a permission, a certificate or the
# configuration changes, the server reads all of them again, without a restart.
set -eu

config=/etc/nats/config
passwords=/etc/nats/passwords
certificates=/etc/nats/tls
run=/run/nats

# Prints the whole configuration. A password consists of letters, digits, - and _.
configuration() {
    printf 'server_name: "%s"\n' "$POD_NAME"
    sed "s/ROUTES_PASSWORD/$(cat $passwords/routes)/" $config/nats.conf
    echo 'authorization { users: ['
    for permissions in $config/permissions.*; do
        user=${permissions##*/permissions.}
        [ -f "$passwords/$user" ] || continue
        printf '{ user: "%s", password: "%s", permissions: {\n' "$user" "$(cat "$passwords/$user")"
        cat "$permissions"
        echo '} }'
    done
    echo '] }'
    # The checksum makes the text differ after a change of certificate.
    [ ! -d $certificates ] || cat $certificates/* | cksum | sed 's/^/# certificates: /'
}

configuration >$run/nats.conf

# nats-server replaces this shell below and keeps its process id.
while sleep 5 && kill -0 $$; do
    configuration >$run/new.conf 2>/dev/null || continue
    cmp -s $run/new.conf $run/nats.conf && continue
    mv $run/new.conf $run/nats.conf
    kill -HUP $$
done &

exec nats-server --config $run/nats.conf
