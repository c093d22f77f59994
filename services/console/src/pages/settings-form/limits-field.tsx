import { Fieldset, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from './add-button.tsx';
import {
  type LimitsDraft,
  noRates,
  type Rate,
  type RatesDraft,
  rates,
  repeatedNames,
} from './limits-draft.ts';
import { ModelNameInput } from './model-name-input.tsx';
import { RemoveButton } from './remove-button.tsx';
import { type Messages, messageAt, type SettingProps } from './setting-props.ts';
import classes from './settings-form.module.css';

const labels: Record<Rate, string> = {
  requestsPerMinute: 'Requests a minute',
  tokensPerMinute: 'Tokens a minute',
  concurrency: 'Requests at once',
};

/** Fields for the limits of a token or a project, and for those of models within them. */
export function LimitsField({ value, onChange, path, errors, disabled }: SettingProps<LimitsDraft>) {
  const repeated = repeatedNames(value.models.map(({ name }) => name.trim()));
  const change = (place: number, model: Partial<LimitsDraft['models'][number]>) => {
    const models = value.models.map((old, index) => (index === place ? { ...old, ...model } : old));
    onChange({ ...value, models });
  };
  const add = () =>
    onChange({ ...value, models: [...value.models, { key: randomKey(), name: '', rates: noRates }] });
  return (
    <Fieldset legend="Limits" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          They hold over all processes together. An empty field sets no limit.
        </Text>
        <Rates
          value={value}
          onChange={typed => onChange({ ...value, ...typed })}
          path={[path]}
          errors={errors}
        />
        {value.models.map(({ key, name, rates: typed }, place) => (
          <div key={key} className={classes.entry}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <ModelNameInput
                label="Model"
                className={classes.grow}
                value={name}
                onChange={changed => change(place, { name: changed })}
                error={
                  repeated.has(name.trim())
                    ? 'Another line has the same name: only the last one would count.'
                    : messageAt(errors, path, 'models', name.trim())
                }
              />
              <RemoveButton
                label={`Remove the limits of ${name || 'this model'}`}
                onClick={() => onChange({ ...value, models: value.models.filter((_, at) => at !== place) })}
              />
            </Group>
            <Rates
              value={typed}
              onChange={changed => change(place, { rates: changed })}
              path={[path, 'models', name.trim()]}
              errors={errors}
            />
          </div>
        ))}
        <AddButton onClick={add}>Add limits of a model</AddButton>
      </Stack>
    </Fieldset>
  );
}

function Rates({
  value,
  onChange,
  path: [first = '', ...below],
  errors,
}: {
  value: RatesDraft;
  onChange(value: RatesDraft): void;
  path: string[];
  errors: Messages | undefined;
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
      {rates.map(rate => (
        <NumberInput
          key={rate}
          label={labels[rate]}
          placeholder="No limit"
          value={value[rate]}
          onChange={typed =>
            onChange({
              ...only(value),
              [rate]: typeof typed === 'string' && typed !== '' ? Number(typed) : typed,
            })
          }
          error={messageAt(errors, first, ...below, rate)}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
        />
      ))}
    </SimpleGrid>
  );
}

function only({ requestsPerMinute, tokensPerMinute, concurrency }: RatesDraft): RatesDraft {
  return { requestsPerMinute, tokensPerMinute, concurrency };
}
