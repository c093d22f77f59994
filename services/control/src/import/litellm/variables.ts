import type { Part } from '../account.ts';
import type { Secret } from '../providers-draft.ts';

const reference = /^os\.environ\/(.+)$/;

/** The environment variables to which the texts of a config refer. */
export class Variables {
  readonly #values: Readonly<Record<string, string | undefined>>;

  constructor(values: Readonly<Record<string, string | undefined>>) {
    this.#values = values;
  }

  /** Returns a text; that of an environment variable if it refers to one. Reports a variable that is not set. */
  textOf(part: Part): string | undefined {
    const text = part.text();
    const variable = text === undefined ? undefined : reference.exec(text)?.[1];
    if (variable === undefined) return text;
    const value = this.#values[variable];
    if (value === undefined)
      return part.lose(`The environment variable ${variable} is not set here. Set it and import again.`);
    part.change(`gateway.yaml has the value that ${variable} had at the import.`);
    return value;
  }

  has(variable: string): boolean {
    return this.valueOf(variable) !== undefined;
  }

  /** Returns the value of a variable; undefined if it is not set, or empty. */
  valueOf(variable: string): string | undefined {
    return this.#values[variable] || undefined;
  }

  /** Returns a secret: a reference stays one. */
  secretOf(part: Part): Secret | undefined {
    const text = part.text();
    if (text === undefined || text === '') return undefined;
    const env = reference.exec(text)?.[1];
    return env === undefined ? { value: text } : { env };
  }
}
