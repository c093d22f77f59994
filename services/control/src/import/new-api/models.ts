import type { ModelDraft, TargetDraft } from '../result.ts';
import type { Channel } from './channels.ts';

/** Returns a model for each name that the channels serve. The channels of the highest priority share its requests by weight. */
export function modelsOf(channels: readonly Channel[]): ModelDraft[] {
  const serving = channels.flatMap(channel => channel.models.map(model => ({ channel, model })));
  return [...Map.groupBy(serving, ({ model }) => model.name)].map(([name, members]) => {
    const sorted = members.toSorted((a, b) => b.channel.priority - a.channel.priority);
    const best = sorted[0]?.channel.priority;
    const shareOf = sharesOf(sorted.flatMap(({ channel }) => (channel.priority === best ? channel : [])));
    const targets = sorted.flatMap(({ channel, model }): TargetDraft[] => {
      const { providers } = channel;
      const share = channel.priority === best ? shareOf(channel) : 0;
      return providers.map(provider => ({
        ...{ provider, model: model.upstream },
        weight: share / providers.length,
      }));
    });
    noteLowerShares(sorted.map(({ channel }) => channel).filter(channel => channel.priority !== best));
    return {
      name,
      targets: targets.length > 1 ? targets : targets.map(({ weight: _, ...target }) => target),
    };
  });
}

function sharesOf(channels: readonly Channel[]): (channel: Channel) => number {
  const isWeighted = channels.some(({ weight }) => weight > 0);
  if (isWeighted)
    for (const { row, weight } of channels)
      if (weight === 0) row.get('weight').change('A target of weight 0 is for failover only.');
  return ({ weight }) => (isWeighted ? weight : 1);
}

function noteLowerShares(channels: readonly Channel[]): void {
  if (channels.length < 2) return;
  for (const { row } of channels)
    row.get('priority').change('Targets of lower priorities are tried in order, without shares.');
}
