import { createHash } from 'node:crypto';
import { charactersAToken } from './usage.ts';

const blockTokens = 128;
const leastBlocks = 1_024 / blockTokens;
/** No more than the first million tokens of a prompt are looked at. */
const mostBlocks = 8_192;
const mostRemembered = 50_000;

/** Remembers the prompts that were read, by digests of their prefixes; the oldest are forgotten first. */
export class PrefixCache {
  readonly #seen = new Set<string>();

  /**
   * Tells how many tokens of a prompt were read before, in steps of 128 and only above 1024, and remembers the prompt.
   * `scope` keeps apart what does not share a cache.
   */
  look(scope: string, context: string): number {
    const size = blockTokens * charactersAToken;
    const blocks = Math.min(Math.floor(context.length / size), mostBlocks);
    if (blocks <= leastBlocks) return 0;
    const running = createHash('sha1').update(scope);
    let known = 0;
    for (let block = 0; block < blocks; block++) {
      running.update(context.slice(block * size, (block + 1) * size));
      const digest = running.copy().digest('base64');
      if (this.#seen.has(digest)) known = block + 1;
      this.#remember(digest);
    }
    return known > leastBlocks ? known * blockTokens : 0;
  }

  #remember(digest: string): void {
    this.#seen.delete(digest);
    this.#seen.add(digest);
    if (this.#seen.size <= mostRemembered) return;
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }
}
