#!/usr/bin/env bash
# Runs COMMAND with ARGS once, and gives its result to the job: annotations, a page of the summary, a JUnit report, the exit code.
set -uo pipefail
case ${COMMAND:?} in
  check | preflight)
    format=(-o github)
    [ -z "${JUNIT:-}" ] || format+=(--junit-file "$JUNIT")
    ;;
  wait) format=() ;;
  *) echo "::error title=kubectl csi::the command \"$COMMAND\" is not check, wait or preflight"; exit 2 ;;
esac
read -r -a words <<< "${ARGS:-}"
[ -z "${CONFIG:-}" ] || export KUBECONFIG=$CONFIG

kubectl-csi "$COMMAND" "${words[@]}" "${format[@]}" | tee "${RUNNER_TEMP:?}/kubectl-csi.out"
code=${PIPESTATUS[0]}
echo "exit-code=$code" >> "${GITHUB_OUTPUT:?}"

if [ "$COMMAND" = wait ] && [ "$code" -ne 0 ]; then
  echo "::error title=kubectl csi wait::$(tail -n 1 "$RUNNER_TEMP/kubectl-csi.out" | sed -e 's/%/%25/g' -e 's/\r/%0D/g')"
fi
if [ "$code" -eq 3 ] && [ "${INCONCLUSIVE:-fail}" = warn ]; then
  echo "::warning title=kubectl csi::inconclusive: something that decides could not be read"
  exit 0
fi
exit "$code"
