import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useCatalogModels } from '../catalog/entry-lists.ts';
import { Section } from '../layout/page.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { Loading } from '../layout/states.tsx';

/** The models that have a target at a provider. */
export function ProviderModels({ name }: { name: string }) {
  const models = useCatalogModels();
  const used = models?.flatMap(model => {
    const targets = model.targets.filter(({ provider }) => provider === name);
    return targets.length > 0 ? [{ model: model.name, targets }] : [];
  });
  return (
    <Section title="Used by models">
      {!used && <Loading what="models" />}
      {used?.length === 0 && (
        <Text size="sm" c="dimmed">
          No models. A provider that no model uses can be deleted.
        </Text>
      )}
      {used && used.length > 0 && (
        <PlainTable
          label="Used by models"
          minWidth={320}
          rows={used}
          keyOf={({ model }) => model}
          columns={[
            {
              label: 'Model',
              render: ({ model }) => (
                <Anchor component={Link} to={`/models/${encodeURIComponent(model)}`} size="sm">
                  {model}
                </Anchor>
              ),
            },
            {
              label: 'Upstream model',
              render: ({ targets }) => targets.map(target => target.model).join(', '),
            },
          ]}
        />
      )}
    </Section>
  );
}
