import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { NameField } from '../settings-form/name-field.tsx';
import { PriceAmounts } from '../settings-form/prices-field.tsx';
import { type Messages, messageAt } from '../settings-form/setting-props.ts';
import { FallbacksField } from './fallbacks-field.tsx';
import { LimitFields } from './limit-fields.tsx';
import { type ModelDraft, strategies } from './model-draft.ts';
import { RealtimeField } from './realtime-field.tsx';
import { TargetsField } from './targets-field.tsx';

interface FieldsProps {
  draft: ModelDraft;
  onChange(part: Partial<ModelDraft>): void;
  errors: Messages;
}

const orders: Record<(typeof strategies)[number], string> = {
  ordered: 'In their order',
  weighted: 'By weight',
  'least-busy': 'The least busy one',
  fastest: 'The fastest one',
  cheapest: 'The cheapest one',
};

/** The fields of a model, with the gateway's messages at them. */
export function ModelFields({ isNew, ...props }: FieldsProps & { isNew: boolean }) {
  const { draft, onChange, errors } = props;
  return (
    <Stack>
      {isNew && (
        <NameField
          description="What clients ask for. One * stands for any text: house/* is every name that begins with house/."
          value={draft.name}
          onChange={name => onChange({ name })}
          error={messageAt(errors, 'name')}
        />
      )}
      <TargetsField
        value={draft.targets}
        onChange={targets => onChange({ targets })}
        path="targets"
        errors={errors}
      />
      <Routing {...props} />
      <FallbacksField
        value={draft.fallbacks}
        onChange={fallbacks => onChange({ fallbacks })}
        path="fallbacks"
        errors={errors}
      />
      <Fieldset legend="Price of targets without an own one">
        <PriceAmounts
          amounts={draft.price}
          onChange={price => onChange({ price })}
          messageOf={kind => messageAt(errors, 'price', kind)}
        />
      </Fieldset>
      <LimitFields {...props} />
      <RealtimeField {...props} />
    </Stack>
  );
}

function Routing({ draft, onChange, errors }: FieldsProps) {
  return (
    <Fieldset legend="Routing">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Which target is first"
          placeholder="By weight if one has a weight, else in their order"
          data={strategies.map(value => ({ value, label: orders[value] }))}
          value={draft.strategy || null}
          onChange={strategy => onChange({ strategy: strategy ?? '' })}
          error={messageAt(errors, 'strategy')}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear which target is first' }}
        />
        <NumberInput
          label="Sent again once all failed"
          description="Times, at most 5."
          placeholder="0"
          value={draft.retries}
          onChange={retries => onChange({ retries: retries === '' ? '' : Number(retries) })}
          error={messageAt(errors, 'retries')}
          hideControls
        />
        <TextInput
          label="Ask a second target after"
          description="Time without an answer, such as 2s. If empty, never."
          value={draft.hedgeAfter}
          onChange={event => onChange({ hedgeAfter: event.currentTarget.value })}
          error={messageAt(errors, 'hedgeAfter')}
        />
        <Switch
          label="Turns of a conversation go to the same target"
          description="Its cache of the prompt is used then."
          checked={draft.affinity}
          onChange={event => onChange({ affinity: event.currentTarget.checked })}
          mt="md"
        />
      </SimpleGrid>
    </Fieldset>
  );
}
