import { Alert, Button, Checkbox, Code, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Copy } from './code-block.tsx';

/** A dialog with a secret that cannot be shown again. It closes only once the user says that it is saved. */
export function SecretOnce({
  title,
  label,
  secret,
  children,
  onClose,
}: {
  title: string;
  /** The name of the secret, such as `token`. */
  label: string;
  secret: string;
  /** The purpose of the secret. */
  children?: ReactNode;
  onClose(): void;
}) {
  const [kept, setKept] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Alert color="yellow" title={`Copy the ${label} now. It cannot be shown again.`}>
          {children}
        </Alert>
        <Group gap="xs">
          <Code fz="sm" p="xs" aria-label={`The ${label}`} style={{ wordBreak: 'break-all' }}>
            {secret}
          </Code>
          <Copy text={secret} label={`Copy the ${label}`} />
        </Group>
        <Checkbox
          label={`I have saved the ${label}`}
          checked={kept}
          onChange={event => setKept(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button disabled={!kept} onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
