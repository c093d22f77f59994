import { Table, Text } from '@mantine/core';
import type { ModelPrice } from '@model-gateway/admin-api';
import { formatMoney } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { WideTable } from '../layout/wide-table.tsx';
import { type PriceKind, priceKinds } from '../settings-form/price-kinds.ts';
import { usePrices } from './use-prices.ts';

const sources: Record<NonNullable<ModelPrice['source']>, string> = {
  project: 'the project',
  target: 'this target',
  model: 'the model',
  vendor: "the vendor's list",
};

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
            ? 'Depends on the name: try one above.'
            : 'Unknown. Tokens and projects with a budget may not use this model unless they allow models without a price. State a price at the model or a target.'}
        </Text>
      )}
    </Section>
  );
}

function PriceTable({ prices }: { prices: readonly ModelPrice[] }) {
  const kinds = (Object.keys(priceKinds) as PriceKind[]).filter(kind =>
    prices.some(({ price }) => price?.[kind] !== undefined),
  );
  return (
    <WideTable label="Prices in force" minWidth={360}>
      <Table aria-label="Prices in force" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Target</Table.Th>
            {kinds.map(kind => (
              <Table.Th key={kind} ta="right">
                {priceKinds[kind].label}
                <Text size="xs" c="dimmed" fw={400}>
                  {priceKinds[kind].unit}
                </Text>
              </Table.Th>
            ))}
            <Table.Th>Stated by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {prices.map(({ provider, upstreamModel, price, source }) => (
            <Table.Tr key={`${provider} ${upstreamModel}`}>
              <Table.Td>
                {provider} / {upstreamModel}
              </Table.Td>
              {kinds.map(kind => (
                <Table.Td key={kind} ta="right">
                  {formatMoney(price?.[kind] ?? null)}
                </Table.Td>
              ))}
              <Table.Td>{source ? sources[source] : 'nobody: it is unknown'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
