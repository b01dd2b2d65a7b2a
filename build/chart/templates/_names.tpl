{{- define "kubectl-csi.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "kubectl-csi.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "kubectl-csi.name" .) }}
{{- end -}}

{{- define "kubectl-csi.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubectl-csi.labels" -}}
{{ include "kubectl-csi.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "kubectl-csi.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* What every pod of this chart has: no root, no writable files, no rights but those of its account. */}}
{{- define "kubectl-csi.podSpec" -}}
serviceAccountName: {{ include "kubectl-csi.serviceAccount" . }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "kubectl-csi.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The rules of files/rules.json: `what` is all, namespaced or cluster. */}}
{{- define "kubectl-csi.rules" -}}
{{- $root := .root }}
{{- $what := .what }}
{{- range $root.Files.Get "files/rules.json" | fromJsonArray }}
{{- if and (or (eq $what "all") (eq .namespaced (eq $what "namespaced"))) (or $root.Values.secrets (not (has "secrets" .resources))) }}
- apiGroups: {{ .apiGroups | toJson }}
  resources: {{ .resources | toJson }}
  verbs: {{ .verbs | toJson }}
{{- end }}
{{- end }}
{{- end -}}
