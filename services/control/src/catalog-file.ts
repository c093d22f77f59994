import { type FSWatcher, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type CatalogFile, type Parsed, type Problem, parseCatalog } from '@model-gateway/catalog';
import { ConfigError, type Log } from '@model-gateway/service';
import { LineCounter, parseDocument } from 'yaml';

/** Takes what the file says; `modifiedAt` is when it was last written, in milliseconds since 1970. */
export interface CatalogTaker {
  apply(catalog: CatalogFile, modifiedAt: number): Promise<void>;
  /** True if it must have the file again although the text is the same. */
  isDue(modifiedAt: number): boolean;
  /** Takes the file again. */
  repeat(catalog: CatalogFile, modifiedAt: number): Promise<void>;
}

interface FileText {
  text: string;
  modifiedAt: number;
}

const settleMs = 100;
const pollMs = 2_000;

/** gateway.yaml: read at the start, then read again whenever it changes. What was good stays until something better comes. */
export class CatalogFileWatcher {
  readonly #path: string;
  readonly #log: Log;
  /** The last that was good. */
  #loaded: (FileText & { catalog: CatalogFile }) | undefined;
  #taker: CatalogTaker | undefined;
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
  static async load(path: string, log: Log): Promise<CatalogFileWatcher> {
    const file = new CatalogFileWatcher(path, log);
    const { read, problems } = await file.#read();
    if (problems) throw new ConfigError(problems.join('\n'));
    const parsed = parseCatalogText(read.text);
    if (parsed.problems) throw new ConfigError(file.#sentences(parsed.problems).join('\n'));
    file.#loaded = { ...read, catalog: parsed.catalog };
    return file;
  }

  /** Gives what was loaded, then whatever comes after it. */
  async follow(taker: CatalogTaker): Promise<void> {
    if (this.#loaded) await taker.apply(this.#loaded.catalog, this.#loaded.modifiedAt);
    this.#seen = this.#loaded?.text;
    this.#taker = taker;
    this.#watch();
  }

  get path(): string {
    return this.#path;
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
      this.#watcher.on('error', error => this.#log.debug({ err: error }, 'the catalog is polled alone'));
      this.#watcher.unref();
    } catch (error) {
      this.#log.debug({ err: error }, 'the catalog is polled alone');
    }
  }

  #reload(): void {
    this.#work = this.#work.then(() => this.#readAgain());
  }

  async #readAgain(): Promise<void> {
    const { read, problems } = await this.#read();
    if (problems) this.#refuse(undefined, problems);
    else if (read.text !== this.#seen) await this.#take(read);
    else if (read.text === this.#loaded?.text) await this.#giveAgain(this.#loaded.catalog, read.modifiedAt);
  }

  async #take({ text, modifiedAt }: FileText): Promise<void> {
    const parsed = parseCatalogText(text);
    if (parsed.problems) return this.#refuse(text, this.#sentences(parsed.problems));
    try {
      await this.#taker?.apply(parsed.catalog, modifiedAt);
    } catch (error) {
      this.#log.error({ err: error }, 'the catalog could not be stored');
      return this.#refuse(undefined, [`${this.#path}: could not be stored; it will be tried again`]);
    }
    this.#loaded = { text, modifiedAt, catalog: parsed.catalog };
    this.#seen = text;
    this.#problems = [];
    this.#log.info({ path: this.#path }, 'the catalog was reloaded');
  }

  async #giveAgain(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    if (!this.#taker?.isDue(modifiedAt)) return;
    try {
      await this.#taker.repeat(catalog, modifiedAt);
    } catch (error) {
      // The text is in the record or was outdone before: nothing is wrong but the database, and it is tried again.
      this.#log.debug({ err: error }, 'the catalog could not be looked at again');
    }
  }

  #refuse(text: string | undefined, problems: string[]): void {
    if (problems.join() !== this.#problems.join())
      this.#log.error({ problems }, 'the catalog stays as it was');
    this.#seen = text;
    this.#problems = problems;
  }

  async #read(): Promise<{ read: FileText; problems?: never } | { read?: never; problems: string[] }> {
    try {
      await using file = await open(this.#path);
      const { mtimeMs } = await file.stat();
      return { read: { text: await file.readFile('utf8'), modifiedAt: mtimeMs } };
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

/** Reads the text of gateway.yaml; where it is no YAML at all, the problems' paths are lines and columns. */
export function parseCatalogText(text: string): Parsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length === 0) return parseValue(() => document.toJS());
  return {
    problems: document.errors.map(({ pos, message }) => {
      const { line, col } = lineCounter.linePos(pos[0]);
      return { path: `line ${line}, column ${col}`, reason: withoutText(message) };
    }),
  };
}

/** An alias without its anchor, or a thousand of them, shows only when the value is made. */
function parseValue(read: () => unknown): Parsed {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    return { problems: [{ path: '', reason: withoutText(error instanceof Error ? error.message : '') }] };
  }
  return parseCatalog(value);
}

/** The parser quotes what it stumbled over, which may be a secret. */
function withoutText(message: string): string {
  return `is not YAML: ${message.replace(/["'`:].*$/s, '').trim()}`;
}
