{{/* The name of a component's objects: <release>-<component>. Takes (list root component). */}}
{{- define "gateway.name" -}}
{{- printf "%s-%s" (index . 0).Release.Name (index . 1) -}}
{{- end }}

{{/* The full name of a component's Service. Takes (list root component). */}}
{{- define "gateway.host" -}}
{{- $root := index . 0 -}}
{{- printf "%s.%s.svc.%s" (include "gateway.name" .) $root.Release.Namespace $root.Values.clusterDomain -}}
{{- end }}

{{/* The labels that select a component's pods. Takes (list root component). */}}
{{- define "gateway.selector" -}}
app.kubernetes.io/name: model-gateway
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* The labels of every object. Takes (list root component). */}}
{{- define "gateway.labels" -}}
{{- $root := index . 0 -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Name, namespace and labels of an object that belongs to a component. Takes (list root component). */}}
{{- define "gateway.metadata" -}}
name: {{ include "gateway.name" . }}
namespace: {{ (index . 0).Release.Namespace }}
labels:
  {{- include "gateway.labels" . | nindent 2 }}
{{- end }}

{{/* The image of the services, or with the suffix -edge that of the edge. Takes (list root suffix). */}}
{{- define "gateway.image" -}}
{{- $root := index . 0 -}}
{{- printf "%s%s:%s" $root.Values.image.repository (index . 1) (default $root.Chart.AppVersion $root.Values.image.tag) -}}
{{- end }}

{{/*
The name of one of the Secrets: token, keys, pool-keys, bus or database. The chart creates them with the release's name as prefix.
With secrets.existing they already exist, with that prefix. Takes (list root which).
*/}}
{{- define "gateway.secret" -}}
{{- $root := index . 0 -}}
{{- printf "%s-%s" (default $root.Release.Name $root.Values.secrets.existing) (index . 1) -}}
{{- end }}

{{/* The Secret whose key `url` is the URL of the database. Takes the root. */}}
{{- define "gateway.databaseSecret" -}}
{{- .Values.database.existingSecret | default (include "gateway.secret" (list . "database")) -}}
{{- end }}

{{/* The Secret that holds the password of each user of NATS. Takes the root. */}}
{{- define "gateway.busSecret" -}}
{{- if and (not .Values.nats.enabled) .Values.nats.external.existingSecret -}}
{{- .Values.nats.external.existingSecret -}}
{{- else -}}
{{- include "gateway.secret" (list . "bus") -}}
{{- end -}}
{{- end }}
