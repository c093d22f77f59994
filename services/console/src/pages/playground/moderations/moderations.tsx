import { useState } from 'react';
import type { MediaPart } from '../conversation/part.ts';
import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, jsonRequest, type OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { RunView } from '../operation/run-view.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
import { type ModerationsAnswer, moderationsAnswer } from './answer.ts';
import { type Input, inputField, inputsOf } from './input.ts';
import { InputFields } from './input-fields.tsx';
import { Categories, Verdicts } from './verdicts.tsx';

/** An answer, and the request that it was made from. */
interface Moderated {
  inputs: Input[];
  answer: ModerationsAnswer;
}

/** The tab for moderations: several texts, or texts and images that are one input, and the categories for which each is flagged. */
export function Moderations({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<{ inputs: string[] }>('moderations', { inputs: [''] });
  const [images, setImages] = useState<MediaPart[]>([]);
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Moderated>();
  const texts = draft.inputs.filter(text => text.trim() !== '');
  const hint = hintFor(
    blocked,
    model,
    texts.length + images.length === 0 && 'Write or attach at least one input.',
  );
  const send = () => {
    const request = jsonRequest('/v1/moderations', { model: model.name, input: inputField(texts, images) });
    start(secret, model.name, request, async reading => ({
      inputs: inputsOf(texts, images),
      answer: await readJson(reading, moderationsAnswer),
    }));
  };
  const { usage } = run?.result?.answer ?? {};
  const used = usage?.prompt_tokens ?? usage?.total_tokens ?? undefined;
  const code = run && codeRequest('moderations', run.request, run.model);
  return (
    <OperationPage
      title="Moderations"
      about="See whether texts and images break a policy, by category."
      {...{ models, blocked, model }}
      settings={null}
    >
      <OperationForm label="Moderate" running={running} hint={hint} onSend={send} onStop={stop}>
        <InputFields
          texts={draft.inputs}
          images={images}
          onTexts={inputs => change({ inputs })}
          onImages={setImages}
        />
      </OperationForm>
      {run && (
        <RunView
          run={run}
          label="Moderation"
          figures={[used !== undefined && `${used.toLocaleString()} tokens in`]}
          cost={costOf({ input: used }, model.price)}
          code={code && { request: code, secret }}
        >
          {run.result && <Verdicts {...run.result} />}
          {run.result && <Categories {...run.result} />}
        </RunView>
      )}
    </OperationPage>
  );
}
