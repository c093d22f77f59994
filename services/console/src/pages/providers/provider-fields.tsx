import {
  Fieldset,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { apis } from '@model-gateway/admin-api';
import { NameField } from '../settings-form/name-field.tsx';
import { type Messages, messageAt, messageIn } from '../settings-form/setting-props.ts';
import { DiscoveryField } from './discovery-field.tsx';
import { HeadersField } from './headers-field.tsx';
import { KeysField } from './keys-field.tsx';
import { providerKinds } from './kinds.ts';
import type { ProviderDraft } from './provider-draft.ts';
import { WayField } from './way-field.tsx';

interface FieldsProps {
  draft: ProviderDraft;
  onChange(part: Partial<ProviderDraft>): void;
  errors: Messages;
}

/** The fields of a provider, with the gateway's messages at them. */
export function ProviderFields({ draft, onChange, errors, isNew }: FieldsProps & { isNew: boolean }) {
  const kind = providerKinds.find(each => each.kind === draft.kind);
  return (
    <Stack>
      {isNew && (
        <NameField
          description="The name that targets of models use."
          value={draft.name}
          onChange={name => onChange({ name })}
          error={messageAt(errors, 'name')}
        />
      )}
      <Select
        label="Kind"
        description={kind?.about ?? 'The vendor, or the server that speaks its format.'}
        data={providerKinds.map(each => each.kind)}
        value={draft.kind}
        onChange={chosen => chosen && onChange({ kind: chosen })}
        error={messageAt(errors, 'kind')}
        allowDeselect={false}
      />
      <TextInput
        label="Base URL"
        description={
          kind?.needsBaseUrl
            ? 'As the workers reach it, such as http://10.0.0.7:8000/v1.'
            : "If empty, the vendor's own."
        }
        required={kind?.needsBaseUrl ?? false}
        value={draft.baseUrl}
        onChange={event => onChange({ baseUrl: event.currentTarget.value })}
        error={messageAt(errors, 'baseUrl')}
        spellCheck={false}
        inputMode="url"
      />
      <KeysField draft={draft} onChange={onChange} errors={errors} />
      <HeadersField
        value={draft.headers}
        onChange={headers => onChange({ headers })}
        errors={errors}
        path="headers"
      />
      <WayField draft={draft} onChange={onChange} errors={errors} />
      <DiscoveryField draft={draft} onChange={onChange} errors={errors} />
      <MoreFields draft={draft} onChange={onChange} errors={errors} />
    </Stack>
  );
}

function MoreFields({ draft, onChange, errors }: FieldsProps) {
  const kind = providerKinds.find(each => each.kind === draft.kind);
  return (
    <Fieldset legend="More">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {(kind?.choosesFormats || draft.api.length > 0) && (
          <MultiSelect
            label="Formats for text"
            description="Those that it speaks, the preferred one first. If empty, the kind's."
            data={apis}
            value={draft.api}
            onChange={api => onChange({ api })}
            error={messageIn(errors, 'api')}
          />
        )}
        <NumberInput
          label="Inputs at once"
          description="The most of one embeddings or rerank request. If empty, the kind's number."
          value={draft.batch}
          onChange={batch => onChange({ batch: batch === '' ? '' : Number(batch) })}
          error={messageAt(errors, 'batch')}
          allowDecimal={false}
          hideControls
        />
        <TextInput
          label="Pool of workers"
          description="The workers that can reach it. If empty, the pool default."
          value={draft.pool}
          onChange={event => onChange({ pool: event.currentTarget.value })}
          error={messageAt(errors, 'pool')}
          spellCheck={false}
        />
        <Select
          label="Streams"
          description="The requests in another format than the client's that ask it for a stream."
          placeholder="all of them"
          data={[
            { value: 'as-asked', label: 'those whose clients ask for one' },
            { value: 'never', label: 'none: its streams lack usage or fail' },
          ]}
          value={draft.streams === 'always' ? null : draft.streams || null}
          onChange={streams => onChange({ streams: (streams ?? '') as ProviderDraft['streams'] })}
          error={messageAt(errors, 'streams')}
          clearable
        />
        <Select
          label="Continues an answer"
          description="True if its models continue a last message of the assistant."
          placeholder="as the kind does"
          data={['yes', 'no']}
          value={draft.prefill || null}
          onChange={prefill => onChange({ prefill: (prefill ?? '') as ProviderDraft['prefill'] })}
          error={messageAt(errors, 'prefill')}
          clearable
        />
      </SimpleGrid>
      <Textarea
        mt="sm"
        label="Options of the kind"
        description="The settings that only this kind has, one name=value a line, such as region=eu-west-1."
        value={draft.options}
        onChange={event => onChange({ options: event.currentTarget.value })}
        error={messageAt(errors, 'options') ?? optionsMessage(errors)}
        autosize
        minRows={1}
        spellCheck={false}
      />
    </Fieldset>
  );
}

/** Returns the messages about options, each after the name of its option. */
function optionsMessage(errors: Messages): string | undefined {
  const named = Object.entries(errors).flatMap(([path, message]) => {
    const [, word, quoted] = /^options(?:\.([^.[]+)|\["(.*)"\])$/.exec(path) ?? [];
    return word || quoted ? `${word ?? quoted}: ${message}` : [];
  });
  return named.join(' ') || undefined;
}
