import { SegmentedControl, Stack } from '@mantine/core';
import { stringify } from 'yaml';
import { CodeBlock } from '../layout/code-block.tsx';
import { useFilters } from '../layout/use-filters.ts';

/** The settings of an entry as gateway.yaml or the body of a request has them. */
export function EntryText({ list, entry }: { list: 'providers' | 'models'; entry: object }) {
  const { values, set } = useFilters(['as']);
  const isJson = values.as === 'json';
  return (
    <Stack gap="xs" align="stretch">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="Format"
        value={isJson ? 'json' : 'yaml'}
        onChange={as => set({ as: as === 'json' ? as : '' })}
        data={[
          { value: 'yaml', label: 'YAML' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <CodeBlock
        label={isJson ? 'JSON' : 'gateway.yaml'}
        code={isJson ? JSON.stringify(entry, null, 2) : stringify({ [list]: [entry] }, { lineWidth: 110 })}
      />
    </Stack>
  );
}
