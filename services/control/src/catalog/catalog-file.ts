import { open } from 'node:fs/promises';
import type { FileLocation } from '@model-gateway/admin-api';
import { type CatalogFile, type Problem, parseCatalog, type RecordKind } from '@model-gateway/catalog';
import { ConfigError, FileWatcher, type Log } from '@model-gateway/service';
import { type EntryLines, readYaml } from '../common/yaml-text.ts';
import { type EntryRef, OwnedByDatabase } from './adopt.ts';

/** A catalog, and where its entries are in the file. */
interface Stated {
  catalog: CatalogFile;
  lines: EntryLines;
}

/** Applies the catalog of the file. `modifiedAt` is the file's modification time, in milliseconds since 1970. */
interface CatalogApplier {
  /** @throws OwnedByDatabase if the file states entries of the database */
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
  #loaded: (FileText & Stated) | undefined;
  #applier: CatalogApplier | undefined;
  #problems: string[] = [];
  #notices: string[] = [];
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
    file.#loaded = { ...read, ...parsed.stated };
    return file;
  }

  /** Applies the loaded catalog, then each later one. */
  async follow(applier: CatalogApplier): Promise<void> {
    this.#applier = applier;
    if (this.#loaded && (await this.#isApplied(this.#loaded, this.#loaded.modifiedAt)))
      this.#seen = this.#loaded.text;
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

  /** Returns the place of an entry. */
  placeOf(kind: RecordKind, name: string): FileLocation {
    return { file: this.#path, line: this.#loaded ? lineOf(this.#loaded, { kind, name }) : null };
  }

  /** The reasons why the current file is not in force. */
  problems(): string[] {
    return this.#problems;
  }

  /** Applies the file again at the next poll, though its text is the same: entries of it were moved to the database. */
  applyAgain(): void {
    this.#seen = undefined;
  }

  /** Sentences for operators while the file states entries of the database. */
  notices(): string[] {
    return this.#notices;
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
      if (!(await this.#isApplied(parsed.stated, modifiedAt))) return;
    } catch (error) {
      this.#log.error({ err: error }, 'the catalog could not be stored');
      return this.#refuse(undefined, [`${this.#path}: could not be stored; retrying`]);
    }
    this.#loaded = { text, modifiedAt, ...parsed.stated };
    this.#seen = text;
    this.#problems = [];
    this.#log.info({ path: this.#path }, 'the catalog was reloaded');
  }

  /** Applies a catalog. Returns false if it states entries of the database: the next poll tries again. */
  async #isApplied(stated: Stated, modifiedAt: number): Promise<boolean> {
    try {
      await this.#applier?.apply(stated.catalog, modifiedAt);
      this.#notices = [];
      return true;
    } catch (error) {
      if (!(error instanceof OwnedByDatabase)) throw error;
      const notices = error.entries.map(entry => this.#ownedSentence(stated, entry));
      if (notices.join() !== this.#notices.join())
        this.#log.error({ notices }, 'the catalog file was not applied; the previous catalog stays in force');
      this.#notices = notices;
      this.#problems = [];
      this.#seen = undefined;
      return false;
    }
  }

  #ownedSentence(stated: Stated, { kind, name }: EntryRef): string {
    const line = lineOf(stated, { kind, name });
    const place = [this.#path, ...(line === null ? [] : [`line ${line}`])].join(', ');
    return `${place}: the ${kind} ${JSON.stringify(name)} is of the database, so this file is not applied. Remove it from the file, or delete it by the API`;
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
  #parse(text: string): { stated: Stated; problems?: never } | { problems: Problem[] } {
    const read = readYaml(text);
    if (read.problems) return { problems: read.problems };
    const { catalog, problems } = parseCatalog(read.value);
    return catalog ? { stated: { catalog, lines: read.lines } } : { problems };
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

/** Returns the line of an entry; null if the file does not state it. */
function lineOf({ catalog, lines }: Stated, { kind, name }: EntryRef): number | null {
  const at = catalog[`${kind}s`].findIndex(entry => entry.name === name);
  return lines.get(`${kind}s`)?.[at] ?? null;
}
