{{- define "erstwhile.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "erstwhile.selector" -}}
app.kubernetes.io/name: erstwhile
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "erstwhile.labels" -}}
{{ include "erstwhile.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "erstwhile.secret" -}}
{{- if .Values.postgres.enabled }}{{ required "postgres.enabled needs existingSecret, with ERSTWHILE_DATABASE and MIGRATE_DATABASE" .Values.existingSecret }}{{ else }}{{ .Values.existingSecret }}{{ end }}
{{- end }}

{{/* What every pod has: no privileges, a read-only root, its own settings. */}}
{{- define "erstwhile.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false   # a service named erstwhile would set ERSTWHILE_PORT
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
terminationGracePeriodSeconds: 35
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "erstwhile.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "erstwhile.settings" -}}
{{- with .Values.hosts }}
- {name: ERSTWHILE_HOSTS, value: {{ join "," . | quote }}}
{{- end }}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{- define "erstwhile.probes" -}}
ports: [{name: http, containerPort: 8765}]
startupProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 2, failureThreshold: 60}
readinessProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 5, timeoutSeconds: 4}
livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 10, timeoutSeconds: 5}
{{- end }}
