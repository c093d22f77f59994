import { Button, List, Stack, Text, ThemeIcon } from '@mantine/core';
import type { CatalogTestResult } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { formatMs } from '../layout/format.ts';
import { Failed } from '../layout/states.tsx';

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

/** Returns what to change after a failed test, by the kind of its error and, for an upstream's, by its message. */
export function adviceFor({ kind, message }: { kind: string; message: string }): string {
  if (/\b(401|403)\b|api key|credential|unauthorized|authentication/i.test(message))
    return 'Check the API key: that it is set where the workers run, and still valid.';
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connect|reach|resolve/i.test(message))
    return 'Check the base URL, and that the workers can reach it from their network.';
  if (/\b404\b|not found|no such model|does not exist/i.test(message))
    return "Check the model's name at the provider, and whether the base URL needs /v1 at its end.";
  return byKind[kind] ?? 'The message is that of the provider. Its logs may say more.';
}

const byKind: Record<string, string> = {
  timeout: 'Check that the server is up and not overloaded, and that the workers reach it.',
  overloaded: 'Start a worker of this pool, or correct the pool of the provider.',
  'rate-limited': 'The provider limits your requests. Wait, or raise the limit there.',
  'quota-exceeded': 'The account at the provider has no quota left.',
  'not-found': "Check the model's name at the provider.",
  'invalid-request': 'Check the formats that the provider is said to speak, and the name of the model.',
  unauthenticated: 'Check the API key: that it is set where the workers run, and still valid.',
  forbidden: 'The API key may not use this model at the provider.',
};
