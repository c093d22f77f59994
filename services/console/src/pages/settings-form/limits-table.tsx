import { Text } from '@mantine/core';
import { formatCount } from '../layout/format.ts';
import { PlainTable } from '../layout/plain-table.tsx';
import { type Limits, rateLabels, rates } from './limits-field.tsx';

/** The limits of a token or a project, a row for all models and one for each model that has its own. */
export function LimitsTable({ limits }: { limits: Limits | null }) {
  if (!limits) return <Text size="sm">No limits.</Text>;
  const { models = {}, ...all } = limits;
  return (
    <PlainTable
      label="Limits"
      minWidth={360}
      rows={[['All models', all] as const, ...Object.entries(models)]}
      keyOf={([name]) => name}
      columns={[
        { label: 'Models', render: ([name]) => name },
        ...rates.map(rate => ({
          label: rateLabels[rate],
          numeric: true as const,
          render: ([, own]: readonly [string, Limits]) => own[rate]?.toLocaleString('en-US') ?? '–',
        })),
      ]}
    />
  );
}

/** Describes limits in a line, such as `100 requests per minute, 3 models`; none is a dash. */
export function limitsInShort(limits: Limits | null): string {
  const own = rates.flatMap(rate =>
    limits?.[rate] ? `${formatCount(limits[rate])} ${rateLabels[rate].toLowerCase()}` : [],
  );
  const models = Object.keys(limits?.models ?? {}).length;
  if (models > 0) own.push(models === 1 ? '1 model' : `${models} models`);
  return own.length > 0 ? own.join(', ') : '–';
}
