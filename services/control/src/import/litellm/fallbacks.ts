import { matchesPattern } from '@model-gateway/canonical';
import type { Part } from '../account.ts';
import type { FallbacksDraft, ModelDraft } from '../result.ts';

/** The fields with fallbacks, of `litellm_settings` and `router_settings`. */
interface FallbackSettings {
  general: Part[];
  contextLength: Part[];
  contentPolicy: Part[];
  byDefault: Part[];
}

type Lists = ReadonlyMap<string, string[]>;

/** The most models of a list of fallbacks. */
const mostNames = 10;

/** Gives the models their fallbacks, which may be aliases, too. */
export function addFallbacks(
  models: readonly ModelDraft[],
  aliases: ReadonlySet<string>,
  settings: FallbackSettings,
): void {
  const has = (name: string) => aliases.has(name) || models.some(model => matchesPattern(name, model.name));
  const general = listsOf(settings.general, models, has);
  const contextLength = listsOf(settings.contextLength, models, has);
  const contentPolicy = listsOf(settings.contentPolicy, models, has);
  const byDefault = settings.byDefault.flatMap(part => namesOf(part, has));
  for (const model of models) {
    const others = (names: readonly string[]) =>
      [...new Set(names)].filter(name => name !== model.name).slice(0, mostNames);
    const rest = others(general.get(model.name) ?? general.get('*') ?? byDefault);
    // Without lists for these causes, LiteLLM takes the general one for them, too.
    const ofContext = contextLength.size > 0 ? others(chosen(contextLength, model.name)) : rest;
    const ofPolicy = contentPolicy.size > 0 ? others(chosen(contentPolicy, model.name)) : rest;
    const fallbacks: FallbacksDraft = {
      ...(ofContext.length > 0 && { contextLength: ofContext }),
      ...(ofPolicy.length > 0 && { contentPolicy: ofPolicy }),
      ...(rest.length > 0 && { rateLimit: rest, outage: rest }),
    };
    const isPlain = ofContext.length === 0 && ofPolicy.length === 0;
    if (isPlain && rest.length > 0) model.fallbacks = rest;
    else if (Object.keys(fallbacks).length > 0) model.fallbacks = fallbacks;
  }
}

function chosen(lists: Lists, name: string): string[] {
  return lists.get(name) ?? lists.get('*') ?? [];
}

/** Reads lists such as `[{ "small": ["large"] }]`. The first one for a model counts. */
function listsOf(
  parts: readonly Part[],
  models: readonly ModelDraft[],
  has: (name: string) => boolean,
): Lists {
  const lists = new Map<string, string[]>();
  for (const part of parts)
    for (const entry of part.entries())
      for (const list of entry.mapping()) {
        const name = list.key;
        if (lists.has(name)) list.lose('An earlier entry has the fallbacks of this model.');
        else if (name !== '*' && !models.some(model => model.name === name))
          list.lose('It is not the name of a model that is carried over.');
        else lists.set(name, namesOf(list, has));
      }
  return lists;
}

function namesOf(part: Part, has: (name: string) => boolean): string[] {
  const names = part.entries().flatMap(entry => {
    if (typeof entry.value !== 'string')
      return entry.lose('The gateway sends the same request to a fallback, without other fields.') ?? [];
    const name = entry.text() as string;
    if (has(name)) return name;
    return entry.lose('It is not the name of a model that is carried over.') ?? [];
  });
  if (names.length > mostNames) part.change(`The gateway takes the first ${mostNames}.`);
  return names;
}

/** Returns a model for each alias of `model_group_alias`, with the targets and fallbacks of the model that it stands for. */
export function aliasesOf(part: Part, models: readonly ModelDraft[]): { model: ModelDraft; from: Part }[] {
  const byName = new Map(models.map(model => [model.name, model]));
  return part.mapping().flatMap(alias => {
    const isPlain = typeof alias.value === 'string';
    const name = (isPlain ? alias : alias.get('model')).text();
    if (!isPlain && alias.get('hidden').flag())
      alias
        .get('hidden')
        .change('The list of models of the gateway has it. Limit the models of tokens to hide it.');
    const model = byName.get(name ?? '');
    if (byName.has(alias.key)) return alias.lose('A model has the name of this alias.') ?? [];
    if (!model) return alias.lose('The model that it stands for is not carried over.') ?? [];
    return { model: { ...structuredClone(model), name: alias.key }, from: alias };
  });
}
