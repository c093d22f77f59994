import { Button, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { formatTime } from '../../layout/format.ts';
import { resumed } from '../conversation/reduce.ts';
import { listKept, readKept, type Title } from './database.ts';
import { parseKept, type Saved } from './saved.ts';

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
      message: 'This conversation is no longer kept, or is damaged.',
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
        <Menu.Label>Conversations kept in this browser</Menu.Label>
        {titles?.length === 0 && (
          <Text size="sm" c="dimmed" px="sm" pb="xs">
            None yet. The last 30 are kept as you chat.
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
