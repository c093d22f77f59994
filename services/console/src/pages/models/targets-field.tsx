import { Autocomplete, Button, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ModelSettings } from '@model-gateway/admin-api';
import { useState } from 'react';
import { useResource } from '../layout/reading.ts';
import { messageAt, part, type SettingProps } from '../layout/setting-props.ts';
import { NumberSetting, TextSetting } from '../settings-form/inputs.tsx';
import { PriceFields } from '../settings-form/prices-field.tsx';
import { AddButton, RemoveButton, useList } from '../settings-form/rows.tsx';
import classes from '../settings-form/settings-form.module.css';

type Target = ModelSettings['targets'][number];

/** Fields for the targets of a model, in the order in which they are tried. */
export function TargetsField({ value, onChange, path, errors }: SettingProps<Target[]>) {
  const { value: providers } = useResource('listProviders', { query: { limit: '1000' } });
  const { rows, add } = useList(value, onChange);
  return (
    <Fieldset legend="Targets">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          If a target fails before the client has received anything, the next one is tried. With weights, the
          first one is drawn at random.
        </Text>
        {rows.map(({ key, item, change, remove, moveUp }, place) => (
          <div key={key} className={classes.entry}>
            <Group justify="space-between">
              <Text size="sm" fw={600}>
                Target {place + 1}
              </Text>
              <Group gap="xs">
                {place > 0 && (
                  <Button variant="default" size="compact-xs" onClick={moveUp}>
                    Move target {place + 1} up
                  </Button>
                )}
                {rows.length > 1 && <RemoveButton label={`Remove target ${place + 1}`} onClick={remove} />}
              </Group>
            </Group>
            <TargetFields
              value={item}
              onChange={change}
              path={[...path, place]}
              {...(errors && { errors })}
              providers={providers?.data.map(({ name }) => name) ?? []}
              place={place}
            />
          </div>
        ))}
        <AddButton problem={messageAt(errors, path)} onClick={() => add({ provider: '', model: '' })}>
          Add a target
        </AddButton>
      </Stack>
    </Fieldset>
  );
}

function TargetFields({
  providers,
  place,
  ...target
}: SettingProps<Target> & { providers: string[]; place: number }) {
  const { value, onChange, path, errors } = target;
  const whole = { ...target, onChange: (changed: Target | null | undefined) => changed && onChange(changed) };
  const [priced, setPriced] = useState(value.price !== undefined);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        <Autocomplete
          label="Provider"
          required
          data={providers}
          value={value.provider}
          onChange={provider => onChange({ ...value, provider })}
          error={messageAt(errors, [...path, 'provider'])}
          spellCheck={false}
          autoCapitalize="off"
        />
        <TextSetting {...part(whole, 'model')} label="Upstream model" required />
        <NumberSetting {...part(whole, 'weight')} label="Weight" placeholder="None" />
      </SimpleGrid>
      {priced ? (
        <PriceFields {...part(whole, 'price')} />
      ) : (
        <Button variant="subtle" size="compact-xs" className={classes.start} onClick={() => setPriced(true)}>
          Set a price for target {place + 1}
        </Button>
      )}
    </>
  );
}
