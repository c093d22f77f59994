import { ownModel, ownToken } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { Problem, problemOf } from '../problem.ts';

const { id, name, project, expiresAt } = ownToken.shape;
const shownModel = z.extend(z.pick(ownModel, { name: true, operations: true, formats: true }), {
  price: z.optional(ownModel.shape.price),
});
/** The fields of a token that the console shows. A control of another version may know other fields of it. */
const shownToken = z.object({ id, name, project, expiresAt, models: z.array(shownModel) });
export type ShownToken = z.infer<typeof shownToken>;

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The result of a check. `accepted` is a token that works while control is down, so only its models are known. */
export type TokenCheck =
  | { state: 'known'; token: ShownToken }
  | { state: 'accepted'; models: string[] }
  | { state: 'refused'; problem: Problem };

const controlMs = 4_000;
const modelsMs = 10_000;

/**
 * Checks a token with control or, if that is down, with the list of models, which does not need control.
 * @throws Problem if neither responds
 */
export async function checkToken(secret: string, signal: AbortSignal): Promise<TokenCheck> {
  // A header cannot contain other characters.
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return { state: 'refused', problem: new Problem('A token has no spaces and no special characters.') };
  }
  const response = await ask('/api/v1/token', secret, signal, controlMs).catch(() => undefined);
  if (response?.ok) return { state: 'known', token: shownToken.parse(await response.json()) };
  if (response?.status === 401) return { state: 'refused', problem: await problemOf(response) };
  signal.throwIfAborted();
  return listModels(secret, signal);
}

async function listModels(secret: string, signal: AbortSignal): Promise<TokenCheck> {
  const list = await ask('/v1/models', secret, signal, modelsMs).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
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

/** The models that a token may use: names, and patterns that contain a `*`. */
export interface ModelNames {
  names: string[];
  patterns: string[];
  /** True if other models may exist, because the patterns are unknown. */
  open: boolean;
}

export const noModels: ModelNames = { names: [], patterns: [], open: false };

/** Returns the models that support at least one of these operations. */
export function modelNames(
  check: TokenCheck | undefined,
  needs: readonly string[] = ['generate'],
): ModelNames {
  if (check?.state === 'accepted') return { names: check.models, patterns: [], open: true };
  if (check?.state !== 'known') return noModels;
  const all = check.token.models
    .filter(({ operations }) => operations.some(operation => needs.includes(operation)))
    .map(({ name }) => name);
  const isPattern = (name: string) => name.includes('*');
  return { names: all.filter(name => !isPattern(name)), patterns: all.filter(isPattern), open: false };
}

/** True if a request for this name would find a model. */
export function isUsable(name: string, { names, patterns, open }: ModelNames): boolean {
  if (name === '' || name.includes('*')) return false;
  return open || names.includes(name) || patterns.some(pattern => matches(name, pattern));
}

/** True if a name matches a pattern. A `*` stands for at least one character. */
function matches(name: string, pattern: string): boolean {
  const [before = '', after = ''] = pattern.split('*');
  return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
