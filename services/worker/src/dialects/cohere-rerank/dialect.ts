import { rankingDialect } from '../ranking-dialect.ts';
import { read } from './decode.ts';
import { write } from './encode.ts';

/** Rerank, as Cohere's second version has it. */
export const cohereRerank = rankingDialect({ format: 'cohere-rerank', path: '/v2/rerank', write, read });
