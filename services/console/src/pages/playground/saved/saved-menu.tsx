import { Button, FileButton, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRef, useState } from 'react';
import { formatTime } from '../../layout/format.ts';
import { resumed } from '../conversation/reduce.ts';
import { listKept, readKept, type Title } from './database.ts';
import { mostBytes, parseFile, parseKept, type Saved } from './saved.ts';

/** A menu of the conversations that this browser keeps. */
export function KeptMenu({ onOpen }: { onOpen(saved: Saved, id: string): void }) {
  const [titles, setTitles] = useState<Title[]>();
  const load = () => {
    listKept().then(setTitles, () => setTitles([]));
  };
  const open = async ({ id, title }: Title) => {
    const saved = parseKept(await readKept(id));
    if (saved) return onOpen({ ...saved, conversation: resumed(saved.conversation) }, id);
    notifications.show({
      color: 'red',
      title,
      message: 'This conversation is no longer saved, or is damaged.',
    });
  };
  return (
    <Menu position="bottom-end" onOpen={load} width={280}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm">
          Saved
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        <Menu.Label>Saved in this browser</Menu.Label>
        {titles?.length === 0 && (
          <Text size="sm" c="dimmed" px="sm" pb="xs">
            No conversations yet. The last 30 are saved as you chat.
          </Text>
        )}
        {titles?.map(kept => (
          <Menu.Item key={kept.id} onClick={() => void open(kept)}>
            <Text size="sm" truncate>
              {kept.title}
            </Text>
            <Text size="xs" c="dimmed">
              {formatTime(new Date(kept.at).toISOString())}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

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
