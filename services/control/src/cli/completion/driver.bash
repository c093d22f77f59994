_gateway() {
  local cur=${COMP_WORDS[COMP_CWORD]} at='' option='' argument='' lines='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then continue
    elif [[ -n $option ]]; then option=''
    elif [[ $word == -* ]]; then if __gateway_valued "$at $word"; then option="$at $word"; fi
    elif __gateway_next "$at" >/dev/null; then at="${at:+$at }$word"
    else argument=$word
    fi
  done
  [[ $cur == '=' ]] && cur=''
  if [[ -n $option ]]; then lines=$(__gateway_values "$option")
  elif [[ $cur == -* ]]; then lines=$(__gateway_options "$at")
  elif __gateway_next "$at" >/dev/null; then lines=$(__gateway_next "$at")
  elif [[ -z $argument ]]; then lines=$(__gateway_values "$at")
  fi
  if [[ $lines == @files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    return 0
  fi
  while IFS=$'\t' read -r word _; do
    if [[ -n $word && $word == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$word")"); fi
  done <<<"$lines"
  return 0
}
complete -F _gateway gateway
