import type { Part } from '../account.ts';
import type { ModelDraft, TargetDraft } from '../result.ts';
import type { Deployment } from './deployment.ts';

/** The settings of a config for all its models. */
interface RouterSettings {
  strategy: Part;
  retries: Part;
  timeout: Part;
  streamTimeout: Part;
}

const strategies: Readonly<Record<string, string | undefined>> = {
  'simple-shuffle': undefined,
  'least-busy': 'least-busy',
  'latency-based-routing': 'fastest',
  'cost-based-routing': 'cheapest',
};

/** Returns a model for each name of the deployments. Several deployments of a name are its targets. */
export function modelsOf(deployments: readonly Deployment[], settings: RouterSettings): ModelDraft[] {
  const strategy = strategyOf(settings.strategy);
  const common = { retries: retriesOf(settings.retries), total: secondsOf(settings.timeout) };
  const idle = secondsOf(settings.streamTimeout);
  return [...Map.groupBy(deployments, ({ group }) => group)].map(([name, members]) => {
    const isOrdered = new Set(members.map(({ order }) => order)).size > 1;
    const timeouts = timeoutsOf(members, common.total, idle);
    const retries = first(members, ({ retries }) => retriesOf(retries)) ?? common.retries;
    const context = least(members.map(each => each.context));
    const maxOutput = least(members.map(each => each.maxOutput));
    const drop = [...new Set(members.flatMap(each => each.drop))];
    if (isOrdered && strategy)
      settings.strategy.change(`The model ${name} is not routed by it, since its deployments have an order.`);
    return {
      ...{ name, targets: targetsOf(members, strategy !== undefined && !isOrdered) },
      ...(strategy && !isOrdered && members.length > 1 && { strategy }),
      ...(retries !== undefined && retries > 0 && { retries }),
      ...(timeouts && { timeouts }),
      ...((context ?? maxOutput) !== undefined && {
        limits: { ...(context && { context }), ...(maxOutput && { maxOutput }) },
      }),
      ...(members.some(({ isRealtime }) => isRealtime) && { realtime: 'upstream' as const }),
      ...(drop.length > 0 && { drop }),
    };
  });
}

function strategyOf(part: Part): string | undefined {
  const name = part.text();
  if (name === undefined || Object.hasOwn(strategies, name)) return strategies[name ?? 'simple-shuffle'];
  return part.lose('The gateway has no such strategy. Targets are drawn by their weights.');
}

/** Returns targets with their weights: those of the first group have shares, and the others are for failover. */
function targetsOf(members: readonly Deployment[], hasStrategy: boolean): TargetDraft[] {
  // LiteLLM prefers the lowest order, and a deployment without one comes last.
  const rankOf = ({ order }: Deployment) => order ?? Number.POSITIVE_INFINITY;
  const sorted = members.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : Number(rankOf(a) > rankOf(b))));
  const best = rankOf(sorted[0] as Deployment);
  const preferred = sorted.filter(each => rankOf(each) === best);
  const shareOf = sharesOf(preferred);
  const count = sorted.reduce((sum, { targets }) => sum + targets.length, 0);
  for (const each of sorted)
    if (
      rankOf(each) !== best &&
      (each.weight ?? each.requestsPerMinute ?? each.tokensPerMinute) !== undefined
    )
      each.entry
        .get('litellm_params')
        .change('A target that is for failover only has no share. They are tried in order.');
  return sorted.flatMap(each =>
    each.targets.map(({ provider, model, price }) => ({
      ...{ provider, model },
      ...(count > 1 &&
        !hasStrategy && { weight: rankOf(each) === best ? shareOf(each) / each.targets.length : 0 }),
      ...(price && { price }),
    })),
  );
}

/** Returns the function for the share of a deployment: LiteLLM draws by weight, else by rpm, else by tpm, else evenly. */
function sharesOf(members: readonly Deployment[]): (member: Deployment) => number {
  for (const field of ['weight', 'requestsPerMinute', 'tokensPerMinute'] as const)
    if (members.some(each => (each[field] ?? 0) > 0)) return each => Math.max(0, each[field] ?? 0);
  return () => 1;
}

function timeoutsOf(members: readonly Deployment[], total: string | undefined, idle: string | undefined) {
  const own = first(members, ({ timeout }) => secondsOf(timeout)) ?? total;
  const stream = first(members, ({ streamTimeout }) => secondsOf(streamTimeout)) ?? idle;
  if (own === undefined && stream === undefined) return undefined;
  return { ...(stream && { firstToken: stream, idle: stream }), ...(own && { total: own }) };
}

/** Returns the first value of the members. Reads all, so that each is accounted for. */
function first<Value>(members: readonly Deployment[], read: (member: Deployment) => Value | undefined) {
  return members.map(read).find(value => value !== undefined);
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter(number => number !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

const mostRetries = 5;

function retriesOf(part: Part): number | undefined {
  const number = part.number();
  if (number === undefined) return undefined;
  if (!Number.isInteger(number) || number < 0) return part.lose('It must be a whole number.');
  if (number > mostRetries) part.change(`The gateway retries at most ${mostRetries} times.`);
  return Math.min(number, mostRetries);
}

const longestSeconds = 24 * 86_400;

function secondsOf(part: Part): string | undefined {
  const seconds = part.number();
  if (seconds === undefined) return undefined;
  if (seconds > 0 && seconds <= longestSeconds)
    return Number.isInteger(seconds) ? `${seconds}s` : `${Math.max(1, Math.round(seconds * 1_000))}ms`;
  return part.lose('It must be a time greater than zero and of at most 24 days.');
}
