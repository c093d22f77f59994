import { rankingDialect } from '../ranking-dialect.ts';
import { read } from './decode.ts';
import { write } from './encode.ts';

/** Rerank, as Jina, vLLM and those compatible with them have it. */
export const jinaRerank = rankingDialect({ format: 'jina-rerank', path: '/rerank', write, read });
