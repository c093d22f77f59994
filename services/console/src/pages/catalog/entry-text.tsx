import { SegmentedControl, Stack } from '@mantine/core';
import { CodeBlock } from '../layout/code-block.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { yamlOf } from './yaml.ts';

/** The settings of an entry as gateway.yaml or the body of a request has them. */
export function EntryText({ list, entry }: { list: 'providers' | 'models'; entry: object }) {
  const { values, set } = useFilters(['as']);
  const isJson = values.as === 'json';
  return (
    <Stack gap="xs" align="stretch">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="The form of the text"
        value={isJson ? 'json' : 'yaml'}
        onChange={as => set({ as: as === 'json' ? as : '' })}
        data={[
          { value: 'yaml', label: 'YAML' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <CodeBlock
        label={isJson ? 'body of a PUT' : 'gateway.yaml'}
        code={isJson ? JSON.stringify(entry, null, 2) : yamlOf({ [list]: [entry] })}
      />
    </Stack>
  );
}
