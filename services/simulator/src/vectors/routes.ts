import type { Express } from 'express';
import { embed as embedCohere, parseEmbed as parseCohereEmbed } from '../cohere/embed.ts';
import { cohere } from '../cohere/format.ts';
import { parseRerank as parseCohereRerank, rerank as rerankCohere } from '../cohere/rerank.ts';
import { embedContent } from '../embed-content/format.ts';
import { parseBatch, parse as parseEmbedContent } from '../embed-content/parse.ts';
import { wholeBatch, whole as wholeEmbedContent } from '../embed-content/whole.ts';
import { embeddings } from '../embeddings/format.ts';
import { parse as parseEmbeddings } from '../embeddings/parse.ts';
import { whole as wholeEmbeddings } from '../embeddings/whole.ts';
import { errand } from '../exchange.ts';
import { googlePath } from '../generate-content/target.ts';
import { rerank } from '../rerank/format.ts';
import { parse as parseRerank } from '../rerank/parse.ts';
import { whole as wholeRerank } from '../rerank/whole.ts';
import { embed as embedTei, parseEmbed as parseTeiEmbed } from '../tei/embed.ts';
import { tei } from '../tei/format.ts';
import { parseRerank as parseTeiRerank, rerank as rerankTei } from '../tei/rerank.ts';
import type { Traffic } from '../traffic.ts';

/** What is answered with vectors, or with ranks that are made of them. */
export function addVectorRoutes(app: Express, traffic: Traffic): void {
  app.post('/v1/embeddings', errand(embeddings, traffic, parseEmbeddings, wholeEmbeddings));
  app.post(googlePath('embedContent'), errand(embedContent, traffic, parseEmbedContent, wholeEmbedContent));
  app.post(googlePath('batchEmbedContents'), errand(embedContent, traffic, parseBatch, wholeBatch));
  app.post('/v2/embed', errand(cohere, traffic, parseCohereEmbed, embedCohere));
  app.post('/v2/rerank', errand(cohere, traffic, parseCohereRerank, rerankCohere));
  app.post('/v1/rerank', errand(rerank, traffic, parseRerank, wholeRerank));
  app.post(/^\/(?:tei\/.+\/)?embed$/, errand(tei, traffic, parseTeiEmbed, embedTei));
  app.post(/^\/(?:tei\/.+\/)?rerank$/, errand(tei, traffic, parseTeiRerank, rerankTei));
}
