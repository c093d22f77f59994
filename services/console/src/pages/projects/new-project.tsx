import { Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api.ts';
import { nameProblem } from '../layout/change-failed.tsx';
import { DialogButtons } from '../layout/dialog-buttons.tsx';
import { Failed } from '../layout/states.tsx';
import { useOutdate } from '../layout/use-resource.ts';
import { NameField } from '../settings-form/name-field.tsx';

/** The dialog that creates a project. Its settings are set on its page. */
export function NewProject({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const outdate = useOutdate();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => api.call('setProject', { params: { name: name.trim() }, body: {}, createOnly: true }),
    onSuccess: async project => {
      await outdate('listProjects');
      navigate(`/projects/${encodeURIComponent(project.name)}?tab=settings`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const problem = nameProblem(create.error, 'project');
  return (
    <Modal opened onClose={onClose} title="Create a project">
      <form onSubmit={submit}>
        <Stack>
          {create.error && !problem && <Failed error={create.error} />}
          <NameField
            description="Clients and reports use this name. It cannot be changed later."
            data-autofocus
            value={name}
            error={problem}
            onChange={setName}
          />
          <DialogButtons label="Create the project" loading={create.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
