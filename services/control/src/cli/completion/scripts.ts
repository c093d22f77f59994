import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '@model-gateway/service';
import type { Entries, Offer, Values } from './entries.ts';

/** The scripts of completion by shell: functions that print what may follow some words, and a driver that reads the command line. */
export const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (entries: Entries) => string
>;

function bashScript(entries: Entries): string {
  const head = '# Completion of gateway for bash: source <(gateway completion bash)';
  return [head, ...tableOf(entries, posix), driverOf('bash')].join('\n');
}

function zshScript(entries: Entries): string {
  const head =
    '#compdef gateway\n# Completion of gateway for zsh, after compinit: source <(gateway completion zsh)';
  return [head, ...tableOf(entries, posix), driverOf('zsh')].join('\n');
}

function fishScript(entries: Entries): string {
  const head = '# Completion of gateway for fish: gateway completion fish | source';
  return [head, ...tableOf(entries, fish), driverOf('fish')].join('\n');
}

function driverOf(shell: string): string {
  const folder = join(packageFolder('@model-gateway/control'), 'src/cli/completion');
  return readFileSync(join(folder, `driver.${shell}`), 'utf8').trimEnd();
}

/** The way in which a shell writes the functions. */
interface Dialect {
  quote(text: string): string;
  /** Writes a function that runs the line of its argument, and fails for another argument. */
  switchOf(name: string, cases: readonly (readonly [words: string, line: string])[]): string;
  /** Completes the names of files. */
  files: string;
}

const posix: Dialect = {
  quote: text => `'${text.replaceAll("'", `'\\''`)}'`,
  switchOf(name, cases) {
    const lines = cases.map(([words, line]) => `    ${posix.quote(words)}) ${line} ;;`);
    return `${name}() {\n  case "$1" in\n${lines.join('\n')}\n    *) return 1 ;;\n  esac\n}`;
  },
  files: 'echo @files',
};

const fish: Dialect = {
  quote: text => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  switchOf(name, cases) {
    const lines = cases.map(([words, line]) => `    case ${fish.quote(words)}\n      ${line}`);
    return `function ${name}\n  switch "$argv[1]"\n${lines.join('\n')}\n    case '*'\n      return 1\n  end\nend`;
  },
  files: '__fish_complete_path (commandline -ct)',
};

/** Functions that print what may follow some words: lines of a word, a tab and its help. */
function tableOf({ next, options, valued, values }: Entries, { quote, switchOf, files }: Dialect): string[] {
  const print = (offers: readonly Offer[]) =>
    `printf '%s\\t%s\\n' ${offers.map(({ word, about }) => `${quote(word)} ${quote(about)}`).join(' ')}`;
  const lineFor = ({ choices, names }: Values) => {
    if (names === 'files') return files;
    if (names) return `command gateway complete-names ${names} 2>/dev/null`;
    return print(choices.map(word => ({ word, about: '' })));
  };
  return [
    switchOf(
      '__gateway_next',
      [...next].map(([words, offers]) => [words, print(offers)]),
    ),
    switchOf(
      '__gateway_options',
      [...options].map(([words, offers]) => [words, print(offers)]),
    ),
    switchOf(
      '__gateway_valued',
      valued.map(words => [words, 'return 0']),
    ),
    switchOf(
      '__gateway_values',
      values.map(each => [each.after, lineFor(each)]),
    ),
  ];
}
