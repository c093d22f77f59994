import { Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { NewToken } from '@model-gateway/admin-api';
import { messageAt, part, type SettingProps } from '../layout/setting-props.ts';
import { ModelNameInput, NumberSetting } from './inputs.tsx';
import { AddButton, RemoveButton, repeatedName, useEntries } from './rows.tsx';
import classes from './settings-form.module.css';

export type Limits = NonNullable<NewToken['limits']>;
type Rates = Omit<Limits, 'models'>;

/** The names of limits on the screen. */
export const rateLabels: Record<keyof Rates, string> = {
  requestsPerMinute: 'Requests per minute',
  tokensPerMinute: 'Tokens per minute',
  concurrency: 'Concurrent requests',
};
export const rates = Object.keys(rateLabels) as (keyof Rates)[];

/** Fields for the limits of a token or a project, and for those of models within them; null for none. */
export function LimitsField(props: SettingProps<Limits | null | undefined>) {
  const { value, path, errors, disabled } = props;
  const onChange = (limits: Limits | null | undefined) => props.onChange(limits ?? null);
  const models = part({ ...props, onChange }, 'models');
  const { rows, add } = useEntries(models.value, entries =>
    models.onChange(Object.keys(entries).length > 0 ? entries : undefined),
  );
  return (
    <Fieldset legend="Limits" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Limits apply across all processes. Leave a field empty for no limit.
        </Text>
        <RateFields value={value} onChange={onChange} path={path} {...(errors && { errors })} />
        {rows.map(({ key, name, value: own, isRepeated, change, remove }) => (
          <div key={key} className={classes.entry}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <ModelNameInput
                label="Model"
                className={classes.grow}
                value={name}
                onChange={changed => change({ name: changed })}
                error={isRepeated ? repeatedName : messageAt(errors, [...path, 'models', name.trim()])}
              />
              <RemoveButton label={`Remove the limits of ${name || 'this model'}`} onClick={remove} />
            </Group>
            <RateFields
              value={own}
              onChange={changed => change({ value: changed ?? {} })}
              path={[...path, 'models', name.trim()]}
              {...(errors && { errors })}
            />
          </div>
        ))}
        <AddButton onClick={() => add({})}>Add a model limit</AddButton>
      </Stack>
    </Fieldset>
  );
}

function RateFields(props: SettingProps<Limits | null | undefined>) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
      {rates.map(rate => (
        <NumberSetting
          key={rate}
          {...part(props, rate)}
          label={rateLabels[rate]}
          placeholder="No limit"
          allowDecimal={false}
          allowNegative={false}
        />
      ))}
    </SimpleGrid>
  );
}
