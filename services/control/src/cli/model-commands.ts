import type { ModelInfo } from '@model-gateway/admin-api';
import { type Command, text, texts } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { listOf, numberOf, pairsOf } from './option-values.ts';
import { settingCommands, testCommand } from './setting-commands.ts';
import { managerText } from './setting-values.ts';

const ofSettings = settingCommands({
  noun: 'model',
  names: 'models',
  isDocument: true,
  endpoints: { list: 'listCatalogModels', show: 'showCatalogModel', set: 'setModel', remove: 'deleteModel' },
  about: {
    list: 'List the models: those of gateway.yaml, then those of the API',
    show: 'Show a model',
    remove: 'Delete a model of the API',
  },
  options: {
    target: texts('PROVIDER/MODEL', "a provider and the model's name there; of several, in this order"),
    strategy: text('STRATEGY', 'ordered, weighted, least-busy, fastest or cheapest'),
    fallbacks: text('MODELS', 'models that take over after a rate limit or an outage, such as small,other'),
    price: text('PRICE', 'US dollars for a million tokens, such as input=0.25,output=2'),
    context: text('TOKENS', 'the longest prompt and answer together'),
    'max-output': text('TOKENS', 'the longest answer'),
  },
  change: (values, before) => ({
    targets: values.target?.map(targetOf),
    strategy: values.strategy === '' ? null : values.strategy,
    fallbacks: listOf(values.fallbacks) || (values.fallbacks === undefined ? undefined : null),
    price: priceOf(values.price),
    limits: limitsOf(values.context, values['max-output'], before?.limits),
  }),
  head: ['NAME', 'TARGETS', 'PRICE', 'CONTEXT', 'MANAGED BY', 'PROBLEMS'],
  row: model => [
    model.name,
    model.targets.map(({ provider, model: name }) => `${provider}/${name}`).join(', '),
    pricesText(model),
    String(model.limits.context ?? '-'),
    managerText(model),
    model.problems.join('; ') || '-',
  ],
});

export const modelCommands: readonly Command[] = [...ofSettings, testCommand('model')];

function targetOf(given: string): { provider: string; model: string } {
  const slash = given.indexOf('/');
  if (slash < 1 || slash === given.length - 1)
    throw new UsageError(`--target must be such as openai/gpt-5-mini, but is '${given}'`);
  return { provider: given.slice(0, slash), model: given.slice(slash + 1) };
}

function priceOf(given: string | undefined): object | null | undefined {
  if (!given) return given === undefined ? undefined : null;
  const amounts = Object.entries(pairsOf('price', given, 'input=0.25,output=2'));
  return Object.fromEntries(amounts.map(([name, amount]) => [name, numberOf('price', amount) ?? 0]));
}

function limitsOf(
  context: string | undefined,
  maxOutput: string | undefined,
  before: ModelInfo['limits'] | undefined,
): object | undefined {
  if (context === undefined && maxOutput === undefined) return undefined;
  const given = { context: numberOf('context', context), maxOutput: numberOf('max-output', maxOutput) };
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits = { ...before, ...Object.fromEntries(changed) };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null));
}

/** Writes the price of a model, and those that its targets state. */
function pricesText({ price, targets }: ModelInfo): string {
  const own = targets.flatMap(target => {
    const named = targets.length > 1 ? `${target.provider}/${target.model}: ` : '';
    return target.price ? `${named}${priceText(target.price)}` : [];
  });
  return [...(price || own.length === 0 ? [priceText(price)] : []), ...own].join('; ');
}

function priceText(price: ModelInfo['price']): string {
  if (!price) return '-';
  return Object.entries(price)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
}
