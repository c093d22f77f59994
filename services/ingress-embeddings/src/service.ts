import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { embeddings } from './embeddings/endpoint.ts';
import { moderations } from './moderations/endpoint.ts';
import { rerank, rerankSecondVersion, rerankWithoutVersion } from './rerank/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [
  embeddings,
  rerank,
  rerankSecondVersion,
  rerankWithoutVersion,
  moderations,
];

export const ingressEmbeddings = ingressService('ingress-embeddings', endpoints);
