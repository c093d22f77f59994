import { Table } from '@mantine/core';
import type { ProjectInfo } from '@model-gateway/admin-api';
import { formatMoney } from '../layout/format.ts';
import { WideTable } from '../layout/wide-table.tsx';
import { type PriceKind, priceKinds } from '../settings-form/price-kinds.ts';

/** The prices that a project has in the place of the others, in US dollars. */
export function OwnPrices({ prices }: { prices: NonNullable<ProjectInfo['prices']> }) {
  const models = Object.entries(prices);
  const stated = (Object.keys(priceKinds) as PriceKind[]).filter(kind =>
    models.some(([, price]) => price[kind] !== undefined),
  );
  return (
    <WideTable label="Own prices" minWidth={300}>
      <Table aria-label="Own prices" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            {stated.map(kind => (
              <Table.Th key={kind} ta="right">
                {priceKinds[kind].label}, {priceKinds[kind].unit}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map(([model, price]) => (
            <Table.Tr key={model}>
              <Table.Td>{model}</Table.Td>
              {stated.map(kind => (
                <Table.Td key={kind} ta="right">
                  {formatMoney(price[kind] ?? null)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
