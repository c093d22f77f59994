# Functions that install and start what tests need on a Debian machine. They are sourced, in the checkout's root.

# Installs packages if possible. Otherwise the tests that need them are skipped with a reason.
install() {
  command -v apt-get >/dev/null || return
  echo "Installing $*, which tests need"
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@") \
    >/dev/null || echo "$* could not be installed"
}

has_postgres() { command -v initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb'; } >/dev/null
has_headless_shell() { command -v chromium-headless-shell; } >/dev/null
has_chromium() { has_headless_shell || command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
has_prometheus() { command -v prometheus && command -v promtool; } >/dev/null
has_python() { python3 -c 'import ensurepip, venv'; } >/dev/null 2>&1
# `docker info` also runs Docker's plugins, which takes long on a busy machine.
has_docker() { timeout 60 docker version; } >/dev/null 2>&1

get_postgres() { has_postgres || install postgresql; }
get_prometheus() { has_prometheus || install prometheus; }
get_python() { has_python || install python3-venv; }
get_haproxy() { command -v haproxy >/dev/null || install haproxy; }
# The headless shell takes a third less CPU time than Chromium.
get_browser() {
  has_headless_shell || install chromium-headless-shell
  has_chromium || install chromium
}

# Starts a Docker engine, with local base images if none can be pulled.
start_docker() {
  local images=../shared/images env=/var/lib/model-gateway-docker/env
  if [ -e "$images/start-dockerd.sh" ]; then
    has_docker || timeout 300 bash "$images/start-dockerd.sh"
    can_pull || { timeout 900 bash "$images/build-base-images.sh" all && name_stand_ins; }
    [ ! -f "$env" ] || . "$env"
  elif ! has_docker; then
    install docker.io
    service docker start
  fi
  has_docker || echo 'No Docker engine is reachable'
}
# Lists the images in docker-compose.yml and the Dockerfiles.
images() {
  sed -nE 's/^ *(image:|FROM) +([a-z]+:[a-z0-9.-]+).*/\2/p' docker-compose.yml deploy/Dockerfile deploy/edge/Dockerfile
}
can_pull() { timeout 60 docker pull -q "$(images | grep ^nats:)"; } >/dev/null 2>&1
# Tags the local base images, whose tags are shorter, with the names of the images that they replace.
name_stand_ins() {
  local image stand_in
  for image in $(images); do
    case $image in
      nats:*) stand_in=nats:2-alpine ;;
      postgres:*) stand_in=postgres:17-alpine ;;
      node:*) stand_in=node:24-bookworm-slim ;;
      debian:*) stand_in=debian:bookworm-slim ;;
    esac
    docker image inspect "$image" >/dev/null 2>&1 || docker tag "$stand_in" "$image"
  done
}

# Installs Helm, kubectl and kubeconform with its schemas, for the tests of the chart.
get_kubernetes_tools() {
  local kube=../shared/kube bin=${KUBE_BIN:-/opt/kube/bin}
  [ ! -e "$kube/build.sh" ] || PATH=$bin:$PATH
  if ! has_kubernetes_tools && [ -e "$kube/build.sh" ] && command -v go >/dev/null; then
    echo 'Building helm, kubectl and kubeconform'
    timeout 600 bash "$kube/build.sh" tools >/dev/null || echo 'They could not be built in ten minutes'
  fi
  has_kubernetes_tools || return
  timeout 120 bash .ci/kubernetes-schemas.sh || echo 'The schemas of Kubernetes could not be fetched'
}
has_kubernetes_tools() { command -v helm && command -v kubeconform; } >/dev/null

# Starts an API server that validates the chart's objects, if one is already built.
start_api_server() {
  local kube=../shared/kube
  if [ -z "${KUBECONFIG:-}" ] && [ -e "$kube/up.sh" ] && command -v kube-apiserver >/dev/null; then
    export KUBECONFIG=/var/lib/kube/admin.conf
    kubectl version --request-timeout=5s >/dev/null 2>&1 && return
    timeout 120 bash "$kube/up.sh" api >/dev/null && trap 'bash ../shared/kube/down.sh >/dev/null' EXIT
    # In a complete cluster, a controller creates it.
    kubectl create serviceaccount default >/dev/null
  fi
}
