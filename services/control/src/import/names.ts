import { foldName } from '../common/fold-name.ts';

/** Returns a name that the admin API accepts: of visible characters, at most 200. */
export function acceptableName(text: string | undefined, otherwise: string): string {
  const name = text?.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return name ? name.slice(0, 200).trim() : otherwise;
}

/** Gives different things different names, which differ in more than case. */
export class Names {
  readonly #taken = new Set<string>();

  /** Returns the name, with a number behind it if it is taken. */
  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(foldName(name)); number++)
      name = `${wanted.slice(0, 190)} ${number}`;
    this.#taken.add(foldName(name));
    return name;
  }
}
