import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Failed } from './states.tsx';

/** A button that asks before it does what cannot be undone. `onConfirm` rejects if it fails; the dialog then says why and stays open. */
export function AskFirst({
  label,
  question,
  children,
  onConfirm,
}: {
  label: string;
  question: string;
  /** What will happen. */
  children: ReactNode;
  onConfirm(): Promise<unknown>;
}) {
  const [opened, setOpened] = useState(false);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setOpened(false);
    setError(undefined);
  };
  const confirm = async () => {
    setRunning(true);
    try {
      await onConfirm();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setRunning(false);
    }
  };
  return (
    <>
      <Button variant="light" color="red" size="compact-sm" onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={question} transitionProps={{ duration: 0 }}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {error !== undefined && <Failed error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" onClick={confirm} loading={running}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
