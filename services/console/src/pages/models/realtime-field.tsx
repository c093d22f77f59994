import { Fieldset, Select, SimpleGrid, TextInput } from '@mantine/core';
import { ModelNameInput } from '../settings-form/model-name-input.tsx';
import { type Messages, messageAt } from '../settings-form/setting-props.ts';
import type { ModelDraft } from './model-draft.ts';

/** Fields for the realtime sessions of a model. */
export function RealtimeField({
  draft: { realtime },
  onChange,
  errors,
}: {
  draft: ModelDraft;
  onChange(part: Partial<ModelDraft>): void;
  errors: Messages;
}) {
  const change = (part: Partial<ModelDraft['realtime']>) => onChange({ realtime: { ...realtime, ...part } });
  return (
    <Fieldset legend="Realtime sessions">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Made by"
          data={[
            { value: '', label: 'The provider if it has them, else the gateway' },
            { value: 'upstream', label: 'The provider' },
            { value: 'gateway', label: 'The gateway, with other models' },
          ]}
          value={realtime.by}
          onChange={by => change({ by: (by ?? '') as ModelDraft['realtime']['by'] })}
          allowDeselect={false}
          error={messageAt(errors, 'realtime')}
        />
        {realtime.by === 'gateway' && (
          <>
            <ModelNameInput
              label="Model that hears"
              value={realtime.transcription}
              onChange={transcription => change({ transcription })}
              error={messageAt(errors, 'realtime', 'transcription')}
            />
            <ModelNameInput
              label="Model that speaks"
              value={realtime.speech}
              onChange={speech => change({ speech })}
              error={messageAt(errors, 'realtime', 'speech')}
            />
            <TextInput
              label="Voice"
              value={realtime.voice}
              onChange={event => change({ voice: event.currentTarget.value })}
              error={messageAt(errors, 'realtime', 'voice')}
            />
          </>
        )}
      </SimpleGrid>
    </Fieldset>
  );
}
