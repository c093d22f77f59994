import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessages } from '../problem.ts';
import { useWarnBeforeLeaving } from './draft-memory.ts';

interface Read<Value> {
  value: Value;
  etag: string | null;
}

/** A form for a resource that exists. What was typed stays until it is saved, or given up for somebody else's change. */
export interface Edit<Draft> {
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** True if the draft differs from what is saved. */
  changed: boolean;
  /** The gateway's messages by the paths of the fields. */
  errors: Record<string, string>;
  /** The reason why the last attempt to save failed; null if it did not. */
  error: unknown;
  saving: boolean;
  save(): void;
  /** Saves over the change of somebody else. */
  overwrite(): void;
  /** Gives up what was typed, and loads the resource as it is now. */
  reload(): Promise<void>;
  reset(): void;
}

/**
 * Returns the state of a form for a resource. `saved` says that it was saved. A change is sent with the ETag that the form was filled by,
 * so it never undoes what somebody else has changed meanwhile.
 */
export function useEdit<Value, Draft extends object>({
  resource,
  draftOf,
  read,
  write,
  saved,
  readAgain,
}: {
  resource: Read<Value>;
  draftOf(value: Value): Draft;
  read(): Promise<Read<Value>>;
  write(draft: Draft, resource: Value, ifMatch: string | undefined): Promise<Read<Value>>;
  saved: string;
  /** Reads again what the page shows of the resource. */
  readAgain(): unknown;
}): Edit<Draft> {
  const [base, setBase] = useState(resource);
  const [draft, setDraft] = useState(() => draftOf(resource.value));
  const [seen, setSeen] = useState(resource.etag);
  const fill = (filled: Read<Value>) => {
    setBase(filled);
    setDraft(draftOf(filled.value));
  };
  const textOf = (value: Draft) => JSON.stringify(value);
  const changed = textOf(draft) !== textOf(draftOf(base.value));
  // What is read again takes the place of the base, unless it would undo the change of somebody else that this form also has.
  if (resource.etag !== seen) {
    setSeen(resource.etag);
    if (!changed) fill(resource);
    else if (textOf(draftOf(resource.value)) === textOf(draftOf(base.value))) setBase(resource);
  }
  const saving = useMutation({
    mutationFn: (ifMatch: string | undefined) => write(draft, base.value, ifMatch),
    onSuccess: async written => {
      fill(written);
      notifications.show({ message: saved });
      await readAgain();
    },
  });
  useWarnBeforeLeaving(changed);
  return {
    draft,
    change: part => setDraft(before => ({ ...before, ...part })),
    changed,
    errors: fieldMessages(saving.error),
    error: saving.error,
    saving: saving.isPending,
    save: () => saving.mutate(base.etag ?? undefined),
    overwrite: () => saving.mutate(undefined),
    reload: async () => {
      fill(await read());
      saving.reset();
      await readAgain();
    },
    reset: () => {
      setDraft(draftOf(base.value));
      saving.reset();
    },
  };
}
