import { TextInput } from '@mantine/core';
import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, jsonRequest, type OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { readJson } from '../operation/read-answer.ts';
import { RunView } from '../operation/run-view.tsx';
import { NumberSetting } from '../operation/setting-fields.tsx';
import { TextList } from '../operation/text-list.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
import { type RerankAnswer, rerankAnswer } from './answer.ts';
import { Ranking } from './ranking.tsx';

interface Draft {
  query: string;
  documents: string[];
  topN: number | null;
}

/** An answer, and the request that it was made from. */
interface Ranked {
  documents: string[];
  answer: RerankAnswer;
}

/** The tab for rerank: a query, documents, and the documents in the order of their relevance. */
export function Rerank({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<Draft>('rerank', { query: '', documents: ['', '', ''], topN: null });
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Ranked>();
  const documents = draft.documents.filter(text => text.trim() !== '');
  const missing =
    (draft.query.trim() === '' && 'Write a query.') ||
    (documents.length === 0 && 'Write at least one document.');
  const hint = hintFor(blocked, model, missing);
  const send = () => {
    const { query, topN } = draft;
    const request = jsonRequest('/v1/rerank', {
      ...{ model: model.name, query, documents, top_n: topN ?? undefined },
    });
    start(secret, model.name, request, async reading => ({
      documents,
      answer: await readJson(reading, rerankAnswer),
    }));
  };
  const { usage, meta } = run?.result?.answer ?? {};
  const input = usage?.total_tokens || undefined;
  const searches = meta?.billed_units?.search_units ?? undefined;
  const code = run && codeRequest('rerank', run.request, run.model);
  return (
    <OperationPage
      title="Rerank"
      about="Rank documents by how well they answer a query."
      {...{ models, blocked, model }}
      settings={
        <NumberSetting
          label="Best results"
          description="Sent as top_n."
          placeholder="All"
          min={1}
          allowDecimal={false}
          value={draft.topN}
          onChange={topN => change({ topN })}
        />
      }
    >
      <OperationForm label="Rank" running={running} hint={hint} onSend={send} onStop={stop}>
        <TextInput
          label="Query"
          value={draft.query}
          onChange={event => change({ query: event.currentTarget.value })}
        />
        <TextList
          legend="Documents"
          noun="Document"
          texts={draft.documents}
          onChange={documents => change({ documents })}
        />
      </OperationForm>
      {run && (
        <RunView
          run={run}
          label="Ranking"
          figures={[
            input !== undefined && `${input.toLocaleString()} tokens in`,
            searches !== undefined && `${searches} search ${searches === 1 ? 'unit' : 'units'}`,
          ]}
          cost={costOf({ input, searches }, model.price)}
          code={code && { request: code, secret }}
        >
          {run.result && <Ranking {...run.result} />}
        </RunView>
      )}
    </OperationPage>
  );
}
