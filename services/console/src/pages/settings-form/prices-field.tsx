import { Button, Fieldset, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from './add-button.tsx';
import { repeatedNames } from './limits-draft.ts';
import { ModelNameInput } from './model-name-input.tsx';
import { type PriceDraft, type PriceKind, priceKinds } from './price-kinds.ts';
import { RemoveButton } from './remove-button.tsx';
import { messageAt, type SettingProps } from './setting-props.ts';
import classes from './settings-form.module.css';

/** The prices that most models have. The others are shown when one is stated, or asked for. */
const usual: readonly PriceKind[] = ['input', 'cachedInput', 'output'];

/** Fields for the prices that a project has in the place of the others. */
export function PricesField({ value, onChange, path, errors, disabled }: SettingProps<PriceDraft[]>) {
  const repeated = repeatedNames(value.map(({ model }) => model.trim()));
  const change = (place: number, part: Partial<PriceDraft>) =>
    onChange(value.map((old, index) => (index === place ? { ...old, ...part } : old)));
  return (
    <Fieldset legend="Own prices" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          In US dollars. They take the place of the prices of models and vendors for this project. Those of
          service tiers are set by the API.
        </Text>
        {value.map(({ key, model, amounts }, place) => (
          <div key={key} className={classes.entry}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <ModelNameInput
                label="Model"
                className={classes.grow}
                value={model}
                onChange={name => change(place, { model: name })}
                error={
                  repeated.has(model.trim())
                    ? 'Another line has the same name: only the last one would count.'
                    : messageAt(errors, path, model.trim())
                }
              />
              <RemoveButton
                label={`Remove the price of ${model || 'this model'}`}
                onClick={() => onChange(value.filter((_, index) => index !== place))}
              />
            </Group>
            <PriceAmounts
              amounts={amounts}
              onChange={changed => change(place, { amounts: changed })}
              messageOf={kind => messageAt(errors, path, model.trim(), kind)}
            />
          </div>
        ))}
        <AddButton onClick={() => onChange([...value, { key: randomKey(), model: '', amounts: {} }])}>
          Add the price of a model
        </AddButton>
      </Stack>
    </Fieldset>
  );
}

/** Fields for what a model costs, in US dollars by kind. */
export function PriceAmounts({
  amounts,
  onChange,
  messageOf,
}: {
  amounts: PriceDraft['amounts'];
  onChange(amounts: PriceDraft['amounts']): void;
  messageOf(kind: PriceKind): React.ReactNode;
}) {
  const [every, setEvery] = useState(false);
  const kinds = (Object.keys(priceKinds) as PriceKind[]).filter(
    kind => every || usual.includes(kind) || amounts[kind] !== undefined,
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        {kinds.map(kind => (
          <NumberInput
            key={kind}
            label={priceKinds[kind].label}
            description={priceKinds[kind].unit}
            placeholder="Not stated"
            prefix="$"
            value={amounts[kind] ?? ''}
            onChange={amount => onChange({ ...amounts, [kind]: amount === '' ? '' : Number(amount) })}
            error={messageOf(kind)}
            hideControls
          />
        ))}
      </SimpleGrid>
      {!every && (
        <Button variant="subtle" size="compact-xs" className={classes.start} onClick={() => setEvery(true)}>
          Other prices
        </Button>
      )}
    </>
  );
}
