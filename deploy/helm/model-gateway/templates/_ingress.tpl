{{/* The settings of all services that clients reach through the edge. Takes the root. */}}
{{- define "gateway.frontedEnv" -}}
GATEWAY_TRUSTED_PROXIES: {{ concat .Values.trustedProxies.internal .Values.trustedProxies.external | join "," | quote }}
{{- end }}

{{/*
The settings of stored data. They are the same for control, which creates the streams, and for ingress-responses and
realtime, which use them. Takes the root.
*/}}
{{- define "gateway.storedEnv" -}}
GATEWAY_NATS_REPLICAS: {{ include "gateway.natsCopies" . | quote }}
GATEWAY_RESPONSES_TTL: {{ .Values.stored.responsesTtl | quote }}
GATEWAY_RESPONSES_BYTES: {{ int64 .Values.stored.responsesBytes | quote }}
GATEWAY_REALTIME_SECRETS_BYTES: {{ int64 .Values.stored.realtimeSecretsBytes | quote }}
{{- end }}

{{/* The settings of services that accept uploads. Takes the root. */}}
{{- define "gateway.spoolEnv" -}}
GATEWAY_SPOOL: /gateway/spool
GATEWAY_SPOOL_BUDGET: {{ int64 .Values.ingress.spoolBytes | quote }}
{{- end }}

{{/* The size limit of a pod's volume for uploads: the budget plus 10 %. Takes the root. */}}
{{- define "gateway.spoolLimit" -}}
{{- div (mul 11 (int64 .Values.ingress.spoolBytes)) 10 -}}
{{- end }}
