# Runs a program, and stays when it dies, so that a dead driver can be looked at; SIGUSR1 starts it again.
trap 'again=yes' USR1
trap 'kill $child; exit 0' TERM
while true; do
  "$@" &
  child=$!
  again=no
  wait $child
  while [ $again = no ]; do sleep 1; done
done
