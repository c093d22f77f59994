import { Alert, Badge, List, Text, Tooltip } from '@mantine/core';
import type { ModelInfo, ProviderInfo } from '@model-gateway/admin-api';
import { placeText } from '../settings-form/managed-by-file.tsx';

type Entry = Pick<ModelInfo | ProviderInfo, 'managedBy' | 'place' | 'problems'>;

/** The name of an entry in a list, in one line. A name may have 200 characters. */
export function EntryName({ name }: { name: string }) {
  return (
    <Text span size="sm" truncate display="block" maw={{ base: 140, sm: 280 }} title={name}>
      {name}
    </Text>
  );
}

const origins: Record<Entry['managedBy'], { label: string; meaning(place: Entry['place']): string }> = {
  file: {
    label: 'gateway.yaml',
    meaning: place => `Managed by ${place ? placeText(place) : 'gateway.yaml'}. Change it there.`,
  },
  api: {
    label: 'API',
    meaning: () => 'Created by the console, the command or the API, and can be changed here.',
  },
  discovery: {
    label: 'discovered',
    meaning: () =>
      'Listed by its provider. An entry with its name, created here or in gateway.yaml, takes its place.',
  },
};

/** Says whose an entry is: that of gateway.yaml, that of the API, or one that its provider lists. */
export function ManagedBy({ managedBy, place }: Pick<Entry, 'managedBy' | 'place'>) {
  const { label, meaning } = origins[managedBy];
  return (
    <Tooltip label={meaning(place)} multiline maw={320}>
      <Badge variant="default" size="sm" tt="none" miw="max-content" fw={500}>
        {label}
      </Badge>
    </Tooltip>
  );
}

/** The problems of an entry, for admins. */
export function EntryNotes({ entry: { problems } }: { entry: Entry }) {
  if (problems.length === 0) return null;
  return (
    <Alert color="red" title="This entry has problems" role="alert">
      <List size="sm">
        {problems.map(problem => (
          <List.Item key={problem}>{problem}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
