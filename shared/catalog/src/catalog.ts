import { type BucketReader, type BucketWatch, type Bus, watchBucket } from '@model-gateway/bus';
import { type Envelope, matchesPattern } from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';
import {
  type ModelRecord,
  type ProjectRecord,
  type ProviderRecord,
  parseRecordKey,
  type UserRecord,
} from './record.ts';
import type { Budget, Price, Project } from './schema.ts';

/** A model and the text that its `*` matched: empty for an exact name. */
export interface FoundModel {
  model: ModelRecord;
  match: string;
}

interface Pattern {
  before: string;
  after: string;
  model: ModelRecord;
}

/** Every provider, model, project and user with settings, in memory. An exact name beats a pattern; the longest pattern wins. */
export class Catalog implements BucketReader {
  readonly #clock: Clock;
  readonly #providers = new Map<string, ProviderRecord>();
  readonly #projects = new Map<string, ProjectRecord>();
  readonly #users = new Map<string, UserRecord>();
  readonly #exact = new Map<string, FoundModel>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #notices = new Notices();
  /** Called when a provider has changed. */
  readonly #waiting = new Set<() => void>();
  /** The patterns, longest first. */
  #ranked: Pattern[] = [];

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  put(key: string, value: unknown): void {
    const found = parseRecordKey(key);
    if (found?.kind === 'provider') this.#putProvider(found.name, value as ProviderRecord);
    if (found?.kind === 'project') this.#projects.set(found.name, value as ProjectRecord);
    if (found?.kind === 'user') this.#users.set(found.name, value as UserRecord);
    if (found?.kind === 'model') this.#putModel(found.name, value as ModelRecord);
  }

  remove(key: string): void {
    const found = parseRecordKey(key);
    if (found?.kind === 'provider') this.#providers.delete(found.name);
    if (found?.kind === 'project') this.#projects.delete(found.name);
    if (found?.kind === 'user') this.#users.delete(found.name);
    if (found?.kind !== 'model') return;
    this.#exact.delete(found.name);
    if (this.#patterns.delete(found.name)) this.#rank();
  }

  beat(notices: string[], control: string): void {
    this.#notices.report(control, notices, this.#clock.now());
  }

  /** Notices of control for operators, such as why a changed gateway.yaml is not in force. */
  get notices(): string[] {
    return this.#notices.all();
  }

  provider(name: string): ProviderRecord | undefined {
    return this.#providers.get(name);
  }

  /**
   * Returns a provider once it has at least this version, or after `waitMs` as it is then: this process may read a
   * change later than the one that chose the provider.
   */
  async providerOf(name: string, version: number, waitMs: number): Promise<ProviderRecord | undefined> {
    const isCurrent = () => (this.#providers.get(name)?.version ?? -1) >= version;
    if (isCurrent()) return this.#providers.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    const changed = () => {
      if (isCurrent()) resolve();
    };
    this.#waiting.add(changed);
    const timer = this.#clock.setTimeout(resolve, waitMs);
    await promise;
    this.#clock.clearTimeout(timer);
    this.#waiting.delete(changed);
    return this.#providers.get(name);
  }

  /** True if a project's responses are stored, which is the default for a project without a record. */
  keepsResponses(project: string): boolean {
    return this.#projects.get(project)?.storeResponses ?? true;
  }

  /** True if the messages of a project's failed attempts are stored, which is the default. */
  storesErrors(project: string): boolean {
    return this.#projects.get(project)?.storeErrors ?? true;
  }

  /** Returns the limits of a project; undefined if it has none. */
  limitsOf(project: string): Project['limits'] {
    return this.#projects.get(project)?.limits;
  }

  /** Returns the budget of a project; undefined if it has none. */
  budgetOf(project: string): Budget | undefined {
    return this.#projects.get(project)?.budget;
  }

  /** True if a request of a token counts for a budget of its project or its owner. */
  hasBudget({ project, owner }: { project: string; owner?: string }): boolean {
    const ofOwner = owner === undefined ? undefined : this.#users.get(owner)?.budget;
    return this.#projects.get(project)?.budget !== undefined || ofOwner !== undefined;
  }

  /** True if tokens of a project may use models without a price, though they have a budget. */
  allowsUnpriced(project: string): boolean {
    return this.#projects.get(project)?.allowUnpriced ?? false;
  }

  /** Returns the request logging of a project; undefined if it has none. */
  loggingOf(project: string): Project['logging'] {
    return this.#projects.get(project)?.logging;
  }

  /** Returns the budget of a user who owns tokens; undefined if they have none. */
  userBudgetOf(owner: string): Budget | undefined {
    return this.#users.get(owner)?.budget;
  }

  /** Returns the price that a project has for a model: that of the longest name or pattern; undefined if it has none. */
  priceFor(project: string, model: string): Price | undefined {
    const prices = Object.entries(this.#projects.get(project)?.prices ?? {});
    const matching = prices.filter(([pattern]) => matchesPattern(model, pattern));
    return matching.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
  }

  /** Returns a token for an envelope, with its project's weight unless that is 1. */
  envelopeToken({ id, project, owner, tags }: Envelope['token']): Envelope['token'] {
    const { weight = 1 } = this.#projects.get(project) ?? {};
    return {
      id,
      project,
      ...(weight !== 1 && { weight }),
      ...(owner && { owner }),
      ...(tags && { tags }),
    };
  }

  model(name: string): FoundModel | undefined {
    return this.#exact.get(name) ?? this.#matchPattern(name);
  }

  /** Returns the models with exact names, in file order. */
  models(): ModelRecord[] {
    return inFileOrder([...this.#exact.values()]);
  }

  /** Returns all models, those with a `*` in their names too, in file order. */
  allModels(): ModelRecord[] {
    return inFileOrder([...this.#exact.values(), ...this.#patterns.values()]);
  }

  /** Returns the providers by name. */
  providers(): ProviderRecord[] {
    return [...this.#providers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #putProvider(name: string, provider: ProviderRecord): void {
    this.#providers.set(name, provider);
    for (const changed of this.#waiting) changed();
  }

  #putModel(name: string, model: ModelRecord): void {
    const [before = '', after] = name.split('*');
    if (after === undefined) {
      this.#exact.set(name, { model, match: '' });
      return;
    }
    this.#patterns.set(name, { before, after, model });
    this.#rank();
  }

  #rank(): void {
    const length = ({ before, after }: Pattern) => before.length + after.length;
    this.#ranked = [...this.#patterns.values()].sort(
      (a, b) => length(b) - length(a) || a.model.position - b.model.position,
    );
  }

  #matchPattern(name: string): FoundModel | undefined {
    const pattern = this.#ranked.find(
      ({ before, after }) =>
        name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
    );
    if (!pattern) return undefined;
    const match = name.slice(pattern.before.length, name.length - pattern.after.length);
    return { model: pattern.model, match };
  }
}

function inFileOrder(found: readonly Pick<FoundModel, 'model'>[]): ModelRecord[] {
  return found.map(({ model }) => model).sort((a, b) => a.position - b.position);
}

/** Opens the catalog that control publishes: complete when this resolves, then updated by `watch`. */
export async function openCatalog(bus: Bus): Promise<{ catalog: Catalog; watch: BucketWatch }> {
  const catalog = new Catalog(bus.clock);
  const watch = await watchBucket(bus, 'catalog', catalog);
  return { catalog, watch };
}

/** Time without a heartbeat, in ms, after which a control is gone if another still sends: three heartbeats. */
const goneMs = 3_000;

/** The notices of each control for operators. The last ones stay while no control is running. */
export class Notices {
  readonly #latest = new Map<string, { notices: string[]; reportedAt: number }>();

  report(control: string, notices: string[], now: number): void {
    this.#latest.set(control, { notices, reportedAt: now });
    for (const [id, { reportedAt }] of this.#latest) if (now - reportedAt > goneMs) this.#latest.delete(id);
  }

  /** Returns every notice once. */
  all(): string[] {
    return [...new Set([...this.#latest.values()].flatMap(({ notices }) => notices))];
  }
}
