{{/* A separate volume `data` for each pod. Takes (list root component size). */}}
{{- define "gateway.volumeClaim" -}}
{{- $root := index . 0 -}}
- metadata:
    name: data
    labels:
      {{- include "gateway.selector" . | nindent 6 }}
  spec:
    accessModes: [ReadWriteOnce]
    {{- with $root.Values.persistence.storageClass }}
    storageClassName: {{ . | quote }}
    {{- end }}
    resources: { requests: { storage: {{ index . 2 }} } }
{{- end }}
