import type { Target } from './load/ask.ts';
import { Load } from './load/load.ts';
import { everyService, type Question } from './load/questions.ts';
import { Namespace } from './namespace.ts';
import { Release } from './release.ts';
import { readSettings, type Settings } from './settings.ts';
import { defaults } from './values.ts';

/** Requests a second of everyday traffic: few enough for two cores that also start pods. */
const steadyRate = 8;

/** The namespace and release that the sections of the suite share. */
export class Stage {
  readonly settings: Settings;
  readonly namespace: Namespace;
  readonly release: Release;
  readonly target: Target;

  private constructor(settings: Settings, namespace: Namespace, release: Release, target: Target) {
    this.settings = settings;
    this.namespace = namespace;
    this.release = release;
    this.target = target;
  }

  /** Creates the namespace, and installs the chart with the trial values of values.yaml. */
  static async create(): Promise<Stage> {
    const settings = readSettings();
    const namespace = await Namespace.create(settings.namespace);
    const release = new Release(namespace, 'gateway', settings.nodeAddress);
    await release.apply(defaults(settings));
    return new Stage(settings, namespace, release, await release.target());
  }

  /** Starts a load; without `questions` it uses every service that clients reach. */
  load(questions: readonly Question[] = everyService(), perSecond = steadyRate): Promise<Load> {
    return Load.start(this.target, questions, perSecond);
  }

  async remove(): Promise<void> {
    if (!this.settings.keep) await this.namespace.delete();
  }
}
