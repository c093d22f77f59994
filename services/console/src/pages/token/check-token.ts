import { ownModel, ownToken } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { Problem, problemOf } from '../problem.ts';

/** A control of an earlier version has not all fields. */
const shownModel = z.partial(ownModel, { context: true, price: true, providers: true });
export type ShownModel = z.infer<typeof shownModel>;

const later = { owner: true, endpoints: true, allowedAddresses: true, limits: true, budget: true } as const;
const lefts = { limitsLeft: true, budgetsLeft: true, tags: true } as const;
/** The fields of a token that the console shows. A control of another version may know other fields of it. */
const shownToken = z.extend(z.partial(ownToken, { ...later, ...lefts }), { models: z.array(shownModel) });
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
  // 403 is for a network from which the token may not be used.
  if (response?.status === 401 || response?.status === 403)
    return { state: 'refused', problem: await problemOf(response) };
  signal.throwIfAborted();
  return listModels(secret, signal);
}

async function listModels(secret: string, signal: AbortSignal): Promise<TokenCheck> {
  const list = await ask('/v1/models', secret, signal, modelsMs).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (list.status === 401 || list.status === 403) return { state: 'refused', problem: await problemOf(list) };
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
  /** What is known of them, by name or pattern. */
  facts: ReadonlyMap<string, ShownModel>;
}

export const noModels: ModelNames = { names: [], patterns: [], open: false, facts: new Map() };

/** Returns the models that a token may use for at least one of the operations. */
export function modelNames(
  check: TokenCheck | undefined,
  needs: readonly string[] = ['generate'],
): ModelNames {
  if (check?.state === 'accepted') return { ...noModels, names: check.models, open: true };
  if (check?.state !== 'known') return noModels;
  const usable = check.token.models.filter(({ operations }) =>
    operations.some(operation => needs.includes(operation)),
  );
  const all = usable.map(({ name }) => name);
  const isPattern = (name: string) => name.includes('*');
  return {
    names: all.filter(name => !isPattern(name)),
    patterns: all.filter(isPattern),
    open: false,
    facts: new Map(usable.map(model => [model.name, model])),
  };
}

/** Returns what is known of a model: of its name, or of the first pattern that its name matches. */
export function factsOf(name: string, { facts, patterns }: ModelNames): ShownModel | undefined {
  return facts.get(name) ?? facts.get(patterns.find(pattern => matches(name, pattern)) ?? '');
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
