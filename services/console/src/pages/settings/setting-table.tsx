import { Checkbox, Code, Group, Stack, Table, Text } from '@mantine/core';
import type { SettingList } from '@model-gateway/admin-api';
import { FilterText } from '../layout/filter-text.tsx';
import { Mark } from '../layout/mark.tsx';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { useResource } from '../layout/use-resource.ts';
import { WideTable } from '../layout/wide-table.tsx';
import { CodeSpans } from './code-spans.tsx';

type Setting = SettingList['data'][number];

const sources: Record<Setting['source'], string> = {
  environment: 'the environment',
  file: 'a file',
  default: 'the default',
};

/** The settings of control that are in force, with their meaning and their source. Secrets are hidden. */
export function SettingTable() {
  const { value, error, reload } = useResource('showSettings');
  const { values, set } = useFilters(['find', 'changed']);
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the settings" />;
  const words = values.find.toLowerCase();
  const shown = value.data.filter(
    ({ name, description, source }) =>
      `${name} ${description}`.toLowerCase().includes(words) &&
      (values.changed === '' || source !== 'default'),
  );
  return (
    <Stack>
      <Group align="flex-end">
        <FilterText label="Name or meaning" value={values.find} w={260} onChange={find => set({ find })} />
        <Checkbox
          label="Only those that are set"
          checked={values.changed !== ''}
          onChange={event => set({ changed: event.currentTarget.checked ? 'yes' : '' })}
          mb={6}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {shown.length} of {value.data.length} settings of control. To change one, set its environment
        variable, or the file that the variable with _FILE names, and restart control.
      </Text>
      {shown.length === 0 ? <Empty title="No setting is like this" /> : <Rows settings={shown} />}
    </Stack>
  );
}

function Rows({ settings }: { settings: readonly Setting[] }) {
  return (
    <WideTable label="Settings in force" minWidth={620}>
      <Table aria-label="Settings in force">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th>Meaning</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {settings.map(({ name, value, source, description, ...setting }) => (
            <Table.Tr key={name}>
              <Table.Td style={{ verticalAlign: 'top', whiteSpace: 'nowrap' }}>
                <Code>{name}</Code>
              </Table.Td>
              <Table.Td style={{ verticalAlign: 'top', overflowWrap: 'anywhere', maxWidth: 320 }}>
                {value === null ? (
                  <Text size="sm">
                    <CodeSpans text={setting.default ?? 'not set'} />
                  </Text>
                ) : (
                  <Code>{value}</Code>
                )}{' '}
                {source !== 'default' && <Mark>{sources[source]}</Mark>}
                {source !== 'default' && (setting.default ?? '') !== '' && setting.default !== value && (
                  <Text size="xs" c="dimmed">
                    default: <CodeSpans text={setting.default ?? ''} />
                  </Text>
                )}
              </Table.Td>
              <Table.Td style={{ verticalAlign: 'top', minWidth: 260 }}>
                <CodeSpans text={description} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
