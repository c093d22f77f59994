import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useCatalogModels } from '../catalog/use-catalog-models.ts';
import { Section } from '../layout/section.tsx';
import { Loading } from '../layout/states.tsx';
import { WideTable } from '../layout/wide-table.tsx';

/** The models that have a target at a provider. */
export function ProviderModels({ name }: { name: string }) {
  const models = useCatalogModels();
  const used = models?.flatMap(model => {
    const targets = model.targets.filter(({ provider }) => provider === name);
    return targets.length > 0 ? [{ model: model.name, targets }] : [];
  });
  return (
    <Section title="Models that use it">
      {!used && <Loading what="models" />}
      {used?.length === 0 && (
        <Text size="sm" c="dimmed">
          None. A provider that no model uses can be deleted.
        </Text>
      )}
      {used && used.length > 0 && (
        <WideTable label="Models that use it" minWidth={320}>
          <Table aria-label="Models that use it">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Model</Table.Th>
                <Table.Th>Name at the provider</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {used.map(({ model, targets }) => (
                <Table.Tr key={model}>
                  <Table.Td>
                    <Anchor component={Link} to={`/models/${encodeURIComponent(model)}`} size="sm">
                      {model}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>{targets.map(target => target.model).join(', ')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
    </Section>
  );
}
