import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { NameSelect } from './name-field.tsx';
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
    <NameSelect
      label="Project"
      required
      names={projects}
      allowDeselect={false}
      {...{ value, onChange, error }}
    />
  );
}
