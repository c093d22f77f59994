import { Group, Stack, Text } from '@mantine/core';
import { HealthBadge, RestReason } from '../catalog/health-badge.tsx';
import { healthOfProvider, type Rest, useHealth } from '../catalog/use-health.ts';
import { Section } from '../layout/page.tsx';
import { Failed } from '../layout/states.tsx';

/** The state of a provider's API keys and targets, as it changes. */
export function ProviderState({ name }: { name: string }) {
  const { report, error } = useHealth();
  const { keys, targets } = healthOfProvider(report, name);
  return (
    <Section title="State">
      {error ? (
        <Failed error={error} />
      ) : (
        <Stack gap="xs">
          {keys.map(key => (
            <Line
              key={`key ${key.key}`}
              label={key.key === null ? 'No API key' : `API key ${key.key}`}
              rest={key}
            />
          ))}
          {targets.map(target => (
            <Line key={target.model} label={`Model ${target.model}`} rest={target} />
          ))}
          {report && targets.length === 0 && (
            <Text size="sm" c="dimmed">
              No model has a target at this provider, so it gets no requests. Add a model that uses it.
            </Text>
          )}
        </Stack>
      )}
    </Section>
  );
}

function Line({ label, rest }: { label: string; rest: Rest }) {
  return (
    <Group gap="xs" align="baseline">
      <HealthBadge rest={rest} />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {label}
      </Text>
      <RestReason rest={rest} />
    </Group>
  );
}
