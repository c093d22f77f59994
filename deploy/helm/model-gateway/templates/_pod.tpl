{{/* The pod settings that the `restricted` Pod Security standard requires. Takes the user's number. */}}
{{- define "gateway.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* The container settings that it requires, and a read-only file system. */}}
{{- define "gateway.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The service account and placement of a pod. Takes the component. */}}
{{- define "gateway.placement" -}}
{{- $c := . -}}
enableServiceLinks: false
serviceAccountName: {{ include "gateway.name" (list .root .name) }}
automountServiceAccountToken: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "gateway.selector" (list $c.root $c.name) | nindent 8 }}
    {{- if not $c.stateful }}
    matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Labels and annotations of a pod. Takes the component. */}}
{{- define "gateway.podMetadata" -}}
labels:
  {{- include "gateway.selector" (list .root .name) | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with mergeOverwrite (dict) (default dict .annotations) (default dict .values.podAnnotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
A service's environment: variables from Secrets come first, since later ones may refer to them, then its settings. A
component's `env` overrides the `env` of all, which overrides the chart's settings. Takes the component.
*/}}
{{- define "gateway.environment" -}}
{{- $root := .root -}}
{{- $plain := dict "LOG_LEVEL" $root.Values.logLevel "GATEWAY_DRAIN" $root.Values.drain -}}
{{- $secret := default dict .secretEnv | deepCopy -}}
{{- if .bus -}}
{{- $_ := set $secret "NATS_PASSWORD" (dict "name" (include "gateway.busSecret" $root) "key" .bus) -}}
{{- $_ := set $plain "NATS_URL" (include "gateway.natsUrl" (list $root .bus)) -}}
{{- if include "gateway.natsCaSecret" $root -}}{{- $_ := set $plain "NATS_TLS_CA" "/gateway/nats-ca/ca.crt" -}}{{- end -}}
{{- if and (include "gateway.natsTls" $root) $root.Values.nats.tls.clientSecret -}}
{{- $_ := set $plain "NATS_TLS_CERT" "/gateway/nats-client/tls.crt" -}}
{{- $_ := set $plain "NATS_TLS_KEY" "/gateway/nats-client/tls.key" -}}
{{- end -}}
{{- end -}}
{{- $common := ternary dict $root.Values.env (eq .name "edge") -}}
{{- $plain = mergeOverwrite $plain (default dict .env) (deepCopy $common) (default dict .values.env) -}}
{{- range $name, $from := $secret }}
{{- if not (hasKey $plain $name) }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.name }}, key: {{ $from.key }}{{ if $from.optional }}, optional: true{{ end }} } }
{{- end }}
{{- end }}
{{- range $name, $value := $plain }}
- { name: {{ $name }}, value: {{ include "gateway.text" $value | quote }} }
{{- end }}
{{- end }}

{{/* The mounts and volumes of a service, as YAML with both keys. Takes the component. */}}
{{- define "gateway.storage" -}}
{{- $root := .root -}}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- with .spool }}
  - { name: spool, mountPath: /gateway/spool }
  {{- end }}
  {{- if and .bus (include "gateway.natsCaSecret" $root) }}
  - { name: nats-ca, mountPath: /gateway/nats-ca, readOnly: true }
  {{- end }}
  {{- if and .bus (include "gateway.natsTls" $root) $root.Values.nats.tls.clientSecret }}
  - { name: nats-client, mountPath: /gateway/nats-client, readOnly: true }
  {{- end }}
  {{- range .mounts }}
  - { name: {{ .name }}, mountPath: {{ .path }}, readOnly: true }
  {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- with .spool }}
  # Uploads in progress. The service stays within its budget; the limit catches files that it would leave behind.
  - name: spool
    emptyDir: { sizeLimit: {{ . }} }
  {{- end }}
  {{- if and .bus (include "gateway.natsCaSecret" $root) }}
  - name: nats-ca
    secret:
      secretName: {{ include "gateway.natsCaSecret" $root }}
      items: [{ key: ca.crt, path: ca.crt }]
  {{- end }}
  {{- if and .bus (include "gateway.natsTls" $root) $root.Values.nats.tls.clientSecret }}
  - name: nats-client
    secret:
      secretName: {{ $root.Values.nats.tls.clientSecret }}
      items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
  {{- end }}
  {{- range .mounts }}
  - name: {{ .name }}
    {{- toYaml .volume | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The probes of all services with an operator port. */}}
{{- define "gateway.probes" -}}
# The first start of many processes on a node may be slow, as may that of NATS and PostgreSQL. Control responds once it
# has migrated the database, which may take ten minutes.
startupProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: {{ ternary 300 90 (eq .name "control") }}
# A shorter unready period is tolerated, since requests wait for it: NATS elects a new leader in that time.
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
# Restarts a pod whose event loop is blocked for a minute.
livenessProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{/* The pod of a service. Takes the component. */}}
{{- define "gateway.pod" -}}
{{- $storage := include "gateway.storage" . | fromYaml -}}
{{- $preStop := include "gateway.preStop" . | int64 -}}
{{ include "gateway.placement" . }}
# Longer than preStop plus GATEWAY_DRAIN, so that running requests can finish.
terminationGracePeriodSeconds: {{ add $preStop (include "gateway.seconds" .root.Values.drain) 10 }}
{{ include "gateway.podSecurity" 1000 }}
containers:
  - name: {{ .container | default .name }}
    image: {{ include "gateway.image" (list .root (.imageSuffix | default "")) | quote }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    {{- with .program }}
    args: [{{ . }}]
    {{- end }}
    env:
      {{- include "gateway.environment" . | trim | nindent 6 }}
    {{- with .envFrom }}
    envFrom:
      - secretRef: { name: {{ . }} }
    {{- end }}
    ports:
      {{- if not .portless }}
      - { name: {{ .portName | default "http" }}, containerPort: 8080 }
      {{- end }}
      - { name: ops, containerPort: 9090 }
    {{- if and $preStop (not .ownGrace) }}
    lifecycle:
      preStop: { sleep: { seconds: {{ $preStop }} } }
    {{- end }}
    {{- include "gateway.probes" . | nindent 4 }}
    resources:
      {{- toYaml .values.resources | nindent 6 }}
    {{- include "gateway.containerSecurity" . | nindent 4 }}
    volumeMounts:
      {{- toYaml $storage.volumeMounts | nindent 6 }}
volumes:
  {{- toYaml $storage.volumes | nindent 2 }}
{{- end }}
