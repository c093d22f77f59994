import { Select, Text } from '@mantine/core';
import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { api } from '../api.ts';
import { DialogButton, FormDialog } from '../layout/record-form.tsx';
import { SecretOnce } from '../layout/secret-once.tsx';
import { useRecordForm } from '../layout/use-record-form.ts';
import { OpenInPlayground } from './issued-token.tsx';

const graces = [
  { value: '0', label: 'Revoke now' },
  { value: '3600', label: 'Keep for 1 hour' },
  { value: '86400', label: 'Keep for 1 day' },
  { value: '604800', label: 'Keep for 7 days' },
  { value: '2592000', label: 'Keep for 30 days' },
];

interface RotateProps {
  token: TokenInfo;
  onRotated(graceSeconds: number): void;
}

/** A button that gives a token a new secret, once the user has said for how long the old one works, too. */
export function RotateToken(props: RotateProps) {
  const [issued, setIssued] = useState<IssuedToken>();
  return (
    <>
      <DialogButton label="Rotate">
        {close => <RotateDialog {...props} onIssued={setIssued} onClose={close} />}
      </DialogButton>
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

function RotateDialog({
  token: { id, name },
  onRotated,
  onIssued,
  onClose,
}: RotateProps & { onIssued(token: IssuedToken): void; onClose(): void }) {
  const form = useRecordForm({
    initial: { graceSeconds: 0 },
    isIdempotent: true,
    submit: (body, { idempotencyKey }) => api.call('rotateToken', { params: { id }, body, idempotencyKey }),
    onSaved: issued => {
      onClose();
      onIssued(issued);
      onRotated(form.values.graceSeconds);
    },
  });
  return (
    <FormDialog form={form} title={`Rotate ${name}?`} save="Rotate" onClose={onClose}>
      <Text size="sm">The new secret works at once and is shown once. The permissions stay the same.</Text>
      <Select
        label="Old secret"
        data={graces}
        value={String(form.values.graceSeconds)}
        onChange={chosen => form.change({ graceSeconds: Number(chosen) })}
        allowDeselect={false}
      />
    </FormDialog>
  );
}
