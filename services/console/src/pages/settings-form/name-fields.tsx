import { Autocomplete, type AutocompleteProps, Select, type SelectProps, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useResource } from '../layout/reading.ts';
import { messageAt, type SettingProps } from '../layout/setting-props.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

const typingMs = 200;

type NameSearchProps = Omit<AutocompleteProps, 'data' | 'value'> & {
  list: 'listProjects' | 'listUsers';
  value: string;
};

/** A field for a name, which suggests the names of a list that match what is typed. */
export function NameSearch({ list, value, ...props }: NameSearchProps) {
  const [name] = useDebouncedValue(value.trim(), typingMs);
  const { value: found } = useResource(list, { query: { limit: '20', name } });
  return (
    <Autocomplete
      spellCheck={false}
      autoCapitalize="off"
      {...props}
      data={found?.data.map(({ name }) => name) ?? []}
      value={value}
    />
  );
}

/** A field for one of some names. A value that is none of them stays, and is offered, too. */
function NameSelect({
  names,
  value,
  onChange,
  ...props
}: Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  names: string[];
  value: string;
  onChange(value: string): void;
}) {
  return (
    <Select
      data={value && !names.includes(value) ? [value, ...names] : names}
      value={value || null}
      onChange={chosen => onChange(chosen ?? '')}
      {...props}
    />
  );
}

/** A field for the project of a token: any one for admins, and for others those in which they may make tokens. */
export function ProjectField({ value, onChange, path, errors }: SettingProps<string>) {
  const { session } = useSession();
  const field = { label: 'Project', value, onChange, error: messageAt(errors, path) };
  if (session?.role === 'admin')
    return (
      <NameSearch
        {...field}
        list="listProjects"
        description="A new name creates a project."
        placeholder="default"
      />
    );
  const projects = (session?.projects ?? [])
    .map(({ project }) => project)
    .filter(project => may(session, 'createToken', { project }));
  return <NameSelect {...field} required names={projects} allowDeselect={false} />;
}

/** A field for the user who owns a token of a project; null for none. Who may name whom is in docs/roles.md. */
export function OwnerField({
  project,
  value: owner,
  onChange,
  path,
  errors,
}: SettingProps<string | null> & { project: string }) {
  const { session } = useSession();
  const field = {
    label: 'Owner',
    placeholder: 'No owner',
    value: owner ?? '',
    onChange: (name: string) => onChange(name || null),
    error: messageAt(errors, path),
  };
  const isAdmin = session?.role === 'admin';
  const mayChoose = may(session, 'createToken', { project, own: false });
  const { value: members } = useResource('listMembers', {
    params: { name: project },
    query: { limit: '1000' },
    staleTime: 30_000,
    enabled: !isAdmin && mayChoose,
  });
  if (isAdmin)
    return (
      <NameSearch
        {...field}
        list="listUsers"
        description="The user whose budget it counts towards. A new name creates a user."
      />
    );
  if (mayChoose)
    return (
      <NameSelect
        {...field}
        description="A member of the project, whose budget it counts towards."
        names={members?.data.map(({ user }) => user) ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the owner', tabIndex: 0 }}
      />
    );
  return (
    <TextInput
      label="Owner"
      description="You own the tokens that you create."
      value={owner || (session?.name ?? '')}
      error={field.error}
      disabled
    />
  );
}
