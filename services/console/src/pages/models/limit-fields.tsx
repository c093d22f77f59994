import { Fieldset, NumberInput, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { type Messages, messageAt } from '../settings-form/setting-props.ts';
import type { ModelDraft } from './model-draft.ts';

/** Fields for the bounds of a model's requests: tokens, times, and the fields that its targets do not take. */
export function LimitFields({
  draft: { limits, timeouts, drop },
  onChange,
  errors,
}: {
  draft: ModelDraft;
  onChange(part: Partial<ModelDraft>): void;
  errors: Messages;
}) {
  const count = (field: keyof ModelDraft['limits'], label: string) => (
    <NumberInput
      label={label}
      description="In tokens."
      value={limits[field]}
      onChange={typed => onChange({ limits: { ...limits, [field]: typed === '' ? '' : Number(typed) } })}
      error={messageAt(errors, 'limits', field)}
      allowDecimal={false}
      thousandSeparator=","
      hideControls
    />
  );
  const time = (field: keyof ModelDraft['timeouts'], label: string, usual: string) => (
    <TextInput
      label={label}
      description={`If empty, ${usual}.`}
      value={timeouts[field]}
      onChange={event => onChange({ timeouts: { ...timeouts, [field]: event.currentTarget.value.trim() } })}
      error={messageAt(errors, 'timeouts', field)}
    />
  );
  return (
    <Fieldset legend="Limits and timeouts">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {count('context', 'Longest prompt with its answer')}
        {count('maxOutput', 'Longest answer')}
        {time('firstToken', 'First token within', '60s, and 5m for images')}
        {time('idle', 'Longest pause of a stream', '60s, and 5m for images')}
        {time('total', 'Whole answer within', '30m')}
        <TagsInput
          label="Fields that its targets do not take"
          description="They are left out of requests. Enter ends a name."
          value={drop}
          onChange={names => onChange({ drop: names })}
          error={messageAt(errors, 'drop')}
        />
      </SimpleGrid>
    </Fieldset>
  );
}
