{{/* A value as the text of a setting: whole numbers without an exponent. */}}
{{- define "gateway.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end }}

{{/* A duration such as 30s, 5m or 1h in whole seconds, rounded up. */}}
{{- define "gateway.seconds" -}}
{{- $number := regexFind "^[0-9.]+" . | float64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- mulf $number (get (dict "ms" 0.001 "s" 1 "m" 60 "h" 3600 "d" 86400) $unit) | ceil | int64 -}}
{{- end }}

{{/*
The seconds for which a stopping pod keeps serving. The edge finds replicas by DNS: until it has found the successor,
the old replica must serve. Takes the component.
*/}}
{{- define "gateway.preStop" -}}
{{- if hasKey .values "preStopSeconds" -}}
{{- int64 .values.preStopSeconds -}}
{{- else if eq (toString .preStop) "dns" -}}
{{- add 5 (include "gateway.seconds" .root.Values.dnsDelay) -}}
{{- else -}}
{{- .preStop -}}
{{- end -}}
{{- end }}

{{/* The values of `pods`, overridden by those of a component, as YAML. Takes (list root values...). */}}
{{- define "gateway.podValues" -}}
{{- $merged := deepCopy (index . 0).Values.pods -}}
{{- range rest . -}}
{{- $merged = mergeOverwrite $merged (deepCopy (default dict .)) -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end }}

{{/* The values of an entry of `workers`, complete, as YAML. Takes (list root entry). */}}
{{- define "gateway.workerValues" -}}
{{- include "gateway.podValues" (list (index . 0) (index . 0).Values.workerDefaults (index . 1)) -}}
{{- end }}

{{/* "true" if KEDA scales the pods by their calls in flight. Takes the values of a component. */}}
{{- define "gateway.kedaScaled" -}}
{{- with .autoscaling }}{{ if and .maxReplicas .callsInFlight (eq (default "" .with) "keda") }}true{{ end }}{{ end -}}
{{- end }}

{{/* "true" if an autoscaler sets the number of replicas. Takes the component. */}}
{{- define "gateway.autoscaled" -}}
{{- with .values.autoscaling }}{{ if .maxReplicas }}true{{ end }}{{ end -}}
{{- end }}

{{/* The wire formats, each with its own ingress. */}}
{{- define "gateway.formats" -}}
chat messages generate-content responses embeddings images audio models
{{- end }}

{{/* The components that the edge sends requests to, as a JSON array. Takes the root. */}}
{{- define "gateway.fronted" -}}
{{- $names := list -}}
{{- if .Values.workersOnly -}}
{{- else if .Values.ingress.combined -}}
{{- $names = list "ingress" "control" -}}
{{- else -}}
{{- range splitList " " (include "gateway.formats" .) -}}{{- $names = append $names (printf "ingress-%s" .) -}}{{- end -}}
{{- $names = concat $names (list "realtime" "console" "control") -}}
{{- end -}}
{{- toJson $names -}}
{{- end }}

{{/* The components of workers, as a JSON array. Takes the root. */}}
{{- define "gateway.workers" -}}
{{- $names := list -}}
{{- range .Values.workers -}}{{- $names = append $names (printf "worker-%s" .name) -}}{{- end -}}
{{- toJson $names -}}
{{- end }}

{{/* "true" where the simulator runs. Takes the root. */}}
{{- define "gateway.simulated" -}}
{{- if and .Values.simulator.enabled (not .Values.workersOnly) }}true{{ end -}}
{{- end }}

{{/* The components that connect to NATS, as a JSON array. Takes the root. */}}
{{- define "gateway.busClients" -}}
{{- $names := without (include "gateway.fronted" . | fromJsonArray) "console" -}}
{{- concat $names (include "gateway.workers" . | fromJsonArray) | toJson -}}
{{- end }}

{{/* The pool of an entry of `workers`: its `pool`, else its name. */}}
{{- define "gateway.pool" -}}
{{- default .name .pool -}}
{{- end }}

{{/* The pools of the gateway's workers, here and in other networks, as a JSON array. Takes the root. */}}
{{- define "gateway.pools" -}}
{{- $pools := .Values.nats.outside.pools -}}
{{- range .Values.workers -}}{{- $pools = append $pools (include "gateway.pool" .) -}}{{- end -}}
{{- $pools | uniq | sortAlpha | toJson -}}
{{- end }}

{{/* The users of NATS with what each may publish and subscribe to, as JSON; a user of workers for each pool. Takes the root. */}}
{{- define "gateway.busUsers" -}}
{{- $users := .Files.Get "files/bus-users.json" | fromJson -}}
{{- $worker := get $users "worker" -}}
{{- $users = omit $users "worker" -}}
{{- range $pool := include "gateway.pools" . | fromJsonArray -}}
{{- $subjects := toRawJson $worker | replace "{pool}" $pool | fromJson -}}
{{- $_ := set $users (printf "worker-%s" $pool) $subjects -}}
{{- end -}}
{{- toRawJson $users -}}
{{- end }}

{{/* "true" where NATS is reached over TLS. Takes the root. */}}
{{- define "gateway.natsTls" -}}
{{- if or (and .Values.nats.enabled .Values.nats.tls.secret) (and (not .Values.nats.enabled) (hasPrefix "tls://" .Values.nats.external.url)) }}true{{ end -}}
{{- end }}

{{/* The Secret whose ca.crt the clients of NATS trust; empty if a public authority signed its certificate. Takes the root. */}}
{{- define "gateway.natsCaSecret" -}}
{{- if include "gateway.natsTls" . -}}
{{- .Values.nats.tls.caSecret | default (ternary .Values.nats.tls.secret "" .Values.nats.enabled) -}}
{{- end -}}
{{- end }}

{{/* The name of a server of NATS. Takes (list root ordinal). */}}
{{- define "gateway.natsServer" -}}
{{- printf "%s-%v.%s" (include "gateway.name" (list (index . 0) "nats")) (index . 1) (include "gateway.host" (list (index . 0) "nats")) -}}
{{- end }}

{{/* The servers of NATS as a URL, in which a user's password is $(NATS_PASSWORD). Takes (list root user). */}}
{{- define "gateway.natsUrl" -}}
{{- $root := index . 0 -}}
{{- $nats := $root.Values.nats -}}
{{- $scheme := ternary "tls" "nats" (eq "true" (include "gateway.natsTls" $root)) -}}
{{- $servers := list -}}
{{- if $nats.enabled -}}
{{- range until (int $nats.replicas) -}}
{{- $servers = append $servers (printf "%s:4222" (include "gateway.natsServer" (list $root .))) -}}
{{- end -}}
{{- else -}}
{{- range splitList "," $nats.external.url -}}{{- $servers = append $servers (trim . | trimPrefix "nats://" | trimPrefix "tls://") -}}{{- end -}}
{{- end -}}
{{- printf "%s://%s:$(NATS_PASSWORD)@%s" $scheme (index . 1) (first $servers) -}}
{{- range rest $servers -}}{{- printf ",%s://%s" $scheme . -}}{{- end -}}
{{- end }}

{{/* The ports of an external NATS, as a JSON array: those of its URL and those of the values. Takes the root. */}}
{{- define "gateway.natsPorts" -}}
{{- $ports := list -}}
{{- range .Values.networkPolicy.nats.ports -}}{{- $ports = append $ports (int64 .) -}}{{- end -}}
{{- range splitList "," .Values.nats.external.url -}}
{{- with regexFind ":[0-9]+/?$" (trim .) -}}{{- $ports = append $ports (trimPrefix ":" . | trimSuffix "/" | int64) -}}{{- end -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end }}

{{/* The ports of an external PostgreSQL, as a JSON array: that of `database.url` and those of the values. Takes the root. */}}
{{- define "gateway.databasePorts" -}}
{{- $ports := list -}}
{{- range .Values.networkPolicy.database.ports -}}{{- $ports = append $ports (int64 .) -}}{{- end -}}
{{- with regexFind ":[0-9]+$" (regexReplaceAll "^[a-z]+://([^@]*@)?([^/?]*).*$" .Values.database.url "${2}") -}}
{{- $ports = append $ports (trimPrefix ":" . | int64) -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end }}

{{/* The number of NATS servers that store a stream. Takes the root. */}}
{{- define "gateway.natsCopies" -}}
{{- $nats := .Values.nats -}}
{{- if not $nats.enabled -}}{{ $nats.external.copies }}{{- else if ge (int $nats.replicas) 3 -}}3{{- else -}}1{{- end -}}
{{- end }}

{{/* 90 % of a volume's size, such as 10Gi, in the syntax of NATS. The file system needs the rest. */}}
{{- define "gateway.natsStore" -}}
{{- $mebibytes := mul (regexFind "^[0-9]+" . | int64) (get (dict "Mi" 1 "Gi" 1024 "Ti" 1048576) (regexFind "[A-Za-z]+$" .)) -}}
{{- div (mul 9 $mebibytes) 10 -}}MB
{{- end }}
