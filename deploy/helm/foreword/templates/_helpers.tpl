{{- define "foreword.fullname" -}}
{{- if contains "foreword" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-foreword" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "foreword.selector" -}}
app.kubernetes.io/name: foreword
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "foreword.labels" -}}
{{ include "foreword.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "foreword.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "foreword.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "foreword.fullname" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "foreword.secretName" -}}
{{ .Values.existingSecret | default (include "foreword.fullname" .) }}
{{- end }}

{{/* Data of the ConfigMap and the Secret, and of their copies for the migration job. */}}
{{- define "foreword.settings" -}}
{{- range $name, $value := .Values.settings }}
{{- if ne (toString $value) "" }}
{{ $name }}: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "foreword.secrets" -}}
{{- range $name, $value := .Values.secrets }}
{{- if ne (toString $value) "" }}
{{ $name }}: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Stops an installation that could not work, with one line. */}}
{{- define "foreword.check" -}}
{{- $given := merge (dict) .Values.secrets .Values.settings }}
{{- if not .Values.settings.PUBLIC_URL }}{{ fail "settings.PUBLIC_URL is missing: the address of the service from outside, such as https://intros.example.com" }}{{ end }}
{{- if not .Values.existingSecret }}
{{- if not .Values.secrets.DATABASE_URL }}{{ fail "secrets.DATABASE_URL is missing: the image has no database of its own. Set it, or existingSecret" }}{{ end }}
{{- if not .Values.secrets.SERVER_KEY }}{{ fail "secrets.SERVER_KEY is missing: the output of openssl rand -hex 32. Set it, or existingSecret" }}{{ end }}
{{- if not (or $given.OBJECTS_URL .Values.videos.existingClaim) }}{{ fail "pods share videos: set secrets.OBJECTS_URL to an s3:// address, or videos.existingClaim" }}{{ end }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.settings.METRICS_TOKEN }}{{ fail "settings.METRICS_TOKEN is a secret: set secrets.METRICS_TOKEN, or existingSecret with serviceMonitor.token" }}{{ end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host is missing: the host of PUBLIC_URL" }}{{ end }}
{{- end }}

{{- define "foreword.podSecurity" -}}
runAsNonRoot: true
# The user of the image.
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "foreword.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
