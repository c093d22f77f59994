import { rankingDialect } from '../ranking-dialect.ts';
import { read } from './decode.ts';
import { write } from './encode.ts';

/** Rerank, as Hugging Face's text-embeddings-inference has it. */
export const teiRerank = rankingDialect({ format: 'tei-rerank', path: '/rerank', write, read });
