import type { Part } from '../account.ts';
import type { ModelDraft } from '../result.ts';

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
