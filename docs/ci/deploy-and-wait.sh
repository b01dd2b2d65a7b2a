#!/bin/sh
# Applies the manifests of an application, and fails with the reason if its storage cannot come.
#   NAMESPACE=shop APP=web MANIFESTS=deploy/ sh deploy-and-wait.sh
set -eu

kubectl apply -n "$NAMESPACE" -f "$MANIFESTS"

# A class that does not exist ends this within seconds, not after the timeout. Claims that wait for their first pod get it
# from the same manifests.
kubectl csi wait pvc -n "$NAMESPACE" -l "app=$APP" --for=bound --timeout="${TIMEOUT:-5m}"
kubectl csi wait pod -n "$NAMESPACE" -l "app=$APP" --for=mounted --timeout="${TIMEOUT:-5m}"
echo "the storage of $APP is there"
