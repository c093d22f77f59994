{{/*
Everything that one component consists of but its NetworkPolicy. It is described by a dictionary:
  root         the chart's own scope
  name         the component, such as control
  values       its values, complete
  program      what the image is to run: a folder of services, or `front`
  env          settings that the chart makes, by name
  secretEnv    settings from Secrets: name to {name, key}
  envFrom      a Secret all of whose keys become settings
  bus          its user of NATS, where it speaks to NATS
  service      headless (the edge finds each replica), cluster, or none
  preStop      seconds, or `dns`: as long as the edge may take to know of a successor
  ownGrace     true where the program itself goes on for as long, once it is told to stop
  spool        bytes of uploads on disk, where it takes uploads
  mounts       further read-only volumes: {name, path, volume}
  labels       further labels of its pods
  portless     true where it has the operator's port alone
*/}}
{{- define "gateway.component" -}}
{{ include "gateway.serviceAccount" . }}
---
{{ include "gateway.deployment" . }}
---
{{ include "gateway.disruptionBudget" . }}
{{- if .service }}
---
{{ include "gateway.service" . }}
{{- end }}
{{- if include "gateway.autoscaled" . }}
---
{{ include "gateway.autoscaler" . }}
{{- end }}
{{- end }}

{{- define "gateway.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
  {{- with .values.serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{- define "gateway.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
spec:
  {{- if not (include "gateway.autoscaled" .) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # A pod is taken away once its successor is ready.
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "gateway.selector" (list .root .name) | nindent 6 }}
  template:
    metadata:
      {{- include "gateway.podMetadata" . | nindent 6 }}
    spec:
      {{- include "gateway.pod" . | nindent 6 }}
{{- end }}

{{- define "gateway.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
spec:
  maxUnavailable: 1
  # One that is broken anyway keeps no node from being emptied.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "gateway.selector" (list .root .name) | nindent 6 }}
{{- end }}

{{- define "gateway.service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
spec:
  {{- if eq .service "headless" }}
  # The edge asks DNS for each replica, and chooses among them itself.
  clusterIP: None
  {{- end }}
  selector:
    {{- include "gateway.selector" (list .root .name) | nindent 4 }}
  ports:
    - { name: http, port: 8080, targetPort: http }
    - { name: ops, port: 9090, targetPort: ops }
{{- end }}
