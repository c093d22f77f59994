import { Alert, Button, Center, Code, Loader, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { inPlainWords, toProblem } from '../problem.ts';

/** Shown while a page or a part of it is loading. */
export function Loading({ what = 'the page' }: { what?: string }) {
  return (
    <Center p="xl" role="status" aria-label={`Loading ${what}`}>
      <Loader size="sm" />
    </Center>
  );
}

/** Shown where there are no records: what they are, and what makes the first one. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center p="xl">
      <Stack gap="xs" align="center" maw={480}>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" ta="center" component="div">
          {children}
        </Text>
      </Stack>
    </Center>
  );
}

/** An error with the gateway's message, its code and request id, and the button to try again. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = toProblem(error);
  const { code, requestId } = problem.facts;
  return (
    <Alert color="red" title={inPlainWords(problem)} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.message}</Text>
        {(code || requestId) && (
          <Text size="xs">
            {code && <Code>{code}</Code>} {requestId && <Code>{requestId}</Code>}
          </Text>
        )}
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
