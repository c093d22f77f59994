import { SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import type { OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
import type { Made } from './answer.ts';
import {
  addImages,
  emptyDraft,
  type ImagesDraft,
  maxImages,
  maxPrompt,
  missingIn,
  noFiles,
} from './draft.ts';
import { ImagesRun } from './images-run.tsx';
import { InputImages } from './input-images.tsx';
import { readImages } from './read-images.ts';
import { requestOf } from './request.ts';
import { Settings } from './settings.tsx';

/** The tab for images: made from a prompt, or from other images. */
export function Images({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<ImagesDraft>('images', emptyDraft);
  const [files, setFiles] = useState(noFiles);
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Made>();
  const hint = hintFor(blocked, model, missingIn(draft, files));
  const edit = (image: File) => {
    change({ mode: 'edit' });
    setFiles(before => ({ ...before, images: addImages(before.images.slice(0, maxImages - 1), [image]) }));
  };
  return (
    <OperationPage
      title="Images"
      about="Make images from a prompt, or change images."
      {...{ models, blocked, model }}
      settings={<Settings draft={draft} change={change} />}
    >
      <OperationForm
        label={draft.mode === 'edit' ? 'Edit' : 'Generate'}
        running={running}
        hint={hint}
        onSend={() => start(secret, model.name, requestOf(model.name, draft, files), readImages)}
        onStop={stop}
      >
        <SegmentedControl
          aria-label="What to do"
          style={{ alignSelf: 'flex-start' }}
          value={draft.mode}
          onChange={mode => change({ mode: mode as ImagesDraft['mode'] })}
          data={[
            { value: 'generate', label: 'Generate' },
            { value: 'edit', label: 'Edit' },
          ]}
        />
        {draft.mode === 'edit' && <InputImages files={files} onChange={setFiles} />}
        <Textarea
          label="Prompt"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={maxPrompt}
          value={draft.prompt}
          onChange={event => change({ prompt: event.currentTarget.value })}
        />
      </OperationForm>
      {run && <ImagesRun run={run} secret={secret} cost={costOfRun(run.result, model.price)} onEdit={edit} />}
    </OperationPage>
  );
}

function costOfRun(made: Made | undefined, price: Parameters<typeof costOf>[1]): number | null {
  return costOf({ ...made?.usage, images: made?.pictures.length }, price);
}
