import { Alert } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api.ts';
import { ChangeFailed } from '../layout/change-failed.tsx';
import { useDraft } from '../layout/draft-memory.ts';
import { Page } from '../layout/page.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useOutdate, useResource } from '../layout/use-resource.ts';
import { changeOf, draftOf, type TokenDraft } from './token-draft.ts';
import { TokenForm } from './token-form.tsx';

/** The page on which a token is changed. */
export function EditToken() {
  const { id = '' } = useParams();
  const { value, etag, error, reload } = useResource('showToken', { params: { id } });
  const [reloads, setReloads] = useState(0);
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the token" />;
  return (
    <Page title={`Change ${value.name}`} about="A change holds at every ingress at once.">
      <EditForm
        key={reloads}
        token={value}
        etag={etag}
        onReload={async () => {
          await reload();
          setReloads(reloads + 1);
        }}
      />
    </Page>
  );
}

function EditForm({
  token,
  etag,
  onReload,
}: {
  token: TokenInfo;
  etag: string | null;
  onReload(): Promise<void>;
}) {
  // What was read when the form was opened: later reads in the background must not change what is typed, nor its If-Match.
  const [opened] = useState({ before: draftOf(token), etag });
  const { draft, restored, keep, forget } = useDraft(
    // The settings are in the key, so that a draft is not brought back over a change of somebody else.
    `token ${token.id} ${JSON.stringify(opened.before)}`,
    opened.before,
  );
  const navigate = useNavigate();
  const outdate = useOutdate();
  const change = useMutation({
    mutationFn: ({ typed, over }: { typed: TokenDraft; over: boolean }) =>
      api.call('changeToken', {
        params: { id: token.id },
        body: changeOf(opened.before, typed),
        ifMatch: over ? undefined : (opened.etag ?? undefined),
      }),
    onSuccess: async () => {
      forget();
      await outdate('showToken', 'listTokens');
      navigate(`/tokens/${encodeURIComponent(token.id)}`);
    },
  });
  const typed = change.variables?.typed;
  return (
    <>
      {restored && <Alert color="blue" title="What you had typed is here again" maw={760} />}
      <TokenForm
        initial={draft}
        submitLabel="Save the changes"
        cancelTo={`/tokens/${encodeURIComponent(token.id)}`}
        running={change.isPending}
        error={change.error}
        failure={
          change.error && (
            <ChangeFailed
              error={change.error}
              onOverwrite={() => typed && change.mutate({ typed, over: true })}
              onReload={() => {
                forget();
                void onReload();
              }}
            />
          )
        }
        onChange={keep}
        onCancel={forget}
        onSubmit={draft => change.mutate({ typed: draft, over: false })}
      />
    </>
  );
}
