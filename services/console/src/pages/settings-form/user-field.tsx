import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { NameSelect } from './name-field.tsx';
import { type NameProps, NameSearch } from './name-search.tsx';

/** A field for the user who owns a token of a project. Who may name whom is in docs/roles.md. */
export function OwnerField({ project, ...props }: NameProps & { project: string }) {
  const { session } = useSession();
  if (session?.role === 'admin')
    return (
      <NameSearch
        list="listUsers"
        label="Owner"
        description="The user whose budget its use counts for. A new name makes a user."
        placeholder="Nobody"
        {...props}
      />
    );
  if (may(session, 'createToken', { project, own: false })) return <MemberOf {...props} project={project} />;
  return (
    <TextInput
      label="Owner"
      description="You own the tokens that you make."
      value={props.value || (session?.name ?? '')}
      error={props.error}
      disabled
    />
  );
}

function MemberOf({ project, ...props }: NameProps & { project: string }) {
  const { data } = useQuery({
    queryKey: [ofUser, 'member-names', project],
    queryFn: ({ signal }) =>
      api.call('listMembers', { params: { name: project }, query: { limit: '1000' }, signal }),
    staleTime: 30_000,
  });
  const users = data?.data.map(({ user }) => user) ?? [];
  return (
    <NameSelect
      label="Owner"
      description="A user of the project, whose budget its use counts for."
      placeholder="Nobody"
      names={users}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the owner', tabIndex: 0 }}
      {...props}
    />
  );
}
