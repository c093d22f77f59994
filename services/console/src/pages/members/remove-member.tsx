import { Checkbox, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ProjectRole } from '@model-gateway/admin-api';
import { useState } from 'react';
import { api } from '../api.ts';
import { useChanged } from '../layout/reading.ts';
import { AskFirst } from '../layout/record-form.tsx';

/** The button that takes the role in a project from a user, and disables the user's tokens in it if that is wanted. */
export function RemoveMember({ project, user, role }: { project: string; user: string; role: ProjectRole }) {
  const [disable, setDisable] = useState(false);
  const { changed } = useChanged();
  const remove = async () => {
    await api.call('removeMember', {
      params: { name: project, user },
      query: { tokens: disable ? 'disable' : 'keep' },
    });
    notifications.show({ message: `${user} was removed from ${project}.` });
    await changed();
  };
  return (
    <AskFirst label="Remove" question={`Remove ${user} from ${project}?`} onConfirm={remove}>
      <Stack gap="sm">
        <Text size="sm">
          {user} is a {role} and will lose access to the project. Tokens of {user} keep working unless they
          are disabled.
        </Text>
        <Checkbox
          label={`Also disable the tokens that ${user} owns in this project`}
          checked={disable}
          onChange={event => setDisable(event.currentTarget.checked)}
        />
      </Stack>
    </AskFirst>
  );
}
