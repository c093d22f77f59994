import { type Problem, parseCatalog } from '@model-gateway/catalog';
import type { Part, Remark } from './account.ts';
import type { CatalogDraft, ModelDraft } from './result.ts';

/** A part of a draft that gateway.yaml cannot hold: an entry of a list, or a fallback of a model. */
export interface Refused {
  list: 'providers' | 'models' | 'projects' | 'users';
  name: string;
  /** The fallback that is left out, if the model stays. */
  fallback?: string;
  reason: string;
}

/** Removes what the gateway's own parser refuses, and returns it. @throws Error */
export function removeRefused(draft: CatalogDraft): Refused[] {
  const refused: Refused[] = [];
  for (;;) {
    const { problems } = parseCatalog(draft);
    if (!problems) return refused;
    const next = refusedBy(draft, problems);
    if (next.length === 0)
      throw new Error(
        `the result is no valid gateway.yaml: ${problems.map(({ path, reason }) => `${path} ${reason}`).join('; ')}`,
      );
    for (const each of next) remove(draft, each);
    refused.push(...next);
  }
}

/** Returns what the problems are about, each once. Problems of fallbacks come last, as others may be their cause. */
function refusedBy(draft: CatalogDraft, problems: readonly Problem[]): Refused[] {
  const own = problems.filter(({ path }) => !path.includes('.fallbacks'));
  const found = new Map<string, Refused>();
  for (const { path, reason } of own.length > 0 ? own : problems) {
    const [, list, at, field = ''] = /^(providers|models|projects|users)\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const entry = list && draft[list as Refused['list']]?.[Number(at)];
    if (!entry) continue;
    const fallback = fallbackAt(entry as ModelDraft, field);
    found.set(`${list}\n${entry.name}`, {
      ...{ list: list as Refused['list'], name: entry.name },
      ...(fallback !== undefined && { fallback }),
      reason: `gateway.yaml cannot hold it: ${field} ${reason}`,
    });
  }
  return [...found.values()];
}

/** Returns the fallback at a path such as `fallbacks.outage[1]`. */
function fallbackAt({ fallbacks = [] }: ModelDraft, field: string): string | undefined {
  const [, cause, at] = /^fallbacks(?:\.(\w+))?\[(\d+)\]$/.exec(field) ?? [];
  const lists = fallbacks as Record<string, string[] | undefined>;
  return (cause === undefined ? (fallbacks as string[]) : lists[cause])?.[Number(at)];
}

function remove(draft: CatalogDraft, { list, name, fallback }: Refused): void {
  if (fallback !== undefined) {
    dropFallback(
      draft.models.filter(model => model.name === name),
      fallback,
    );
    return;
  }
  const entries: { name: string }[] = draft[list] ?? [];
  const at = entries.findIndex(entry => entry.name === name);
  entries.splice(at, 1);
  if (list === 'models') dropFallback(draft.models, name);
  if (list === 'providers')
    for (const model of draft.models)
      model.targets = model.targets.filter(target => target.provider !== name);
}

function dropFallback(models: readonly ModelDraft[], name: string): void {
  for (const model of models) {
    const { fallbacks } = model;
    if (Array.isArray(fallbacks)) model.fallbacks = fallbacks.filter(each => each !== name);
    else if (fallbacks)
      model.fallbacks = Object.fromEntries(
        Object.entries(fallbacks).map(([cause, names]) => [
          cause,
          (names as string[]).filter(each => each !== name),
        ]),
      );
  }
}

/** Returns remarks on what was removed. Models have a place in the source: `placeOf` returns it. */
export function remarksOf(
  refused: readonly Refused[],
  placeOf: (model: string) => Pick<Part, 'change' | 'leaveOut'> | undefined,
): Remark[] {
  return refused.flatMap(({ list, name, fallback, reason }) => {
    if (list !== 'models') return { path: `gateway.yaml ${list} ${name}`, outcome: 'lost' as const, reason };
    if (fallback === undefined) placeOf(name)?.leaveOut(`${name} is left out: ${reason}`);
    else placeOf(name)?.change(`Its fallback ${fallback} is left out: ${reason}`);
    return [];
  });
}
