import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { gatewayProgram } from '../testing/run-gateway.ts';
import { Stage } from '../testing/stage.ts';
import { gateway } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  for (const name of ['lab', "the lab's"])
    await control.api('PUT', `/projects/${encodeURIComponent(name)}`, {});
  await control.api('PUT', '/providers/house', { kind: 'ollama', baseUrl: 'http://127.0.0.1:1' });
  folder = mkdtempSync(join(tmpdir(), 'gateway-completion-'));
  // The scripts call the command by its name.
  writeFileSync(join(folder, 'gateway'), `#!/bin/sh\nexec '${process.execPath}' '${gatewayProgram}' "$@"\n`);
  chmodSync(join(folder, 'gateway'), 0o755);
  for (const shell of Object.keys(shells))
    writeFileSync(
      join(folder, `script.${shell}`),
      String((await gateway(['completion', shell], {})).printed),
    );
});
afterAll(async () => {
  await stage.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** Programs for each shell that print what it offers for the last of some words. */
const shells = {
  bash: (words: string[]) => [
    '--norc',
    '-c',
    `source "$FOLDER/script.bash"; COMP_WORDS=(gateway ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
     _gateway; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // The widget that completes runs in a terminal alone.
  zsh: (words: string[]) => [
    '-f',
    '-c',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell 'autoload -U compinit; compinit -u -D; source $FOLDER/script.zsh; PS1='
     zpty -w shell 'compadd() { builtin compadd -O offered "$@"; for each in "\${offered[@]}"; do print -r -- "offer:$each" >>$FOLDER/offered; done; builtin compadd "$@" }'
     zpty -w shell 'zle -C offer complete-word run; run() { _main_complete; print -r -- end >>$FOLDER/offered }; bindkey "^I" offer'
     zpty -w -n shell ${quote(`gateway ${words.join(' ')}\t`)}
     for n in {1..100}; do grep -q '^end$' $FOLDER/offered 2>/dev/null && break; zpty -r -t shell >/dev/null; sleep 0.1; done
     grep '^offer:' $FOLDER/offered | sed 's/^offer://'; rm -f $FOLDER/offered`,
  ],
  fish: (words: string[]) => [
    '--no-config',
    '-c',
    `source $FOLDER/script.fish; complete -C ${quote(`gateway ${words.join(' ')}`)}`,
  ],
};
type Shell = keyof typeof shells;

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const runFile = promisify(execFile);

async function offers(shell: Shell, words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { stdout } = await runFile(shell, shells[shell](words), {
    cwd: folder,
    timeout: 60_000,
    env: {
      ...{
        PATH: `${folder}:${process.env.PATH}`,
        HOME: folder,
        TERM: 'dumb',
        FOLDER: folder,
        LC_ALL: 'C.UTF-8',
      },
      ...{ GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken, ...env },
    },
  });
  const offered = stdout.split('\n').map(line => line.split('\t')[0] ?? '');
  // zsh tries several ways to match a word, one after the other.
  return [...new Set(offered)].filter(word => word !== '');
}

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

describe.each(['bash', 'zsh', 'fish'] as const)('completion of %s', shell => {
  const skipped = isInstalled(shell) ? '' : `${shell} is not on this machine`;

  test.for([
    ['the subjects', ['to'], ['token']],
    ['the verbs of a subject', ['token', 'r'], ['rotate', 'revoke']],
    ['the options of a command', ['token', 'create', '--p'], ['--project']],
    ['options after others', ['token', 'create', '--json', '--name', 'x', '--ow'], ['--owner']],
    ['the choices of an option', ['member', 'set', 'ada', '--role', ''], ['manager', 'member', 'viewer']],
    ['the choices of an argument', ['completion', 'f'], ['fish']],
    ['nothing where anything may be', ['token', 'create', '--name', ''], []],
    ['nothing for an unknown word', ['nothing', ''], []],
  ] as [string, string[], string[]][])('offers %s', async ([_what, words, expected], context) => {
    if (skipped) return context.skip(skipped);
    expect((await offers(shell, words)).sort()).toEqual([...expected].sort());
  });

  test('offers the names of what the gateway has', async context => {
    if (skipped) return context.skip(skipped);
    // A look-up is given up after two seconds.
    const offered = (words: string[]) => expect.poll(() => offers(shell, words), { timeout: 60_000 });
    await offered(['project', 'show', 'l']).toEqual(['lab']);
    await offered(['provider', 'show', 'h']).toEqual(['house']);
    expect(await offers(shell, ['project', 'show', 'l'], { GATEWAY_URL: 'http://127.0.0.1:1' })).toEqual([]);
  });

  test('offers files where a file is meant', async context => {
    if (skipped) return context.skip(skipped);
    expect(await offers(shell, ['login', '--password-file', 'script.f'])).toEqual(['script.fish']);
  });
});

test('a shell that is not known is refused, with those that are', async () => {
  await expect(gateway(['completion', 'tcsh'], {})).rejects.toThrow(
    "SHELL must be bash, zsh or fish, but is 'tcsh'",
  );
});
