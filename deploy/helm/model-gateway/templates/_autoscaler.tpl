{{/*
The speed of an autoscaler: up at once, down slowly, since a stopping pod still serves its streams. Takes the component.
*/}}
{{- define "gateway.scalingBehavior" -}}
{{- $slow := dict "stabilizationWindowSeconds" 300 "selectPolicy" "Max" "policies" (list
  (dict "type" "Pods" "value" 1 "periodSeconds" 60)
  (dict "type" "Percent" "value" 25 "periodSeconds" 60)) -}}
{{- $fast := dict "stabilizationWindowSeconds" 0 "selectPolicy" "Max" "policies" (list
  (dict "type" "Pods" "value" 4 "periodSeconds" 15)
  (dict "type" "Percent" "value" 100 "periodSeconds" 15)) -}}
{{- mergeOverwrite (dict "scaleUp" $fast "scaleDown" $slow) (default dict .values.autoscaling.behavior | deepCopy) | toYaml -}}
{{- end }}

{{/*
A HorizontalPodAutoscaler, or for workers with `with: keda` a ScaledObject, from which KEDA makes one. The CPU target is
an amount, not a share of the request: a Node.js process is saturated at about one core whatever it requests.
Takes the component.
*/}}
{{- define "gateway.autoscaler" -}}
{{- $scaling := .values.autoscaling -}}
{{- if not (or $scaling.cpu $scaling.callsInFlight) -}}
{{- fail (printf "%s: its autoscaling needs something to go by: set `cpu`, or for workers `callsInFlight`." .name) -}}
{{- end -}}
{{- if and $scaling.callsInFlight (not $scaling.with) -}}
{{- fail (printf "%s: autoscaling by callsInFlight needs `with`: keda, or external-metric where a metrics adapter serves gateway_pool_calls_in_flight." .name) -}}
{{- end -}}
{{- if gt (int (default 2 $scaling.minReplicas)) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s: autoscaling.minReplicas, which is 2 where absent, is above maxReplicas." .name) -}}
{{- end -}}
{{- $pool := get (default dict .labels) "model-gateway/pool" -}}
{{- if include "gateway.kedaScaled" .values -}}
{{- if .root.Values.workersOnly -}}
{{- fail (printf "%s: control, which KEDA asks for calls in flight, is not in a release of workersOnly. Scale by `cpu`, or use `with: external-metric`." .name) -}}
{{- end -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
  annotations:
    # KEDA may replace this chart's HorizontalPodAutoscaler, which the same upgrade removes.
    validations.keda.sh/hpa-ownership: "false"
spec:
  scaleTargetRef: { name: {{ include "gateway.name" (list .root .name) }} }
  minReplicaCount: {{ $scaling.minReplicas | default 2 }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  pollingInterval: 5
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- include "gateway.scalingBehavior" . | nindent 8 }}
  # While control does not respond, the number of workers stays the same.
  triggers:
    - type: metrics-api
      metricType: AverageValue
      metadata:
        url: http://{{ include "gateway.host" (list .root "control") }}:9090/pools/{{ $pool }}
        valueLocation: callsInFlight
        targetValue: {{ include "gateway.text" $scaling.callsInFlight | quote }}
    {{- with $scaling.cpu }}
    - type: cpu
      metricType: AverageValue
      metadata: { value: {{ . | quote }} }
    {{- end }}
{{- else -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "gateway.metadata" (list .root .name) | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "gateway.name" (list .root .name) }} }
  minReplicas: {{ $scaling.minReplicas | default 2 }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    {{- with $scaling.cpu }}
    - type: Resource
      resource:
        name: cpu
        target: { type: AverageValue, averageValue: {{ . | quote }} }
    {{- end }}
    {{- with $scaling.callsInFlight }}
    - type: External
      external:
        metric:
          name: gateway_pool_calls_in_flight
          selector: { matchLabels: { pool: {{ $pool | quote }} } }
        target: { type: AverageValue, averageValue: {{ include "gateway.text" . | quote }} }
    {{- end }}
  behavior:
    {{- include "gateway.scalingBehavior" . | nindent 4 }}
{{- end }}
{{- end }}
