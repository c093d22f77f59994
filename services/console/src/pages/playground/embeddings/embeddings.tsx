import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, jsonRequest, type OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { RunView } from '../operation/run-view.tsx';
import { ChoiceSetting, NumberSetting } from '../operation/setting-fields.tsx';
import { TextList } from '../operation/text-list.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
import { type EmbeddingsAnswer, embeddingsAnswer } from './answer.ts';
import { Similarities } from './similarities.tsx';
import { Vectors } from './vectors.tsx';

interface Draft {
  inputs: string[];
  dimensions: number | null;
  purpose: string | null;
}

const purposes = [
  { value: 'query', label: 'Search query' },
  { value: 'document', label: 'Document to find' },
  { value: 'classification', label: 'Classification' },
  { value: 'clustering', label: 'Clustering' },
];

/** An answer, and the request that it was made from. */
interface Embedded {
  texts: string[];
  answer: EmbeddingsAnswer;
}

/** The tab for embeddings: several inputs, their vectors, and how similar they are. */
export function Embeddings({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<Draft>('embeddings', {
    inputs: ['', ''],
    dimensions: null,
    purpose: null,
  });
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Embedded>();
  const texts = draft.inputs.filter(text => text.trim() !== '');
  const hint = hintFor(blocked, model, texts.length === 0 && 'Write at least one input.');
  const send = () => {
    const request = jsonRequest('/v1/embeddings', {
      model: model.name,
      input: texts,
      dimensions: draft.dimensions ?? undefined,
      input_type: draft.purpose ?? undefined,
      encoding_format: 'float',
    });
    start(secret, model.name, request, async reading => ({
      texts,
      answer: await readJson(reading, embeddingsAnswer),
    }));
  };
  const used = run?.result?.answer.usage?.prompt_tokens;
  const code = run && codeRequest('embeddings', run.request, run.model);
  return (
    <OperationPage
      title="Embeddings"
      about="Turn texts into vectors, and see how similar they are."
      {...{ models, blocked, model }}
      settings={<Settings draft={draft} change={change} />}
    >
      <OperationForm label="Embed" running={running} hint={hint} onSend={send} onStop={stop}>
        <TextList legend="Inputs" noun="Input" texts={draft.inputs} onChange={inputs => change({ inputs })} />
      </OperationForm>
      {run && (
        <RunView
          run={run}
          label="Vectors"
          figures={[used !== undefined && `${used.toLocaleString()} tokens in`]}
          cost={costOf({ input: used }, model.price)}
          code={code && { request: code, secret }}
        >
          {run.result && <Vectors {...run.result} />}
          {run.result && run.result.texts.length > 1 && <Similarities {...run.result} />}
        </RunView>
      )}
    </OperationPage>
  );
}

function Settings({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  return (
    <>
      <NumberSetting
        label="Dimensions"
        min={1}
        allowDecimal={false}
        value={draft.dimensions}
        onChange={dimensions => change({ dimensions })}
      />
      <ChoiceSetting
        label="Purpose"
        description="Sent as input_type. Not every model takes it."
        placeholder="Not sent"
        data={purposes}
        value={draft.purpose}
        onChange={purpose => change({ purpose })}
      />
    </>
  );
}
