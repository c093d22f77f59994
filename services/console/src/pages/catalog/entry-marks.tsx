import { Alert, Badge, List, Text, Tooltip } from '@mantine/core';
import type { ModelInfo, ProviderInfo } from '@model-gateway/admin-api';

type Entry = Pick<ModelInfo | ProviderInfo, 'managedBy' | 'place' | 'overridden' | 'problems'>;

/** The name of an entry in a list, in one line. A name may have 200 characters. */
export function EntryName({ name }: { name: string }) {
  return (
    <Text span size="sm" truncate display="block" maw={{ base: 140, sm: 280 }} title={name}>
      {name}
    </Text>
  );
}

const origins: Record<Entry['managedBy'], { label: string; meaning(place: string | null): string }> = {
  file: { label: 'gateway.yaml', meaning: place => `gateway.yaml states it, at ${place}. Change it there.` },
  api: {
    label: 'API',
    meaning: () => 'It was made by the console, the command or the API, and can be changed here.',
  },
  discovery: {
    label: 'discovered',
    meaning: () =>
      'Its provider lists it. An entry with its name, made here or in gateway.yaml, takes its place.',
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

/** Notices about an entry for admins: its problems, and another one of the same name that waits behind it. */
export function EntryNotes({ entry }: { entry: Entry }) {
  const { overridden, problems } = entry;
  return (
    <>
      {problems.length > 0 && (
        <Alert color="red" title="This entry does not fit the others" role="alert">
          <List size="sm">
            {problems.map(problem => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {overridden && (
        <Alert color="yellow" title="The API has an entry with this name, too">
          The one of gateway.yaml is in force. Once gateway.yaml no longer states the name, the one of the API
          holds again. To delete that one, use Delete.
        </Alert>
      )}
    </>
  );
}

/** Takes the place of the form of an entry that gateway.yaml states. */
export function StatedByFile({ place }: Pick<Entry, 'place'>) {
  return <Alert color="yellow">{origins.file.meaning(place)}</Alert>;
}
