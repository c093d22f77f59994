_gateway() {
  local at='' option='' argument='' text='' word line i
  local -a lines offers
  for ((i = 2; i < CURRENT; i++)); do
    word=${(Q)words[i]}
    if [[ -n $option ]]; then option=''
    elif [[ $word == -* ]]; then if __gateway_valued "$at $word"; then option="$at $word"; fi
    elif __gateway_next "$at" >/dev/null; then at="${at:+$at }$word"
    else argument=$word
    fi
  done
  if [[ -n $option ]]; then text=$(__gateway_values "$option")
  elif [[ ${words[CURRENT]} == -* ]]; then text=$(__gateway_options "$at")
  elif __gateway_next "$at" >/dev/null; then text=$(__gateway_next "$at")
  elif [[ -z $argument ]]; then text=$(__gateway_values "$at")
  fi
  if [[ $text == @files ]]; then _files; return; fi
  lines=("${(@f)text}")
  for line in $lines; do
    [[ -z $line ]] && continue
    word=${line%%$'\t'*}
    offers+=("${word//:/\\:}:${line#*$'\t'}")
  done
  _describe -t gateway gateway offers
}
if [[ ${funcstack[1]} == _gateway ]]; then _gateway "$@"; else compdef _gateway gateway; fi
