import { randomUUID } from 'node:crypto';

export interface Exhibit {
  bytes: Buffer;
  /** The content type. */
  type: string;
}

const most = 100;
const lastsMs = 3_600_000;

/** Keeps images whose URLs were given out: for an hour, and no more than the last hundred. */
export class Gallery {
  readonly #kept = new Map<string, Exhibit & { until: number }>();

  /** Returns its name. */
  keep(exhibit: Exhibit): string {
    const name = `${randomUUID()}.${exhibit.type.slice('image/'.length)}`;
    this.#kept.set(name, { ...exhibit, until: performance.now() + lastsMs });
    if (this.#kept.size > most) for (const oldest of this.#kept.keys().take(1)) this.#kept.delete(oldest);
    return name;
  }

  find(name: string): Exhibit | null {
    const found = this.#kept.get(name);
    return found && found.until > performance.now() ? found : null;
  }
}
