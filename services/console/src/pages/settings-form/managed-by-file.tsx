import { Alert, Stack } from '@mantine/core';
import type { EntryChange, FileLocation } from '@model-gateway/admin-api';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** Names the line of gateway.yaml that states a record. */
export function placeText({ file, line }: FileLocation): string {
  return [file.replace(/.*\//, ''), ...(line === null ? [] : [`line ${line}`])].join(' ');
}

/** Takes the place of the form of a record that gateway.yaml states, and moves it to the database if that is wanted. */
export function ManagedByFile({
  kind,
  name,
  place,
}: {
  kind: EntryChange['kind'];
  name: string;
  place: FileLocation | null;
}) {
  const { session } = useSession();
  const { changed } = useChanged();
  if (!place) return null;
  const adopt = async () => {
    await api.call('adoptEntry', { body: { kind, name } });
    await changed();
  };
  return (
    <Alert color="yellow" title={`Managed by ${placeText(place)}`}>
      <Stack gap="xs" align="flex-start">
        It can only be changed there.
        {may(session, 'adoptEntry') && (
          <AskFirst
            label="Move to the database"
            question={`Move the ${kind} ${name} to the database?`}
            onConfirm={adopt}
          >
            It stays as it is, and can then be changed here. Remove it from {placeText(place)}: until then, no
            change of that file is applied.
          </AskFirst>
        )}
      </Stack>
    </Alert>
  );
}
