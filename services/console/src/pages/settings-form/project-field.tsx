import { Select } from '@mantine/core';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { type NameProps, NameSearch } from './name-search.tsx';

/** A field for the project of a token: any one for admins, and for others those in which they may make tokens. */
export function ProjectField({ value, onChange, error }: NameProps) {
  const { session } = useSession();
  if (session?.role === 'admin')
    return (
      <NameSearch
        list="listProjects"
        label="Project"
        description="A new name makes a project."
        placeholder="default"
        {...{ value, onChange, error }}
      />
    );
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
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
