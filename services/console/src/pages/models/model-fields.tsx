import { Fieldset, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ModelSettings, strategies } from '@model-gateway/admin-api';
import { messageAt, part, type SettingProps } from '../layout/setting-props.ts';
import type { RecordForm } from '../layout/use-record-form.ts';
import {
  ListSetting,
  ModelNameInput,
  NameSetting,
  NumberSetting,
  SwitchSetting,
  TextSetting,
  useModelNames,
} from '../settings-form/inputs.tsx';
import { PriceFields } from '../settings-form/prices-field.tsx';
import { type Cause, causes, type Strategy } from './route.ts';
import { TargetsField } from './targets-field.tsx';

const strategyLabels: Record<Strategy, string> = {
  ordered: 'In order',
  weighted: 'Weighted',
  'least-busy': 'Least busy',
  fastest: 'Lowest latency',
  cheapest: 'Lowest price',
};

/** The fields of a model, with the gateway's messages at them. */
export function ModelFields({ form, isNew }: { form: RecordForm<ModelSettings>; isNew: boolean }) {
  const { setting } = form;
  return (
    <Stack>
      {isNew && (
        <NameSetting
          {...(setting('name') as SettingProps<string>)}
          description="The name that clients request. One * stands for any text: house/* is every name that begins with house/."
        />
      )}
      <TargetsField {...setting('targets')} />
      <Routing form={form} />
      <FallbacksField {...(setting('fallbacks') as SettingProps<Fallbacks | null | undefined>)} />
      <Fieldset legend="Default price">
        <Text size="sm" c="dimmed" mb="xs">
          In US dollars, for targets without a price of their own.
        </Text>
        <PriceFields {...setting('price')} />
      </Fieldset>
      <Bounds form={form} />
      <RealtimeField {...setting('realtime')} />
    </Stack>
  );
}

function Routing({ form: { setting } }: { form: RecordForm<ModelSettings> }) {
  const strategy = setting('strategy');
  return (
    <Fieldset legend="Routing">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Routing strategy"
          description="Automatic: weighted if a target has a weight, otherwise in order."
          placeholder="Automatic"
          data={strategies.map(value => ({ value, label: strategyLabels[value] }))}
          value={strategy.value ?? null}
          onChange={chosen => strategy.onChange((chosen ?? undefined) as Strategy | undefined)}
          error={messageAt(strategy.errors, strategy.path)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the routing strategy' }}
        />
        <NumberSetting
          {...setting('retries')}
          label="Retries"
          description="Rounds over all targets after every one has failed, at most 5."
          placeholder="0"
        />
        <TextSetting
          {...setting('hedgeAfter')}
          label="Hedge after"
          description="Time without an answer after which a second target is called, such as 2s. Never if empty."
        />
        <SwitchSetting
          {...setting('affinity')}
          usual
          label="Session affinity"
          description="Turns of a conversation go to the same target, so that its prompt cache is used."
          mt="md"
        />
      </SimpleGrid>
    </Fieldset>
  );
}

type Fallbacks = Partial<Record<Cause, string[] | undefined>>;

const causeLabels: Record<Cause, string> = {
  rateLimit: 'Rate limit or quota exceeded',
  outage: 'All targets failed',
  contextLength: 'Context window exceeded',
  contentPolicy: 'Refused by the content policy',
};

/** Fields for the models that take a request over, by cause. */
function FallbacksField(props: SettingProps<Fallbacks | null | undefined>) {
  const names = useModelNames();
  return (
    <Fieldset legend="Fallbacks">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Models to try, in this order, once all targets have failed.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {causes.map(cause => (
            <ListSetting
              key={cause}
              {...part(props, cause)}
              label={causeLabels[cause]}
              placeholder={props.value?.[cause]?.length ? '' : 'None'}
              data={names}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

/** The bounds of a model's requests: tokens, times, and the fields that its targets do not take. */
function Bounds({ form: { setting } }: { form: RecordForm<ModelSettings> }) {
  const limits = setting('limits');
  const timeouts = setting('timeouts');
  const tokens = { description: 'In tokens.', allowDecimal: false };
  return (
    <Fieldset legend="Limits and timeouts">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberSetting {...part(limits, 'context')} {...tokens} label="Context window" />
        <NumberSetting {...part(limits, 'maxOutput')} {...tokens} label="Max output tokens" />
        <TextSetting
          {...part(timeouts, 'firstToken')}
          label="First token timeout"
          description="Default: 60s, 5m for images."
        />
        <TextSetting
          {...part(timeouts, 'idle')}
          label="Idle timeout"
          description="The longest pause of a stream. Default: 60s, 5m for images."
        />
        <TextSetting {...part(timeouts, 'total')} label="Total timeout" description="Default: 30m." />
        <ListSetting
          {...setting('drop')}
          label="Dropped parameters"
          description="Request fields that the targets do not accept."
        />
      </SimpleGrid>
    </Fieldset>
  );
}

type Realtime = NonNullable<ModelSettings['realtime']>;
type GatewayRealtime = Exclude<Realtime, string>;

/** Fields for the realtime sessions of a model. */
function RealtimeField({ value, onChange, path, errors }: SettingProps<Realtime | null | undefined>) {
  const own = typeof value === 'object' ? value : null;
  const by = own ? 'gateway' : value === 'upstream' ? value : '';
  const change = (changed: GatewayRealtime) => onChange({ ...own, ...changed });
  return (
    <Fieldset legend="Realtime sessions">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Served by"
          data={[
            { value: '', label: 'The provider if it supports them, otherwise the gateway' },
            { value: 'upstream', label: 'The provider' },
            { value: 'gateway', label: 'The gateway, with other models' },
          ]}
          value={by}
          onChange={chosen =>
            onChange(chosen === 'gateway' ? {} : chosen === 'upstream' ? 'upstream' : undefined)
          }
          allowDeselect={false}
          error={messageAt(errors, path)}
        />
        {own && (
          <>
            <ModelNameInput
              label="Transcription model"
              value={own.transcription ?? ''}
              onChange={name => change({ transcription: name || undefined })}
              error={messageAt(errors, [...path, 'transcription'])}
            />
            <ModelNameInput
              label="Speech model"
              value={own.speech ?? ''}
              onChange={name => change({ speech: name || undefined })}
              error={messageAt(errors, [...path, 'speech'])}
            />
            <TextSetting
              value={own.voice}
              onChange={voice => change({ voice })}
              path={[...path, 'voice']}
              {...(errors && { errors })}
              label="Voice"
            />
          </>
        )}
      </SimpleGrid>
    </Fieldset>
  );
}
