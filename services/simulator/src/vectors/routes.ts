import type { Express } from 'express';
import { generateContentPath } from '../generate-content/parse.ts';
import { postJson } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import {
  cohere,
  embed as embedCohere,
  parseEmbed as parseCohereEmbed,
  parseRerank as parseCohereRerank,
  rerank as rerankCohere,
} from './cohere.ts';
import {
  embedContent,
  parseBatch,
  parse as parseEmbedContent,
  wholeBatch,
  whole as wholeEmbedContent,
} from './embed-content.ts';
import { embeddings, parse as parseEmbeddings, whole as wholeEmbeddings } from './embeddings.ts';
import { parse as parseRerank, rerank, whole as wholeRerank } from './rerank.ts';
import {
  embed as embedTei,
  parseEmbed as parseTeiEmbed,
  parseRerank as parseTeiRerank,
  rerank as rerankTei,
  tei,
} from './tei.ts';

/** The routes for embeddings and rerank. */
export function addVectorRoutes(app: Express, traffic: Traffic): void {
  app.post('/v1/embeddings', postJson(embeddings, traffic, parseEmbeddings, wholeEmbeddings));
  app.post(
    generateContentPath('embedContent'),
    postJson(embedContent, traffic, parseEmbedContent, wholeEmbedContent),
  );
  app.post(
    generateContentPath('batchEmbedContents'),
    postJson(embedContent, traffic, parseBatch, wholeBatch),
  );
  app.post('/v2/embed', postJson(cohere, traffic, parseCohereEmbed, embedCohere));
  app.post('/v2/rerank', postJson(cohere, traffic, parseCohereRerank, rerankCohere));
  app.post('/v1/rerank', postJson(rerank, traffic, parseRerank, wholeRerank));
  app.post(/^\/(?:tei\/.+\/)?embed$/, postJson(tei, traffic, parseTeiEmbed, embedTei));
  app.post(/^\/(?:tei\/.+\/)?rerank$/, postJson(tei, traffic, parseTeiRerank, rerankTei));
}
