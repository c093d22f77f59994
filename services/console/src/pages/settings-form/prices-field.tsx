import { Button, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { messageAt, part, type SettingProps } from '../layout/setting-props.ts';
import { ModelNameInput, NumberSetting } from './inputs.tsx';
import { allPriceKinds, type Price, type PriceKind, priceKinds } from './price-kinds.ts';
import { AddButton, RemoveButton, repeatedName, useEntries } from './rows.tsx';
import classes from './settings-form.module.css';

/** Fields for the prices that a project has in the place of the others; null for none. */
export function PricesField({
  value,
  onChange,
  path,
  errors,
  disabled,
}: SettingProps<Record<string, Price> | null | undefined>) {
  const { rows, add } = useEntries(value, prices => onChange(Object.keys(prices).length > 0 ? prices : null));
  return (
    <Fieldset legend="Custom prices" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          In US dollars. They replace the prices of models and vendors for this project. Prices of service
          tiers are set by the API.
        </Text>
        {rows.map(({ key, name, value: price, isRepeated, change, remove }) => (
          <div key={key} className={classes.entry}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <ModelNameInput
                label="Model"
                className={classes.grow}
                value={name}
                onChange={changed => change({ name: changed })}
                error={isRepeated ? repeatedName : messageAt(errors, [...path, name.trim()])}
              />
              <RemoveButton label={`Remove the price of ${name || 'this model'}`} onClick={remove} />
            </Group>
            <PriceFields
              value={price}
              onChange={changed => change({ value: changed ?? {} })}
              path={[...path, name.trim()]}
              {...(errors && { errors })}
            />
          </div>
        ))}
        <AddButton onClick={() => add({})}>Add a model price</AddButton>
      </Stack>
    </Fieldset>
  );
}

/** The prices that most models have. The others are shown when one is set, or asked for. */
const usual: readonly PriceKind[] = ['input', 'cachedInput', 'output'];

/** Fields for what a model costs, in US dollars by kind. */
export function PriceFields(props: SettingProps<Price | null | undefined>) {
  const [shown, setShown] = useState(() =>
    allPriceKinds.filter(kind => usual.includes(kind) || props.value?.[kind] !== undefined),
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        {shown.map(kind => (
          <NumberSetting
            key={kind}
            {...part(props, kind)}
            label={priceKinds[kind].label}
            description={priceKinds[kind].unit}
            placeholder="Not set"
            prefix="$"
          />
        ))}
      </SimpleGrid>
      {shown.length < allPriceKinds.length && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.start}
          onClick={() => setShown(allPriceKinds)}
        >
          More prices
        </Button>
      )}
    </>
  );
}
