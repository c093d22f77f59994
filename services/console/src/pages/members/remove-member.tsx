import { Checkbox, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ProjectRole } from '@model-gateway/admin-api';
import { useState } from 'react';
import { api } from '../api.ts';
import { AskFirst } from '../layout/ask-first.tsx';
import { useOutdate } from '../layout/use-resource.ts';

/** The button that takes the role in a project from a user, and disables the user's tokens in it if that is wanted. */
export function RemoveMember({ project, user, role }: { project: string; user: string; role: ProjectRole }) {
  const [disable, setDisable] = useState(false);
  const outdate = useOutdate();
  const remove = async () => {
    await api.call('removeMember', {
      params: { name: project, user },
      query: { tokens: disable ? 'disable' : 'keep' },
    });
    notifications.show({ message: `${user} has no role in ${project} any more.` });
    await outdate('listMembers', 'listUsers', 'showUser', 'listTokens');
  };
  return (
    <AskFirst label="Remove" question={`Remove ${user} from ${project}?`} onConfirm={remove}>
      <Stack gap="sm">
        <Text size="sm">
          {user} is a {role}, and will not see the project any more. Programs that use tokens of {user} go on
          unless these are disabled.
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
