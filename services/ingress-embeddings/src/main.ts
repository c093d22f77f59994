import { run } from '@model-gateway/service';
import { ingressEmbeddings } from './service.ts';

await run(ingressEmbeddings);
