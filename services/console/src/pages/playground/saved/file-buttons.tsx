import { Button, FileButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { resumed } from '../conversation/reduce.ts';
import { mostBytes, parseFile, type Saved } from './saved.ts';

/** Buttons to write the conversation to a file, and to open one in its place. */
export function FileButtons({ saved, onOpen }: { saved: Saved; onOpen(saved: Saved): void }) {
  const reset = useRef<() => void>(null);
  const open = async (file: File | null) => {
    reset.current?.();
    if (!file) return;
    try {
      if (file.size > mostBytes) throw new Error('The file is larger than 64 MB.');
      const opened = parseFile(await file.text());
      onOpen({ ...opened, conversation: resumed(opened.conversation) });
    } catch (thrown) {
      notifications.show({
        color: 'red',
        title: `${file.name} cannot be opened`,
        message: (thrown as Error).message,
        autoClose: false,
      });
    }
  };
  return (
    <>
      <Button variant="subtle" size="compact-sm" onClick={() => download(saved)}>
        Save to a file
      </Button>
      <FileButton
        resetRef={reset}
        accept="application/json,.json"
        onChange={open}
        inputProps={{ 'aria-label': 'Conversation to open' }}
      >
        {button => (
          <Button {...button} variant="subtle" size="compact-sm">
            Open a file
          </Button>
        )}
      </FileButton>
    </>
  );
}

function download(saved: Saved): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(saved)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `conversation-${new Date().toISOString().slice(0, 10)}.json`;
  link.click();
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
