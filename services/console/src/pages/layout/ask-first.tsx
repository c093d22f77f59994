import { Button, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DialogButtons } from './dialog-buttons.tsx';
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
  /** The consequences, in a sentence. */
  children: ReactNode;
  onConfirm(): Promise<unknown>;
}) {
  const [opened, setOpened] = useState(false);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => setOpened(false),
  });
  const open = () => {
    reset();
    setOpened(true);
  };
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="light" color="red" size="compact-sm" onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={question}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {error && <Failed error={error} />}
          <DialogButtons
            label={label}
            loading={isPending}
            color="red"
            onCancel={close}
            onConfirm={() => mutate()}
          />
        </Stack>
      </Modal>
    </>
  );
}
