import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { Failed } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { toProblem } from '../problem.ts';
import { OpenInPlayground } from './issued-token.tsx';

const graces = [
  { value: '0', label: 'Refuse it at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For 7 days' },
  { value: '2592000', label: 'For 30 days' },
];
const resends = 2;

/** A button that gives a token a new secret, once the user has said for how long the old one works, too. */
export function RotateToken({
  token,
  onRotated,
}: {
  token: TokenInfo;
  onRotated(graceSeconds: number): void;
}) {
  const [opened, setOpened] = useState(false);
  const [grace, setGrace] = useState('0');
  const [issued, setIssued] = useState<IssuedToken>();
  const idempotency = useIdempotencyKey();
  const rotate = useMutation({
    mutationFn: (graceSeconds: number) => {
      const body = { graceSeconds };
      return api.call('rotateToken', {
        ...{ params: { id: token.id }, body },
        idempotencyKey: idempotency.keyFor(body),
      });
    },
    retry: (times, error) => times < resends && toProblem(error).facts.code === 'unreachable',
    onSuccess: (answer, graceSeconds) => {
      idempotency.forget();
      setOpened(false);
      setIssued(answer);
      onRotated(graceSeconds);
    },
  });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpened(true)}>
        Rotate
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Give ${token.name} a new secret?`}>
        <Stack>
          <Text size="sm">
            The new secret works at once and is shown once. What the token may use stays as it is.
          </Text>
          <Select
            label="The old secret"
            data={graces}
            value={grace}
            onChange={chosen => setGrace(chosen ?? '0')}
            allowDeselect={false}
          />
          {rotate.error && <Failed error={rotate.error} />}
          <DialogButtons
            label="Make a new secret"
            loading={rotate.isPending}
            onCancel={() => setOpened(false)}
            onConfirm={() => rotate.mutate(Number(grace))}
          />
        </Stack>
      </Modal>
      {issued?.token && (
        <SecretOnce
          title={`The new secret of ${issued.name}`}
          label="secret"
          secret={issued.token}
          onClose={() => setIssued(undefined)}
        >
          <OpenInPlayground secret={issued.token} />
        </SecretOnce>
      )}
    </>
  );
}
