import { Alert, Button } from '@mantine/core';
import type { IssuedToken } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { api } from '../api.ts';
import { useDraft } from '../layout/draft-memory.ts';
import { Page } from '../layout/page.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { useIdempotencyKey } from '../layout/use-idempotency-key.ts';
import { useOutdate } from '../layout/use-resource.ts';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { IssuedTokenPage } from './issued-token.tsx';
import { emptyDraft, newTokenOf, type TokenDraft } from './token-draft.ts';
import { TokenForm } from './token-form.tsx';

const resends = 2;

/** The page on which a token is made. `project` and `owner` in the URL's query are filled in. */
export function NewTokenPage() {
  const { session } = useSession();
  const [issued, setIssued] = useState<IssuedToken>();
  const [started, setStarted] = useState(0);
  if (issued) return <IssuedTokenPage token={issued} />;
  if (!session) return <Loading />;
  return (
    <Page title="Create a token" about="Its secret is shown once, after this form.">
      {may(session, 'createToken') ? (
        <NewTokenForm key={started} onIssued={setIssued} onRestart={() => setStarted(started + 1)} />
      ) : (
        <Alert color="yellow" title="You may not create tokens">
          Your role lets you see tokens. Ask the manager of the project to create one, or to make you a
          member.
        </Alert>
      )}
    </Page>
  );
}

function NewTokenForm({ onIssued, onRestart }: { onIssued(token: IssuedToken): void; onRestart(): void }) {
  const { draft, restored, keep, forget } = useDraft('new-token', useFilledIn());
  const idempotency = useIdempotencyKey();
  const outdate = useOutdate();
  const create = useMutation({
    mutationFn: (typed: TokenDraft) => {
      const body = newTokenOf(typed);
      return api.call('createToken', { body, idempotencyKey: idempotency.keyFor(body) });
    },
    // The key makes it safe to send the request again if its answer was lost.
    retry: (times, error) => times < resends && toProblem(error).facts.code === 'unreachable',
    onSuccess: issued => {
      forget();
      idempotency.forget();
      void outdate('listTokens');
      onIssued(issued);
    },
  });
  return (
    <>
      {restored && (
        <Alert color="blue" title="What you had typed is here again" maw={760}>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              forget();
              onRestart();
            }}
          >
            Begin with an empty form
          </Button>
        </Alert>
      )}
      <TokenForm
        initial={draft}
        submitLabel="Create the token"
        cancelTo="/tokens"
        running={create.isPending}
        error={create.error}
        failure={create.error && <Failed error={create.error} />}
        onChange={keep}
        onCancel={forget}
        onSubmit={typed => create.mutate(typed)}
      />
    </>
  );
}

/** Returns an empty form with what the URL names, and with the project in which alone the user may make tokens. */
function useFilledIn(): TokenDraft {
  const { session } = useSession();
  const [query] = useSearchParams();
  const projects = session?.projects.filter(({ project }) => may(session, 'createToken', { project })) ?? [];
  const first = session?.role === 'admin' ? '' : (projects[0]?.project ?? '');
  const project = query.get('project') ?? first;
  const onlyOwn = !may(session, 'createToken', { own: false, ...(project && { project }) });
  return { ...emptyDraft, project, owner: query.get('owner') ?? (onlyOwn ? (session?.name ?? '') : '') };
}
