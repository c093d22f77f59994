import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from './use-filters.ts';

interface RecordTab {
  /** Its name in the URL's query. */
  value: string;
  label: string;
  content: ReactNode;
}

/** Parts of a page in tabs. The chosen one is in the URL's query; the first is shown without it. Only its content is in the document. */
export function RecordTabs({ label, tabs }: { label: string; tabs: readonly RecordTab[] }) {
  const { values, set } = useFilters(['tab']);
  const [first] = tabs;
  const shown = tabs.find(({ value }) => value === values.tab) ?? first;
  if (!shown) return null;
  return (
    <Tabs
      value={shown.value}
      onChange={tab => set({ tab: tab === first?.value ? '' : (tab ?? '') })}
      keepMounted={false}
    >
      <Tabs.List aria-label={label}>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
