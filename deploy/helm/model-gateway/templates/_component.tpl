{{/*
All objects of a component except its NetworkPolicy. The component is a dictionary:
  root         the root scope of the chart
  name         the component, such as control
  values       its values, complete
  program      the program that the image runs: a folder of services, or `front`
  env          settings that the chart sets, by name
  secretEnv    settings from Secrets: name to {name, key}
  envFrom      a Secret all of whose keys become settings
  bus          its NATS user, if it connects to NATS
  service      headless (the edge finds each replica), cluster, or none
  preStop      seconds, or `dns`: the time that the edge may need to find a successor
  ownGrace     true if the program itself keeps serving for that time after a signal to stop
  spool        bytes of uploads on disk, if it accepts uploads
  mounts       further read-only volumes: {name, path, volume}
  labels       further labels of its pods
  portless     true if it has only the operator port
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
  # A pod is removed once its successor is ready.
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
  # A pod that is not ready does not block the drain of its node.
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
  # Headless: the edge resolves each replica by DNS and balances itself.
  clusterIP: None
  {{- end }}
  selector:
    {{- include "gateway.selector" (list .root .name) | nindent 4 }}
  ports:
    - { name: http, port: 8080, targetPort: http }
    - { name: ops, port: 9090, targetPort: ops }
{{- end }}
