import { Button, List, Stack, Text, ThemeIcon } from '@mantine/core';
import type { CatalogTestResult } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { formatMs } from '../layout/format.ts';
import { Failed } from '../layout/states.tsx';
import { adviceFor } from './advice.ts';

/** The button that lets a worker ask a provider or the targets of a model, with the results. */
export function TestTarget({
  endpoint,
  name,
  model,
  hint,
}: {
  endpoint: 'testProvider' | 'testModel';
  name: string;
  /** The model at the provider, or the name for the model's `*`; empty for the gateway's choice. */
  model: string;
  /** The reason why it cannot be tested yet. */
  hint?: string | undefined;
}) {
  const test = useMutation({
    mutationFn: () => api.call(endpoint, { params: { name }, body: model ? { model } : {} }),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="xs" onClick={() => test.mutate()} loading={test.isPending} disabled={hint !== undefined}>
        Test now
      </Button>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      {test.isPending && (
        <Text size="sm" c="dimmed" role="status">
          A worker sends a small request. This takes at most 27 seconds.
        </Text>
      )}
      {test.error && <Failed error={test.error} onRetry={() => test.mutate()} />}
      {test.data && !test.isPending && <Results results={test.data.data} />}
    </Stack>
  );
}

function Results({ results }: { results: CatalogTestResult['data'] }) {
  return (
    <List spacing="xs" size="sm" listStyleType="none" role="status" aria-label="Results of the test">
      {results.map(({ provider, model, works, ms, error }) => (
        <List.Item
          key={`${provider} ${model}`}
          icon={
            <ThemeIcon size={18} radius="xl" color={works ? 'green.8' : 'red.8'} aria-hidden="true">
              {works ? '✓' : '!'}
            </ThemeIcon>
          }
        >
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {provider} / {model} {works ? `answered in ${formatMs(ms)}` : `failed after ${formatMs(ms)}`}
          </Text>
          {error && (
            <>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {error.message}
              </Text>
              <Text size="sm" c="dimmed">
                {adviceFor(error)}
              </Text>
            </>
          )}
        </List.Item>
      ))}
    </List>
  );
}
