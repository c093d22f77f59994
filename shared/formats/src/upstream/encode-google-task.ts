import type { EmbedRequest, EmbedTask } from '@model-gateway/canonical';
import { camelCase } from '../generate-content/case.ts';

/** Google's name of each task. */
export const taskTypes: Record<EmbedTask, string> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  'question-answering': 'QUESTION_ANSWERING',
  'fact-verification': 'FACT_VERIFICATION',
  'code-query': 'CODE_RETRIEVAL_QUERY',
};

/** The words of each task in a text, from the guide https://ai.google.dev/gemini-api/docs/embeddings#task-types-embeddings-2. */
const instructions: Record<Exclude<EmbedTask, 'document'>, string> = {
  query: 'search result',
  similarity: 'sentence similarity',
  classification: 'classification',
  clustering: 'clustering',
  'question-answering': 'question answering',
  'fact-verification': 'fact checking',
  'code-query': 'code retrieval',
};

/** Models for which the same guide says that the field `task_type` cannot be used. */
const taskInText = /(?:^|\/)gemini-embedding-2(?!\d)/;

/** The task of a request as its model takes it. */
interface EncodedTask {
  fields: { taskType?: string | undefined; title?: string | undefined };
  /** Returns a text as it is sent. */
  textOf(text: string): string;
}

/** Writes the task and the title of a request: in fields, or in the texts of the models that have no such fields. */
export function encodeTask(
  model: string,
  request: Pick<EmbedRequest, 'task' | 'title'>,
  drop: readonly string[],
): EncodedTask {
  const dropped = drop.map(camelCase);
  const task = dropped.includes('taskType') ? undefined : request.task;
  const title = dropped.includes('title') ? undefined : request.title;
  if (!taskInText.test(model))
    return { fields: { taskType: task && taskTypes[task], title }, textOf: text => text };
  return { fields: {}, textOf: text => instructed(text, task, title) };
}

function instructed(text: string, task: EmbedTask | undefined, title: string | undefined): string {
  if (task !== undefined && task !== 'document') return `task: ${instructions[task]} | query: ${text}`;
  return task === undefined && title === undefined ? text : `title: ${title ?? 'none'} | text: ${text}`;
}
