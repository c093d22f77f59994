function __gateway
  set -l at ''
  set -l option ''
  set -l argument ''
  set -l before (commandline -opc)
  for word in $before[2..-1]
    if test -n "$option"
      set option ''
    else if string match -q -- '-*' $word
      if __gateway_valued "$at $word"
        set option "$at $word"
      end
    else if __gateway_next "$at" >/dev/null
      set at (string trim "$at $word")
    else
      set argument $word
    end
  end
  if test -n "$option"
    __gateway_values "$option"
  else if string match -q -- '-*' (commandline -ct)
    __gateway_options "$at"
  else if __gateway_next "$at" >/dev/null
    __gateway_next "$at"
  else if test -z "$argument"
    __gateway_values "$at"
  end
end
complete -c gateway -f -a '(__gateway)'
