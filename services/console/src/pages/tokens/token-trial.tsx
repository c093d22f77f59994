import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { formatTime } from '../layout/format.ts';
import { SecretInput } from '../layout/secret-input.tsx';
import { Failed } from '../layout/states.tsx';
import { Problem, problemOf } from '../problem.ts';

/**
 * Sends a request with the token's secret and shows if the gateway takes it. It is sent again whenever `effect` changes, such as
 * after the token was revoked, if the secret is known.
 */
export function TokenTrial({ known, effect }: { known: string; effect: string }) {
  const [typed, setTyped] = useState('');
  const { mutate, data, error, isPending } = useMutation({ mutationFn: tryToken });
  const secret = typed || known;
  useEffect(() => {
    if (known && effect) mutate(known);
  }, [known, effect, mutate]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (secret) mutate(secret.trim());
  };
  return (
    <form onSubmit={submit} aria-label="Try the token">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {known
            ? 'This tab has the secret, so a test request can be sent.'
            : 'Paste the secret to send a test request. It stays on this page.'}
        </Text>
        <Group gap="xs" align="flex-end" wrap="wrap">
          {!known && (
            <SecretInput
              noun="secret"
              label="Secret"
              placeholder="sk-…"
              autoComplete="off"
              w={300}
              value={typed}
              onChange={event => setTyped(event.currentTarget.value)}
            />
          )}
          <Button type="submit" variant="default" loading={isPending} disabled={!secret}>
            Send a test request
          </Button>
        </Group>
        {error && <Failed error={error} />}
        {data && (
          <Alert
            role="status"
            color={data.accepted ? 'green' : 'red'}
            title={data.accepted ? 'Token accepted' : 'Token refused'}
          >
            A request at {formatTime(data.at)} returned status {data.status}. {data.reason && data.reason}
          </Alert>
        )}
      </Stack>
    </form>
  );
}

/** The answer of the gateway to a request with a token. */
interface Trial {
  accepted: boolean;
  status: number;
  /** The gateway's reason for a refusal. */
  reason: string | undefined;
  /** The time of the request, RFC 3339. */
  at: string;
}

const limitMs = 10_000;

/** Lists the models with a token, as a client does, to see if the gateway takes it. @throws Problem if the gateway does not respond */
async function tryToken(secret: string): Promise<Trial> {
  const at = new Date().toISOString();
  const response = await fetch('/v1/models', {
    headers: { authorization: `Bearer ${secret}` },
    cache: 'no-store',
    signal: AbortSignal.timeout(limitMs),
  }).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (response.ok) return { accepted: true, status: response.status, reason: undefined, at };
  const { message } = await problemOf(response);
  return { accepted: false, status: response.status, reason: message, at };
}
