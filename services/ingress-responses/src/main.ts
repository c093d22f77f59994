import { run } from '@model-gateway/service';
import { ingressResponses } from './service.ts';

await run(ingressResponses);
