import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useState } from 'react';
import type { ConsolePage } from './navigation.tsx';
import { useActions } from './use-actions.ts';
import { useFoundRecords } from './use-found-records.ts';

const typingMs = 200;

/** Returns the state of a palette that is open, and that Escape and a click outside close. */
function openedStore() {
  const [store, { open }] = createSpotlight();
  open();
  return store;
}

/** The command palette: pages, actions, and the records whose names have what is typed. */
export function Palette({
  pages: all,
  onClose,
  onShortcuts,
}: {
  pages: readonly ConsolePage[];
  onClose(): void;
  onShortcuts(): void;
}) {
  const [query, setQuery] = useState('');
  const [store] = useState(openedStore);
  const text = query.trim();
  const [searched] = useDebouncedValue(text, typingMs);
  const { pages, actions } = useActions(all, text, onShortcuts);
  const { groups: records, searching } = useFoundRecords(searched);
  const groups = [...pages, ...(text ? records : []), ...actions].filter(({ entries }) => entries.length > 0);
  const waiting = text !== '' && (searching || text !== searched);
  return (
    <Spotlight.Root
      store={store}
      onSpotlightClose={onClose}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Search pages, records and actions' } }}
      scrollable
      maxHeight={440}
      transitionProps={{ duration: 0 }}
      overlayProps={{ transitionProps: { duration: 0 } }}
    >
      <Spotlight.Search placeholder="Search pages, records and actions" aria-label="Search" data-autofocus />
      <Spotlight.ActionsList aria-label="Found">
        {groups.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map(entry => (
              <Spotlight.Action
                key={`${entry.label} ${entry.description ?? ''}`}
                label={entry.label}
                description={entry.description}
                onClick={() => {
                  onClose();
                  entry.run();
                }}
                closeSpotlightOnTrigger={false}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty role="status">{waiting ? 'Searching…' : 'No results'}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
