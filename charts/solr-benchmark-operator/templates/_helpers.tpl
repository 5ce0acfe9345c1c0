{{- define "solrbench.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Name of all objects of the release; short enough for the suffixes that templates add. */}}
{{- define "solrbench.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- $name := include "solrbench.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of objects that have no namespace: two releases must not share them. */}}
{{- define "solrbench.clusterName" -}}
{{- printf "%s-%s" (include "solrbench.fullname" .) .Release.Namespace | trunc 240 | trimSuffix "-" }}
{{- end }}

{{- define "solrbench.selectorLabels" -}}
app.kubernetes.io/name: {{ include "solrbench.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "solrbench.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "solrbench.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/component: operator
app.kubernetes.io/part-of: solrbench
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Labels of a pod that works beside the operator, and of its Job; `component` says what it does. */}}
{{- define "solrbench.helperLabels" -}}
app.kubernetes.io/name: {{ include "solrbench.name" .context }}-{{ .component }}
app.kubernetes.io/instance: {{ .context.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: {{ .context.Release.Service }}
{{- end }}

{{- define "solrbench.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "solrbench.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "solrbench.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* What all pods of the release have in common. */}}
{{- define "solrbench.podSpec" -}}
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The body of a binding: the role `name` of a `kind` for the operator's ServiceAccount. */}}
{{- define "solrbench.binding" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "solrbench.serviceAccountName" .context | quote }}
    namespace: {{ .context.Release.Namespace | quote }}
{{- end }}

{{/* "true" when every namespace is watched. */}}
{{- define "solrbench.everyNamespace" -}}
{{- if has "*" .Values.watchNamespaces }}true{{ end }}
{{- end }}

{{/* The watched namespaces, separated by commas; "*" for every one. */}}
{{- define "solrbench.namespaces" -}}
{{- if include "solrbench.everyNamespace" . -}}
*
{{- else -}}
{{ .Values.watchNamespaces | default (list .Release.Namespace) | uniq | join "," }}
{{- end }}
{{- end }}

{{- define "solrbench.requirePrometheusOperator" -}}
{{- if not (.context.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}
{{- fail (printf "%s is true, but the cluster does not know monitoring.coreos.com/v1: install the Prometheus Operator first, or set it to false" .value) }}
{{- end }}
{{- end }}

{{/* Fails where values contradict each other, which the schema cannot say. */}}
{{- define "solrbench.check" -}}
{{- $metrics := .Values.metrics }}
{{- if and $metrics.enabled (eq (int $metrics.port) (int .Values.health.port)) }}
{{- fail (printf "metrics.port must differ from health.port, both are %d" (int $metrics.port)) }}
{{- end }}
{{- $added := dict "podLabels" .Values.podLabels }}
{{- range list "serviceMonitor" "prometheusRule" }}
{{- $_ := set $added (printf "metrics.%s.labels" .) (index $metrics .).labels }}
{{- if and (index $metrics .).enabled (not $metrics.enabled) }}
{{- fail (printf "metrics.%s.enabled needs metrics.enabled: there are no metrics" .) }}
{{- end }}
{{- end }}
{{- range $key, $_ := include "solrbench.labels" . | fromYaml }}
{{- range $value, $labels := $added }}
{{- if hasKey $labels $key }}
{{- fail (printf "%s must not contain %s, the chart sets it" $value $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Pods of any benchmark of the namespace, and the operator. */}}
{{- define "solrbench.benchmarkPeers" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/managed-by: solrbench-operator
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ .Release.Namespace | quote }}
  podSelector:
    matchLabels:
      {{- include "solrbench.selectorLabels" . | nindent 6 }}
{{- end }}

{{/* What the operator does in a namespace with benchmarks, and nothing else. */}}
{{- define "solrbench.rules" -}}
# It deletes a benchmark when its time to live is over, and creates those of sweeps.
- apiGroups: [solrbench.io]
  resources: [solrbenchmarks]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [solrbench.io]
  resources: [solrbenchmarks/status]
  verbs: [update]
# It deletes a sweep when its time to live is over; the benchmarks of a sweep go with it. It is
# suspended, with its benchmark on an existing target, when the release is deleted.
- apiGroups: [solrbench.io]
  resources: [solrbenchmarksweeps]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [solrbench.io]
  resources: [solrbenchmarksweeps/status]
  verbs: [update]
# Children name their benchmark, and benchmarks their sweep, as an owner that waits for them.
- apiGroups: [solrbench.io]
  resources: [solrbenchmarks/finalizers, solrbenchmarksweeps/finalizers]
  verbs: [update]
# Server-side apply is a patch, and a create when the object is not there yet.
- apiGroups: [""]
  resources: [services, configmaps]
  verbs: [get, list, create, patch, delete]
- apiGroups: [apps]
  resources: [statefulsets, deployments]
  verbs: [get, list, create, patch, delete]
# Made and removed by the controller of Deployments; waited for, with pods that outlive theirs.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [get, list]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch, delete]
# While a run lasts, no pod of it may be evicted.
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, create, patch, delete]
# Pods and claims are made by the controllers of Kubernetes.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, delete]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, delete]
# The ends of logs are kept before the pods of a failure are deleted.
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
# With provisioner SolrOperator; both kinds belong to operators that may not be there.
- apiGroups: [solr.apache.org]
  resources: [solrclouds]
  verbs: [get, list, create, patch, delete]
# Made and removed by the Solr Operator; waited for.
- apiGroups: [zookeeper.pravega.io]
  resources: [zookeeperclusters]
  verbs: [get, list]
{{- if .Values.networkPolicy.benchmarks.own }}
# Who may connect to the pods of a benchmark; it goes with its benchmark.
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, create, patch]
{{- end }}
{{- if .Values.rbac.secrets }}
# Credentials and authorities of existing targets, by the names that benchmarks give.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [events]
  # Those of StatefulSets, Jobs and pods say why a pod is refused, or what became of it.
  verbs: [list, create]
{{- end }}

{{/* Settings of the operator. */}}
{{- define "solrbench.env" -}}
{{- /* glibc gives each thread of the operator a heap of its own, up to 8 for each CPU. */}}
- name: MALLOC_ARENA_MAX
  value: "2"
- name: SOLRBENCH_NAMESPACES
  value: {{ include "solrbench.namespaces" . | quote }}
- name: SOLRBENCH_IMAGE
  value: {{ include "solrbench.image" . | quote }}
- name: SOLRBENCH_IMAGE_PULL_POLICY
  value: {{ .Values.image.pullPolicy }}
{{- with .Values.imagePullSecrets }}
- name: SOLRBENCH_IMAGE_PULL_SECRETS
  value: "{{ range $i, $each := . }}{{ if $i }},{{ end }}{{ $each.name }}{{ end }}"
{{- end }}
- name: SOLRBENCH_CONCURRENCY
  value: {{ .Values.concurrency | int | quote }}
- name: SOLRBENCH_CONCURRENCY_PER_NAMESPACE
  value: {{ .Values.concurrencyPerNamespace | int | quote }}
- name: SOLRBENCH_ALLOWED_HOSTS
  value: {{ join "," .Values.existingTargets.allowedHosts | quote }}
- name: SOLRBENCH_DATASET_HOSTS
  value: {{ join "," .Values.datasets.allowedHosts | quote }}
- name: SOLRBENCH_EXPORT_HOSTS
  value: {{ join "," .Values.exports.allowedHosts | quote }}
- name: SOLRBENCH_DATASET_SECRETS
  value: {{ .Values.datasets.secrets | quote }}
- name: SOLRBENCH_ALLOWED_POD_OPTIONS
  value: {{ join "," .Values.benchmarkPods.allowedOptions | quote }}
- name: SOLRBENCH_POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: SOLRBENCH_REPORT_MEBIBYTES
  value: {{ .Values.reports.maxMebibytes | int | quote }}
- name: SOLRBENCH_LEASE
  value: {{ include "solrbench.fullname" . | quote }}
- name: SOLRBENCH_OPERATOR_NAMESPACE
  value: {{ .Release.Namespace | quote }}
{{- if .Values.networkPolicy.benchmarks.own }}
- name: SOLRBENCH_OPERATOR_LABELS
  value: {{ printf "app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s" (include "solrbench.name" .) .Release.Name }}
- name: SOLRBENCH_OPEN_NODES
  value: {{ not .Values.networkPolicy.benchmarks.enabled | quote }}
{{- end }}
- name: SOLRBENCH_LOG_FORMAT
  value: {{ .Values.logging.format }}
- name: SOLRBENCH_LOG_LEVEL
  value: {{ .Values.logging.level }}
- name: SOLRBENCH_METRICS_PORT
  value: {{ ternary .Values.metrics.port 0 .Values.metrics.enabled | int | quote }}
- name: SOLRBENCH_METRICS_RESULT_SECONDS
  value: {{ .Values.metrics.resultSeconds | int | quote }}
- name: SOLRBENCH_HEALTH_PORT
  value: {{ .Values.health.port | int | quote }}
{{- end }}
