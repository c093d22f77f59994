import { open } from 'node:fs/promises';
import {
  type CatalogFile,
  dropConnectionHeaders,
  type Parsed,
  type Problem,
  parseCatalog,
} from '@model-gateway/catalog';
import { ConfigError, FileWatcher, type Log } from '@model-gateway/service';
import { readYaml } from '../common/yaml-text.ts';

/** Applies the catalog of the file. `modifiedAt` is the file's modification time, in milliseconds since 1970. */
interface CatalogApplier {
  apply(catalog: CatalogFile, modifiedAt: number): Promise<void>;
  /** True if an unchanged file must be applied again. */
  isDue(modifiedAt: number): boolean;
  /** Applies an unchanged file again. */
  repeat(catalog: CatalogFile, modifiedAt: number): Promise<void>;
}

interface FileText {
  text: string;
  modifiedAt: number;
}

const settleMs = 100;
const pollMs = 2_000;

/** Reads gateway.yaml at the start and after each change. The last valid catalog stays in force until a new valid one. */
export class CatalogFileWatcher {
  readonly #path: string;
  readonly #log: Log;
  /** The last valid file. */
  #loaded: (FileText & { catalog: CatalogFile }) | undefined;
  #applier: CatalogApplier | undefined;
  #problems: string[] = [];
  /** The text that was last applied or refused. Nothing is done until the file has another text. */
  #seen: string | undefined;
  #watcher: FileWatcher | undefined;

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Reads the file. @throws ConfigError with each path and reason */
  static async load(path: string, log: Log): Promise<CatalogFileWatcher> {
    const file = new CatalogFileWatcher(path, log);
    const { read, problems } = await file.#read();
    if (problems) throw new ConfigError(problems.join('\n'));
    const parsed = file.#parse(read.text);
    if (parsed.problems) throw new ConfigError(file.#sentences(parsed.problems).join('\n'));
    file.#loaded = { ...read, catalog: parsed.catalog };
    return file;
  }

  /** Applies the loaded catalog, then each later one. */
  async follow(applier: CatalogApplier): Promise<void> {
    if (this.#loaded) await applier.apply(this.#loaded.catalog, this.#loaded.modifiedAt);
    this.#seen = this.#loaded?.text;
    this.#applier = applier;
    this.#watcher = new FileWatcher({
      paths: [this.#path],
      settleMs,
      pollMs,
      check: () => this.#readAgain(),
      unwatched: error => this.#log.debug({ err: error }, 'the catalog file cannot be watched; it is polled'),
    });
  }

  get path(): string {
    return this.#path;
  }

  /** The reasons why the current file is not in force. */
  problems(): string[] {
    return this.#problems;
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }

  async #readAgain(): Promise<void> {
    const { read, problems } = await this.#read();
    if (problems) this.#refuse(undefined, problems);
    else if (read.text !== this.#seen) await this.#apply(read);
    else if (read.text === this.#loaded?.text) await this.#reapply(this.#loaded.catalog, read.modifiedAt);
  }

  async #apply({ text, modifiedAt }: FileText): Promise<void> {
    const parsed = this.#parse(text);
    if (parsed.problems) return this.#refuse(text, this.#sentences(parsed.problems));
    try {
      await this.#applier?.apply(parsed.catalog, modifiedAt);
    } catch (error) {
      this.#log.error({ err: error }, 'the catalog could not be stored');
      return this.#refuse(undefined, [`${this.#path}: could not be stored; retrying`]);
    }
    this.#loaded = { text, modifiedAt, catalog: parsed.catalog };
    this.#seen = text;
    this.#problems = [];
    this.#log.info({ path: this.#path }, 'the catalog was reloaded');
  }

  async #reapply(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    if (!this.#applier?.isDue(modifiedAt)) return;
    try {
      await this.#applier.repeat(catalog, modifiedAt);
    } catch (error) {
      // The file itself was handled before, so this is no problem of the file. The next poll retries.
      this.#log.debug({ err: error }, 'the catalog could not be applied again; retrying');
    }
  }

  /** Parses the text of gateway.yaml. If it is not YAML, the problems' paths are lines and columns. */
  #parse(text: string): Parsed {
    const read = readYaml(text);
    if (read.problems) return { problems: read.problems };
    const ignored = dropConnectionHeaders(read.value);
    if (ignored.length > 0)
      this.#log.warn({ path: this.#path, ignored }, 'headers that the gateway sets itself are ignored');
    return parseCatalog(read.value);
  }

  #refuse(text: string | undefined, problems: string[]): void {
    if (problems.join() !== this.#problems.join())
      this.#log.error({ problems }, 'the catalog file was not applied; the previous catalog stays in force');
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
