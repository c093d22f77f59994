import { duration } from '@model-gateway/canonical';
import { settingSchemas } from '@model-gateway/service';
import { z } from 'zod';
import { settings as launcher } from '../../../deploy/launcher/src/settings.ts';

/** A setting as it is declared in one place. */
export interface Declared {
  /** `services` or `launcher`. */
  by: string;
  schema: z.core.$ZodType;
}

/** Every `GATEWAY_…` setting that a process reads as a number or a duration. */
export class Settings {
  readonly #declared = new Map<string, Declared[]>();

  static read(): Settings {
    const settings = new Settings();
    settings.add('services', z.object(settingSchemas));
    settings.add('launcher', launcher);
    return settings;
  }

  add(by: string, config: z.ZodObject): void {
    for (const [name, schema] of Object.entries(config.shape)) {
      if (!name.startsWith('GATEWAY_') || !isMeasure(schema)) continue;
      this.#declared.set(name, [...(this.#declared.get(name) ?? []), { by, schema }]);
    }
  }

  get names(): string[] {
    return [...this.#declared.keys()].sort();
  }

  /** The defaults of a setting, one for each place that declares it; undefined where the code works one out. */
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

/** Numbers and durations are parsed to numbers. A text whose default is a duration is one that is parsed later. */
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
