import type { HealthReport, ModelInfo, ReportedTarget, strategies } from '@model-gateway/admin-api';

export type Strategy = (typeof strategies)[number];

export const causes = ['rateLimit', 'outage', 'contextLength', 'contentPolicy'] as const;
export type Cause = (typeof causes)[number];

/** A target of a model in the picture of its route. */
export interface Stop {
  provider: string;
  /** The model's name at the provider. */
  model: string;
  /** When it is tried, such as `75%`, `first` or `if the others fail`. */
  turn: string;
  /** The part of the requests that try it first, from 0 to 1; null if that changes from moment to moment. */
  share: number | null;
  /** Undefined if it is not known. */
  health: ReportedTarget | undefined;
  /** Names that rest, of a target with a `*`. */
  resting: ReportedTarget[];
}

/** The way of a model's requests. */
export interface Route {
  strategy: Strategy;
  stops: Stop[];
  /** The models that take over, with the causes for which they do. */
  fallbacks: { causes: Cause[]; models: string[] }[];
}

/** Returns the route of a model, with the state of its targets as far as it is known. */
export function routeOf(model: ModelInfo, report: HealthReport | undefined): Route {
  const { targets } = model;
  const strategy =
    model.strategy ?? (targets.some(({ weight }) => weight !== undefined) ? 'weighted' : 'ordered');
  const reported = report?.models.find(({ name }) => name === model.name)?.targets ?? [];
  const weights = targets.reduce((sum, { weight = 0 }) => sum + weight, 0);
  return {
    strategy,
    stops: targets.map(({ provider, model: upstream, weight = 0 }, place) => {
      const share = shareOf(strategy, place, weights > 0 ? weight / weights : 0);
      return {
        ...{ provider, model: upstream, share, turn: turnOf(strategy, place, share, targets.length) },
        health: reported.find(each => each.provider === provider && each.model === upstream),
        resting: restingOf(reported, provider, upstream),
      };
    }),
    fallbacks: fallbacksOf(model),
  };
}

function shareOf(strategy: Strategy, place: number, ofWeights: number): number | null {
  if (strategy === 'ordered') return place === 0 ? 1 : 0;
  return strategy === 'weighted' ? ofWeights : null;
}

function turnOf(strategy: Strategy, place: number, share: number | null, targets: number): string {
  if (targets === 1) return 'every request';
  if (strategy === 'ordered') return ['first', 'second', 'third'][place] ?? `${place + 1}th`;
  if (share === null) return 'any';
  return share === 0 ? 'if others fail' : `${Math.round(share * 1_000) / 10}%`;
}

/** Returns the names that rest, of those that a target with a `*` stands for. */
function restingOf(
  reported: readonly ReportedTarget[],
  provider: string,
  upstream: string,
): ReportedTarget[] {
  const [before = '', after] = upstream.split('*');
  if (after === undefined) return [];
  return reported.filter(
    each =>
      each.provider === provider &&
      !each.model.includes('*') &&
      each.model.startsWith(before) &&
      each.model.endsWith(after),
  );
}

/** Joins the causes that have the same models. */
function fallbacksOf({ fallbacks }: ModelInfo): Route['fallbacks'] {
  const given = causes.filter(cause => (fallbacks?.[cause] ?? []).length > 0);
  const byModels = Map.groupBy(given, cause => JSON.stringify(fallbacks?.[cause]));
  return [...byModels].map(([models, joined]) => ({
    causes: joined,
    models: JSON.parse(models) as string[],
  }));
}
