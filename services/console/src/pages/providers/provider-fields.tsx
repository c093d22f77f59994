import { Checkbox, Fieldset, MultiSelect, Select, SimpleGrid, Stack } from '@mantine/core';
import { apis, type ProviderSettings } from '@model-gateway/admin-api';
import { messageAt, messageIn, part, type SettingProps } from '../layout/setting-props.ts';
import type { RecordForm } from '../layout/use-record-form.ts';
import { ListSetting, NameSetting, NumberSetting, TextSetting } from '../settings-form/inputs.tsx';
import { TextsField } from '../settings-form/texts-field.tsx';
import { HeadersField, ProxyField, TlsField } from './connection-fields.tsx';
import { KeysField } from './keys-field.tsx';
import { providerKinds } from './kinds.ts';

type Form = RecordForm<ProviderSettings>;

/** The fields of a provider, with the gateway's messages at them. */
export function ProviderFields({ form, isNew }: { form: Form; isNew: boolean }) {
  const { values, change, setting, errors } = form;
  const kind = providerKinds.find(each => each.kind === values.kind);
  return (
    <Stack>
      {isNew && (
        <NameSetting
          {...(setting('name') as SettingProps<string>)}
          description="The name that the targets of models use."
        />
      )}
      <Select
        label="Kind"
        description={kind?.about ?? 'The vendor, or the server that speaks its format.'}
        data={providerKinds.map(each => each.kind)}
        value={values.kind}
        onChange={chosen => chosen && change({ kind: chosen })}
        error={messageAt(errors, ['kind'])}
        allowDeselect={false}
      />
      <TextSetting
        {...setting('baseUrl')}
        label="Base URL"
        description={
          kind?.needsBaseUrl
            ? 'As the workers reach it, such as http://10.0.0.7:8000/v1.'
            : "Default: the vendor's."
        }
        withAsterisk={kind?.needsBaseUrl ?? false}
        inputMode="url"
      />
      <KeysField only={setting('apiKey')} several={setting('apiKeys')} onChange={change} />
      <HeadersField {...setting('headers')} />
      <ProxyField {...setting('proxy')} />
      <TlsField {...setting('tls')} />
      <DiscoveryField {...setting('models')} />
      <AdvancedFields form={form} choosesFormats={kind?.choosesFormats ?? false} />
      <OptionsField {...setting('options')} />
    </Stack>
  );
}

type Discovery = Exclude<NonNullable<ProviderSettings['models']>, string>;

/** The discovery of a provider's models. */
function DiscoveryField(props: SettingProps<ProviderSettings['models']>) {
  const { value, onChange, path, errors } = props;
  const discovery = { ...props, value } as unknown as SettingProps<Discovery | null | undefined>;
  return (
    <Fieldset legend="Models">
      <Checkbox
        label="Discover models"
        description="Adds the models that the provider lists to the catalog."
        checked={Boolean(value)}
        onChange={event => onChange(event.currentTarget.checked ? { discover: true } : undefined)}
        error={messageAt(errors, path)}
      />
      {value && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm">
          <TextSetting
            {...part(discovery, 'prefix')}
            label="Prefix"
            description="Text before each name, such as house/."
          />
          <TextSetting
            {...part(discovery, 'every')}
            label="Refresh interval"
            description="Time between two refreshes, such as 10m."
          />
          <ListSetting
            {...part(discovery, 'include')}
            label="Include"
            description="Name patterns, such as gpt-*. All if empty."
          />
          <ListSetting
            {...part(discovery, 'exclude')}
            label="Exclude"
            description="Patterns of names that are left out."
          />
        </SimpleGrid>
      )}
    </Fieldset>
  );
}

function AdvancedFields({
  form: { values, change, setting, errors },
  choosesFormats,
}: {
  form: Form;
  choosesFormats: boolean;
}) {
  const { api, streams, prefill } = values;
  const formats = api ? [api].flat() : [];
  return (
    <Fieldset legend="Advanced">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {(choosesFormats || formats.length > 0) && (
          <MultiSelect
            label="API formats"
            description="For text, the preferred one first. Default: the kind's."
            data={apis}
            value={formats}
            onChange={chosen => change({ api: chosen.length > 0 ? chosen : undefined })}
            error={messageIn(errors, ['api'])}
          />
        )}
        <NumberSetting
          {...setting('batch')}
          label="Max batch size"
          description="Inputs of one embeddings or rerank request. Default: the kind's."
          allowDecimal={false}
        />
        <TextSetting
          {...setting('pool')}
          label="Worker pool"
          description="The workers that can reach it. Default: default."
        />
        <Select
          label="Streaming"
          description="Which translated requests ask the provider for a stream."
          placeholder="All requests"
          data={[
            { value: 'as-asked', label: 'Only if the client streams' },
            { value: 'never', label: 'Never' },
          ]}
          value={streams === 'always' ? null : (streams ?? null)}
          onChange={chosen => change({ streams: (chosen ?? undefined) as typeof streams })}
          error={messageAt(errors, ['streams'])}
          clearable
        />
        <Select
          label="Assistant prefill"
          description="Whether its models continue a last message of the assistant."
          placeholder="As the kind does"
          data={['yes', 'no']}
          value={prefill === undefined || prefill === null ? null : prefill ? 'yes' : 'no'}
          onChange={chosen => change({ prefill: chosen === null ? undefined : chosen === 'yes' })}
          error={messageAt(errors, ['prefill'])}
          clearable
        />
      </SimpleGrid>
    </Fieldset>
  );
}

/** The settings that only the provider's kind has. */
function OptionsField({ value, onChange, ...field }: SettingProps<ProviderSettings['options']>) {
  return (
    <TextsField
      {...field}
      value={value ?? {}}
      onChange={options => onChange(Object.keys(options).length > 0 ? options : undefined)}
      legend="Provider options"
      noun="option"
      about="Settings that only this kind of provider has."
      example={['region', 'eu-west-1']}
    />
  );
}
