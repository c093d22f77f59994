{{/* The settings of everything that clients reach through the edge. Takes the root. */}}
{{- define "gateway.frontedEnv" -}}
GATEWAY_TRUSTED_PROXIES: {{ concat .Values.trustedProxies.internal .Values.trustedProxies.external | join "," | quote }}
{{- end }}

{{/*
The settings of those who make or use what lasts: control makes every stream, ingress-responses and realtime use theirs,
so all have the same. Takes the root.
*/}}
{{- define "gateway.storedEnv" -}}
GATEWAY_NATS_REPLICAS: {{ include "gateway.natsCopies" . | quote }}
GATEWAY_RESPONSES_TTL: {{ .Values.stored.responsesTtl | quote }}
GATEWAY_RESPONSES_BYTES: {{ int64 .Values.stored.responsesBytes | quote }}
GATEWAY_REALTIME_SECRETS_BYTES: {{ int64 .Values.stored.realtimeSecretsBytes | quote }}
{{- end }}

{{/* The settings of those who take uploads. Takes the root. */}}
{{- define "gateway.spoolEnv" -}}
GATEWAY_SPOOL: /gateway/spool
GATEWAY_SPOOL_BUDGET: {{ int64 .Values.ingress.spoolBytes | quote }}
{{- end }}

{{/* What a pod may have on its disk for uploads: its budget and a tenth. Takes the root. */}}
{{- define "gateway.spoolLimit" -}}
{{- div (mul 11 (int64 .Values.ingress.spoolBytes)) 10 -}}
{{- end }}
