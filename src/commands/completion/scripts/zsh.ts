export const zshScript = String.raw`#compdef kubectl-csi
# zsh completion for kubectl-csi
_kubectl_csi() {
  local line value hint directive=0 kept=''
  local -a asked values shown trailing
  asked=("${'$'}{(@Q)words[2,CURRENT]}")
  # The value of a flag is answered without the flag in front of it.
  [[ ${'$'}{asked[-1]} == -*=* ]] && kept="${'$'}{asked[-1]%%=*}="
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${'$'}{line#:}
      continue
    fi
    value=${'$'}{line%%$'\t'*}
    hint=${'$'}{line#*$'\t'}
    values+=("$kept$value")
    if [[ $hint == "$line" ]]; then shown+=("$value"); else shown+=("$value  -- $hint"); fi
  done < <("${'$'}{(Q)words[1]}" __complete "${'$'}{asked[@]}" </dev/null 2>/dev/null)
  ((directive & 2)) && trailing=(-S '')
  if ((${'$'}{#values})); then
    compadd -l -d shown "${'$'}{trailing[@]}" -a values
  elif ((directive & 16)); then
    [[ -n $kept ]] && compset -P '*='
    _files -/
  elif ! ((directive & 4)); then
    [[ -n $kept ]] && compset -P '*='
    _files
  fi
}
if [[ $funcstack[1] == _kubectl_csi ]]; then _kubectl_csi "$@"; else compdef _kubectl_csi kubectl-csi; fi
`;
