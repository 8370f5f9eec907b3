#!/bin/sh
# Makes the secrets of compose.yaml and a certificate for localhost, once.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
    echo "secrets/ is there already: keep it, the database can only be read with its keys" >&2
    exit 1
fi
umask 077
mkdir secrets
cd secrets
password=$(openssl rand -hex 24)
printf '%s' "$password" >database-password
printf 'postgres://kedai:%s@database:5432/kedai\n' "$password" >database-url
printf 'm1:%s\n' "$(openssl rand -base64 32)" >master-keys
printf 'j1:%s\n' "$(openssl rand -base64 32)" >jwt-keys
openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout key.pem -out certificate.crt 2>/dev/null
cat certificate.crt key.pem >certificate.pem
rm key.pem
# The containers read them as users of their own; the folder keeps everybody else out.
chmod 644 ./*
