import { Kbd, Modal, Table } from '@mantine/core';
import { commandKey } from './command-key.ts';

const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Mod', 'K'], 'Search pages, records and actions; again, close the search'],
  [['?'], 'Show this list'],
  [['Tab'], 'Go to the next field, button or link'],
  [['Esc'], 'Close a dialog or a menu'],
  [['↑', '↓'], 'Choose in a menu or a list'],
];

/** The dialog that lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose(): void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts">
        <Table.Tbody>
          {shortcuts.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Td w={120}>
                {keys.map(key => (
                  <Kbd key={key} mr={4}>
                    {key === 'Mod' ? commandKey() : key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
