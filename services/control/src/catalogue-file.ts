import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { CatalogFile, Problem } from '@model-gateway/catalog';
import { ConfigError, type Log } from '@model-gateway/service';
import { parseCatalogueText } from './catalogue-text.ts';

type Apply = (catalog: CatalogFile) => Promise<void>;

const settleMs = 100;
const pollMs = 2_000;

/** gateway.yaml: read at the start, then read again whenever it changes. What was good stays until something better comes. */
export class CatalogueFile {
  readonly #path: string;
  readonly #log: Log;
  #loaded: { text: string; catalog: CatalogFile } | undefined;
  #apply: Apply = async () => {};
  #problems: string[] = [];
  /** The text that was last read, applied or refused; nothing is done until it is another. */
  #seen: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Reads the file. @throws ConfigError naming each path and reason */
  static async load(path: string, log: Log): Promise<CatalogueFile> {
    const file = new CatalogueFile(path, log);
    const { text, problems } = await file.#read();
    if (problems) throw new ConfigError(problems.join('\n'));
    const parsed = parseCatalogueText(text);
    if (parsed.problems) throw new ConfigError(file.#sentences(parsed.problems).join('\n'));
    file.#loaded = { text, catalog: parsed.catalog };
    return file;
  }

  /** Applies what was loaded, then whatever comes after it. */
  async follow(apply: Apply): Promise<void> {
    if (this.#loaded) await apply(this.#loaded.catalog);
    this.#seen = this.#loaded?.text;
    this.#apply = apply;
    this.#watch();
  }

  /** Why the file as it is now is not in force. */
  problems(): string[] {
    return this.#problems;
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    clearTimeout(this.#settling);
    clearInterval(this.#poll);
    await this.#work;
  }

  #watch(): void {
    this.#poll = setInterval(() => this.#reload(), pollMs).unref();
    const names = new Set([basename(this.#path), '..data']);
    try {
      // The folder, since editors put another file in its place, and Kubernetes another link (`..data`).
      this.#watcher = watch(dirname(this.#path), (_event, name) => {
        if (name && !names.has(name)) return;
        clearTimeout(this.#settling);
        this.#settling = setTimeout(() => this.#reload(), settleMs);
      });
      this.#watcher.on('error', error => this.#log.debug({ err: error }, 'the catalogue is polled alone'));
      this.#watcher.unref();
    } catch (error) {
      this.#log.debug({ err: error }, 'the catalogue is polled alone');
    }
  }

  #reload(): void {
    this.#work = this.#work.then(() => this.#readAgain());
  }

  async #readAgain(): Promise<void> {
    const { text, problems } = await this.#read();
    if (problems) this.#refuse(undefined, problems);
    else if (text !== this.#seen) await this.#take(text);
  }

  async #take(text: string): Promise<void> {
    const parsed = parseCatalogueText(text);
    if (parsed.problems) return this.#refuse(text, this.#sentences(parsed.problems));
    try {
      await this.#apply(parsed.catalog);
    } catch (error) {
      this.#log.error({ err: error }, 'the catalogue could not be stored');
      return this.#refuse(undefined, [`${this.#path}: could not be stored; it will be tried again`]);
    }
    this.#seen = text;
    this.#problems = [];
    this.#log.info({ path: this.#path }, 'the catalogue was reloaded');
  }

  #refuse(text: string | undefined, problems: string[]): void {
    if (problems.join() !== this.#problems.join())
      this.#log.error({ problems }, 'the catalogue stays as it was');
    this.#seen = text;
    this.#problems = problems;
  }

  async #read(): Promise<{ text: string; problems?: never } | { text?: never; problems: string[] }> {
    try {
      return { text: await readFile(this.#path, 'utf8') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return {
        problems: [`${this.#path}: cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}`],
      };
    }
  }

  #sentences(problems: Problem[]): string[] {
    return problems.map(({ path, reason }) => [this.#path, path, reason].filter(Boolean).join(': '));
  }
}
