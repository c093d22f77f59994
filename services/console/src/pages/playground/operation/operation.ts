import type { ReactNode } from 'react';
import type { CodeFormat } from '../../snippets/request.ts';
import type { ModelNames } from '../../token/check-token.ts';
import type { Quantities } from '../../token/cost.ts';
import type { TokenState } from '../../token/token-context.tsx';
import type { DraftProps, Field } from './fields.tsx';
import type { OperationRequest } from './request.ts';
import type { Read } from './use-run.ts';

/** The properties of a tab of the Playground. */
export interface OperationProps {
  /** The token. */
  secret: string;
  /** The models of the token that support the operation. */
  models: ModelNames;
  blocked: Blocked | undefined;
}

/** The reason why nothing can be sent, whatever the model: the token, or no model of it supports the operation. */
export interface Blocked {
  by: 'token' | 'models';
  reason: string;
}

/** An operation of the data plane, as the Playground shows it: what is typed, the request that it makes, and the answer. */
export interface Operation<Draft extends object, Result> {
  title: string;
  /** A sentence that says what the tab is for. */
  about: string;
  /** The format in which code is written for requests to `path`. */
  format: CodeFormat;
  path: string;
  /** The tab's text at first. */
  empty: Draft;
  /** The fields of the draft that hold files. They are kept as long as the tab is open, the others for this browser tab. */
  files?: readonly (keyof Draft)[];
  /** The fields of the request's content, and the settings beside them. */
  fields(draft: Draft): Field<Draft>[];
  settings(draft: Draft): Field<Draft>[];
  /** The label of the button that sends. */
  verb(draft: Draft): string;
  /** Returns what is missing or wrong before the request can be sent. */
  missing(draft: Draft): string | false | undefined;
  request(model: string, draft: Draft): OperationRequest;
  read(draft: Draft): Read<Result>;
  /** The name of the answer, such as `Ranking`. */
  answer: string;
  /** Returns what is billed of an answer. */
  used(result: Result): Quantities;
  /** Returns facts of an answer beside what is billed. */
  facts?(result: Result): (string | null | undefined)[];
  show(result: Result, form: DraftProps<Draft>): ReactNode;
}

/** Returns the reason why nothing can be sent with a token, whatever the model. */
export function refusal({ checking, problem, check }: TokenState): string | undefined {
  if (checking) return 'Checking the token…';
  if (problem) return 'The token could not be checked.';
  return !check || check.state === 'refused' ? 'Paste a valid token to begin.' : undefined;
}

/** Returns why a request cannot be sent: the token, the model, or what is missing. */
export function hintFor(
  blocked: Blocked | undefined,
  model: { name: string; usable: boolean },
  missing: string | false | undefined,
): string | undefined {
  if (blocked) return blocked.reason;
  if (model.name === '') return 'Choose a model to begin.';
  if (!model.usable) return `The token may not use a model named ${model.name} for this.`;
  return missing || undefined;
}
