import { createHash, type Hash } from 'node:crypto';
import type { Reply, Step, Usage } from './answer.ts';
import type { CachePoint, Prompt } from './prompt.ts';
import { charactersPerToken } from './tokens.ts';

/** Tokens of a file of any size. */
const mediaTokens = { images: 85, audio: 50, files: 250 };
const tokensPerImage = 1_290;

export function usageOf(prompt: Prompt, replies: readonly Reply[], cache: PrefixCache): Usage {
  const answered = replies.filter(({ finish }) => finish === 'stop').length * (prompt.images ?? 0);
  const imageOutput = answered * tokensPerImage;
  return {
    input: inputTokens(prompt),
    ...cache.use(prompt),
    audioInput: prompt.media.audio * mediaTokens.audio,
    output: countSteps(replies) + imageOutput,
    imageOutput,
    reasoning: prompt.effort ? countSteps(replies, 'reasoning') : 0,
  };
}

export function inputTokens({ context, media: { images, audio, files } }: Prompt): number {
  const media = images * mediaTokens.images + audio * mediaTokens.audio + files * mediaTokens.files;
  return Math.ceil(context.length / charactersPerToken) + media;
}

function countSteps(replies: readonly Reply[], kind?: Step['kind']): number {
  let count = 0;
  for (const { steps } of replies)
    count += kind ? steps.filter(step => step.kind === kind).length : steps.length;
  return count;
}

const blockTokens = 128;
const minTokens = 1_024;
const minBlocks = minTokens / blockTokens;
/** Only the first million tokens of a prompt are cached. */
const maxBlocks = 8_192;
const maxRemembered = 50_000;

type CacheUse = Pick<Usage, 'cachedInput' | 'cacheWrite5m' | 'cacheWrite1h'>;

/** Stores digests of the prefixes of prompts. The oldest are dropped first. */
export class PrefixCache {
  readonly #seen = new Set<string>();

  /** Returns the cached tokens of a prompt, for the same model and above 1024 tokens, and caches the prompt. */
  use({ model, context, cachePoints }: Prompt): CacheUse {
    if (cachePoints) return this.#useAt(model, context, cachePoints);
    return { cachedInput: this.#useAll(model, context), cacheWrite5m: 0, cacheWrite1h: 0 };
  }

  /** Automatic caching in steps of 128 tokens. Writes are free. */
  #useAll(model: string, context: string): number {
    const size = blockTokens * charactersPerToken;
    const blocks = Math.min(Math.floor(context.length / size), maxBlocks);
    if (blocks <= minBlocks) return 0;
    const running = createHash('sha1').update(`${model}\n`);
    let known = 0;
    for (let block = 0; block < blocks; block++) {
      running.update(context.slice(block * size, (block + 1) * size));
      if (this.#remember(digestOf(running))) known = block + 1;
    }
    return known > minBlocks ? known * blockTokens : 0;
  }

  /** Explicit caching: reads up to the last known end, and writes from there to each breakpoint. */
  #useAt(model: string, context: string, points: CachePoint[]): CacheUse {
    const large = points.filter(({ ends: [end] }) => end >= minTokens * charactersPerToken);
    const digests = digestsAt(`${model}\n\n`, context, new Set(large.flatMap(({ ends }) => ends)));
    const known = large.flatMap(({ ends }) => ends).filter(end => this.#seen.has(digests.get(end) ?? ''));
    let end = Math.max(0, ...known);
    const use = { cachedInput: tokensAt(end), cacheWrite5m: 0, cacheWrite1h: 0 };
    for (const { ends, ttl } of large) {
      const [breakpoint] = ends;
      this.#remember(digests.get(breakpoint) ?? '');
      use[ttl === '1h' ? 'cacheWrite1h' : 'cacheWrite5m'] += Math.max(
        tokensAt(breakpoint) - tokensAt(end),
        0,
      );
      end = Math.max(end, breakpoint);
    }
    return use;
  }

  /** Returns true if the digest was known. */
  #remember(digest: string): boolean {
    const known = this.#seen.delete(digest);
    this.#seen.add(digest);
    if (this.#seen.size > maxRemembered)
      for (const oldest of this.#seen.keys().take(1)) this.#seen.delete(oldest);
    return known;
  }
}

function digestsAt(scope: string, context: string, ends: Set<number>): Map<number, string> {
  const running = createHash('sha1').update(scope);
  let from = 0;
  const digests = new Map<number, string>();
  for (const end of [...ends].sort((a, b) => a - b)) {
    running.update(context.slice(from, end));
    digests.set(end, digestOf(running));
    from = end;
  }
  return digests;
}

function digestOf(running: Hash): string {
  return running.copy().digest('base64');
}

function tokensAt(characters: number): number {
  return Math.floor(characters / charactersPerToken);
}
