/** For bash 3.2 and newer. It needs no bash-completion, and evaluates nothing of the line. */
export const bashScript = String.raw`# bash completion for kubectl-csi
_kubectl_csi() {
  local words=() word line value directive=0 count=0 index glued=no
  # bash parts words at = and : too; here they belong together again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${'$'}{COMP_WORDS[index]}
    if [[ $count -gt 0 && ( $glued == yes || $word == [=:]* ) ]]; then
      words[count-1]+=$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
    if [[ $word == *[=:] ]]; then glued=yes; else glued=no; fi
  done
  for ((index = 0; index < count; index++)); do
    word=${'$'}{words[index]}
    case $word in
      \"*) word=${'$'}{word#\"}; word=${'$'}{word%\"} ;;
      \'*) word=${'$'}{word#\'}; word=${'$'}{word%\'} ;;
    esac
    words[index]=$word
  done
  # What bash replaces is only what follows the last = or : of the word.
  local begun=${'$'}{words[count-1]} kept=
  case $begun in
    -*=*) ;;
    *:*) kept=${'$'}{begun%:*}: ;;
  esac
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${'$'}{line#:}
      continue
    fi
    value=${'$'}{line%%$'\t'*}
    value=${'$'}{value#"$kept"}
    COMPREPLY+=("$(printf '%q' "$value")")
  done < <("${'$'}{COMP_WORDS[0]/#\~/$HOME}" __complete "${'$'}{words[@]}" </dev/null 2>/dev/null)
  if ((directive & 16)); then
    _kubectl_csi_paths dirnames -d
  elif ! ((directive & 4)); then
    _kubectl_csi_paths default -f
  fi
  if ((directive & 2)); then type compopt >/dev/null 2>&1 && compopt -o nospace; fi
}
# Paths are left to bash; the one of macOS cannot be told so in the middle, and gets a list.
_kubectl_csi_paths() {
  local path
  if type compopt >/dev/null 2>&1; then
    compopt -o "$1"
  else
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$2" -- "${'$'}{COMP_WORDS[COMP_CWORD]#=}")
  fi
}
complete -F _kubectl_csi kubectl-csi
`;
