import { Autocomplete, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callApi } from '../api.ts';
import { may } from '../session/may.ts';
import { ofUser, useSession } from '../session/use-session.ts';

const still = { transitionProps: { duration: 0 } };
const typingMs = 200;

interface NameProps {
  value: string;
  onChange(value: string): void;
  error?: ReactNode;
}

/** A field for the project of a token: any one for admins, and for others those in which they may make tokens. */
export function ProjectField({ value, onChange, error }: NameProps) {
  const { session } = useSession();
  if (session?.role === 'admin') return <AnyProject {...{ value, onChange, error }} />;
  const projects = (session?.projects ?? [])
    .map(({ project }) => project)
    .filter(project => may(session, 'createToken', { project }));
  return (
    <Select
      label="Project"
      required
      data={value && !projects.includes(value) ? [value, ...projects] : projects}
      value={value || null}
      onChange={chosen => onChange(chosen ?? '')}
      error={error}
      allowDeselect={false}
      comboboxProps={still}
    />
  );
}

function AnyProject({ value, onChange, error }: NameProps) {
  const [typed] = useDebouncedValue(value, typingMs);
  const { data } = useQuery({
    queryKey: [ofUser, 'project-names', typed],
    queryFn: ({ signal }) =>
      callApi('listProjects', { query: { limit: '20', ...(typed && { name: typed }) }, signal }),
    staleTime: 30_000,
  });
  return (
    <Autocomplete
      label="Project"
      description="A new name makes a project."
      placeholder="default"
      data={data?.data.map(({ name }) => name) ?? []}
      comboboxProps={still}
      {...{ value, onChange, error }}
    />
  );
}
