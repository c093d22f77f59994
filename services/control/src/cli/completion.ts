import { type Command, type CompletedNames, type Context, command, type Option } from './command.ts';
import { printOptions } from './command-line.ts';

/** A word that completion offers, with the line of help that shells show beside it. */
type Offer = readonly [word: string, about: string];

/** The line that has a shell offer the names of files. */
const files = '@files';
/** The longest time in which names are looked up, in milliseconds: the person who presses Tab waits. */
const lookUpMs = 2_000;

/**
 * Returns what may stand in the place of the last of some words after `gateway`: lines of a word, a tab and its help, or `@files`. The
 * scripts of shells call it.
 */
export async function complete(
  words: readonly string[],
  commands: readonly Command[],
  admin: Context['admin'],
): Promise<string> {
  const last = words.at(-1) ?? '';
  // bash parts a word at `=`.
  const current = last === '=' ? '' : last;
  const offers = await offersFor(
    words.slice(0, -1).filter(word => word !== '='),
    current,
    commands,
    admin,
  );
  if (offers === files) return files;
  const fitting = offers.filter(([word]) => word.startsWith(current));
  return fitting.map(offer => offer.join('\t')).join('\n');
}

async function offersFor(
  before: readonly string[],
  current: string,
  commands: readonly Command[],
  admin: Context['admin'],
): Promise<readonly Offer[] | typeof files> {
  const command = commands.find(({ name }) => before.slice(0, name.split(' ').length).join(' ') === name);
  if (!command) return before.length > 1 ? [] : wordsAfter(before[0], commands);
  const options = { ...command.options, ...(command.json !== false && printOptions) };
  const rest = before.slice(command.name.split(' ').length);
  let option: Option | undefined;
  let hasArgument = false;
  for (const word of rest) {
    if (option) option = undefined;
    else if (word.startsWith('-')) option = valued(options[word.replace(/^--/, '')]);
    else hasArgument = true;
  }
  if (option) return valuesOf(option, admin);
  if (current.startsWith('-'))
    return [...Object.entries(options), ['help', { about: 'Print help' }] as const].map(
      ([name, { about }]) => [`--${name}`, about],
    );
  return hasArgument ? [] : valuesOf(command.argument ?? {}, admin);
}

function valued(option: Option | undefined): Option | undefined {
  return option?.kind === 'flag' ? undefined : option;
}

/** Returns the subjects and the commands of one word, or the verbs of a subject. */
function wordsAfter(subject: string | undefined, commands: readonly Command[]): readonly Offer[] {
  const words = commands.map(({ name, about }) => ({ words: name.split(' '), about }));
  if (subject !== undefined)
    return words.flatMap(({ words: [first, verb], about }) =>
      first === subject && verb ? [[verb, about] as const] : [],
    );
  return [
    ...new Map(
      words.map(({ words: [first = '', verb], about }) => [first, verb ? `Commands of ${first}` : about]),
    ),
  ];
}

async function valuesOf(
  { choices = [], names }: { choices?: readonly string[] | undefined; names?: CompletedNames | undefined },
  admin: Context['admin'],
): Promise<readonly Offer[] | typeof files> {
  if (names === 'files') return files;
  if (!names) return choices.map(word => [word, '']);
  // The first page, which is more than a screen holds. A shell that completes a word has no place for an error.
  const query = { limit: '1000' };
  const page = await Promise.resolve()
    .then(() => admin(lookUpMs).call(names, { query }))
    .catch(() => undefined);
  const records =
    (page as { data?: { id?: string; name?: string; prefix?: string }[] } | undefined)?.data ?? [];
  // What has a secret is named by its id.
  return records.map(
    ({ id = '', name = '', prefix }): Offer => (prefix === undefined ? [name, ''] : [id, name]),
  );
}

/** The scripts of completion by shell. */
const scripts = {
  bash: String.raw`# Completion of gateway for bash: source <(gateway completion bash)
_gateway() {
  local line current=${'$'}{COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == @files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    elif [[ -n $line ]]; then COMPREPLY+=("$(printf '%q' "${'$'}{line%%$'\t'*}")")
    fi
  done < <(command gateway complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gateway gateway`,
  zsh: String.raw`#compdef gateway
# Completion of gateway for zsh, after compinit: source <(gateway completion zsh)
_gateway() {
  local line; local -a offers
  for line in "${'$'}{(@f)$(command gateway complete "${'$'}{(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == @files ]]; then _files; return; fi
    [[ -n $line ]] && offers+=("${'$'}{${'$'}{line%%$'\t'*}//:/\\:}:${'$'}{line#*$'\t'}")
  done
  _describe -t gateway gateway offers
}
if [[ ${'$'}{funcstack[1]} == _gateway ]]; then _gateway "$@"; else compdef _gateway gateway; fi`,
  fish: `# Completion of gateway for fish: gateway completion fish | source
function __gateway
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in (command gateway complete $before[2..-1] "$current" 2>/dev/null)
    if test "$line" = @files
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c gateway -f -a '(__gateway)'`,
} as const;

/** The command that prints the script for shell completion. */
export const completionCommand: Command = command({
  name: 'completion',
  about: 'Print a script for shell completion: source <(gateway completion bash)',
  argument: { name: 'SHELL', about: 'the shell', choices: Object.keys(scripts) },
  examples: ['completion bash', 'completion fish'],
  json: false,
  run: async ({ argument }) => scripts[argument as keyof typeof scripts],
});
