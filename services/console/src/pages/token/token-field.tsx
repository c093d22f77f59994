import { Loader } from '@mantine/core';
import { SecretInput } from '../layout/secret-input.tsx';
import { inPlainWords } from '../problem.ts';
import { type TokenState, useToken } from './token-context.tsx';

/** A field for the token, hidden by default. It reports an invalid token at once. */
export function TokenField() {
  const state = useToken();
  const error = refusal(state);
  return (
    <SecretInput
      noun="token"
      label="Token"
      description="Stored in this tab only."
      placeholder="sk-…"
      autoComplete="off"
      spellCheck={false}
      value={state.secret}
      onChange={event => state.setSecret(event.currentTarget.value)}
      error={error}
      aria-invalid={error !== undefined}
      leftSection={
        state.checking ? (
          <Loader size="xs" role="status" aria-label="The token is being checked" />
        ) : undefined
      }
    />
  );
}

function refusal({ check, problem }: TokenState): string | undefined {
  if (problem) return `${inPlainWords(problem)} Retrying.`;
  if (check?.state === 'refused') return `This token is not valid. ${check.problem.message}`;
  return undefined;
}
