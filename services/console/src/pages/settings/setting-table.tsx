import { Box, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import type { SettingList } from '@model-gateway/admin-api';
import { FilterText } from '../layout/filter-text.tsx';
import { Mark } from '../layout/mark.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';

type Setting = SettingList['data'][number];

const sources: Record<Setting['source'], string> = {
  environment: 'environment',
  file: 'file',
  default: 'default',
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
        <FilterText
          label="Name or description"
          value={values.find}
          w={260}
          onChange={find => set({ find })}
        />
        <Checkbox
          label="Only changed settings"
          checked={values.changed !== ''}
          onChange={event => set({ changed: event.currentTarget.checked ? 'yes' : '' })}
          mb={6}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {shown.length} of {value.data.length} settings of control. To change one, set its environment
        variable, or the file that the variable with _FILE names, and restart control.
      </Text>
      {shown.length === 0 ? <Empty title="No matching settings" /> : <Rows settings={shown} />}
    </Stack>
  );
}

function Rows({ settings }: { settings: readonly Setting[] }) {
  return (
    <PlainTable
      label="Settings in force"
      minWidth={620}
      rows={settings}
      keyOf={({ name }) => name}
      columns={[
        { label: 'Setting', render: ({ name }) => <Code style={{ whiteSpace: 'nowrap' }}>{name}</Code> },
        { label: 'Value', render: setting => <Value setting={setting} /> },
        {
          label: 'Description',
          render: ({ description }) => (
            <Box miw={260}>
              <CodeSpans text={description} />
            </Box>
          ),
        },
      ]}
    />
  );
}

function Value({ setting: { value, source, default: usual } }: { setting: Setting }) {
  const isSet = source !== 'default';
  return (
    <Box maw={320} style={{ overflowWrap: 'anywhere' }}>
      {value === null ? (
        <Text size="sm">
          <CodeSpans text={usual ?? 'Not set'} />
        </Text>
      ) : (
        <Code>{value}</Code>
      )}{' '}
      {isSet && <Mark>{sources[source]}</Mark>}
      {isSet && usual && usual !== value && (
        <Text size="xs" c="dimmed">
          Default: <CodeSpans text={usual} />
        </Text>
      )}
    </Box>
  );
}

/** A text in which what is between backticks is code. */
function CodeSpans({ text }: { text: string }) {
  return text.split('`').map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
  );
}
