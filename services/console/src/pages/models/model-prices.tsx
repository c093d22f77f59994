import { Text } from '@mantine/core';
import type { ModelPrice } from '@model-gateway/admin-api';
import { formatMoney } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Failed, Loading } from '../layout/states.tsx';
import { allPriceKinds, priceKinds } from '../settings-form/price-kinds.ts';

const sources: Record<NonNullable<ModelPrice['source']>, string> = {
  project: 'Project',
  target: 'Target',
  model: 'Model',
  vendor: 'Vendor list price',
};

/** Reads the prices in force: of the model with a name, or of all models of the catalog. */
export function usePrices(model = ''): { prices: readonly ModelPrice[] | undefined; error: unknown } {
  const { value, error } = useResource('showPrices', { query: { model }, staleTime: 10_000 });
  return { prices: value?.data, error };
}

/** The prices of a model at its targets, and where each is stated. */
export function ModelPrices({ name }: { name: string }) {
  const { prices, error } = usePrices(name);
  const known = prices?.some(({ price }) => price !== null);
  return (
    <Section title="Prices in force">
      {error ? <Failed error={error} /> : !prices && <Loading what="prices" />}
      {prices && known && <PriceTable prices={prices} />}
      {prices && !known && (
        <Text size="sm" c="dimmed">
          {name.includes('*')
            ? 'Depends on the name: enter one above.'
            : 'Unknown. Tokens and projects with a budget may not use this model unless they allow models without a price. Set a price on the model or a target.'}
        </Text>
      )}
    </Section>
  );
}

function PriceTable({ prices }: { prices: readonly ModelPrice[] }) {
  const kinds = allPriceKinds.filter(kind => prices.some(({ price }) => price?.[kind] !== undefined));
  return (
    <PlainTable
      label="Prices in force"
      minWidth={360}
      rows={prices}
      keyOf={({ provider, upstreamModel }) => `${provider} ${upstreamModel}`}
      columns={[
        {
          label: 'Target',
          render: ({ provider, upstreamModel }: ModelPrice) => `${provider} / ${upstreamModel}`,
        },
        ...kinds.map(kind => ({
          label: `${priceKinds[kind].label}, ${priceKinds[kind].unit}`,
          numeric: true as const,
          render: ({ price }: ModelPrice) => formatMoney(price?.[kind] ?? null),
        })),
        { label: 'Source', render: ({ source }) => (source ? sources[source] : 'Unknown') },
      ]}
    />
  );
}
