import {
  Autocomplete,
  Button,
  Fieldset,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { ProviderInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useRecords } from '../layout/use-records.ts';
import { AddButton } from '../settings-form/add-button.tsx';
import { PriceAmounts } from '../settings-form/prices-field.tsx';
import { RemoveButton } from '../settings-form/remove-button.tsx';
import { type Messages, messageAt, type SettingProps } from '../settings-form/setting-props.ts';
import classes from '../settings-form/settings-form.module.css';
import { noTarget, type TargetDraft } from './model-draft.ts';

/** Fields for the targets of a model, in the order in which they are tried. */
export function TargetsField({ value, onChange, path, errors }: SettingProps<TargetDraft[]>) {
  const { records } = useRecords<ProviderInfo>('listProviders', { query: { limit: '1000' } });
  const change = (place: number, part: Partial<TargetDraft>) =>
    onChange(value.map((target, at) => (at === place ? { ...target, ...part } : target)));
  const moveUp = (place: number) =>
    onChange(value.with(place - 1, value[place] as TargetDraft).with(place, value[place - 1] as TargetDraft));
  return (
    <Fieldset legend="Targets">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          If one fails before the client has got anything, the next one is tried. With weights, the first is
          drawn by them.
        </Text>
        {value.map((target, place) => (
          <div key={target.key} className={classes.entry}>
            <Group justify="space-between">
              <Text size="sm" fw={600}>
                Target {place + 1}
              </Text>
              <Group gap="xs">
                {place > 0 && (
                  <Button variant="default" size="compact-xs" onClick={() => moveUp(place)}>
                    Move target {place + 1} up
                  </Button>
                )}
                {value.length > 1 && (
                  <RemoveButton
                    label={`Remove target ${place + 1}`}
                    onClick={() => onChange(value.filter((_, at) => at !== place))}
                  />
                )}
              </Group>
            </Group>
            <TargetFields
              target={target}
              onChange={part => change(place, part)}
              providers={records.map(({ name }) => name)}
              messageOf={field => messageAt(errors, path, place, field)}
            />
            <OwnPrice
              target={target}
              onChange={price => change(place, { price })}
              errors={errors}
              path={path}
              place={place}
            />
          </div>
        ))}
        <AddButton problem={messageAt(errors, path)} onClick={() => onChange([...value, noTarget()])}>
          Add a target
        </AddButton>
      </Stack>
    </Fieldset>
  );
}

function TargetFields({
  target: { provider, model, weight },
  onChange,
  providers,
  messageOf,
}: {
  target: TargetDraft;
  onChange(part: Partial<TargetDraft>): void;
  providers: string[];
  messageOf(field: string): React.ReactNode;
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
      <Autocomplete
        label="Provider"
        required
        data={providers}
        value={provider}
        onChange={name => onChange({ provider: name })}
        error={messageOf('provider')}
        spellCheck={false}
        autoCapitalize="off"
      />
      <TextInput
        label="Model there"
        required
        value={model}
        onChange={event => onChange({ model: event.currentTarget.value })}
        error={messageOf('model')}
        spellCheck={false}
        autoCapitalize="off"
      />
      <NumberInput
        label="Weight"
        placeholder="none"
        value={weight}
        onChange={typed => onChange({ weight: typed === '' ? '' : Number(typed) })}
        error={messageOf('weight')}
        hideControls
      />
    </SimpleGrid>
  );
}

function OwnPrice({
  target: { price },
  onChange,
  errors,
  path,
  place,
}: {
  target: TargetDraft;
  onChange(price: TargetDraft['price']): void;
  errors: Messages | undefined;
  path: string;
  place: number;
}) {
  const [open, setOpen] = useState(Object.keys(price).length > 0);
  if (!open) {
    return (
      <Button variant="subtle" size="compact-xs" className={classes.start} onClick={() => setOpen(true)}>
        State a price of target {place + 1}
      </Button>
    );
  }
  return (
    <PriceAmounts
      amounts={price}
      onChange={onChange}
      messageOf={kind => messageAt(errors, path, place, 'price', kind)}
    />
  );
}
