import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CodeFile, Language } from '../../services/console/src/pages/snippets/request.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const goModule = fileURLToPath(new URL('go', import.meta.url));

const programLimitMs = 60_000;
/** The SDKs are compiled once a machine, which takes minutes if it is busy. */
const buildLimitMs = 1_500_000;

/** Programs in a folder of their own, each in a folder with the files that it reads. */
export class Programs {
  readonly #folder = mkdtempSync(join(tmpdir(), 'snippets-'));
  readonly #env: NodeJS.ProcessEnv;

  /** `env` is added to the environment of the programs. */
  constructor(env: Record<string, string>) {
    const local = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', PYTHONDONTWRITEBYTECODE: '1' };
    this.#env = { ...process.env, ...local, ...env };
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Writes a program and its files, and returns its folder. */
  write(name: string, language: Language, code: string, files: readonly CodeFile[]): string {
    const folder = join(this.#folder, `${language}-${name.replace(/\W+/g, '-')}`);
    mkdirSync(folder, { recursive: true });
    for (const { name, data } of files) writeFileSync(join(folder, name), Buffer.from(data, 'base64'));
    writeFileSync(join(folder, names[language]), `${code}\n`);
    return folder;
  }

  /** Compiles the Go programs in folders, together, so that the SDKs are loaded once. */
  async buildGo(folders: readonly string[]): Promise<void> {
    for (const file of ['go.mod', 'go.sum']) symlinkSync(join(goModule, file), join(this.#folder, file));
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    // Symbols are of no use here, and linking them takes half of the time. Optimizing the SDKs takes a third of their compilation.
    const args = [
      'build',
      '-mod=readonly',
      '-gcflags=all=-N -l',
      '-ldflags=-s -w',
      '-o',
      `${bin}/`,
      ...folders.map(folder => `./${folder.slice(this.#folder.length + 1)}`),
    ];
    await run('go', args, {
      cwd: this.#folder,
      timeout: buildLimitMs,
      env: { ...process.env, GOFLAGS: '-buildvcs=false', GOTOOLCHAIN: 'local' },
    });
  }

  /** Runs a program and returns what it prints. @throws Error with its errors, if it fails */
  async output(language: Language, folder: string, python: string): Promise<string> {
    const name = folder.slice(this.#folder.length + 1);
    const commands: Record<Language, string[]> = {
      curl: ['sh', '-c', `. ./${names.curl}`],
      python: [python, names.python],
      typescript: [process.execPath, names.typescript],
      go: [join(this.#folder, 'bin', name)],
    };
    const [command = '', ...args] = commands[language];
    const { stdout } = await run(command, args, { cwd: folder, env: this.#env, timeout: programLimitMs });
    return stdout;
  }
}

const names: Record<Language, string> = {
  curl: 'request.sh',
  python: 'request.py',
  typescript: 'request.mts',
  go: 'main.go',
};
