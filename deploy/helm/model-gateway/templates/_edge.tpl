{{/* http, or https where the edge has a certificate. Takes the root. */}}
{{- define "gateway.edgeScheme" -}}
{{- ternary "https" "http" (not (empty .Values.edge.tls.secret)) -}}
{{- end }}

{{/* The port of the edge's Service. Takes the root. */}}
{{- define "gateway.edgePort" -}}
{{- .Values.edge.service.port | default (ternary 443 80 (not (empty .Values.edge.tls.secret))) -}}
{{- end }}
