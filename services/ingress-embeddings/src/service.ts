import { embeddings } from '@model-gateway/formats/embeddings';
import { moderations } from '@model-gateway/formats/moderations';
import { rerank, rerankSecondVersion, rerankWithoutVersion } from '@model-gateway/formats/rerank';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [
  embeddings,
  rerank,
  rerankSecondVersion,
  rerankWithoutVersion,
  moderations,
];

export const ingressEmbeddings = ingressService('ingress-embeddings', endpoints);
