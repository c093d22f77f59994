import type {
  ModelInfo,
  ProjectInfo,
  ProjectSettings,
  UserInfo,
  UserSettings,
} from '@model-gateway/admin-api';
import { UsageError } from './exit-codes.ts';
import { numberOf, pairsOf } from './option-values.ts';

/** Reads `requestsPerMinute=100,concurrency=5`. Limits of models stay as they are. */
export function limitsOf(
  given: string | undefined,
  before: ProjectSettings['limits'],
): ProjectSettings['limits'] {
  if (!given) return given === undefined ? undefined : null;
  const pairs = Object.entries(pairsOf('limits', given, 'requestsPerMinute=100,concurrency=5'));
  return {
    ...Object.fromEntries(pairs.map(([name, value]) => [name, numberOf('limits', value) ?? 0])),
    ...(before?.models && { models: before.models }),
  };
}

const streamsGoOn = 'streams-go-on';
/** The default, which may be stated. */
const endsStreams = 'ends-streams';

/** Reads `100/month` and `100/month,streams-go-on`. */
export function budgetOf(given: string | undefined): UserSettings['budget'] {
  if (!given) return given === undefined ? undefined : null;
  const [most = '', streams] = given.split(',');
  const [amount = '', period, ...rest] = most.split('/');
  const isKnown = streams === undefined || streams === endsStreams || streams === streamsGoOn;
  if (period === undefined || rest.length > 0 || !isKnown)
    throw new UsageError(`--budget must be such as 100/month or 100/month,${streamsGoOn}`);
  return {
    amount: numberOf('budget', amount) ?? 0,
    period: period as NonNullable<UserInfo['budget']>['period'],
    ...(streams && { endsStreams: streams === endsStreams }),
  };
}

export function limitsText(limits: ProjectInfo['limits']): string {
  const { models = {}, ...own } = limits ?? {};
  const textOf = (rates: object) =>
    Object.entries(rates)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
  const ofModels = Object.entries(models).map(([pattern, rates]) => `${pattern}(${textOf(rates)})`);
  return [textOf(own), ...ofModels].filter(Boolean).join(',') || '-';
}

export function budgetText(budget: UserInfo['budget']): string {
  if (!budget) return '-';
  return `${budget.amount}/${budget.period}${budget.endsStreams === false ? `,${streamsGoOn}` : ''}`;
}

/** Names the owner of a record: `gateway.yaml line 12`, or `api`. */
export function managerText({ managedBy, place }: Pick<ModelInfo, 'managedBy' | 'place'>): string {
  if (!place) return managedBy;
  return [place.file.replace(/.*\//, ''), ...(place.line === null ? [] : [`line ${place.line}`])].join(' ');
}
