import { z } from 'zod/mini';
import { Problem, problemOf } from '../problem.ts';

const ownToken = z.object({
  id: z.string(),
  name: z.string(),
  project: z.string(),
  /** RFC 3339; null for never. */
  expiresAt: z.nullable(z.string()),
  models: z.array(
    z.object({ name: z.string(), operations: z.array(z.string()), formats: z.array(z.string()) }),
  ),
});
export type OwnToken = z.infer<typeof ownToken>;

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** What the gateway says of a token. `accepted` is one that works while nobody can say more of it than its models. */
export type TokenCheck =
  | { state: 'known'; token: OwnToken }
  | { state: 'accepted'; models: string[] }
  | { state: 'refused'; problem: Problem };

const controlMs = 4_000;
const modelsMs = 10_000;

/**
 * Asks control, and where it is away the list of models, which needs no control.
 * @throws Problem where neither can tell
 */
export async function checkToken(secret: string, signal: AbortSignal): Promise<TokenCheck> {
  // Nothing else can stand in a header.
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return { state: 'refused', problem: new Problem('A token has no spaces and no special characters.') };
  }
  const own = await ask('/api/v1/token', secret, signal, controlMs).catch(() => undefined);
  if (own?.ok) return { state: 'known', token: ownToken.parse(await own.json()) };
  if (own?.status === 401) return { state: 'refused', problem: await problemOf(own) };
  signal.throwIfAborted();
  return listModels(secret, signal);
}

async function listModels(secret: string, signal: AbortSignal): Promise<TokenCheck> {
  const list = await ask('/v1/models', secret, signal, modelsMs).catch(() => {
    throw new Problem('There was no answer.', { code: 'unreachable' });
  });
  if (list.status === 401) return { state: 'refused', problem: await problemOf(list) };
  if (!list.ok) throw await problemOf(list);
  return { state: 'accepted', models: modelList.parse(await list.json()).data.map(({ id }) => id) };
}

function ask(path: string, secret: string, signal: AbortSignal, limitMs: number): Promise<Response> {
  return fetch(path, {
    headers: { authorization: `Bearer ${secret}` },
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
  });
}
