import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { duration } from '@model-gateway/canonical';
import { commonConfig } from '@model-gateway/service';
import { z } from 'zod';
import { front } from '../../deploy/launcher/src/front/service.ts';
import { settings as launcher } from '../../deploy/launcher/src/settings.ts';

const root = resolve(import.meta.dirname, '../..');

/** A setting as one process declares it. */
export interface Declared {
  /** The service, or `listener`, which every process has, or `launcher`. */
  by: string;
  schema: z.core.$ZodType;
}

/** Every `GATEWAY_…` setting that a process reads as a number or a duration. */
export class Settings {
  readonly #declared = new Map<string, Declared[]>();

  static async read(): Promise<Settings> {
    const settings = new Settings();
    settings.add('listener', commonConfig);
    settings.add('launcher', launcher);
    settings.add('front', front.config);
    for (const path of globSync('services/*/src/service.ts', { cwd: root }).sort()) {
      const module = await import(pathToFileURL(resolve(root, path)).href);
      const services = Object.values(module).filter(isService);
      if (services.length === 0) throw new Error(`${path} exports no service`);
      for (const { name, config } of services) settings.add(name, config);
    }
    return settings;
  }

  add(by: string, config: z.core.$ZodType): void {
    for (const [name, schema] of fieldsOf(config)) {
      if (!name.startsWith('GATEWAY_') || !isMeasure(schema)) continue;
      this.#declared.set(name, [...(this.#declared.get(name) ?? []), { by, schema }]);
    }
  }

  get names(): string[] {
    return [...this.#declared.keys()].sort();
  }

  /** The defaults of a setting, one for each process that reads it; undefined where the code works one out. */
  defaults(name: string): (number | undefined)[] {
    return this.#of(name).map(({ schema }) => defaultOf(schema));
  }

  /** The default of a setting, in milliseconds for a duration. */
  value(name: string): number {
    const [value] = this.defaults(name);
    if (value === undefined) throw new Error(`${name} has no default`);
    return value;
  }

  /**
   * A setting's name in Markdown.
   * @throws if no process has the setting
   */
  name(name: string): string {
    this.#of(name);
    return `\`${name}\``;
  }

  #of(name: string): Declared[] {
    const declared = this.#declared.get(name);
    if (!declared) throw new Error(`no process reads a number or a duration from ${name}`);
    return declared;
  }
}

function isService(value: unknown): value is { name: string; config: z.core.$ZodType } {
  return typeof value === 'object' && value !== null && 'config' in value && 'start' in value;
}

/** A configuration is an object, or several of them together. */
function fieldsOf(schema: z.core.$ZodType): [string, z.core.$ZodType][] {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape);
  if (schema instanceof z.ZodIntersection)
    return [...fieldsOf(schema.def.left), ...fieldsOf(schema.def.right)];
  throw new Error('a configuration is an object, or several');
}

/** Numbers and durations are parsed to numbers; the drain time is parsed later. */
function isMeasure(schema: z.core.$ZodType): boolean {
  const samples = ['1', '1s', '1000000'];
  if (samples.some(text => typeof z.safeParse(schema, text).data === 'number')) return true;
  return typeof defaultOf(schema) === 'number';
}

function defaultOf(schema: z.core.$ZodType): number | undefined {
  const { data } = z.safeParse(schema, undefined);
  if (typeof data === 'number') return data;
  const ms = duration.safeParse(data);
  return ms.success ? ms.data : undefined;
}
