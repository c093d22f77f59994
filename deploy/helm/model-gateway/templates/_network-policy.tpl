{{/* The pods of some components, as a peer. Takes (list root components). */}}
{{- define "gateway.pods" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: model-gateway
      app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ toJson (index . 1) }} }
{{- end }}

{{/* One rule: pods of some components, at some ports. Takes (list root direction components ports). */}}
{{- define "gateway.rule" -}}
- {{ index . 1 }}:
    {{- include "gateway.pods" (list (index . 0) (index . 2)) | nindent 4 }}
  ports: {{ include "gateway.ports" (index . 3) }}
{{- end }}

{{/* TCP ports. */}}
{{- define "gateway.ports" -}}
{{- $ports := list -}}
{{- range . }}{{ $ports = append $ports (dict "protocol" "TCP" "port" (int64 .)) }}{{ end -}}
{{- toJson $ports -}}
{{- end }}

{{/* A rule for peers that a value names. Takes (list direction peers ports); nothing where there are no peers. */}}
{{- define "gateway.peerRule" -}}
{{- if index . 1 }}
- {{ index . 0 }}: {{ toJson (index . 1) }}
  ports: {{ include "gateway.ports" (index . 2) }}
{{- end }}
{{- end }}

{{/* A rule for the peers of a value; any peer if it has none. Takes (list direction peers ports). */}}
{{- define "gateway.openRule" -}}
- ports: {{ include "gateway.ports" (index . 2) }}
  {{- with index . 1 }}
  {{ index $ 0 }}: {{ toJson . }}
  {{- end }}
{{- end }}

{{/* A rule that allows DNS. Takes the root. */}}
{{- define "gateway.dnsRule" -}}
{{- $dns := .Values.networkPolicy.dns -}}
{{- $ports := list -}}
{{- range $dns.ports }}{{ $ports = concat $ports (list (dict "protocol" "UDP" "port" (int64 .)) (dict "protocol" "TCP" "port" (int64 .))) }}{{ end -}}
- ports: {{ toJson $ports }}
  {{- with $dns.to }}
  to: {{ toJson . }}
  {{- end }}
{{- end }}

{{/*
The policy of a component: all traffic that these rules do not allow is blocked. Takes
(list root component ingress egress), the rules as YAML text, empty for none.
*/}}
{{- define "gateway.networkPolicy" -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "gateway.metadata" (list (index . 0) (index . 1)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "gateway.selector" (list (index . 0) (index . 1)) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with regexReplaceAll "\n\\s*\n" (index . 2 | trim) "\n" }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with regexReplaceAll "\n\\s*\n" (index . 3 | trim) "\n" }}
  egress:
    {{- . | nindent 4 }}
  {{- end }}
{{ end }}

{{/* Any address outside the cluster's own networks. Takes the root. */}}
{{- define "gateway.internetRule" -}}
{{- $ranges := dict "0.0.0.0/0" list "::/0" list -}}
{{- range .Values.networkPolicy.privateRanges -}}
{{- $all := ternary "::/0" "0.0.0.0/0" (contains ":" .) -}}
{{- $_ := set $ranges $all (append (get $ranges $all) .) -}}
{{- end -}}
- to:
    {{- range $all, $except := $ranges }}
    - ipBlock: { cidr: {{ $all | quote }}{{ with $except }}, except: {{ toJson . }}{{ end }} }
    {{- end }}
{{- end }}
