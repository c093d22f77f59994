import { Autocomplete, Switch } from '@mantine/core';
import { Disclosure } from '../operation/disclosure.tsx';
import { ChoiceSetting, NumberSetting } from '../operation/setting-fields.tsx';
import { type ImagesDraft, isSize } from './draft.ts';

interface Props {
  draft: ImagesDraft;
  change(part: Partial<ImagesDraft>): void;
}

const sizes = ['auto', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792', '512x512', '256x256'];

/** The settings of images. What is not set is not sent. */
export function Settings({ draft, change }: Props) {
  return (
    <>
      <Autocomplete
        label="Size"
        description="Width x height. Each model has its own."
        placeholder="Model default"
        data={sizes}
        filter={({ options }) => options}
        value={draft.size}
        error={isSize(draft.size) ? undefined : 'Write a size such as 1024x1024, or auto.'}
        onChange={size => change({ size })}
      />
      <Count label="Number of images" {...{ draft, change }} name="n" min={1} max={10} />
      <Choice
        label="Quality"
        {...{ draft, change }}
        name="quality"
        data={['auto', 'low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd']}
      />
      <Choice
        label="Background"
        {...{ draft, change }}
        name="background"
        data={['auto', 'transparent', 'opaque']}
      />
      <Choice
        label="Output format"
        {...{ draft, change }}
        name="outputFormat"
        data={['png', 'jpeg', 'webp', 'gif', 'svg']}
      />
      <Switch
        label="Stream"
        description="Show each image as soon as it is there."
        checked={draft.stream}
        onChange={event => change({ stream: event.currentTarget.checked })}
      />
      {draft.stream && (
        <Count label="Partial images" {...{ draft, change }} name="partialImages" min={0} max={3} />
      )}
      <Disclosure label="More settings" open={rareNames.some(name => draft[name] !== null)}>
        <RareSettings draft={draft} change={change} />
      </Disclosure>
    </>
  );
}

const rareNames = ['compression', 'responseFormat', 'style', 'moderation', 'inputFidelity'] as const;

function RareSettings({ draft, change }: Props) {
  return (
    <>
      <Count
        label="Compression"
        description="In percent, for JPEG and WebP."
        {...{ draft, change }}
        name="compression"
        min={0}
        max={100}
      />
      <Choice
        label="Response format"
        description="Only for models that may answer with addresses."
        {...{ draft, change }}
        name="responseFormat"
        data={['b64_json', 'url']}
      />
      {draft.mode === 'generate' ? (
        <>
          <Choice label="Style" {...{ draft, change }} name="style" data={['vivid', 'natural']} />
          <Choice label="Moderation" {...{ draft, change }} name="moderation" data={['auto', 'low']} />
        </>
      ) : (
        <Choice label="Input fidelity" {...{ draft, change }} name="inputFidelity" data={['low', 'high']} />
      )}
    </>
  );
}

/** The fields of a draft that hold values of a type. */
type NamesOf<Value> = {
  [Name in keyof ImagesDraft]: null extends ImagesDraft[Name]
    ? ImagesDraft[Name] extends Value | null
      ? Name
      : never
    : never;
}[keyof ImagesDraft];

function Choice({
  name,
  draft,
  change,
  ...field
}: Props & { name: NamesOf<string>; label: string; description?: string; data: string[] }) {
  return <ChoiceSetting {...field} value={draft[name]} onChange={value => change({ [name]: value })} />;
}

function Count({
  name,
  draft,
  change,
  ...field
}: Props & { name: NamesOf<number>; label: string; description?: string; min: number; max: number }) {
  return (
    <NumberSetting
      {...field}
      allowDecimal={false}
      value={draft[name]}
      onChange={value => change({ [name]: value })}
    />
  );
}
